import { instructions } from './words/instructions.ts'
import { secrets } from './words/secrets.ts'
import { rights } from './words/rights.ts'
import { obedience } from './words/obedience.ts'

/**
 * The words of the grammar by their part in a sentence. A star ends a stem; a plus joins the words of a
 * phrase. All languages stand together, because a sentence does not say which one it is in. The lines of a
 * part go from English to other languages of Europe, to Russian, to Chinese and Japanese, and to the others.
 */
export const table = { ...instructions, ...secrets, ...rights, ...obedience }

export type Role = keyof typeof table

/** What the words of a role are, too. */
export const also: Readonly<Partial<Record<Role, readonly Role[]>>> = {
  systemPrompt: ['orders', 'task'],
  yourSecrets: ['secrets'],
  already: ['consented'],
  toolCalls: ['calls'],
  revealStrong: ['reveal'],
  steal: ['send'],
  given: ['prior'],
  keyFiles: ['secrets'],
  henceforth: ['become'],
  tell: ['inform'],
}
