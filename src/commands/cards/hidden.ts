import { refusal, type Notice } from '../../core/model/chat/notice.ts'
import { prose, type Prose } from '../../core/model/chat/prose.ts'
import { labelWords } from '../../shared/said/our-words.ts'

/** The reason why a yes does not count: the hook `by` hid part of the card. */
export const hiddenWords = (by: string): Prose =>
  prose`${labelWords(by)} hid part of it when you last saw it.`

/** The reason with the two things that an owner can do. */
export const hiddenWays = (by: string): Prose =>
  prose`${hiddenWords(by)}\nRevoke that hook, or switch hooks off and look again:\n→ /hooks off 15m`

/** The answer to a yes when a hook hid part of the card. */
export const hiddenRefusal = (by: string): Notice => refusal(prose`Nothing was changed: ${hiddenWays(by)}`)
