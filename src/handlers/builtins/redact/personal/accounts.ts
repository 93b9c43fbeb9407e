import type { Span } from '../span.ts'

/** The countries of the IBAN registry (ISO 13616, SWIFT), by the length of their accounts. */
const countries: Readonly<Record<number, string>> = {
  15: 'NO',
  16: 'BE',
  18: 'DK FI FK FO GL NL SD',
  19: 'MK SI',
  20: 'AT BA EE KZ LT LU MN XK',
  21: 'CH HR LI LV',
  22: 'BG BH CR DE GB GE IE ME RS VA',
  23: 'AE GI IL IQ OM SO TL',
  24: 'AD CZ ES MD PK RO SA SE SK TN VG',
  25: 'LY PT ST',
  26: 'IS TR',
  27: 'BI DJ FR GR IT MC MR SM',
  28: 'AL AZ BY CY DO GT HN HU LB NI PL SV',
  29: 'BR EG PS QA UA',
  30: 'JO KW MU YE',
  31: 'MT SC',
  32: 'LC',
  33: 'RU',
}
/** The form of an account by its country: without spaces, or in groups of four. */
const forms = new Map(
  Object.entries(countries).flatMap(([length, names]) => {
    const [behind, last] = [Number(length) - 4, (Number(length) - 4) % 4]
    const form = `[A-Z]{2}\\d\\d(?:[A-Z\\d]{${behind}}|(?:[ -][A-Z\\d]{4}){${(behind - last) / 4}}${last === 0 ? '' : `[ -][A-Z\\d]{${last}}`})(?![A-Z\\d])`
    return names.split(' ').map((name) => [name, new RegExp(form, 'iy')] as const)
  }),
)

/** ISO 13616: letters count from 10, the first four characters go last, and the whole is 1 modulo 97. */
const hasCheckDigits = (account: string): boolean => {
  let rest = 0
  for (const sign of account.slice(4) + account.slice(0, 4)) {
    const value = Number.parseInt(sign, 36)
    rest = (rest * (value > 9 ? 100 : 10) + value) % 97
  }
  return rest === 1
}

const beginnings = /(?<![A-Z\d])[A-Z]{2}\d\d/gi

export const findAccounts = (text: string): readonly Span[] =>
  [...text.matchAll(beginnings)].flatMap(({ 0: beginning, index: start }) => {
    const form = forms.get(beginning.slice(0, 2).toUpperCase())
    if (form === undefined) return []
    form.lastIndex = start
    const [found] = form.exec(text) ?? []
    return found !== undefined && hasCheckDigits(found.replaceAll(/[ -]/g, '').toUpperCase())
      ? [{ start, end: start + found.length, kind: 'bank account' }]
      : []
  })
