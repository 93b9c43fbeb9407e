import type { PushType } from './content.ts'
import type { Parcel } from './push.ts'

/**
 * How a message came, as its platform vouches for it. Everything but `plain` is something that somebody else than
 * the sender may have written, or that the sender may not have meant as a command now.
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

/** A file that a person sent. Nothing of it is fetched until somebody asks. */
export interface InboundFile {
  /** As the sender named it. */
  readonly name: string
  readonly type: string
  /** In bytes, as the messenger says; 0: it does not. */
  readonly size: number
  /** Rejects with words for a person when it cannot be had. */
  bytes(): Promise<Uint8Array>
}

/** One inbound message from a person. */
export interface Message {
  readonly channel: string
  readonly chat_id: string
  /** Unique in its chat. */
  readonly message_id: string
  readonly sender_id: string
  /** As the platform shows it; a stranger chose it. */
  readonly sender_name: string
  /** True when only the sender and the bot are in the chat. */
  readonly isPrivate: boolean
  readonly origin: Origin
  /** When it was sent, by the platform's clock, in epoch milliseconds. */
  readonly sentAtMs: number
  readonly text: string
  /** Absent: none. */
  readonly files?: readonly InboundFile[]
  /** A button was tapped, and `text` is empty: what the messenger gave back, and under which message it stood. */
  readonly press?: { readonly data: string; readonly on_message_id: string }
}

/** What came of one send. `unknown`: it may have arrived, so it is never repeated by itself. */
export type Delivery =
  /** `message_id`: the messenger's own name for it. `chat_id`: of a conversation that came to be by it. */
  | { readonly kind: 'delivered'; readonly message_id?: string; readonly chat_id?: string }
  /** `isLimit`: the messenger answers, and asked to be sent less; not before `afterMs`. */
  | { readonly kind: 'retry'; readonly afterMs: number; readonly why: string; readonly isLimit?: true }
  | { readonly kind: 'failed'; readonly why: string }
  | { readonly kind: 'unknown'; readonly why: string }

/** What a messenger takes: at most `sends` within any `withinMs`, over all chats, in each chat, or in each group. */
export interface Limit {
  readonly of: 'all' | 'chat' | 'group'
  readonly sends: number
  readonly withinMs: number
}

/** One connected messenger. It translates; it holds no policy. */
export interface Channel {
  readonly name: string
  /** The longest text of one message, in UTF-16 units. */
  readonly maxUnits: number
  /** The longest text beside a file; absent: as long as any other. */
  readonly maxCaptionUnits?: number
  /** It shows nothing but texts and files, one a message: each file leaves by itself, then all other words, one a line. */
  readonly isPlain?: true
  /** The forms that it has. Another is refused before it is judged. */
  readonly forms: readonly PushType[]
  /** Kept by the dispatcher. Absent: it takes whatever comes. */
  readonly limits?: readonly Limit[]
  /** The group to which a conversation belongs: itself, or the one of which it is a topic. Undefined for a private chat; absent: there are no groups. */
  groupOf?(chatId: string): string | undefined
  /** Resolves when the channel takes messages or has begun to try; never rejects for a messenger that is away. */
  start(): Promise<void>
  stop(): Promise<void>
  /** Sends one parcel. Called from exactly one line, in the dispatcher. Never throws. */
  deliver(parcel: Parcel): Promise<Delivery>
  /**
   * Names the login under which this messenger's ids of people are good; empty while nobody is logged in. It changes
   * with each new login and outlives a restart under the same one. Absent: the ids last for ever.
   */
  login?(): string
  /** True: a person can tap the buttons of a notice. Else the notice has to name what to type. */
  readonly hasButtons: boolean
  /** The text of the notice that is pinned in a chat and that this bot pinned itself. Undefined: there is none. Rejects when the messenger is away. Absent: it cannot pin. */
  readAnchor?(chatId: string): Promise<string | undefined>
  /** Shows or stops showing that the agent works. Absent where the messenger has no such sign. */
  working?(chatId: string, isWorking: boolean): void
  /** Compares the methods of the installed library with the bot's own table of them. It calls none. Absent: no library sends for this bot. */
  methods?(): LibraryMethods
}

/** What a messenger's library could send with, as the bot's table has it. */
export interface LibraryMethods {
  /** How many the bot refuses, whoever calls them. */
  readonly refused: number
  /** Methods that the library has and the table does not name. The bot refuses them, too. */
  readonly unnamed: readonly string[]
}

/** A command as a messenger's own menu shows it. */
export interface MenuItem {
  readonly command: string
  readonly description: string
}

/** What a bot is given. */
export interface ChannelPorts {
  /**
   * Takes one inbound message. Never throws, and returns at once: the work goes on behind it. When it returns a promise,
   * that resolves when the message is on disk: only then may a platform that would give it again be told to forget it.
   */
  receive(message: Message): unknown
  /** True once for each parcel that came through the dispatcher's door, and for its retries while it is being sent. */
  isAdmitted(parcel: Parcel): boolean
  /** A send that did not come through the door was refused. `what` names the method, never the text. */
  tripped(channel: string, what: string): void
  /** Something the owner should know about the connection: `why` is plain words; told once until `isBack`. */
  trouble(channel: string, why: string, isBack: boolean): void
  readonly menu: readonly MenuItem[]
  now(): number
  /** Milliseconds that only grow: intervals go by them, since the clock of `now` can be set back. */
  elapsedMs(): number
  log(
    level: 'debug' | 'info' | 'warn' | 'error',
    what: string,
    fields?: Readonly<Record<string, string | number | boolean>>,
  ): void
}
