import type { Delivery, FailedDelivery } from '../../../src/core/model/chat/channel.ts'
import { secretsOf } from '../../../src/shared/chat/connection.ts'
import type { OutgoingMessage } from '../../../src/core/model/chat/push.ts'
import { createAnchors, type AnchorPorts, type ShownNotice } from './anchor.ts'
import { call, deliveryOf, isRefused, type CallResult } from './call.ts'
import { readChatId, writeChatId, type ChatAddress } from '../chat-id.ts'
import type { FormMethod, Rendered } from './form.ts'
import { forms } from './forms.ts'
import { refuseButtons, replyOf } from './keyboard.ts'
import { readId } from './payload.ts'
import { createPins } from './pins.ts'
import type { CallSignal } from '../timers.ts'
import { contentOf, type Content } from './text.ts'

export interface WriterPorts extends AnchorPorts {
  isAdmitted(outgoing: OutgoingMessage): boolean
  tripped(what: string): void
  log(what: string, fields: Readonly<Record<string, string | number>>): void
}

type AnyCall = (payload: never, signal: CallSignal) => Promise<unknown>

/** An upload of 20 MB over a slow connection takes less than this. */
export const uploadTimeoutMs = 120_000

/** A second call of these methods changes nothing, so they may be repeated. */
const repeatable: ReadonlySet<FormMethod> = new Set([
  'editMessageText',
  'sendMessageDraft',
  'setMessageReaction',
])

/** A whole number in a field of an answer. Undefined when the field holds none. */
const integerIn = (answer: unknown, field: string): number | undefined => {
  const value: unknown =
    typeof answer === 'object' && answer !== null ? Reflect.get(answer, field) : undefined
  return typeof value === 'number' && Number.isSafeInteger(value) ? value : undefined
}

const deliveredAs = (messageId: number | undefined): Delivery => ({
  kind: 'delivered',
  message_id: messageId === undefined ? undefined : String(messageId),
})

/** The delivery after a call that succeeded. */
const deliveredBy = ({ method, payload }: Rendered, answer: unknown): Delivery => {
  if (method === 'editMessageText') return deliveredAs(payload.message_id)
  if (method !== 'createForumTopic') return deliveredAs(integerIn(answer, 'message_id'))
  const thread = integerIn(answer, 'message_thread_id')
  return {
    kind: 'delivered',
    chat_id: thread === undefined ? undefined : writeChatId(Number(payload.chat_id), thread),
  }
}

/**
 * Sends messages. It never repeats a call, because the dispatcher does the retries. `deliver` never throws;
 * `readAnchor` may reject.
 */
export const createWriter = (ports: WriterPorts) => {
  const { timers, token } = ports
  const raw: Readonly<Record<FormMethod, AnyCall>> = ports.api.raw
  const pins = createPins(ports)
  const anchors = createAnchors(ports, pins)

  /** Mints the payload and calls the method. No other code runs in between. */
  const run = (
    { method, payload }: Rendered,
    secrets: readonly string[],
    withinMs?: number,
  ): Promise<CallResult<unknown>> => {
    const ticket = ports.mint(method, payload)
    return call(timers, secrets, (signal) => raw[method](ticket as never, signal), withinMs)
  }

  const failed = (method: FormMethod, delivery: FailedDelivery): FailedDelivery => {
    ports.log('telegram send failed', { method, outcome: delivery.kind, why: delivery.why })
    return delivery
  }

  const sendForm = async (
    rendered: Rendered,
    secrets: readonly string[],
    hasFiles: boolean,
  ): Promise<Delivery> => {
    const { method } = rendered
    const sent = await run(rendered, secrets, hasFiles ? uploadTimeoutMs : undefined)
    if (!('failure' in sent)) return deliveredBy(rendered, sent.value)
    if (method === 'editMessageText' && isRefused(sent.failure, 400, /not modified/i))
      return deliveredBy(rendered, true)
    return failed(method, deliveryOf(sent.failure, repeatable.has(method)))
  }

  /** Shows a notice as a new message, or as an edit of the message with the given id. */
  const show = async (
    chat: ChatAddress,
    { content, outgoing }: { readonly content: Content; readonly outgoing: OutgoingMessage },
    messageId: number | undefined,
    secrets: readonly string[],
  ): Promise<ShownNotice> => {
    if (messageId !== undefined) {
      const { chat_id } = chat
      const edited = await run(
        { method: 'editMessageText', payload: { chat_id, message_id: messageId, ...content } },
        secrets,
      )
      if (!('failure' in edited) || isRefused(edited.failure, 400, /not modified/i))
        return { kind: 'delivered', messageId }
      // The message was deleted, is too old or is not ours. The notice must arrive, so it is sent as a new
      // message.
      if (!isRefused(edited.failure, 400)) return failed('editMessageText', deliveryOf(edited.failure, true))
    }
    const sent = await run(
      { method: 'sendMessage', payload: { ...chat, ...content, ...replyOf(outgoing) } },
      secrets,
    )
    if ('failure' in sent) return failed('sendMessage', deliveryOf(sent.failure))
    const newId = integerIn(sent.value, 'message_id')
    return { kind: 'delivered', messageId: newId }
  }

  const sendNotice = async (
    outgoing: OutgoingMessage,
    chat: ChatAddress,
    secrets: readonly string[],
  ): Promise<Delivery> => {
    const content = contentOf(outgoing)
    if (typeof content === 'string') return { kind: 'failed', why: content }
    const showAt = (messageId: number | undefined): Promise<ShownNotice> =>
      show(chat, { content, outgoing }, messageId, secrets)
    const { isPinned } = outgoing
    const replaces = readId(outgoing.replaces ?? '')
    const shown = await (outgoing.isAnchor === true
      ? anchors.deliver(chat.chat_id, showAt)
      : showAt(replaces))
    if (shown.kind !== 'delivered') return shown
    const card = isPinned === false ? replaces : shown.messageId
    if (isPinned !== undefined && card !== undefined) pins.set(chat.chat_id, card, isPinned)
    return deliveredAs(shown.messageId)
  }

  return {
    deliver: async (outgoing: OutgoingMessage): Promise<Delivery> => {
      if (!ports.isAdmitted(outgoing)) {
        ports.tripped('sendMessage')
        return { kind: 'failed', why: 'The outgoing did not come through the dispatcher.' }
      }
      const chat = readChatId(outgoing.chat_id)
      if (chat === undefined)
        return {
          kind: 'failed',
          why: 'Expected a Telegram chat id in digits, got something else. Send to a chat that has written to this bot.',
        }
      const refused = refuseButtons(outgoing)
      if (refused !== undefined) return { kind: 'failed', why: refused }
      const secrets = secretsOf(token, outgoing)
      // The file beside a notice is sent like every document.
      if (outgoing.type === 'notice' || (outgoing.kind === 'notice' && outgoing.type !== 'document'))
        return sendNotice(outgoing, chat, secrets)
      const rendered = await forms[outgoing.type](outgoing, chat)
      return typeof rendered === 'string'
        ? { kind: 'failed', why: rendered }
        : sendForm(rendered, secrets, outgoing.files.length > 0)
    },

    readAnchor: async (chatId: string): Promise<string | undefined> => {
      const chat = readChatId(chatId)
      if (chat === undefined) throw new Error('Expected a Telegram chat id in digits, got something else.')
      const found = await anchors.read(chat.chat_id)
      if ('failure' in found) throw new Error(deliveryOf(found.failure).why)
      return found.value
    },
  }
}
