import type { PushType } from './content.ts'
import type { Language } from './language.ts'
import type { Prose } from './prose.ts'
import type { OutgoingMessage } from './push.ts'

/**
 * How a message was sent, as its platform reports it. In every case but `plain`, somebody else than the
 * sender may have written it, or the sender may not have meant it as a command now.
 */
export type Origin =
  | 'plain'
  | 'edited'
  | 'forwarded'
  | 'quoted'
  | 'captioned'
  | 'via_bot'
  | 'sender_chat'
  | 'automatic'
  | 'offline'
  | 'business'
  | 'channel_post'
  | 'from_bot'
  | 'self'
  | 'voice'
  | 'recalled'
  | 'not_text'

/** A file that a person sent. It is downloaded only on request. */
export interface InboundFile {
  /** The name that the sender gave. */
  readonly name: string
  readonly type: string
  /** The size in bytes, as the messenger reports it. 0: unknown. */
  readonly size: number
  /** Rejects with a message for people when it cannot be downloaded. */
  bytes(): Promise<Uint8Array>
}

/** One inbound message from a person. */
export interface Message {
  readonly channel: string
  readonly chat_id: string
  /** Unique in its chat. */
  readonly message_id: string
  readonly sender_id: string
  /** The name that the platform shows. A stranger chose it. */
  readonly sender_name: string
  /** The language that the sender's client reports, as a tag such as `zh-hans` of BCP 47. */
  readonly language?: string
  /** True when only the sender and the bot are in the chat. */
  readonly isPrivate: boolean
  readonly origin: Origin
  /**
   * The platform does not show whether a person typed it. What was forwarded, or sent by a program with the
   * person's own login, looks the same. A tap cannot be made so.
   */
  readonly isUnattested?: true
  /** When it was sent, by the platform's clock, in epoch milliseconds. */
  readonly sentAtMs: number
  readonly text: string
  /** Absent: none. */
  readonly files?: readonly InboundFile[]
  /**
   * A button was tapped, and `text` is empty. `data`: what the messenger returned. `on_message_id`: the
   * message with the button.
   */
  readonly press?: { readonly data: string; readonly on_message_id: string }
  /**
   * The messenger's id of the message of this bot in this chat to which it is a reply. Absent: it is none.
   */
  readonly reply_to?: string
}

/** The result of one send. `unknown`: it may have arrived, so it is never repeated automatically. */
export type Delivery =
  /** `message_id`: the messenger's id of the message. `chat_id`: the chat that was created by this send. */
  | { readonly kind: 'delivered'; readonly message_id?: string; readonly chat_id?: string }
  /** `isLimit`: the messenger works but asks for fewer sends. Try again after `afterMs` at the earliest. */
  | { readonly kind: 'retry'; readonly afterMs: number; readonly why: string; readonly isLimit?: true }
  | { readonly kind: 'failed'; readonly why: string }
  | { readonly kind: 'unknown'; readonly why: string }
export type FailedDelivery = Exclude<Delivery, { kind: 'delivered' }>

/** A rate limit: at most `sends` within any `withinMs`, over all chats, in each chat, or in each group. */
export interface Limit {
  readonly of: 'all' | 'chat' | 'group'
  readonly sends: number
  readonly withinMs: number
}

/** One connected messenger. It translates and holds no policy. */
export interface Channel {
  readonly name: string
  /** The longest text of one message, in UTF-16 units. */
  readonly maxUnits: number
  /** The longest text beside a file. Absent: the same as `maxUnits`. */
  readonly maxCaptionUnits?: number
  /**
   * It shows only texts and files, one for each message. Each file is sent alone, followed by all other
   * texts, one a line.
   */
  readonly isPlain?: true
  /** The message types that it supports. Another is refused before it is judged. */
  readonly forms: readonly PushType[]
  /** The rate limits, which the dispatcher enforces. Absent: there are none. */
  readonly limits?: readonly Limit[]
  /**
   * The group of a chat: the chat itself, or the group that the topic belongs to. Undefined for a private
   * chat. Absent: there are no groups.
   */
  groupOf?(chatId: string): string | undefined
  /**
   * Resolves when the channel receives messages or has begun to try. It does not reject when the messenger
   * cannot be reached.
   */
  start(): Promise<void>
  stop(): Promise<void>
  /** Sends one message. Only one line of the dispatcher calls it. Never throws. */
  deliver(outgoing: OutgoingMessage): Promise<Delivery>
  /**
   * The id of the login for which this messenger's user ids are valid. Empty while nobody is logged in. It
   * changes with each new login and survives a restart under the same one. Absent: user ids are valid for
   * ever.
   */
  login?(): string
  /** True when people can tap the buttons of a notice. Otherwise the notice has to name what to type. */
  readonly hasButtons: boolean
  /**
   * The text of the notice that this bot pinned in a chat. Undefined: there is none. Rejects when the
   * messenger cannot be reached. Absent: the messenger cannot pin.
   */
  readAnchor?(chatId: string): Promise<string | undefined>
  /** The people of a chat chose a language. Absent where a messenger has no words of its own for a chat. */
  readsIn?(chatId: string, language: Language): void
  /** Shows or hides that the agent is working. Absent where the messenger has no such sign. */
  working?(chatId: string, isWorking: boolean): void
  /**
   * Compares the methods of the installed library with the bot's own table of them. It calls none. Absent: no
   * library sends for this bot.
   */
  methods?(): LibraryMethods
}

/** The send methods of a messenger's library, compared with the bot's table. */
export interface LibraryMethods {
  /** The number of methods that the bot refuses, whoever calls them. */
  readonly refused: number
  /**
   * Methods of the library that the table does not name. The bot refuses them, too. Absent: the table names
   * only what is allowed.
   */
  readonly unnamed?: readonly string[]
}

/** A command in the messenger's own menu. */
export interface MenuItem {
  readonly command: string
  readonly description: string
  /** The description in other languages than English. */
  readonly translated?: Partial<Readonly<Record<Language, string>>>
}

/**
 * Why a platform has to deliver a message again. `left`: another gate has taken over and has to get it.
 * `unkept`: the store cannot keep it now.
 */
export type Unkept = 'left' | 'unkept'
export const isUnkept = (received: unknown): received is Unkept =>
  received === 'left' || received === 'unkept'

/** The functions that a bot gets. */
export interface ChannelPorts {
  /**
   * Receives one inbound message. Never throws, and returns at once; the work continues asynchronously. A
   * returned promise resolves when the message is on disk or done with. Only then may a platform that would
   * deliver it again be told to forget it. It may not when the promise resolves with an `Unkept`.
   */
  receive(message: Message): unknown
  /** True while a message that came through the dispatcher's door is being sent, including its retries. */
  isAdmitted(outgoing: OutgoingMessage): boolean
  /** A send that did not come through the door was refused. `what` names the method, never the text. */
  tripped(channel: string, what: string): void
  /**
   * Reports a problem of the connection to the owner. `why`: how it stands, as the words behind the name of
   * the messenger. It is sent once until `isBack`.
   */
  trouble(channel: string, why: Prose, isBack: boolean): void
  readonly menu: readonly MenuItem[]
  now(): number
  /** A clock for intervals, in milliseconds. The clock of `now` can be set back. */
  elapsedMs(): number
  log(
    level: 'debug' | 'info' | 'warn' | 'error',
    what: string,
    fields?: Readonly<Record<string, string | number | boolean>>,
  ): void
}
