import { z } from 'zod'
import type { Message, Origin } from '../../src/model/channel.ts'
import { chatIdOf, markedOrigin, messageSchema, nameOf, userSchema, type Me, type Raw } from './read.ts'

/** A 64-bit number in decimal. Nothing else is answered, so no words of anybody's travel as one. */
export const queryId = /^-?\d{1,20}$/
/** Telegram's own limit. A client sends what it likes, not only what stood on a button. */
const maxDataBytes = 64

/** Whatever it is, it must not make the rest unreadable. */
const mark = z.unknown().optional()

const querySchema = z.object({
  id: z.string().regex(queryId),
  from: userSchema.optional().catch(undefined),
  message: mark,
  inline_message_id: mark,
  game_short_name: mark,
  data: mark,
})
const updateSchema = z.object({ callback_query: querySchema })
type Query = z.infer<typeof querySchema>
type User = z.infer<typeof userSchema>

const dataOf = ({ data }: Query): string =>
  typeof data === 'string' && Buffer.byteLength(data) <= maxDataBytes ? data : ''

/** `plain` only for a button under a message that this bot itself sent into this person's private chat, or into a group. */
const originOf = (query: Query, from: User, under: Raw | undefined, me: Me): Origin => {
  // Without its message, nobody vouches that the button is ours.
  if (under === undefined || query.inline_message_id !== undefined) return 'via_bot'
  const marked = markedOrigin(under.chat.type === 'channel' ? 'channel_post' : 'message', under)
  if (marked !== undefined) return marked
  if (from.is_bot === true || from.id === me.id) return 'from_bot'
  if (under.chat.type === 'private' && under.chat.id !== from.id) return 'business'
  // Deleted, or too old to be shown to the bot: its date is 0.
  if (under.date === 0) return 'not_text'
  if (under.from?.id !== me.id || under.from.is_bot !== true) return 'via_bot'
  return query.game_short_name !== undefined || dataOf(query) === '' ? 'not_text' : 'plain'
}

export interface Press {
  /** What is answered, whatever became of the rest. */
  readonly queryId: string
  /** Absent when it cannot be read. */
  readonly message?: Message
}

/**
 * A callback query, or undefined when the update is none. Pure; never throws.
 * It bears no time of its own: `notBeforeMs` is when it had surely not happened yet.
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
    isPrivate: under?.chat.type === 'private',
    origin: originOf(query, from, under, me),
    sentAtMs: notBeforeMs,
    text: '',
    press: { data: dataOf(query), on_message_id: under === undefined ? '' : String(under.message_id) },
  }
  return { queryId: id, message }
}
