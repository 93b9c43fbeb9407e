import { refusal, type Notice } from '../../model/chat/notice.ts'
import { named, prose, type Prose } from '../../model/chat/prose.ts'

/** Why a yes does not count: `by` hid some of what was shown. */
export const hiddenWords = (by: string): Prose =>
  prose`${named(by)} hid part of it where you were shown it last.`

/** The same with the two ways on. */
export const hiddenWays = (by: string): Prose =>
  prose`${hiddenWords(by)}\nRevoke that hook, or look again without hooks:\n→ /hooks off 15m`

/** The answer to a yes to what an owner was not shown whole. */
export const hiddenRefusal = (by: string): Notice => refusal(prose`Nothing was changed: ${hiddenWays(by)}`)
