import { z } from 'zod'
import type { ChannelPorts, Delivery, FailedDelivery } from '../../../src/core/model/chat/channel.ts'
import { secretsOf } from '../../../src/core/model/chat/connection.ts'
import type { Parcel } from '../../../src/core/model/chat/push.ts'
import type { App } from '../app.ts'
import { idForm } from '../http/methods.ts'
import type { Sender } from '../http/exit.ts'
import { createAnchors, type ShownNotice } from './anchor.ts'
import { deliveryOf, type Call } from './call.ts'
import { cardOf } from './card.ts'
import { emojiOf } from './emoji.ts'
import { isImage, refuseFile, upload } from './media.ts'
import { postOf } from './post.ts'
import { createMessages, type NewMessage } from './messages.ts'
import type { PrivateChats } from './private-chats.ts'
import { refuseParcel } from './refuse.ts'

export interface WriterPorts extends Pick<ChannelPorts, 'isAdmitted' | 'elapsedMs'> {
  readonly app: App
  readonly sender: Sender
  readonly call: Call
  readonly chats: PrivateChats
  tripped(what: string): void
  trouble(why: string, isBack: boolean): void
  log(what: string, fields: Readonly<Record<string, string | number>>): void
}

const targetSchema = z.object({
  data: z.object({
    items: z.array(z.object({ msg_type: z.string(), body: z.object({ content: z.string() }) })).min(1),
  }),
})

/** Messages of these kinds hold no file, except pictures in a rich text. */
const textKinds: ReadonlySet<string> = new Set(['text', 'post', 'interactive'])

const isFailed = (shown: object): shown is FailedDelivery => 'kind' in shown && shown.kind !== 'delivered'
const delivered = (message_id: string): Delivery => ({ kind: 'delivered', message_id })

/** Sends parcels. It repeats no call, because the dispatcher does the retries. `deliver` never throws. */
export const createWriter = (ports: WriterPorts) => {
  const { call, sender } = ports
  const { send, edit, failed } = createMessages(ports)
  const anchors = createAnchors(ports)
  /**
   * Shows a notice as a new message, or in the place of the message with the given id. A notice with buttons
   * is a card. A card stays one when it has lost its buttons, so both ways of editing are tried.
   */
  const show = async (parcel: Parcel, messageId: string | undefined): Promise<ShownNotice> => {
    const card: NewMessage = { msg_type: 'interactive', content: cardOf(parcel) }
    const post: NewMessage = { msg_type: 'post', content: postOf(parcel) }
    const hasButtons = (parcel.buttons ?? []).some((row) => row.length > 0)
    if (messageId !== undefined && idForm.test(messageId)) {
      const ways = parcel.isAnchor === true ? [post] : hasButtons ? [card] : [card, post]
      for (const way of ways) {
        const edited = await edit(parcel, messageId, way)
        if (!('refused' in edited)) return edited
      }
    }
    // The message was recalled, is too old or is not ours. The notice must arrive, so a new one is sent.
    return send(parcel, hasButtons && parcel.isAnchor !== true ? card : post)
  }

  /** The agent's own edit of a message that holds only a text. */
  const editPush = async (parcel: Parcel): Promise<Delivery> => {
    const target = parcel.target ?? ''
    if (!idForm.test(target))
      return {
        kind: 'failed',
        why: 'Expected the id of a message in this chat, got something else. Name the push_id of a message that you sent.',
      }
    let found
    try {
      found = targetSchema.safeParse(
        await sender.request({ method: 'GET', url: `/open-apis/im/v1/messages/${target}` }),
      ).data?.data.items[0]
    } catch {
      // Feishu says below why it cannot be edited.
    }
    if (found !== undefined && (!textKinds.has(found.msg_type) || found.body.content.includes('"image_key"')))
      return {
        kind: 'failed',
        why: 'The message holds a file, so its text cannot be changed. Send a new message.',
      }
    const edited = await edit(parcel, target, { msg_type: 'post', content: postOf(parcel) })
    if ('refused' in edited) return edited.refused
    return isFailed(edited) ? edited : delivered(edited.messageId)
  }

  const react = async (parcel: Parcel): Promise<Delivery> => {
    const emoji_type = emojiOf(parcel.text)
    const target = parcel.target ?? ''
    if (emoji_type === undefined)
      return {
        kind: 'failed',
        why: 'Expected one emoji that Feishu has as a reaction, got another text. Send one such as 👍, or a text.',
      }
    if (!idForm.test(target))
      return { kind: 'failed', why: 'Expected the id of a message in this chat, got something else.' }
    const done = await call(
      { route: 'v1.messageReaction.create', id: target, json: { reaction_type: { emoji_type } } },
      secretsOf(ports.app.appSecret, parcel),
    )
    return 'failure' in done
      ? failed('v1.messageReaction.create', deliveryOf(done.failure, true))
      : { kind: 'delivered' }
  }

  /** Pictures stand above the text of one message. Every other file is a message, and the text follows. */
  const sendFiles = async (parcel: Parcel): Promise<Delivery> => {
    const asFile = parcel.type === 'document' || !parcel.files.every(isImage)
    const refused = parcel.files.map((file) => refuseFile(file, asFile)).find((why) => why !== undefined)
    if (refused !== undefined) return { kind: 'failed', why: refused }
    const images: string[] = []
    const outgoing: NewMessage[] = []
    for (const file of parcel.files) {
      const uploaded = await upload(call, file, secretsOf(ports.app.appSecret, parcel), {
        asFile,
        asVoice: parcel.type === 'voice',
      })
      if (isFailed(uploaded)) return failed('upload', uploaded)
      const { msg_type, key } = uploaded
      if (msg_type === 'image') images.push(key)
      else outgoing.push({ msg_type, content: JSON.stringify({ file_key: key }) })
    }
    if (images.length > 0 || parcel.text !== '' || parcel.parts.length > 0)
      outgoing.push({ msg_type: 'post', content: postOf(parcel, images) })
    let first: string | undefined
    for (const [nth, one] of outgoing.entries()) {
      const sent = await send(parcel, one, nth)
      if (isFailed(sent)) return sent
      first ??= sent.messageId
    }
    return first === undefined
      ? { kind: 'failed', why: 'Expected a file, got none. Send one.' }
      : delivered(first)
  }

  const deliverAdmitted = async (parcel: Parcel): Promise<Delivery> => {
    if (parcel.files.length > 0) return sendFiles(parcel)
    if (parcel.kind === 'push' && parcel.type === 'edit') return editPush(parcel)
    if (parcel.kind === 'push' && parcel.type === 'reaction') return react(parcel)
    const shown = await (parcel.isAnchor === true
      ? anchors.deliver(parcel.chat_id, (messageId) => show(parcel, messageId))
      : show(parcel, parcel.replaces))
    return isFailed(shown) ? shown : delivered(shown.messageId)
  }

  return {
    deliver: async (parcel: Parcel): Promise<Delivery> => {
      if (!ports.isAdmitted(parcel)) {
        ports.tripped('v1.message.create')
        return { kind: 'failed', why: 'The parcel did not come through the dispatcher.' }
      }
      const refused = refuseParcel(parcel)
      return refused === undefined ? deliverAdmitted(parcel) : { kind: 'failed', why: refused }
    },
    readAnchor: async (chatId: string): Promise<string | undefined> => {
      if (!idForm.test(chatId)) throw new Error('Expected a Feishu chat id, got something else.')
      return await anchors.read(chatId)
    },
  }
}
