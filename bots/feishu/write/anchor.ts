import { prose, type Prose } from '../../../src/core/model/chat/prose.ts'
import { z } from 'zod'
import type { FailedDelivery } from '../../../src/core/model/chat/channel.ts'
import type { App } from '../app.ts'
import type { Sender } from '../http/exit.ts'
import type { CallFailure } from '../../../src/shared/chat/connection.ts'
import { readFailure } from '../http/failure.ts'
import { id } from '../read/message.ts'
import { deliveryOf, isRefused, type Call } from './call.ts'
import { isPerson, type PrivateChats } from './private-chats.ts'
import { ourWords } from '../../../src/shared/said/our-words.ts'

/** So many pins of a chat are looked at, the newest first. */
const maxPins = 20

const pinsSchema = z.object({
  data: z.object({
    items: z.array(z.object({ message_id: id, create_time: z.coerce.number().catch(0) })).catch([]),
  }),
})

const messageSchema = z.object({
  data: z.object({
    items: z
      .array(
        z.object({
          msg_type: z.string(),
          create_time: z.coerce.number().catch(0),
          sender: z.object({ id: z.string(), sender_type: z.string() }),
          body: z.object({ content: z.string() }),
        }),
      )
      .min(1),
  }),
})

const elementSchema = z.object({
  tag: z.string(),
  text: z.string().catch(''),
  style: z.array(z.string()).catch([]),
})

/** Feishu gives the content of a rich text without its language. */
const postSchema = z.object({ content: z.array(z.array(elementSchema)).min(1) })

/** The text of an anchor in the content of a rich text. Undefined: it is another message of the bot. */
const anchorIn = (content: string): string | undefined => {
  try {
    const post = postSchema.safeParse(JSON.parse(content)).data
    const isAnchor = post?.content[0]?.some(({ style }) => style.includes('underline')) === true
    return isAnchor
      ? post?.content.map((line) => line.map(({ text }) => text).join('')).join('\n')
      : undefined
  } catch {
    return undefined
  }
}

interface Anchor {
  readonly messageId: string
  readonly text: string
  readonly atMs: number
}

export type ShownNotice = { readonly kind: 'delivered'; readonly messageId: string } | FailedDelivery

/** Keeps one message of this bot pinned in each chat. That message is called the anchor. */
export const createAnchors = (ports: {
  readonly app: App
  readonly sender: Sender
  readonly call: Call
  readonly chats: PrivateChats
  trouble(why: Prose, isBack: boolean): void
}) => {
  const { app, sender, call, chats } = ports
  /** The message id of the anchor that this process sent, by chat. The message may be unpinned by now. */
  const sentAnchors = new Map<string, string>()
  /** The chats where the bot could not pin. */
  const refusing = new Set<string>()

  const readAnchorMessage = async (messageId: string): Promise<Anchor | undefined> => {
    const answer = await sender.request({ method: 'GET', url: `/open-apis/im/v1/messages/${messageId}` })
    const message = messageSchema.safeParse(answer).data?.data.items[0]
    if (message?.sender.sender_type !== 'app' || message.sender.id !== app.appId) return undefined
    const text = message.msg_type === 'post' ? anchorIn(message.body.content) : undefined
    return text === undefined ? undefined : { messageId, text, atMs: message.create_time }
  }

  /** The anchor that was sent last, of those that are pinned. Rejects when Feishu does not say. */
  const pinnedIn = async (chatId: string): Promise<Anchor | undefined> => {
    const ownId = isPerson(chatId) ? await chats.idOf(chatId) : chatId
    if (ownId === undefined) return undefined
    const answer = await sender.request({
      method: 'GET',
      url: '/open-apis/im/v1/pins',
      params: { chat_id: ownId, page_size: String(maxPins) },
    })
    const pins = (pinsSchema.safeParse(answer).data?.data.items ?? []).toSorted(
      (a, b) => b.create_time - a.create_time,
    )
    const anchors: Anchor[] = []
    for (const { message_id } of pins.slice(0, maxPins)) {
      // A pinned message that was recalled or that the bot may not read is none of ours.
      const anchor = await readAnchorMessage(message_id).catch((error: unknown) => {
        const failure = readFailure(error)
        if (!isRefused(failure)) throw error
        return undefined
      })
      if (anchor !== undefined) anchors.push(anchor)
    }
    return anchors.toSorted((a, b) => b.atMs - a.atMs)[0]
  }

  const tellPinning = (chatId: string, failure: CallFailure | undefined): void => {
    const wasRefused = refusing.size > 0
    if (failure === undefined) refusing.delete(chatId)
    else refusing.add(chatId)
    const isBack = refusing.size === 0
    // One chat is told, and the end of it when all of them work.
    if (isBack !== wasRefused) return
    ports.trouble(
      failure === undefined
        ? prose`hookgate pinned its ledger message again.`
        : prose`hookgate could not pin its ledger message. ${ourWords(deliveryOf(failure, true).why)} hookgate tries again at the next change. You can also pin the message yourself.`,
      isBack,
    )
  }

  return {
    /** The text of the pinned anchor. Rejects when Feishu cannot be reached. */
    read: async (chatId: string): Promise<string | undefined> => {
      try {
        return (await pinnedIn(chatId))?.text
      } catch (error) {
        if (isRefused(readFailure(error))) return undefined
        throw error
      }
    },

    /** Shows the anchor and pins it. `show` edits the message with the given id, or sends a new one. */
    deliver: async (
      chatId: string,
      show: (messageId: string | undefined) => Promise<ShownNotice>,
    ): Promise<ShownNotice> => {
      let pinned: Anchor | undefined
      try {
        pinned = await pinnedIn(chatId)
      } catch (error) {
        const failure = readFailure(error)
        // Nothing was sent yet, so the delivery can be repeated. A chat without pins has no anchor.
        if (!isRefused(failure)) return deliveryOf(failure, true)
      }
      const shown = await show(pinned?.messageId ?? sentAnchors.get(chatId))
      if (shown.kind !== 'delivered') return shown
      sentAnchors.set(chatId, shown.messageId)
      if (shown.messageId === pinned?.messageId) return shown
      const done = await call({ route: 'v1.pin.create', json: { message_id: shown.messageId } }, [])
      tellPinning(chatId, 'failure' in done ? done.failure : undefined)
      // The one before could not be edited any more. Two pinned heads would confuse the reader.
      if (pinned !== undefined && !('failure' in done))
        await call({ route: 'v1.pin.delete', id: pinned.messageId }, [])
      return shown
    },
  }
}
