import type { Message } from '../model/chat/channel.ts'
import type { NoticeText } from '../model/chat/notice.ts'
import { messageOf } from '../model/gate/problem.ts'
import { fixed } from '../model/chat/prose.ts'
import type { Address } from '../model/chat/push.ts'
import type { EventRecord } from '../model/events/record.ts'

/** Whether the gate takes what somebody sent as what they want it to be. `words`: for those who may know why it does not. */
export type Admitted =
  | { readonly ok: true }
  | { readonly ok: false; readonly code: string; readonly words?: string }

export interface ReplyPorts {
  admits(message: Message, need: 'message' | 'owner' | 'privileged' | 'off'): Admitted
  /** Whether the agent serves this chat for this sender, though they are no owner. */
  serves(message: Message): boolean
  notify(address: Address, said: NoticeText): Promise<void>
  record(record: EventRecord): void
  newId(): string
  now(): number
  log(
    level: 'warn' | 'error',
    what: string,
    fields?: Readonly<Record<string, string | number | boolean>>,
  ): void
}

/** Who wrote what, for whatever is done about it. */
export interface Context {
  readonly owner: string
  readonly message: Message
  readonly address: Address
  progress(said: NoticeText): void
}

const brokeText = [
  'Something went wrong in hookgate itself with your last message.',
  'Nothing was changed by it that /hooks does not show.',
].join(' ')

const addressOf = ({ channel, chat_id }: Message): Address => ({ channel, chat_id })

/** What whoever wrote is told, and what is recorded of a message that counted for nothing. */
export const createReplies = (ports: ReplyPorts) => {
  const say = (message: Message, said: NoticeText): Promise<void> => ports.notify(addressOf(message), said)

  const refused = (message: Message, subject: string, code: string): void =>
    ports.record({
      event_id: ports.newId(),
      atMs: ports.now(),
      kind: 'refusal',
      subject,
      outcome: 'refused',
      reason: `${code} from ${message.channel}:${message.sender_id}`,
      channel: message.channel,
      chat_id: message.chat_id,
      length: message.text.length,
    })

  /** Whether the sender is somebody whom hookgate answers. */
  const isHeard = (message: Message): boolean => ports.admits(message, 'message').ok || ports.serves(message)

  return {
    say,
    refused,
    isHeard,
    contextOf: (message: Message): Context => ({
      owner: `${message.channel}:${message.sender_id}`,
      message,
      address: addressOf(message),
      progress: (said) => void say(message, said),
    }),
    /** Whoever is no owner hears nothing, but for one who was an owner before the last login: they can pair again. */
    refuseOutsider: async (
      message: Message,
      subject: string,
      heard: Admitted,
      code: string,
    ): Promise<void> => {
      refused(message, subject, heard.ok || heard.words === undefined ? code : heard.code)
      if (!heard.ok && heard.words !== undefined) await say(message, fixed(heard.words))
    },
    /** hookgate itself failed with a message. Never rejects. */
    broke: async (message: Message, error: unknown): Promise<void> => {
      const fields = { channel: message.channel, error: messageOf(error) }
      ports.log('error', 'an inbound message could not be handled', fields)
      // A stranger learns nothing from a failure either.
      if (isHeard(message)) await say(message, fixed(brokeText)).catch(() => undefined)
    },
  }
}

export type Replies = ReturnType<typeof createReplies>
