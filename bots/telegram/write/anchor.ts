import type { Api } from 'grammy'
import { z } from 'zod'
import type { FailedDelivery } from '../../../src/core/model/chat/channel.ts'
import { call, deliveryOf, isRefused, type CallResult } from './call.ts'
import { isAnchorMark } from './entities.ts'
import type { Identity } from '../identity.ts'
import type { Timers } from '../timers.ts'

/**
 * The result of showing a notice as a new message or as an edit. `messageId` is absent when the server did
 * not give it.
 */
export type ShownNotice = { readonly kind: 'delivered'; readonly messageId?: number } | FailedDelivery

const pinnedSchema = z.object({
  message_id: z.int(),
  from: z.object({ id: z.int() }).optional(),
  text: z.string().optional(),
  entities: z.array(z.object({ type: z.string(), offset: z.int() })).optional(),
})

interface Pinned {
  readonly messageId: number
  /** The text of this bot's own anchor. Undefined when another message is pinned. */
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

/** Keeps one message of this bot pinned in each chat. That message is called the anchor. */
export const createAnchors = (ports: AnchorPorts) => {
  const { api, timers, token } = ports
  /** The message id of the anchor that this process sent, by chat. The message may be unpinned by now. */
  const sentAnchors = new Map<number, number>()
  let isFailureTold = false

  /**
   * Reads the pinned message of a chat. Of several pinned messages Telegram gives the one that was sent last.
   */
  const pinnedIn = (chatId: number): Promise<CallResult<Pinned | undefined>> =>
    call(timers, [token], async (signal) => {
      const me = await ports.identity.known()
      const { pinned_message } = await api.raw.getChat({ chat_id: chatId }, signal)
      if (pinned_message === undefined) return undefined
      const { success, data } = pinnedSchema.safeParse(pinned_message)
      // The pinned message cannot be read, so it counts as newer than every anchor of ours.
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
    if (isBack !== isFailureTold) return
    isFailureTold = !isBack
    ports.trouble(
      isBack
        ? 'hookgate pinned its ledger message again.'
        : `hookgate could not pin its ledger message. ${deliveryOf(pinned.failure).why} hookgate tries again at the next change. You can also pin the message yourself.`,
      isBack,
    )
  }

  /**
   * Chooses the message to edit: the pinned anchor, or else the anchor that this process sent. Undefined when
   * a newer message is pinned, because Telegram would show that one first.
   */
  const targetIn = (chatId: number, pinned: Pinned | undefined): number | undefined => {
    if (pinned?.anchor !== undefined) return pinned.messageId
    const own = sentAnchors.get(chatId)
    return own !== undefined && own > (pinned?.messageId ?? 0) ? own : undefined
  }

  return {
    /** Reads the text of the pinned anchor. It is undefined in a chat that Telegram does not know. */
    read: async (chatId: number): Promise<CallResult<string | undefined>> => {
      const pinned = await pinnedIn(chatId)
      if ('failure' in pinned) return isRefused(pinned.failure, 400) ? { value: undefined } : pinned
      return { value: pinned.value?.anchor }
    },

    /** Shows the anchor and pins it. `show` edits the message with the given id, or sends a new one. */
    deliver: async (
      chatId: number,
      show: (messageId: number | undefined) => Promise<ShownNotice>,
    ): Promise<ShownNotice> => {
      const pinned = await pinnedIn(chatId)
      // Nothing was sent yet, so the delivery can be repeated.
      if ('failure' in pinned) return deliveryOf(pinned.failure, true)
      const anchor = await show(targetIn(chatId, pinned.value))
      if (anchor.kind !== 'delivered') return anchor
      if (anchor.messageId !== undefined) sentAnchors.set(chatId, anchor.messageId)
      if (anchor.messageId === undefined || anchor.messageId !== pinned.value?.messageId)
        await pin(chatId, anchor.messageId)
      return anchor
    },
  }
}
