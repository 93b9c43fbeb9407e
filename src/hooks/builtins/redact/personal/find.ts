import { fold } from '../disguises/fold.ts'
import { written } from '../disguises/reading.ts'
import type { Span } from '../span.ts'
import { findAccounts } from './accounts.ts'
import { findCards } from './cards.ts'
import { findEmails } from './emails.ts'
import { findPhones } from './phones.ts'

/** Finds what identifies a person. Spans can overlap, as those of secrets do. */
export const findPersonal = (text: string): readonly Span[] => {
  const reading = /[^\0-\x7f]/.test(text) ? fold(text, 'signs') : undefined
  const read = reading?.text ?? text
  const found = [findEmails, findAccounts, findCards, findPhones].flatMap((findKind) => findKind(read))
  return reading === undefined ? found : found.map((span) => written(reading, span))
}
