import { z } from 'zod'
import type { InboundFile, Message, Origin } from '../../../src/core/model/chat/channel.ts'
import { shownName } from '../../../src/core/model/chat/speaker.ts'
import { idForm } from '../http/methods.ts'
import { readContent, type FoundFile } from './content.ts'

/** The bot itself, as Feishu names it. */
export interface Me {
  readonly openId: string
  readonly name: string
}

export const id = z.string().regex(idForm)
/** A time as a text, in milliseconds or microseconds. A greater number is no time. */
export const timeSchema = z.coerce.number().nonnegative().max(1e17)
const mentionSchema = z.object({
  key: z.string().max(100),
  // Somebody else chose it, and it becomes a part of what the sender says.
  name: z.string().catch('').transform(shownName),
  id: z.object({ open_id: z.string().optional().catch(undefined) }).catch({}),
})

/** The fields of `im.message.receive_v1` that are used. */
const eventSchema = z.object({
  sender: z.object({
    sender_id: z.object({ open_id: id }).optional().catch(undefined),
    sender_type: z.string().catch(''),
  }),
  message: z.object({
    message_id: id,
    chat_id: id,
    chat_type: z.string(),
    create_time: timeSchema,
    // One that cannot be read may hide an edit.
    update_time: timeSchema.optional().catch(Infinity),
    parent_id: id.optional().catch(undefined),
    message_type: z.string(),
    content: z.string(),
    user_agent: z.string().max(2000).optional().catch(undefined),
    mentions: z.array(mentionSchema).max(1000).optional().catch(undefined),
  }),
})
type Event = z.infer<typeof eventSchema>

/** A time from this number on is in microseconds, as in the header of a tap. It lies in the year 5138. */
const microsecondsFrom = 1e14
export const millisecondsOf = (time: number): number => (time > microsecondsFrom ? time / 1000 : time)

/**
 * Feishu puts `@_user_1` into a text for each person who is mentioned. A mention of the bot at the start is
 * not part of the text.
 */
const withNames = (text: string, mentions: readonly z.infer<typeof mentionSchema>[], me: Me): string => {
  const own = mentions.find(({ id }) => id.open_id === me.openId)
  const [first = ''] = /^\s*@_user_\d{1,6}/.exec(text) ?? []
  const rest = own !== undefined && first.trim() === own.key ? text.slice(first.length).trimStart() : text
  const names = new Map(mentions.map(({ key, name }) => [key, `@${name}`]))
  return rest.replaceAll(/@_user_\d{1,6}/g, (key) => names.get(key) ?? key)
}

const originOf = ({ sender, message }: Event, me: Me, hasText: boolean, isText: boolean): Origin => {
  if (message.message_type === 'merge_forward') return 'forwarded'
  if (message.update_time !== undefined && message.update_time > message.create_time) return 'edited'
  // A message without a sender belongs to nobody.
  if (sender.sender_id === undefined) return 'sender_chat'
  if (sender.sender_id.open_id === me.openId) return 'self'
  if (sender.sender_type !== 'user') return 'from_bot'
  if (isText) return 'plain'
  return hasText ? 'captioned' : 'not_text'
}

/** The language of a person's client, such as `zh_CN`. Feishu tells it nowhere else, and not always. */
const languageIn = (userAgent = ''): string | undefined =>
  /\bLarkLocale\/([A-Za-z]{2,3}(?:[_-][A-Za-z]{2,4})?)(?=\s|$)/.exec(userAgent)?.[1]

/** Downloads a file of a message. Rejects with a text for a person. */
export type FetchFile = (messageId: string, file: FoundFile) => Promise<Uint8Array>

/**
 * Reads an event as a message, without the name of its sender. Undefined when it cannot be read. Pure; never
 * throws.
 */
export const readMessage = (event: unknown, me: Me, fetchFile: FetchFile): Message | undefined => {
  const parsed = eventSchema.safeParse(event).data
  if (parsed === undefined) return undefined
  const { sender, message } = parsed
  const language = languageIn(message.user_agent)
  const said = readContent(message.message_type, message.content)
  const files: readonly InboundFile[] = said.files.map((file) => ({
    name: file.name,
    type: file.type,
    // Feishu does not tell the size.
    size: 0,
    bytes: () => fetchFile(message.message_id, file),
  }))
  return {
    channel: 'feishu',
    chat_id: message.chat_id,
    message_id: message.message_id,
    sender_id: sender.sender_id?.open_id ?? '',
    sender_name: '',
    language,
    isPrivate: message.chat_type === 'p2p',
    origin: originOf(parsed, me, said.text !== '', said.isText),
    isUnattested: true,
    sentAtMs: millisecondsOf(message.create_time),
    text: withNames(said.text, message.mentions ?? [], me),
    ...(files.length === 0 ? {} : { files }),
    reply_to: message.parent_id,
  }
}
