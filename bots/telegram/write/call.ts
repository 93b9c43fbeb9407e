import type { FailedDelivery } from '../../../src/core/model/chat/channel.ts'
import { failedDelivery, type CallFailure, type Refusals } from '../../../src/shared/chat/connection.ts'
import { readFailure } from '../failure.ts'
import { type CallSignal, type Timers, within } from '../timers.ts'

const callTimeoutMs = 30_000

/** The result of one Bot API call. */
export type CallResult<T> = { readonly value: T } | { readonly failure: CallFailure }

/**
 * Runs one call and gives it up after `withinMs` milliseconds. `secrets` are removed from Telegram's error
 * text. Never rejects.
 */
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

export const isRefused = (failure: CallFailure, code: number, words = /(?:)/): boolean =>
  failure.kind === 'refused' && failure.code === code && words.test(failure.description)

/** Plain sentences for the error codes that a person can act on. */
const plainTexts: readonly (readonly [description: RegExp, why: string])[] = [
  [/TOPIC_CLOSED/, 'The topic is closed. Open it again in Telegram, or write to another chat.'],
  [
    /TOPIC_DELETED|message thread not found/,
    'The topic was deleted. Write to another topic, or open a new one.',
  ],
  [
    /message to edit not found|MESSAGE_ID_INVALID|message can't be edited/,
    'The message was deleted or can no longer be edited. Send a new one.',
  ],
  [
    /no text in the message to edit/,
    'The message holds a file or a poll, so its text cannot be edited. Send a new message.',
  ],
  [/message to react not found/, 'The message was deleted, so it cannot get a reaction. Send a text.'],
  [/REACTION_INVALID/, 'Telegram does not have this reaction. Send another one, such as 👍.'],
  [/IMAGE_PROCESS_FAILED|PHOTO_INVALID/, 'Telegram cannot show this file as a photo. Send it as a document.'],
  [/VOICE_MESSAGES_FORBIDDEN/, 'This person does not accept voice messages. Send the file as a document.'],
  [
    /the chat is not a forum/,
    'This group has no topics. Turn them on in its settings, or write to the group itself.',
  ],
]

const refusals: Refusals = {
  name: 'Telegram',
  isLimit: ({ code }) => code === 429,
  isPassing: ({ code }) => code >= 500,
  plainText: (refusal) => plainTexts.find(([description]) => description.test(refusal.description))?.[1],
}

/** The outcome of a message after a failed call. */
export const deliveryOf = (failure: CallFailure, isRepeatable = false): FailedDelivery =>
  failedDelivery(failure, isRepeatable, refusals)
