import type { Content, Mark, TextField, PushType } from './content.ts'

/** Where something goes: one conversation on one connected messenger. */
export interface Address {
  readonly channel: string
  readonly chat_id: string
}

export const isSameChat = (a: Address, b: Address): boolean =>
  a.channel === b.channel && a.chat_id === b.chat_id

/** One text for one chat, for what is kept by chat. No channel has a blank in its name. */
export const chatKey = ({ channel, chat_id }: Address): string => `${channel} ${chat_id}`

/** What an agent says to a chat, once it was taken in. The outbox keeps it, so that it can be judged again. */
export interface Push extends Address, Content {
  /** The agent's own name for this push; a repeated id is one push. */
  readonly push_id: string
  readonly agent_id: string
  readonly session_id: string
  readonly cwd: string
}

/** A push as it is asked for: its files are still bytes, each with its name. */
export interface AgentPush extends Omit<Push, 'type' | 'files'> {
  readonly type: PushType
  readonly files: readonly { readonly name: string; readonly type: string; readonly bytes: Uint8Array }[]
}

/** What became of a push. */
export type Outcome = 'queued' | 'delivered' | 'withheld' | 'held' | 'failed' | 'unknown'

/** What whoever asked for a push is told: what became of it within the time that they wait. */
export interface PushReply {
  readonly outcome: Outcome
  readonly reason?: string
  readonly event_id: string
  /** Of the conversation that came to be by it. */
  readonly chat_id?: string
}

/** Why a push was not taken. `target`: what it is about is not known. `full`: too much waits already. `disk`: it could not be kept. */
export interface PushRefusal {
  readonly refused: 'too_large' | 'empty' | 'form' | 'target' | 'full' | 'chat_full' | 'loop' | 'disk'
  readonly message: string
  readonly fix: string
}

export type PushResult = PushReply | PushRefusal

/** A push that waits for an owner's word, as a hook wants it. */
export interface HeldPush extends Address {
  /** Names this push with exactly this content. */
  readonly key: string
  readonly agent_id: string
  readonly content: Content
  /** The hook that asks, and why. */
  readonly by: string
  readonly why: string
  readonly event_id: string
  readonly sinceMs: number
}

/** How much of what agents said to a chat still waits to leave, since when, and why the last try was in vain. */
export interface Waits extends Address {
  readonly count: number
  readonly sinceMs: number
  readonly why?: string
}

/** A run of text that a client must not turn into something tappable. In UTF-16 units. */
export interface CodeRange {
  readonly offset: number
  readonly length: number
}

/** What a person can tap under a notice. */
export interface Button {
  readonly label: string
  /** What the messenger gives back when it is tapped: random, at most 40 ASCII characters, and good for this button alone. */
  readonly press: string
}

/** What a notice can be beside its text. */
export interface NoticeForm {
  /** Rows, as they stand under the text. A messenger without buttons leaves them out. */
  readonly buttons?: readonly (readonly Button[])[]
  /** The messenger's id of a notice of ours whose place this one takes, where the messenger can do that. */
  readonly replaces?: string
  /** True: it is kept pinned in its chat, in the place of the last one. */
  readonly isAnchor?: true
}

/**
 * One message exactly as it leaves: the only thing a channel accepts.
 * Only the dispatcher makes one, frozen, and each is good for one send and its retries.
 */
export interface Parcel extends Address, NoticeForm {
  readonly parcel_id: string
  readonly kind: 'push' | 'notice'
  readonly type: Content['type']
  readonly text: string
  readonly code: readonly CodeRange[]
  readonly marks: readonly Mark[]
  readonly parts: readonly TextField[]
  /** Bytes that nothing can change any more, each with the name that was judged. */
  readonly files: readonly File[]
  /** The messenger's id of the message that this one is about. */
  readonly target?: string
}
