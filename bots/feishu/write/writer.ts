import type { Prose } from '../../../src/core/model/chat/prose.ts'
import { z } from 'zod'
import type { ChannelPorts, Delivery, FailedDelivery } from '../../../src/core/model/chat/channel.ts'
import { secretsOf } from '../../../src/shared/chat/connection.ts'
import type { OutgoingMessage } from '../../../src/core/model/chat/push.ts'
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
import { refuseMessage } from './refuse.ts'

export interface WriterPorts extends Pick<ChannelPorts, 'isAdmitted' | 'elapsedMs'> {
  readonly app: App
  readonly sender: Sender
  readonly call: Call
  readonly chats: PrivateChats
  tripped(what: string): void
  trouble(why: Prose, isBack: boolean): void
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

/** Sends messages. It repeats no call, because the dispatcher does the retries. `deliver` never throws. */
export const createWriter = (ports: WriterPorts) => {
  const { call, sender } = ports
  const { send, edit, failed } = createMessages(ports)
  const anchors = createAnchors(ports)
  /**
   * Shows a notice as a new message, or in the place of the message with the given id. A notice with buttons
   * is a card. A card stays one when it has lost its buttons, so both ways of editing are tried.
   */
  const show = async (outgoing: OutgoingMessage, messageId: string | undefined): Promise<ShownNotice> => {
    const card: NewMessage = { msg_type: 'interactive', content: cardOf(outgoing) }
    const post: NewMessage = { msg_type: 'post', content: postOf(outgoing) }
    const hasButtons = (outgoing.buttons ?? []).some((row) => row.length > 0)
    if (messageId !== undefined && idForm.test(messageId)) {
      const ways = outgoing.isAnchor === true ? [post] : hasButtons ? [card] : [card, post]
      for (const way of ways) {
        const edited = await edit(outgoing, messageId, way)
        if (!('refused' in edited)) return edited
      }
    }
    // The message was recalled, is too old or is not ours. The notice must arrive, so a new one is sent.
    return send(outgoing, hasButtons && outgoing.isAnchor !== true ? card : post)
  }

  /** The agent's own edit of a message that holds only a text. */
  const editPush = async (outgoing: OutgoingMessage): Promise<Delivery> => {
    const target = outgoing.target ?? ''
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
    const edited = await edit(outgoing, target, { msg_type: 'post', content: postOf(outgoing) })
    if ('refused' in edited) return edited.refused
    return isFailed(edited) ? edited : delivered(edited.messageId)
  }

  const react = async (outgoing: OutgoingMessage): Promise<Delivery> => {
    const emoji_type = emojiOf(outgoing.text)
    const target = outgoing.target ?? ''
    if (emoji_type === undefined)
      return {
        kind: 'failed',
        why: 'Expected one emoji that Feishu has as a reaction, got another text. Send one such as 👍, or a text.',
      }
    if (!idForm.test(target))
      return { kind: 'failed', why: 'Expected the id of a message in this chat, got something else.' }
    const done = await call(
      { route: 'v1.messageReaction.create', id: target, json: { reaction_type: { emoji_type } } },
      secretsOf(ports.app.appSecret, outgoing),
    )
    return 'failure' in done
      ? failed('v1.messageReaction.create', deliveryOf(done.failure, true))
      : { kind: 'delivered' }
  }

  /** Pictures stand above the text of one message. Every other file is a message, and the text follows. */
  const sendFiles = async (outgoing: OutgoingMessage): Promise<Delivery> => {
    const asFile = outgoing.type === 'document' || !outgoing.files.every(isImage)
    const refused = outgoing.files.map((file) => refuseFile(file, asFile)).find((why) => why !== undefined)
    if (refused !== undefined) return { kind: 'failed', why: refused }
    const images: string[] = []
    const newMessages: NewMessage[] = []
    for (const file of outgoing.files) {
      const uploaded = await upload(call, file, secretsOf(ports.app.appSecret, outgoing), {
        asFile,
        asVoice: outgoing.type === 'voice',
      })
      if (isFailed(uploaded)) return failed('upload', uploaded)
      const { msg_type, key } = uploaded
      if (msg_type === 'image') images.push(key)
      else newMessages.push({ msg_type, content: JSON.stringify({ file_key: key }) })
    }
    if (images.length > 0 || outgoing.text !== '' || outgoing.parts.length > 0)
      newMessages.push({ msg_type: 'post', content: postOf(outgoing, images) })
    let first: string | undefined
    for (const [nth, one] of newMessages.entries()) {
      const sent = await send(outgoing, one, nth)
      if (isFailed(sent)) return sent
      first ??= sent.messageId
    }
    return first === undefined
      ? { kind: 'failed', why: 'Expected a file, got none. Send one.' }
      : delivered(first)
  }

  const deliverAdmitted = async (outgoing: OutgoingMessage): Promise<Delivery> => {
    if (outgoing.files.length > 0) return sendFiles(outgoing)
    if (outgoing.kind === 'push' && outgoing.type === 'edit') return editPush(outgoing)
    if (outgoing.kind === 'push' && outgoing.type === 'reaction') return react(outgoing)
    const shown = await (outgoing.isAnchor === true
      ? anchors.deliver(outgoing.chat_id, (messageId) => show(outgoing, messageId))
      : show(outgoing, outgoing.replaces))
    return isFailed(shown) ? shown : delivered(shown.messageId)
  }

  return {
    deliver: async (outgoing: OutgoingMessage): Promise<Delivery> => {
      if (!ports.isAdmitted(outgoing)) {
        ports.tripped('v1.message.create')
        return { kind: 'failed', why: 'The outgoing did not come through the dispatcher.' }
      }
      const refused = refuseMessage(outgoing)
      return refused === undefined ? deliverAdmitted(outgoing) : { kind: 'failed', why: refused }
    },
    readAnchor: async (chatId: string): Promise<string | undefined> => {
      if (!idForm.test(chatId)) throw new Error('Expected a Feishu chat id, got something else.')
      return await anchors.read(chatId)
    },
  }
}
