import { filesIn, type InboundFile } from './media.ts'
import { isObject, type Json, type JsonObject } from '../../../src/core/model/base/json.ts'

/** One message from WeChat. All its fields are checked and bounded. */
export interface Inbound {
  readonly id: string
  /** The id of the other person. It is also the chat id. */
  readonly peerId: string
  /** True for a message that the bot itself sent. */
  readonly isOwn: boolean
  /** The time of the message. It is 0 when WeChat gives none, and then the message counts as the oldest. */
  readonly atMs: number
  readonly kind: 'text' | 'voice' | 'recalled' | 'other'
  readonly text: string
  /** The files of the message. They are not downloaded yet. */
  readonly files: readonly InboundFile[]
  /** The token that an answer to this message has to contain. */
  readonly contextToken?: string
}

export interface Updates {
  readonly messages: readonly Inbound[]
  /** How many messages could not be read or came from a group. This interface has no groups. */
  readonly skipped: number
  readonly cursor?: string
  /** How long WeChat may hold the next poll. */
  readonly holdMs?: number
}

const MAX_TEXT_UNITS = 1_100_000
const MAX_TOKEN_UNITS = 16_384
const MAX_CURSOR_UNITS = 262_144
const MAX_QUOTE_UNITS = 500
/** The largest time that a JavaScript Date can hold. */
const MAX_TIME_MS = 8.64e15
const TEXT = 1
const VOICE = 3
const FROM_BOT = 2

const bounded = (value: Json | undefined, max: number): string =>
  typeof value === 'string' && value.length <= max ? value : ''
const idOf = (value: Json | undefined): string => {
  const id = typeof value === 'number' ? String(value) : bounded(value, 128)
  return /^[\x21-\x7e]+$/.test(id) ? id : ''
}
/** A field without a value. Of a value in a strange form, nobody knows that it says the same. */
const isNone = (value: Json | undefined): boolean =>
  [undefined, null, '', '0', 0].some((none) => none === value)
const listOf = (value: Json | undefined): readonly Json[] => (Array.isArray(value) ? value : [])
const textIn = (item: Json): string =>
  isObject(item) && isObject(item['text_item']) ? bounded(item['text_item']['text'], MAX_TEXT_UNITS) : ''

/** Writes a quote in the form that other WeChat puppets use, so that read.ts recognizes it. */
const quoting = (reference: JsonObject, text: string): string => {
  const words = [bounded(reference['title'], MAX_TEXT_UNITS), textIn(reference['message_item'] ?? null)]
    .filter((part) => part !== '')
    .join('：')
  return `「${words.slice(0, MAX_QUOTE_UNITS).replaceAll(/\s+/g, ' ').toWellFormed()}」\n- - - - - - - - - - - - - - -\n${text}`
}

const contentOf = (message: JsonObject): Pick<Inbound, 'kind' | 'text' | 'files'> => {
  const items = listOf(message['item_list']).filter((item) => isObject(item))
  if (!isNone(message['delete_time_ms'])) return { kind: 'recalled', text: '', files: [] }
  const files = filesIn(items)
  // WeChat's transcript is not used, because the voice may belong to anybody near the phone.
  if (items.some(({ type }) => type === VOICE)) return { kind: 'voice', text: '', files }
  // A text beside a picture is a caption, and an unknown kind may be anything. Neither is a plain text.
  if (items.length === 0 || items.some(({ type }) => type !== TEXT)) return { kind: 'other', text: '', files }
  const text = items.map(textIn).join('\n')
  const reference = [message, ...items]
    .map((holder) => holder['ref_msg'])
    .find((found) => found !== undefined && found !== null)
  if (reference === undefined) return { kind: 'text', text, files: [] }
  return { kind: 'text', text: quoting(isObject(reference) ? reference : {}, text), files: [] }
}

const readOne = (message: Json): Inbound | undefined => {
  if (!isObject(message) || !isNone(message['group_id'])) return undefined
  const id = idOf(message['message_id'])
  const isOwn = message['message_type'] === FROM_BOT
  const peerId = idOf(message[isOwn ? 'to_user_id' : 'from_user_id'])
  if (id === '' || peerId === '') return undefined
  const contextToken = bounded(message['context_token'], MAX_TOKEN_UNITS)
  const at = message['create_time_ms']
  return {
    id,
    peerId,
    isOwn,
    atMs: typeof at === 'number' && at > 0 && at <= MAX_TIME_MS ? at : 0,
    ...contentOf(message),
    ...(contextToken === '' ? {} : { contextToken }),
  }
}

/** Reads the answer to a poll. Never throws. */
export const readUpdates = (answer: JsonObject): Updates => {
  const raw = listOf(answer['msgs'])
  const messages = raw.map(readOne).filter((message) => message !== undefined)
  const cursor = bounded(answer['get_updates_buf'], MAX_CURSOR_UNITS)
  const hold = answer['longpolling_timeout_ms']
  return {
    messages,
    skipped: raw.length - messages.length,
    ...(cursor === '' ? {} : { cursor }),
    ...(typeof hold === 'number' && hold > 0 ? { holdMs: hold } : {}),
  }
}
