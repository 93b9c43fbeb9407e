import type { Api } from 'grammy'
import type { Delivery } from '../../src/model/channel.ts'
import type { Parcel } from '../../src/model/push.ts'
import { createAnchors, type AnchorPorts, type Placed } from './anchor.ts'
import { call, deliveryOf, isRefused } from './call.ts'
import { readId, writeParcel, type Content } from './payload.ts'

export interface WriterPorts extends Omit<AnchorPorts, 'place'> {
  readonly api: Api
  isAdmitted(parcel: Parcel): boolean
  tripped(what: string): void
  log(what: string, fields: Readonly<Record<string, string | number>>): void
}

const isCount = (value: unknown): value is number => typeof value === 'number' && Number.isSafeInteger(value)

/** What Telegram may repeat in its own words and no log may hold. */
const secretsOf = (token: string, { text, reply_markup }: Content): readonly string[] => [
  token,
  text,
  ...(reply_markup?.inline_keyboard ?? []).flat().map(({ callback_data }) => callback_data),
]

/** Sends one parcel. It repeats nothing: the dispatcher's lane owns retries. Nothing here throws or rejects but `readAnchor`. */
export const createWriter = (ports: WriterPorts) => {
  const { api, timers, token } = ports

  const failed = (method: string, delivery: Exclude<Delivery, { kind: 'delivered' }>) => {
    ports.log('telegram send', { method, outcome: delivery.kind, why: delivery.why })
    return delivery
  }

  const send = async (content: Content): Promise<Placed> => {
    const payload = ports.mint('sendMessage', { ...content })
    const sent = await call(timers, secretsOf(token, content), (signal) => api.raw.sendMessage(payload, signal))
    if ('failure' in sent) return failed('sendMessage', deliveryOf(sent.failure))
    const messageId: unknown = sent.value?.message_id
    return { kind: 'delivered', ...(isCount(messageId) ? { messageId } : {}) }
  }

  const place = async (content: Content, messageId: number | undefined): Promise<Placed> => {
    if (messageId === undefined) return send(content)
    const payload = ports.mint('editMessageText', { ...content, message_id: messageId })
    const edited = await call(timers, secretsOf(token, content), (signal) => api.raw.editMessageText(payload, signal))
    if (!('failure' in edited) || isRefused(edited.failure, 400, /not modified/i)) return { kind: 'delivered', messageId }
    // Gone, too old, not ours: whatever it is, the words must arrive. If they are at fault, sending them says so again.
    if (isRefused(edited.failure, 400)) return send(content)
    return failed('editMessageText', deliveryOf(edited.failure, true))
  }

  const anchors = createAnchors({ ...ports, place })

  return {
    deliver: async (parcel: Parcel): Promise<Delivery> => {
      if (!ports.isAdmitted(parcel)) {
        ports.tripped('sendMessage')
        return { kind: 'failed', why: 'The parcel did not come through the dispatcher.' }
      }
      const content = writeParcel(parcel)
      if (typeof content === 'string') return { kind: 'failed', why: content }
      const placed = await (parcel.isAnchor === true ? anchors.deliver(content) : place(content, readId(parcel.replaces ?? '')))
      return placed.kind === 'delivered' ? { kind: 'delivered' } : placed
    },

    readAnchor: async (chatId: string): Promise<string | undefined> => {
      const id = readId(chatId)
      if (id === undefined) throw new Error('Expected a Telegram chat id in digits, got something else.')
      const found = await anchors.read(id)
      if ('failure' in found) throw new Error(deliveryOf(found.failure).why)
      return found.value
    },
  }
}
