import { z } from 'zod'
import type { Message, Origin } from '../../../src/core/model/chat/channel.ts'
import { writeChatId } from '../chat-id.ts'
import { fileFields, filesIn, type FetchFile } from './files.ts'

/** The bot's own account, as Telegram named it. */
export interface Me {
  readonly id: number
  readonly username?: string
}

/** Telegram's ids have at most 52 significant bits, so a JavaScript number is exact for them. */
const id = z.int()
export const userSchema = z.object({
  id,
  is_bot: z.boolean().optional(),
  first_name: z.string().optional(),
  last_name: z.string().optional(),
  username: z.string().optional(),
  language_code: z.string().optional().catch(undefined),
})
const chat = z.object({ id, type: z.string(), title: z.string().optional() })
const anyField = z.unknown().optional()

/** The message that a person replied to. Telegram leaves it out for a message of another chat. */
const repliedSchema = z.object({ message_id: id, date: z.number(), chat, from: userSchema })

/**
 * The fields of service messages, which Telegram writes about a chat. The bot's own pins arrive as service
 * messages too.
 */
const serviceFields = [
  'pinned_message',
  'new_chat_members',
  'left_chat_member',
  'new_chat_title',
  'new_chat_photo',
  'delete_chat_photo',
  'group_chat_created',
  'supergroup_chat_created',
  'channel_chat_created',
  'migrate_to_chat_id',
  'migrate_from_chat_id',
  'message_auto_delete_timer_changed',
  'chat_background_set',
  'boost_added',
  'forum_topic_created',
  'forum_topic_edited',
  'forum_topic_closed',
  'forum_topic_reopened',
  'general_forum_topic_hidden',
  'general_forum_topic_unhidden',
  'video_chat_scheduled',
  'video_chat_started',
  'video_chat_ended',
  'video_chat_participants_invited',
] as const

/** The fields of Telegram's Message that are used. Every other field is dropped. */
export const messageSchema = z.object({
  message_id: id,
  date: z.number(),
  chat,
  from: userSchema.optional(),
  sender_chat: chat.optional(),
  text: z.string().optional(),
  caption: z.string().optional(),
  entities: z.array(z.object({ type: z.string(), offset: z.int(), length: z.int() })).optional(),
  forward_origin: anyField,
  forward_from: anyField,
  forward_from_chat: anyField,
  forward_sender_name: anyField,
  forward_date: anyField,
  is_automatic_forward: anyField,
  via_bot: anyField,
  business_connection_id: anyField,
  is_from_offline: anyField,
  message_thread_id: id.positive().optional().catch(undefined),
  is_topic_message: anyField,
  reply_to_message: anyField,
  external_reply: anyField,
  ...fileFields,
  ...(Object.fromEntries(serviceFields.map((name) => [name, anyField])) as Record<
    (typeof serviceFields)[number],
    typeof anyField
  >),
})
export type Raw = z.infer<typeof messageSchema>

const kinds = [
  'message',
  'edited_message',
  'channel_post',
  'edited_channel_post',
  'business_message',
  'edited_business_message',
] as const
type MessageKind = (typeof kinds)[number]

/**
 * The kinds of updates that Telegram is asked for. Edits and channel posts are included so that a command in
 * one is refused and recorded.
 */
export const allowedUpdates: ('message' | 'edited_message' | 'channel_post' | 'callback_query')[] = [
  'message',
  'edited_message',
  'channel_post',
  'callback_query',
]

const isMarked = (...marks: readonly unknown[]): boolean =>
  marks.some((mark) => mark !== undefined && mark !== null && mark !== false)

/**
 * A slash without a letter or a digit before it, except a bot's name. The name is bounded, because the two
 * parts of the pattern could match the same characters.
 */
const looksLikeCommand = /^(?:[^\p{L}\p{N}]*@[\p{L}\p{N}]\w{0,40})?[^\p{L}\p{N}]*[/／]/u

/**
 * True when a quote contains a line that looks like a command. Such a line may be the text of another person.
 */
const isCommandQuoted = (raw: Raw): boolean =>
  (raw.entities ?? [])
    .filter(({ type }) => type === 'blockquote' || type === 'expandable_blockquote')
    .some(({ offset, length }) =>
      (raw.text ?? '')
        .slice(offset, offset + length)
        .split('\n')
        .some((line) => looksLikeCommand.test(line)),
    )

/**
 * The origin that Telegram's own fields show, or undefined for a message that was simply sent. The checks go
 * from the origin that is least the sender's own act to the one that is most.
 */
