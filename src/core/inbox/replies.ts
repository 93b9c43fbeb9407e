import type { Message } from '../model/chat/channel.ts'
import { noticeOf, type NoticeText } from '../model/chat/notice.ts'
import type { Consent } from '../model/gate/consent.ts'
import type { Need } from '../model/gate/person.ts'
import { messageOf } from '../model/gate/problem.ts'
import { fixed, type Prose } from '../model/chat/prose.ts'
import type { Address } from '../model/chat/push.ts'
import type { EventRecord } from '../model/events/record.ts'

/**
 * Whether the gate accepts a message for a purpose. `words` is the reason for people who may know why it does
 * not.
 */
export type Admitted =
  | { readonly ok: true }
  | { readonly ok: false; readonly code: string; readonly words?: Prose }

export interface ReplyPorts {
  admits(message: Message, need: 'message' | 'tap' | Need): Admitted
  /** The consent of whoever sent a message. It counts for what the message was admitted for. */
  consentOf(message: Message): Consent
  /** True when the agent serves this chat for this sender although they are not an owner. */
  serves(message: Message): boolean
  notify(address: Address, notice: NoticeText): Promise<void>
  /** The private chat of the person with this id. Undefined when none is known. */
  privateChat(id: string): Address | undefined
  record(record: EventRecord): void
  newId(): string
  now(): number
  log(
    level: 'warn' | 'error',
    what: string,
    fields?: Readonly<Record<string, string | number | boolean>>,
  ): void
}

/** The sender and the message that a command or a tap came from. */
export interface Context {
  readonly owner: string
  readonly message: Message
  readonly address: Address
  /** The sender's, for acts that change the gate. */
  readonly consent: Consent
  progress(notice: NoticeText): void
}

const brokeText = fixed(
  'hookgate failed while it handled your last message. /hooks shows everything that the message has changed.',
)

const ownerOf = ({ channel, sender_id }: Message): string => `${channel}:${sender_id}`
const addressOf = ({ channel, chat_id }: Message): Address => ({ channel, chat_id })

/** Answers the sender of a message, and records a message that had no effect. */
export const createReplies = (ports: ReplyPorts) => {
  /** Answers the sender. An empty text says that the sender was answered already, by a card. */
  const say = async (message: Message, notice: NoticeText): Promise<void> => {
    if (noticeOf(notice).text.length > 0) await ports.notify(addressOf(message), notice)
  }

  const refused = (message: Message, subject: string, code: string): void =>
    ports.record({
      event_id: ports.newId(),
      atMs: ports.now(),
      kind: 'refusal',
      subject,
      outcome: 'refused',
      reason: `${code} from ${ownerOf(message)}`,
      channel: message.channel,
      chat_id: message.chat_id,
      length: message.text.length,
    })

  /** True when hookgate answers this sender. */
  const isHeard = (message: Message): boolean => ports.admits(message, 'person').ok || ports.serves(message)

  const contextOf = (message: Message): Context => ({
    owner: ownerOf(message),
    message,
    address: addressOf(message),
    consent: ports.consentOf(message),
    progress: (notice) => void say(message, notice),
  })

  return {
    say,
    refused,
    isHeard,
    contextOf,
    /**
     * The sender's private chat as the place of a command that came from a group. Undefined: none is known.
     */
    privateContextOf: (message: Message): Context | undefined => {
      const address = ports.privateChat(ownerOf(message))
      return (
        address && {
          ...contextOf({ ...message, ...address, isPrivate: true }),
          consent: ports.consentOf(message),
        }
      )
    },
    /**
     * Refuses a message of somebody who is not an owner. The person is told nothing, except when they were an
     * owner before the last login and can pair again.
     */
    refuseOutsider: async (
      message: Message,
      subject: string,
      heard: Admitted,
      code: string,
    ): Promise<void> => {
      refused(message, subject, heard.ok || heard.words === undefined ? code : heard.code)
      if (!heard.ok && heard.words !== undefined) await say(message, heard.words)
    },
    /** Reports that hookgate failed while it handled a message. Never rejects. */
    broke: async (message: Message, error: unknown): Promise<void> => {
      const fields = { channel: message.channel, error: messageOf(error) }
      ports.log('error', 'an inbound message could not be handled', fields)
      // A stranger is not told about a failure either.
      if (isHeard(message)) await say(message, brokeText).catch(() => undefined)
    },
  }
}

export type Replies = ReturnType<typeof createReplies>
