import { z } from 'zod'
import type { Message, Origin } from '../../../src/core/model/chat/channel.ts'
import { chatIdOf, markedOrigin, messageSchema, nameOf, userSchema, type Me, type Raw } from './message.ts'

/**
 * The form of a query id: a 64-bit number in decimal. Other ids get no answer, so an id cannot carry a text.
 */
export const queryId = /^-?\d{1,20}$/
/** Telegram's limit. A client can send any data, not only the data of a button. */
const maxDataBytes = 64

/** A field of any type. A strange value in it must not make the whole query unreadable. */
const anyField = z.unknown().optional()

const querySchema = z.object({
  id: z.string().regex(queryId),
  from: userSchema.optional().catch(undefined),
  message: anyField,
  inline_message_id: anyField,
  game_short_name: anyField,
  data: anyField,
})
const updateSchema = z.object({ callback_query: querySchema })
type Query = z.infer<typeof querySchema>
type User = z.infer<typeof userSchema>

const dataOf = ({ data }: Query): string =>
  typeof data === 'string' && Buffer.byteLength(data) <= maxDataBytes ? data : ''

/**
 * The origin of a press. It is `plain` only for a button under a message that this bot sent into the person's
 * private chat or a group.
 */
const originOf = (query: Query, from: User, under: Raw | undefined, me: Me): Origin => {
  // Without the message nothing shows that the button is ours.
  if (under === undefined || query.inline_message_id !== undefined) return 'via_bot'
  const marked = markedOrigin(under.chat.type === 'channel' ? 'channel_post' : 'message', under)
  if (marked !== undefined) return marked
  if (from.is_bot === true || from.id === me.id) return 'from_bot'
  if (under.chat.type === 'private' && under.chat.id !== from.id) return 'business'
  // Telegram gives the date 0 for a message that was deleted or is too old.
  if (under.date === 0) return 'not_text'
  if (under.from?.id !== me.id || under.from.is_bot !== true) return 'via_bot'
  return query.game_short_name !== undefined || dataOf(query) === '' ? 'not_text' : 'plain'
}

export interface Press {
  /** The id for the answer. The press is answered even when the rest cannot be read. */
  readonly queryId: string
  /** Absent when the query cannot be read. */
  readonly message?: Message
}

/**
 * Reads a callback query. Undefined when the update is not one. Pure; never throws. A callback query has no
 * time, so `notBeforeMs` gives a time at which it had certainly not happened yet.
 */
export const readPress = (update: unknown, me: Me, notBeforeMs: number): Press | undefined => {
  const parsed = updateSchema.safeParse(update)
  if (!parsed.success) return undefined
  const query = parsed.data.callback_query
  const { id, from } = query
  if (from === undefined) return { queryId: id }
  const under = messageSchema.safeParse(query.message).data
  const message: Message = {
    channel: 'telegram',
    chat_id: under === undefined ? String(from.id) : chatIdOf(under),
    message_id: `press ${id}`,
    sender_id: String(from.id),
    sender_name: nameOf(from),
    language: from.language_code,
    isPrivate: under?.chat.type === 'private',
    origin: originOf(query, from, under, me),
    sentAtMs: notBeforeMs,
    text: '',
    press: { data: dataOf(query), on_message_id: under === undefined ? '' : String(under.message_id) },
  }
  return { queryId: id, message }
}
