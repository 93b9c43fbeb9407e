import { fold } from '../disguises/fold.ts'
import { written } from '../disguises/reading.ts'
import type { Span } from '../span.ts'
import { findAccounts } from './accounts.ts'
import { findCards } from './cards.ts'
import { findEmails } from './emails.ts'
import { findPhones } from './phones.ts'

/** The digits of all scripts as 0 to 9. Ten of them stand in a row, and nothing that is one beside them. */
const plainDigits = (text: string): string =>
  text.replaceAll(/(?![0-9])\p{Nd}/gu, (digit) => {
    let zero = digit.codePointAt(0) ?? 0
    const code = zero
    while (/^\p{Nd}/u.test(String.fromCodePoint(zero - 1))) zero--
    return digit.length === 1 ? String(code - zero) : digit
  })

/** Finds what identifies a person. Spans can overlap, as those of secrets do. */
export const findPersonal = (text: string): readonly Span[] => {
  const isPlain = /^[\0-\x7f]*$/.test(text)
  const reading = isPlain ? undefined : fold(text, 'signs')
  const read = isPlain ? text : plainDigits(reading?.text ?? text)
  const found = [findEmails, findAccounts, findCards, findPhones].flatMap((findKind) => findKind(read))
  return reading === undefined ? found : found.map((span) => written(reading, span))
}
