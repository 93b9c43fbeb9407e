import { ProblemError } from '../../core/model/gate/problem.ts'
import { type Prose, fixed } from '../../core/model/chat/prose.ts'

/** The reason of a gate that does nothing until it can reach its database again. */
export const cutOff = 'its database cannot be reached'
/** What ends a lockdown with this reason, for a line of its own. */
export const wayOut = (reason: string): Prose =>
  reason === cutOff ? fixed('It ends when the database can be reached again.') : fixed('→ /hooks recover')

/** An act reads the ledger first, and the database did not answer. */
export const unreadLedger = (): ProblemError =>
  new ProblemError({
    code: 'ledger.unread',
    message: 'Expected to read the ledger, but the database does not answer.',
    fix: 'Nothing was changed. Try again when it answers.',
  })
