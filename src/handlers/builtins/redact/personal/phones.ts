import plans from 'libphonenumber-js/min/metadata'
import type { Span } from '../span.ts'
import { calledPhone } from './called.ts'

const kind = 'phone number'

/**
 * The signs between two groups: ` `, `.`, ` - `, `/`, `) `, ` (`. None holds a digit, so there is one way to
 * read a text.
 */
const sign = '(?: ?[/-] ?|[ .]|\\)[ /-]?|[ -]?\\()'
const runs = new RegExp(`(?<!\\w)[+(]{0,2}\\d+(?:${sign}\\d+)*`, 'g')
/** The first groups of a run: no number has more. */
const firstGroups = new RegExp(`^[+(]{0,2}\\d+(?:${sign}\\d+){0,8}`)
const extension = /[ ,;]{0,2}(?:x|ext(?:\.|ension)?|доб\.?|分机|转)[ .:]{0,2}\d{1,6}(?!\w)/iy

const withExtension = (text: string, end: number): number => {
  extension.lastIndex = end
  return extension.test(text) ? extension.lastIndex : end
}

/** E.164 allows 15 digits. A number without an area code has 7 or more. */
const [minDigits, maxDigits] = [7, 15]

/** The possible lengths of a number behind each country's code. */
const lengths = new Map(
  [
    ...Object.entries(plans.country_calling_codes).map(
      ([code, names]) => [code, names.map((name) => plans.countries[name])] as const,
    ),
    ...Object.entries(plans.nonGeographic).map(([code, plan]) => [code, [plan]] as const),
  ].map(([code, all]) => [code, new Set(all.flatMap((plan) => (plan?.[3] as number[] | undefined) ?? []))]),
)

/**
 * True for a country's code and as many more digits as a number there can have. `(0)` is not dialled from
 * abroad.
 */
const isInternational = (run: string, least = /\d\D+\d/.test(run) ? 8 : 10): boolean => {
  const digits = run.replace('(0)', '').replaceAll(/\D/g, '').replace(/^00/, '')
  return (
    digits.length >= least &&
    [1, 2, 3].some((size) => lengths.get(digits.slice(0, size))?.has(digits.length - size) === true)
  )
}

/** A place on the earth: `+49.123456`, `+49.1234-010.1234`, `+4953-09709`, `+394421-1045903` (ISO 6709). */
const isPlace = /^\+(?:\d{1,3}\.\d{1,7}(?:-\d{1,3}\.\d+)?|\d{4}-\d{5}|\d{6}-\d{7})$/

/** How a number is written in its own country. A reader takes it for one, whatever stands before it. */
const shapes = [
  // (555) 123-4567, (030) 123 45 67, 8 (495) 123-45-67. A year in brackets belongs to a citation.
  /^(?:[018][ -]?)?\((?!(?:19|20)\d\d\))\d{2,5}\)[ /-]?\d{3,5}(?:[ -]?\d{2,5}){1,3}$/,
  // 555-123-4567, 1-555-123-4567, 555.123.4567
  /^(?:1[-.])?[2-9]\d\d([-.])\d{3}\1\d{4}$/,
  // 030 1234567, 0171/1234567, 020 7946 0958, 06-12345678, 0171 123 45 67
  /^0[1-9]\d{0,4}(?: ?[/-] ?| )\d{3,8}(?:[ -]\d{2,5}){0,3}$/,
  /^0[1-9]\d{1,4}(?: ?[/-] ?| )\d\d(?:[ -]\d{2,5}){2,3}$/,
  // 01 23 45 67 89, 01.23.45.67.89
  /^0[1-9](?:([ .-])\d\d)(?:\1\d\d){3}$/,
  // 138 0013 8000
  /^1[3-9]\d([ -])\d{4}\1\d{4}$/,
  // 8-916-123-45-67
  /^8([ -])\d{3}[ -]\d{3}([ -])\d\d\2\d\d$/,
]
/** Behind a weaker word digits alone are one only with a leading 0, or as a mobile number of China. */
const isBare = /^(?:0[1-9]\d{8,9}|1[3-9]\d{9})$/

const isWrittenAtHome = (run: string, digits: number): boolean =>
  digits >= 9 && digits <= 12 && shapes.some((shape) => shape.test(run))

/**
 * A date, with or without a time behind it, years, seconds or milliseconds since 1970, a number of the social
 * security or a postal code of the US, a fraction, an address of a machine, bytes, bits, or code points and
 * rights of a file, which all begin with 0.
 */
