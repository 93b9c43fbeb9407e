import { createHash } from 'node:crypto'
import { z } from 'zod'
import type { FailedDelivery } from '../../../src/core/model/chat/channel.ts'
import { secretsOf } from '../../../src/shared/chat/connection.ts'
import type { OutgoingMessage } from '../../../src/core/model/chat/push.ts'
import type { App } from '../app.ts'
import { id } from '../read/message.ts'
import type { ShownNotice } from './anchor.ts'
import { deliveryOf, isRefused, type Call } from './call.ts'
import { isPerson, type PrivateChats } from './private-chats.ts'
import { refuseContent } from './refuse.ts'

/** Feishu drops a second message with the same uuid for an hour, so a send may be repeated for so long. */
const repeatableMs = 50 * 60_000
const lostText = 'The connection to Feishu broke while it was sent, and did not come back in time.'

/** One message of Feishu before it is sent. `content` is JSON. */
export interface NewMessage {
  readonly msg_type: 'post' | 'interactive' | 'image' | 'file' | 'audio'
  readonly content: string
}

const sentSchema = z.object({
  data: z.object({ message_id: id, chat_id: id.optional().catch(undefined) }),
})

/** Sends and edits single messages. It never repeats a call, because the dispatcher does the retries. */
export const createMessages = (ports: {
  readonly app: App
  readonly call: Call
  readonly chats: PrivateChats
  elapsedMs(): number
  log(what: string, fields: Readonly<Record<string, string | number>>): void
}) => {
  const { call, chats } = ports
  /** When the connection first broke in the middle of a message. */
  const lostAtMs = new WeakMap<OutgoingMessage, number>()

  const failed = (route: string, delivery: FailedDelivery): FailedDelivery => {
    ports.log('feishu send failed', { method: route, outcome: delivery.kind, why: delivery.why })
    return delivery
  }

  /** `nth`: which of the messages of the message it is. */
  const send = async (
    outgoing: OutgoingMessage,
    { msg_type, content }: NewMessage,
    nth = 0,
  ): Promise<ShownNotice> => {
    const refused = refuseContent(content)
    if (refused !== undefined) return { kind: 'failed', why: refused }
    const lostMs = lostAtMs.get(outgoing)
    // The first one may have arrived, and Feishu has forgotten its uuid by now.
    if (lostMs !== undefined && ports.elapsedMs() - lostMs >= repeatableMs)
      return failed('v1.message.create', { kind: 'unknown', why: lostText })
    const uuid = createHash('sha256').update(`${outgoing.outgoing_id} ${nth}`).digest('hex').slice(0, 40)
    const sent = await call(
      {
        route: 'v1.message.create',
        query: { receive_id_type: isPerson(outgoing.chat_id) ? 'open_id' : 'chat_id' },
        json: { receive_id: outgoing.chat_id, msg_type, content, uuid },
      },
      secretsOf(ports.app.appSecret, outgoing),
    )
    if ('failure' in sent) {
      if (sent.failure.kind === 'lost' && lostMs === undefined) lostAtMs.set(outgoing, ports.elapsedMs())
      return failed('v1.message.create', deliveryOf(sent.failure, true))
    }
    const { message_id: messageId, chat_id } = sentSchema.safeParse(sent.value).data?.data ?? {}
    if (chat_id !== undefined && isPerson(outgoing.chat_id)) await chats.note(outgoing.chat_id, chat_id)
    return messageId === undefined
      ? failed('v1.message.create', { kind: 'unknown', why: 'Feishu did not name the message that it sent.' })
      : { kind: 'delivered', messageId }
  }

  /** Edits a message. `refused`: Feishu does not let it be edited so. */
  const edit = async (
    outgoing: OutgoingMessage,
    messageId: string,
    { msg_type, content }: NewMessage,
  ): Promise<ShownNotice | { readonly refused: FailedDelivery }> => {
    const why = refuseContent(content)
    if (why !== undefined) return { kind: 'failed', why }
    const isCard = msg_type === 'interactive'
    const edited = await call(
      isCard
        ? { route: 'v1.message.patch', id: messageId, json: { content } }
        : { route: 'v1.message.update', id: messageId, json: { msg_type, content } },
      secretsOf(ports.app.appSecret, outgoing),
    )
    if (!('failure' in edited)) return { kind: 'delivered', messageId }
    const delivery = deliveryOf(edited.failure, true)
    return isRefused(edited.failure)
      ? { refused: delivery }
      : failed(isCard ? 'v1.message.patch' : 'v1.message.update', delivery)
  }

  return { send, edit, failed }
}
