import type { Prose } from './prose.ts'

/**
 * What a button of a card stands for. `close`: approve, and block what the hook judges if it fails; `wait`: not now;
 * `on`: the switch; `pending`: show what waits; `page`: another page of the list;
 * `release` and `withhold`: of a message that waits for an owner's word;
 * `allow`, `allow_session`, `deny`, `deny_words` and `show_call`, all of it: of a tool call that waits for one.
 */
export type CardAct =
  | 'approve'
  | 'close'
  | 'wait'
  | 'revoke'
  | 'on'
  | 'show'
  | 'diff'
  | 'pending'
  | 'page'
  | 'release'
  | 'withhold'
  | 'allow'
  | 'allow_session'
  | 'deny'
  | 'deny_words'
  | 'show_call'

/** True when a button of this kind is an answer, so that it counts once. */
export const isAnswer: Readonly<Record<CardAct, boolean>> = {
  approve: true,
  close: true,
  wait: true,
  revoke: true,
  on: true,
  release: true,
  withhold: true,
  allow: true,
  allow_session: true,
  deny: true,
  deny_words: false,
  show_call: false,
  show: false,
  diff: false,
  pending: false,
  page: false,
}

/** True when a button of this kind says yes to what its card shows. */
export const isYes = (act: CardAct): boolean => yes.has(act)
const yes: ReadonlySet<CardAct> = new Set(['approve', 'close', 'release', 'allow', 'allow_session'])

/** What one button stands for, and for whom. */
export interface Card {
  readonly owner: string
  /** The chat in which it is shown. */
  readonly chat: string
  readonly act: CardAct
  /** The bytes that it is about, the message that is held or the question; absent where it is about neither. */
  readonly fingerprint?: string
  /** Where the files propose it, whatever its bytes are by now. */
  readonly place?: string
  /** All that an approval would bind, as its message shows it. */
  readonly shows?: string
  /** Which page of the list it leads to. */
  readonly page?: number
  /** What stays, above the answer, where the answer takes the place of what it was tapped under. */
  readonly above?: Prose
}

/** Why a tap counts for nothing. `used`: it was answered, or what it named was changed, by whom. `new`: it came before anybody could have read the card. `hidden`: a hook, `by`, hid some of what the card shows. */
export interface Untaken {
  readonly why: 'unknown' | 'used' | 'expired' | 'elsewhere' | 'new' | 'hidden'
  readonly fingerprint?: string
  readonly place?: string
  readonly by?: string
}
