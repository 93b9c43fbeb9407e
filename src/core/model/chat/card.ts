import type { Prose } from './prose.ts'

/**
 * The actions of buttons. `yes` says yes to what the card shows, `answer` answers it as well and counts once,
 * and `look` answers nothing.
 *
 * - About a hook: `approve`, `close` (approve, and block when the hook fails), `shadow` (it is only asked and
 *   recorded), `promote` (a shadow decides), `wait` (not now), `revoke`, `show`, `diff` and `try`, which asks
 *   it about past events. `end_try` stops that. `on` is the switch, `pending` shows what waits, and
 *   `gallery` proposes a hook for a single job.
 * - About a message that waits for an owner: `release`, `withhold`, and `show_held`, which shows its text.
 * - About a tool call that waits: `allow`, `allow_session`, `deny`, `deny_words`, `edit`, `show_call`, which
 *   shows all of it, and `more`, which opens the other answers.
 * - About a question of an agent: `fill` answers it, `fill_words` asks for an answer in words, and `leave`
 *   leaves it to the terminal.
 * - About grants: `always` shows their shapes, `grant` gives one, and `ungrant` ends one.
 * - `run` carries out a typed command, where the messenger does not show that a person typed it.
 * - `confirm` and `keep` are for a person who is removed or gets a lower role. `why` shows an event of the
 *   history. `extend` adds to a spent budget. `stop` ends what the agent is doing. `turn` shows what the line
 *   of a command shows, such as another page, in place of the message.
 */
const ACTS = {
  approve: 'yes',
  close: 'yes',
  shadow: 'yes',
  promote: 'yes',
  wait: 'answer',
  revoke: 'answer',
  on: 'answer',
  release: 'yes',
  withhold: 'answer',
  allow: 'yes',
  allow_session: 'yes',
  deny: 'answer',
  leave: 'answer',
  grant: 'yes',
  ungrant: 'answer',
  confirm: 'yes',
  keep: 'answer',
  extend: 'answer',
  run: 'yes',
  end_try: 'answer',
  // A form has several answers, and its card shows after each of them what is asked next.
  fill: 'look',
  fill_words: 'look',
  deny_words: 'look',
  edit: 'look',
  always: 'look',
  show_call: 'look',
  more: 'look',
  show_held: 'look',
  show: 'look',
  diff: 'look',
  try: 'look',
  why: 'look',
  pending: 'look',
  turn: 'look',
  gallery: 'look',
  stop: 'look',
} as const satisfies Readonly<Record<string, 'yes' | 'answer' | 'look'>>

export type CardAct = keyof typeof ACTS

/** True for an action that answers its card, so that it counts once. */
export const isAnswer = (act: CardAct): boolean => ACTS[act] !== 'look'

/** True for an action whose answer takes the place of the card. */
export const takesPlace = (act: CardAct): boolean => isAnswer(act) || act === 'turn' || act === 'show'

/** True for an action that says yes to what its card shows. */
export const isYes = (act: CardAct): boolean => ACTS[act] === 'yes'

/** The action of one button, and the owner who may tap it. */
export interface Card {
  readonly owner: string
  /** The chat that shows it. */
  readonly chat: string
  readonly act: CardAct
  /**
   * The fingerprint of the hook, the key of the held message, the key of the question, the id of the event or
   * the key of the budget. Absent when it is about none of them.
   */
  readonly fingerprint?: string
  /** The position in the files that propose the hook, whatever its bytes are now. */
  readonly place?: string
  /** Everything that an approval would bind, as the message shows it. */
  readonly shows?: string
  /** What its command gets after the handle. */
  readonly words?: string
  /** The text that stays above the answer when the answer replaces the tapped message. */
  readonly above?: Prose
}

/**
 * The reason why a tap was ignored. `used`: the card was answered, or what it named was changed; `by` says
 * who did it. `new`: the tap came before anybody could have read the card. `hidden`: the hook `by` hid a part
 * of what the card shows.
 */
export interface IgnoredTap {
  readonly why: 'unknown' | 'used' | 'expired' | 'elsewhere' | 'new' | 'hidden'
  readonly fingerprint?: string
  readonly place?: string
  readonly by?: string
}

/** A handle of a question, the messages that show it, and the hook that hid a part of its card. */
export interface QuestionHandle {
  readonly owner: string
  readonly chat: string
  readonly handle: string
  readonly messageIds: readonly string[]
  readonly hiddenBy?: string
}

/** The handles and buttons by which owners can answer a question. They are stored with it. */
export interface AnswerWays {
  readonly handles: readonly QuestionHandle[]
  readonly buttons: readonly { readonly press: string; readonly card: Card }[]
}
