import { createBoundedMap } from '../../../src/core/model/base/bounded-map.ts'
import type { CallFailure } from '../../../src/shared/chat/connection.ts'
import { call, type CallResult } from './call.ts'
import type { AnchorPorts } from './anchor.ts'

/** A pin is a help and no message, so nothing waits for it much longer than the network needs. */
const pinTimeoutMs = 10_000
/** The cards that are known to be pinned, at most. */
const maxKnown = 1000

/**
 * Keeps cards in sight that wait for a person: a card is pinned while it waits. A failure changes nothing
 * else: the card itself is in the chat.
 */
export const createPins = ({
  api,
  token,
  timers,
  mint,
}: Pick<AnchorPorts, 'api' | 'token' | 'timers' | 'mint'>) => {
  const pinned = createBoundedMap<string, true>(maxKnown)
  /** The cards that are taken down for a moment. One that ended meanwhile is not put back. */
  const lifted = new Set<string>()
  /** By chat, the last change. Changes of one chat happen in their order. */
  const last = new Map<number, Promise<unknown>>()
  const keyOf = (chatId: number, messageId: number): string => `${chatId} ${messageId}`

  const inOrder = (chatId: number, run: () => Promise<unknown>): void => {
    const done = (last.get(chatId) ?? Promise.resolve()).then(run).then(() => {
      if (last.get(chatId) === done) last.delete(chatId)
    })
    last.set(chatId, done)
  }

  const pin = (chat_id: number, message_id: number): Promise<CallResult<true>> =>
    call(
      timers,
      [token],
      (signal) => {
        const payload = { chat_id, message_id, disable_notification: true }
        return api.raw.pinChatMessage(mint('pinChatMessage', payload), signal)
      },
      pinTimeoutMs,
    )
  const unpin = (chat_id: number, message_id: number): Promise<CallResult<true>> =>
    call(timers, [token], (signal) => api.raw.unpinChatMessage({ chat_id, message_id }, signal), pinTimeoutMs)

  return {
    /** Pins a card, or takes it down. Returns at once. */
    set: (chatId: number, messageId: number, isPinned: boolean): void => {
      const key = keyOf(chatId, messageId)
      if (!isPinned) {
        lifted.delete(key)
        pinned.delete(key)
        return inOrder(chatId, () => unpin(chatId, messageId))
      }
      // A second pin of the same message would be one more line in the chat.
      if (pinned.has(key)) return
      pinned.set(key, true)
      inOrder(chatId, () => pin(chatId, messageId))
    },
    /** Takes a card down for a moment, so that what is pinned beneath it can be read. */
    lift: async (chatId: number, messageId: number): Promise<CallFailure | undefined> => {
      lifted.add(keyOf(chatId, messageId))
      const done = await unpin(chatId, messageId)
      return 'failure' in done ? done.failure : undefined
    },
    putBack: (chatId: number, messageId: number): void => {
      if (lifted.delete(keyOf(chatId, messageId))) inOrder(chatId, () => pin(chatId, messageId))
    },
  }
}

export type Pins = ReturnType<typeof createPins>