const isOther = new RegExp(
  `^\\(?(?:${[
    '(?:19|20)\\d\\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\\d|3[01])(?:[ -]?\\d{4}(?:\\d\\d)?)?',
    '(?:19|20)\\d\\d[-./ ](?:0?[1-9]|1[0-2])[-./ ](?:0?[1-9]|[12]\\d|3[01])(?: \\d{2,6})?',
    '(?:0?[1-9]|[12]\\d|3[01])([-./ ])(?:0?[1-9]|[12]\\d|3[01])\\1(?:19|20)\\d\\d(?: \\d+)?',
    '(?:19|20)\\d\\d ?- ?(?:19|20)\\d\\d',
    '1[5-9](?:\\d{8}|\\d{11})',
    '\\d{3}-\\d\\d-\\d{4}|\\d{5}-\\d{4}',
    '\\d+\\.\\d+|\\d{1,3}(?:\\.\\d{1,3}){3}',
    '01 02 03 04 05|[01 ]+|0\\d{3}(?: 0\\d{3})+',
  ].join('|')})$`,
)

/** `1 234 567` can be a number of things. Then these follow, and no word that goes on with the sentence. */
const isCount = /^\d{1,3}(?:[ .]\d{3})+$/
const goesOn =
  /^(?:$|\s*[^\s\p{L}\p{N}%€$£]|\s*\n| +(?:i|and|or|to|if|for|when|as|so|but|because|please|the|at|on|in|with|we|you|between|until|from|since|after|before|by|is|was|will|can|does|has|not|any|anytime|today|tomorrow|tonight|now|again|instead|then|which|that|who|thanks?|und|oder|et|ou|y|o|e)\b)/iu

/** True where what stands directly around a run makes it a part of something else. */
const isPart = (text: string, start: number, end: number): boolean =>
  /[\w$€£¥@%^~+-]$|\d[.,:]$/.test(text.slice(Math.max(0, start - 2), start)) ||
  /^(?:[\w%@°€$£=]|[.,:]\d|[-/][A-Za-z]{0,8}\d)/.test(text.slice(end, end + 12))

/** True for pairs of digits with another byte before or behind them. */
const isAmongBytes = (text: string, start: number, end: number): boolean =>
  /^\d\d(?: \d\d)+$/.test(text.slice(start, end)) &&
  (/\b(?:\d[\da-f]|[a-f]\d) $/.test(text.slice(Math.max(0, start - 4), start)) ||
    /^ (?:\d[\da-f]|[a-f]\d)\b/.test(text.slice(end, end + 4)))

const isNational = (text: string, start: number, end: number, next: number): boolean => {
  const run = text.slice(start, end)
  const groups = run.match(/\d+/g) ?? []
  const digits = groups.join('').length
  if (digits < minDigits || digits > maxDigits || isOther.test(run) || isPart(text, start, next)) return false
  // Behind the code of an area no digit stands alone.
  if (groups.slice(2).some((group) => group.length === 1)) return false
  const called = calledPhone(text, start, next)
  if (called === 'other') return false
  if (groups.length === 1)
    return (
      called === 'label' ||
      (digits >= 9 && (called === 'label behind' || called === 'verb')) ||
      (called === 'near' && isBare.test(run))
    )
  if (called === 'label behind') return true
  if (called !== undefined) return !isCount.test(run) || goesOn.test(text.slice(next, next + 20))
  if (/[#=/.]/.test(text[start - 1] ?? '') || isAmongBytes(text, start, end)) return false
  return /^00[1-9]/.test(run) ? isInternational(run, 10) : isWrittenAtHome(run, digits)
}

/** Where a run can be parted when the whole is no number: at a bracket, then at each space. */
const seams = [/ (?=\()/, / /]

const inRun = (text: string, from: number, end: number, seam = 0): readonly Span[] => {
  // A bracket that is not closed in the run stands around the number.
  const start = text[from] === '(' && !text.slice(from, end).includes(')') ? from + 1 : from
  const run = text.slice(start, end)
  if (isPlace.test(run)) return []
  if (/^\(?\+/.test(run)) {
    // Digits behind a number, such as a time, do not belong to it.
    for (let own = firstGroups.exec(run)?.[0] ?? ''; own !== ''; own = own.replace(/\D*\d+$/, '')) {
      const to = withExtension(text, start + own.length)
      const least = calledPhone(text, start, to) === 'label' ? minDigits : undefined
      if (isInternational(own, least))
        return isPart(text, start, to) ? [] : [{ start, end: to, kind }, ...inRun(text, to + 1, end, 1)]
    }
    return []
  }
  const to = withExtension(text, end)
  if (isNational(text, start, end, to)) return [{ start, end: to, kind }]
  const by = seams[seam]
  if (by === undefined) return []
  let next = start
  return run.split(by).flatMap((part) => {
    const at = next
    next += part.length + 1
    return inRun(text, at, at + part.length, seam + 1)
  })
}

/** Finds phone numbers: with the code of a country, written as at home, or called a phone number. */
export const findPhones = (text: string): readonly Span[] =>
  [...text.matchAll(runs)].flatMap(({ 0: run, index }) =>
    run.length < minDigits ? [] : inRun(text, index, index + run.length),
  )