export const markedOrigin = (kind: MessageKind, raw: Raw): Origin | undefined => {
  if (kind.startsWith('edited_')) return 'edited'
  if (
    isMarked(
      raw.forward_origin,
      raw.forward_from,
      raw.forward_from_chat,
      raw.forward_sender_name,
      raw.forward_date,
    )
  )
    return 'forwarded'
  if (isMarked(raw.is_automatic_forward)) return 'automatic'
  if (isMarked(raw.via_bot)) return 'via_bot'
  if (raw.sender_chat !== undefined) return 'sender_chat'
  if (isMarked(raw.business_connection_id) || kind === 'business_message') return 'business'
  if (kind === 'channel_post') return 'channel_post'
  return isMarked(raw.is_from_offline) ? 'offline' : undefined
}

const originOf = (kind: MessageKind, raw: Raw, me: Me): Origin => {
  const marked = markedOrigin(kind, raw)
  if (marked !== undefined) return marked
  // A message without a sender belongs to nobody, even when the id of its chat is an owner's id.
  if (raw.from === undefined) return 'sender_chat'
  if (raw.from.is_bot === true) return 'from_bot'
  if (raw.from.id === me.id) return 'self'
  if (raw.text === undefined) return raw.caption === undefined ? 'not_text' : 'captioned'
  return isCommandQuoted(raw) ? 'quoted' : 'plain'
}

/**
 * Removes `@ThisBot` from the beginning of a text and from the commands of a text that begins with a command.
 * Other bots' names stay.
 */
const withoutOwnName = (whole: string, me: Me): string => {
  const own = me.username?.toLowerCase()
  if (own === undefined) return whole
  const [mention, name] = /^\s*@(\w+)[\s,:]+(?=\S)/.exec(whole) ?? []
  const text = mention !== undefined && name?.toLowerCase() === own ? whole.slice(mention.length) : whole
  if (!/^[\s`]*[/／]/.test(text)) return text
  return text.replace(/^([ \t`]*[/／][^\s@/]{1,64})@(\w+)/gm, (whole, command: string, name: string) =>
    name.toLowerCase() === own ? command : whole,
  )
}

/** The display name of a user. Empty when Telegram gives none. */
export const nameOf = (user: z.infer<typeof userSchema> | undefined): string => {
  const full = [user?.first_name, user?.last_name]
    .filter((part) => part !== undefined && part !== '')
    .join(' ')
  return full || (user?.username ?? '')
}

/** The chat id of a message. A reply has a thread number too, but only a topic is a separate conversation. */
export const chatIdOf = (raw: Raw): string =>
  writeChatId(raw.chat.id, raw.is_topic_message === true ? raw.message_thread_id : undefined)

/**
 * The id of the message to which this one is a reply. Only a message that this bot itself sent into this chat
 * counts. Telegram gives the date 0 for a message that was deleted or is too old.
 */
const replyIn = ({ chat, reply_to_message, external_reply }: Raw, me: Me): string | undefined => {
  if (isMarked(external_reply)) return undefined
  const replied = repliedSchema.safeParse(reply_to_message).data
  const isOurs = replied?.from.id === me.id && replied.from.is_bot === true && replied.chat.id === chat.id
  return replied !== undefined && isOurs && replied.date !== 0 ? String(replied.message_id) : undefined
}

/**
 * A date from this number on is in milliseconds. The Bot API gives seconds, and one Bot API emulator gives
 * milliseconds. A date in seconds reaches this number in the year 5138.
 */
const millisecondsFrom = 1e11

const noFile: FetchFile = () => Promise.reject(new Error('this connection has no files'))

/**
 * Reads an update as a message. Undefined when the update is not a message or cannot be read. Pure; never
 * throws.
 */
export const readUpdate = (update: unknown, me: Me, fetchFile: FetchFile = noFile): Message | undefined => {
  if (typeof update !== 'object' || update === null) return undefined
  const kind = kinds.find((kind) => Object.hasOwn(update, kind))
  if (kind === undefined) return undefined
  const parsed = messageSchema.safeParse(Reflect.get(update, kind))
  if (!parsed.success) return undefined
  const raw = parsed.data
  if (isMarked(...serviceFields.map((name) => raw[name]))) return undefined
  const sender = raw.from ?? raw.sender_chat ?? raw.chat
  const files = filesIn(raw, fetchFile)
  const replyTo = replyIn(raw, me)
  return {
    channel: 'telegram',
    chat_id: chatIdOf(raw),
    message_id: String(raw.message_id),
    sender_id: String(sender.id),
    sender_name: nameOf(raw.from) || (raw.sender_chat?.title ?? raw.chat.title ?? ''),
    language: raw.from?.language_code,
    isPrivate: raw.chat.type === 'private',
    origin: originOf(kind, raw, me),
    sentAtMs: raw.date > millisecondsFrom ? raw.date : raw.date * 1000,
    text: withoutOwnName(raw.text ?? raw.caption ?? '', me),
    ...(files.length === 0 ? {} : { files }),
    reply_to: replyTo,
  }
}
