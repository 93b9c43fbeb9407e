import type { Api } from 'grammy'
import { z } from 'zod'
import type { Delivery } from '../../src/model/channel.ts'
import { call, deliveryOf, isRefused, type CallResult } from './call.ts'
import { isAnchorMark } from './entities.ts'
import type { Identity } from './identity.ts'
import type { Timers } from './timers.ts'

/** A message took its place in the chat, new or by an edit. Its id is absent where the server did not tell it. */
export type Placed =
  | { readonly kind: 'delivered'; readonly messageId?: number }
  | Exclude<Delivery, { kind: 'delivered' }>

const pinnedSchema = z.object({
  message_id: z.int(),
  from: z.object({ id: z.int() }).optional(),
  text: z.string().optional(),
  entities: z.array(z.object({ type: z.string(), offset: z.int() })).optional(),
})

interface Pinned {
  readonly messageId: number
  /** Of this bot's own anchor; undefined when something else is pinned. */
  readonly anchor: string | undefined
}

export interface AnchorPorts {
  readonly api: Api
  readonly token: string
  readonly timers: Timers
  readonly identity: Identity
  mint<T extends object>(method: string, payload: T): T
  trouble(why: string, isBack: boolean): void
}

/** Keeps one message of this bot pinned in a chat. */
export const createAnchors = (ports: AnchorPorts) => {
  const { api, timers, token } = ports
  /** The anchor of each chat that this run placed; it may have been unpinned since, or never pinned. */
  const placed = new Map<number, number>()
  let isTold = false

  /** What is pinned in a chat: of several messages the one that was sent last. */
  const pinnedIn = (chatId: number): Promise<CallResult<Pinned | undefined>> =>
    call(timers, [token], async (signal) => {
      const me = await ports.identity.known()
      const { pinned_message } = await api.raw.getChat({ chat_id: chatId }, signal)
      if (pinned_message === undefined) return undefined
      const { success, data } = pinnedSchema.safeParse(pinned_message)
      // Something that cannot be read is pinned: nothing of ours is newer than it.
      if (!success) return { messageId: Infinity, anchor: undefined }
      const isOwn = data.from?.id === me.id && data.entities?.some(isAnchorMark) === true
      return { messageId: data.message_id, anchor: isOwn ? data.text : undefined }
    })

  const pin = async (chatId: number, messageId: number | undefined): Promise<void> => {
    const pinned = await call(timers, [token], (signal) => {
      if (messageId === undefined) throw new TypeError('Expected sendMessage to give a number "message_id".')
      return api.raw.pinChatMessage(
        ports.mint('pinChatMessage', { chat_id: chatId, message_id: messageId, disable_notification: true }),
        signal,
      )
    })
    const isBack = 'value' in pinned
    if (isBack !== isTold) return
    isTold = !isBack
    ports.trouble(
      isBack
        ? 'The message that hookgate keeps pinned is pinned again.'
        : `The message that hookgate keeps pinned could not be pinned. ${deliveryOf(pinned.failure).why} It is tried again with the next change; you can pin it yourself too.`,
      isBack,
    )
  }

  /** The message to edit: the pinned anchor, else this run's own unless something newer is pinned and would stand before it. */
  const targetIn = (chatId: number, pinned: Pinned | undefined): number | undefined => {
    if (pinned?.anchor !== undefined) return pinned.messageId
    const own = placed.get(chatId)
    return own !== undefined && own > (pinned?.messageId ?? 0) ? own : undefined
  }

  return {
    /** The text of the pinned anchor. A chat that Telegram does not know has none. */
    read: async (chatId: number): Promise<CallResult<string | undefined>> => {
      const pinned = await pinnedIn(chatId)
      if ('failure' in pinned) return isRefused(pinned.failure, 400) ? { value: undefined } : pinned
      return { value: pinned.value?.anchor }
    },

    /** `place` shows it in place of a message, or as a new one. */
    deliver: async (
      chatId: number,
      place: (messageId: number | undefined) => Promise<Placed>,
    ): Promise<Placed> => {
      const pinned = await pinnedIn(chatId)
      // Nothing was sent yet, so nothing is lost by asking again.
      if ('failure' in pinned) return deliveryOf(pinned.failure, true)
      const anchor = await place(targetIn(chatId, pinned.value))
      if (anchor.kind !== 'delivered') return anchor
      if (anchor.messageId !== undefined) placed.set(chatId, anchor.messageId)
      if (anchor.messageId === undefined || anchor.messageId !== pinned.value?.messageId)
        await pin(chatId, anchor.messageId)
      return anchor
    },
  }
}
