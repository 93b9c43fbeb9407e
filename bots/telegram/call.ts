import type { Delivery } from '../../src/model/channel.ts'
import { readFailure, type Failure } from './failure.ts'
import { type CallSignal, type Timers, within } from './timers.ts'

const callTimeoutMs = 30_000
const retryMs = 2000

/** What one Bot API call came to. */
export type CallResult<T> = { readonly value: T } | { readonly failure: Failure }

/** Runs one call within 30 s, or as long as said. `secrets` are cut out of what Telegram says about it. Never rejects. */
export const call = async <T>(
  timers: Timers,
  secrets: readonly string[],
  run: (signal: CallSignal) => Promise<T>,
  withinMs = callTimeoutMs,
): Promise<CallResult<T>> => {
  try {
    return { value: await within(timers, withinMs, run) }
  } catch (error) {
    return { failure: readFailure(error, secrets) }
  }
}

export const isRefused = (failure: Failure, code: number, words = /(?:)/): boolean =>
  failure.kind === 'refused' && failure.code === code && words.test(failure.description)

/** What Telegram says in its own short words where somebody can do something about it. */
const plainWords: readonly (readonly [words: RegExp, why: string])[] = [
  [/TOPIC_CLOSED/, 'The topic is closed. Open it again in Telegram, or write to another chat.'],
  [/TOPIC_DELETED|message thread not found/, 'The topic is gone. Write to another, or open a new one.'],
  [
    /message to edit not found|MESSAGE_ID_INVALID|message can't be edited/,
    'The message is gone or can no longer be edited. Send a new one.',
  ],
  [
    /no text in the message to edit/,
    'The message bears a file or a poll, so its words cannot be edited. Send a new one.',
  ],
  [/message to react not found/, 'The message is gone, so nothing can be put under it. Send a text.'],
  [/REACTION_INVALID/, 'Telegram does not have this reaction. Send another, such as 👍.'],
  [/IMAGE_PROCESS_FAILED|PHOTO_INVALID/, 'Telegram cannot show it as a photo. Send it as a document.'],
  [/VOICE_MESSAGES_FORBIDDEN/, 'This person takes no voice messages. Send it as a document.'],
  [
    /the chat is not a forum/,
    'This group has no topics. Turn them on in its settings, or write to the group itself.',
  ],
]

/** What a failed call means for a parcel. `isRepeatable`: a second call does no harm even if the first one arrived. */
export const deliveryOf = (
  failure: Failure,
  isRepeatable = false,
): Exclude<Delivery, { kind: 'delivered' }> => {
  if (failure.kind === 'unsent')
    return { kind: 'retry', afterMs: retryMs, why: `Telegram cannot be reached (${failure.code}).` }
  if (failure.kind === 'lost') {
    const why = `The connection to Telegram broke before its answer came (${failure.code}).`
    return isRepeatable ? { kind: 'retry', afterMs: retryMs, why } : { kind: 'unknown', why }
  }
  const said = `Telegram answered ${failure.code}: ${failure.description}`
  if (failure.code === 429)
    return { kind: 'retry', afterMs: failure.retryAfterMs ?? retryMs, why: said, isLimit: true }
  if (failure.code >= 500) return { kind: 'retry', afterMs: retryMs, why: said }
  return { kind: 'failed', why: plainWords.find(([words]) => words.test(failure.description))?.[1] ?? said }
}
