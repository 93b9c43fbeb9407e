import { z } from 'zod'
import type { Message, Origin } from '../../src/model/channel.ts'

/** Who this bot is, by Telegram's own word. */
export interface Me {
  readonly id: number
  readonly username?: string
}

/** Telegram's ids have at most 52 significant bits, so a number holds them exactly. */
const id = z.int()
export const userSchema = z.object({
  id,
  is_bot: z.boolean().optional(),
  first_name: z.string().optional(),
  last_name: z.string().optional(),
  username: z.string().optional(),
})
const chat = z.object({ id, type: z.string(), title: z.string().optional() })
const mark = z.unknown().optional()

/** What is read of Telegram's Message; every other field, known or not, is dropped. */
export const messageSchema = z.object({
  message_id: id,
  date: z.number(),
  chat,
  from: userSchema.optional(),
  sender_chat: chat.optional(),
  text: z.string().optional(),
  caption: z.string().optional(),
  entities: z.array(z.object({ type: z.string(), offset: z.int(), length: z.int() })).optional(),
  forward_origin: mark,
  forward_from: mark,
  forward_from_chat: mark,
  forward_sender_name: mark,
  forward_date: mark,
  is_automatic_forward: mark,
  via_bot: mark,
  business_connection_id: mark,
  is_from_offline: mark,
  pinned_message: mark,
})
export type Raw = z.infer<typeof messageSchema>

const kinds = ['message', 'edited_message', 'channel_post', 'edited_channel_post', 'business_message', 'edited_business_message'] as const
type Kind = (typeof kinds)[number]

/** What Telegram is asked for. Edits and channel posts come in so that a command in one is refused with a record. */
export const allowedUpdates: ('message' | 'edited_message' | 'channel_post' | 'callback_query')[] = ['message', 'edited_message', 'channel_post', 'callback_query']

const isMarked = (...marks: readonly unknown[]): boolean => marks.some((mark) => mark !== undefined && mark !== null && mark !== false)

/** True when a line that looks like a command stands inside a quote: then somebody else's words may be shown as the sender's. */
const isCommandQuoted = (raw: Raw): boolean =>
  (raw.entities ?? [])
    .filter(({ type }) => type === 'blockquote' || type === 'expandable_blockquote')
    .some(({ offset, length }) =>
      (raw.text ?? '')
        .slice(offset, offset + length)
        .split('\n')
        .some((line) => /^[/／]/.test(line.trimStart().replace(/^`+/, '').trimStart())),
    )

/** What Telegram itself marks as not simply sent: the first that fits, from what is least the sender's own act to what is most. */
export const markedOrigin = (kind: Kind, raw: Raw): Origin | undefined => {
  if (kind.startsWith('edited_')) return 'edited'
  if (isMarked(raw.forward_origin, raw.forward_from, raw.forward_from_chat, raw.forward_sender_name, raw.forward_date)) return 'forwarded'
  if (isMarked(raw.is_automatic_forward)) return 'automatic'
  if (isMarked(raw.via_bot)) return 'via_bot'
  if (raw.sender_chat !== undefined) return 'sender_chat'
  if (isMarked(raw.business_connection_id) || kind === 'business_message') return 'business'
  if (kind === 'channel_post') return 'channel_post'
  return isMarked(raw.is_from_offline) ? 'offline' : undefined
}

const originOf = (kind: Kind, raw: Raw, me: Me): Origin => {
  const marked = markedOrigin(kind, raw)
  if (marked !== undefined) return marked
  // A message that names no person at all is nobody's own, though its chat may bear an owner's number.
  if (raw.from === undefined) return 'sender_chat'
  if (raw.from.is_bot === true) return 'from_bot'
  if (raw.from.id === me.id) return 'self'
  if (raw.text === undefined) return raw.caption === undefined ? 'not_text' : 'captioned'
  return isCommandQuoted(raw) ? 'quoted' : 'plain'
}

/** Takes `@ThisBot` off each command of a message that begins with one; another bot's name stays. */
const withoutOwnName = (text: string, me: Me): string => {
  const own = me.username?.toLowerCase()
  if (own === undefined || !/^[\s`]*[/／]/.test(text)) return text
  return text.replace(/^([ \t`]*[/／][^\s@/]{1,64})@(\w+)/gm, (whole, command: string, name: string) =>
    name.toLowerCase() === own ? command : whole,
  )
}

export const nameOf = (user: z.infer<typeof userSchema> | undefined): string => {
  const full = [user?.first_name, user?.last_name].filter((part) => part !== undefined && part !== '').join(' ')
  return full || (user?.username ?? '')
}

/** The Bot API dates in seconds; an emulator in use dates in milliseconds. No date in seconds reaches this before the year 5138. */
const millisecondsFrom = 1e11

/** One update as a message, or undefined for anything that is none or cannot be read. Pure; never throws. */
export const readUpdate = (update: unknown, me: Me): Message | undefined => {
  if (typeof update !== 'object' || update === null) return undefined
  const kind = kinds.find((kind) => Object.hasOwn(update, kind))
  if (kind === undefined) return undefined
  const parsed = messageSchema.safeParse(Reflect.get(update, kind))
  if (!parsed.success) return undefined
  const raw = parsed.data
  // Telegram's own line that something was pinned; the bot's own pins come back so too.
  if (isMarked(raw.pinned_message)) return undefined
  const sender = raw.from ?? raw.sender_chat ?? raw.chat
  return {
    channel: 'telegram',
    chat_id: String(raw.chat.id),
    message_id: String(raw.message_id),
    sender_id: String(sender.id),
    sender_name: nameOf(raw.from) || (raw.sender_chat?.title ?? raw.chat.title ?? ''),
    isPrivate: raw.chat.type === 'private',
    origin: originOf(kind, raw, me),
    sentAtMs: raw.date > millisecondsFrom ? raw.date : raw.date * 1000,
    text: withoutOwnName(raw.text ?? raw.caption ?? '', me),
  }
}
