import type { Span } from '../span.ts'

/**
 * The first digits and the lengths of cards in use (ISO/IEC 7812, and what the networks publish): Visa,
 * Mastercard, American Express, Diners, Discover, JCB, UnionPay, Mir, RuPay, Troy, Uzcard, Humo and Maestro.
 */
const ranges = new RegExp(
  `^(?:${[
    '4(?:\\d{15}|\\d{18})',
    '(?:5[1-5]\\d\\d|222[1-9]|22[3-9]\\d|2[3-6]\\d\\d|27[01]\\d|2720)\\d{12}',
    '3[47]\\d{13}',
    '3(?:0[0-5]|095|[689]\\d)\\d{11}',
    '(?:2131|1800)\\d{11}',
    '(?:6011|64[4-9]\\d|65\\d\\d|35(?:2[89]|[3-8]\\d)|220[0-4])\\d{12,15}',
    '62\\d{14,17}',
    '(?:60|81|82)\\d{14}',
    '(?:508\\d|9792|8600|9860)\\d{12}',
    '(?:5018|5020|5038|5893|6304|6759|676[1-3])\\d{12,15}',
  ].join('|')})$`,
)

const passesLuhn = (digits: string): boolean => {
  let sum = 0
  for (let place = 0; place < digits.length; place++) {
    const digit = Number(digits[digits.length - 1 - place]) * (place % 2 === 0 ? 1 : 2)
    sum += digit > 9 ? digit - 9 : digit
  }
  return sum % 10 === 0
}

/** Digits in the groups that stand on cards. The longest comes first. */
const runs = /(?<![\w.])\d+(?:[ -]\d+)*(?!\w)/g
const isGrouped = /^(?:\d{12,19}|(?:\d{4}|\d{6})(?:[ -]\d{3,7}){1,3}(?:[ -]\d{1,7})?)$/
const maxGroups = 5
const [minDigits, maxDigits] = [12, 19]

/** A number that is called a card may be of a range that is not in the table. */
const isCalledCard =
  /(?<!\p{L})(?:(?:credit|debit|bank|kredit)?(?:card|karte)\p{L}*|cc|credit|debit|visa|mastercard|amex|maestro|carte|tarjeta|carta|cart[ãa]o|kaart|карт\p{L}*|\p{L}*卡\p{L}*)[^\d\n\]]{0,30}$/iu
const lookBackUnits = 48

const isCard = (text: string, start: number, end: number): boolean => {
  const digits = text.slice(start, end).replaceAll(/\D/g, '')
  return (
    digits.length >= minDigits &&
    digits.length <= maxDigits &&
    passesLuhn(digits) &&
    !/^(\d)\1+$/.test(digits) &&
    (ranges.test(digits) || isCalledCard.test(text.slice(Math.max(0, start - lookBackUnits), start)))
  )
}

/** A card may stand among other groups of digits, so every span of whole groups is tried. */
export const findCards = (text: string): readonly Span[] =>
  [...text.matchAll(runs)].flatMap(({ 0: run, index }) => {
    if (run.length < minDigits) return []
    const groups = [...run.matchAll(/\d+/g)].map((group) => ({
      start: index + group.index,
      end: index + group.index + group[0].length,
    }))
    const found: Span[] = []
    for (let from = 0; from < groups.length; from++) {
      const { start = 0 } = groups[from] ?? {}
      for (let to = Math.min(from + maxGroups, groups.length) - 1; to >= from; to--) {
        const { end = 0 } = groups[to] ?? {}
        if (!isGrouped.test(text.slice(start, Math.min(end, start + 32))) || !isCard(text, start, end))
          continue
        found.push({ start, end, kind: 'card number' })
        from = to
        break
      }
    }
    return found
  })
