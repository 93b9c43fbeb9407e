import { prose, type Prose } from '../../../src/core/model/chat/prose.ts'
import type { Api } from 'grammy'
import { z } from 'zod'
import type { FailedDelivery } from '../../../src/core/model/chat/channel.ts'
import { call, deliveryOf, isRefused, type CallResult } from './call.ts'
import { isAnchorMark } from './entities.ts'
import type { Identity } from '../identity.ts'
import type { Pins } from './pins.ts'
import type { Timers } from '../timers.ts'
import { ourWords } from '../../../src/shared/said/our-words.ts'

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
  reply_markup: z
    .object({ inline_keyboard: z.array(z.array(z.object({ callback_data: z.string().optional() }))) })
    .optional(),
})

/** So many cards above an anchor are taken down to read it. */
const maxCards = 32

interface Pinned {
  readonly messageId: number
  /** The text of this bot's own anchor. Undefined when another message is pinned. */
  readonly anchor: string | undefined
  /** It is a card of this bot: only its notices have buttons that answer. */
  readonly isCard: boolean
}

export interface AnchorPorts {
  readonly api: Api
  readonly token: string
  readonly timers: Timers
  readonly identity: Identity
  mint<T extends object>(method: string, payload: T): T
  trouble(why: Prose, isBack: boolean): void
}

/** Keeps one message of this bot pinned in each chat. That message is called the anchor. */
export const createAnchors = (ports: AnchorPorts, pins: Pick<Pins, 'lift' | 'putBack'>) => {
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
      if (!success) return { messageId: Infinity, anchor: undefined, isCard: false }
      const isOwn = data.from?.id === me.id
      const isAnchor = isOwn && data.entities?.some(isAnchorMark) === true
      const buttons = data.reply_markup?.inline_keyboard.flat() ?? []
      return {
        messageId: data.message_id,
        anchor: isAnchor ? data.text : undefined,
        isCard: isOwn && !isAnchor && buttons.some(({ callback_data }) => callback_data !== undefined),
      }
    })

  /** The same beneath the cards that wait. They are taken down for that moment, where that is possible. */
  const beneathCards = async (chatId: number): Promise<CallResult<Pinned | undefined>> => {
    const lifted: number[] = []
    try {
      for (;;) {
        const found = await pinnedIn(chatId)
        if ('failure' in found || found.value?.isCard !== true) return found
        const { messageId } = found.value
        if (lifted.includes(messageId) || lifted.length >= maxCards) return found
        lifted.push(messageId)
        const failure = await pins.lift(chatId, messageId)
        if (failure !== undefined && !isRefused(failure, 400)) return { failure }
      }
    } finally {
      for (const messageId of lifted.toReversed()) pins.putBack(chatId, messageId)
    }
  }

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
        ? prose`hookgate pinned its ledger message again.`
        : prose`hookgate could not pin its ledger message. ${ourWords(deliveryOf(pinned.failure).why)} hookgate tries again at the next change. You can also pin the message yourself.`,
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
      const pinned = await beneathCards(chatId)
      if ('failure' in pinned) return isRefused(pinned.failure, 400) ? { value: undefined } : pinned
      // An anchor that cannot be seen now is not gone.
      return pinned.value?.isCard === true
        ? { failure: { kind: 'unsent', code: 'a card is pinned above' } }
        : { value: pinned.value?.anchor }
    },

    /** Shows the anchor and pins it. `show` edits the message with the given id, or sends a new one. */
    deliver: async (
      chatId: number,
      show: (messageId: number | undefined) => Promise<ShownNotice>,
    ): Promise<ShownNotice> => {
      const pinned = await beneathCards(chatId)
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
