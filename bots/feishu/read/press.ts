import { z } from 'zod'
import type { Message } from '../../../src/core/model/chat/channel.ts'
import { id, millisecondsOf, timeSchema } from './message.ts'

/** The data of our own buttons is shorter. A client can send anything. */
const maxDataUnits = 64

/** The fields of `card.action.trigger` that are used. */
const eventSchema = z.object({
  event_id: id,
  create_time: timeSchema.catch(0),
  operator: z.object({ open_id: id }),
  action: z.object({
    tag: z.string().catch(''),
    value: z
      .object({ press: z.string().max(maxDataUnits) })
      .optional()
      .catch(undefined),
  }),
  context: z.object({ open_message_id: id, open_chat_id: id }),
})

/** Reads a tap, without the name of who tapped. Undefined when it cannot be read. Pure; never throws. */
export const readPress = (event: unknown, nowMs: number): Omit<Message, 'isPrivate'> | undefined => {
  const parsed = eventSchema.safeParse(event).data
  if (parsed === undefined) return undefined
  const { event_id, create_time, operator, action, context } = parsed
  const data = action.tag === 'button' ? (action.value?.press ?? '') : ''
  return {
    channel: 'feishu',
    chat_id: context.open_chat_id,
    message_id: `press ${event_id}`,
    sender_id: operator.open_id,
    sender_name: '',
    origin: data === '' ? 'not_text' : 'plain',
    sentAtMs: create_time === 0 ? nowMs : millisecondsOf(create_time),
    text: '',
    press: { data, on_message_id: context.open_message_id },
  }
}
