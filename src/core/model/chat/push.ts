import type { Content, Mark, TextField, PushType } from './content.ts'

/** The destination of a message: one chat on one connected messenger. */
export interface Address {
  readonly channel: string
  readonly chat_id: string
}

export const isSameChat = (a: Address, b: Address): boolean =>
  a.channel === b.channel && a.chat_id === b.chat_id

/** A key for one chat. No channel has a space in its name. */
export const chatKey = ({ channel, chat_id }: Address): string => `${channel} ${chat_id}`

/** An accepted message of an agent to a chat. The outbox stores it, so that it can be judged again. */
export interface Push extends Address, Content {
  /** The agent's own id for this push. A repeated id means the same push. */
  readonly push_id: string
  readonly agent_id: string
  readonly session_id: string
  readonly cwd: string
}

/** The request for a push. Its files are still bytes, each with its name. */
export interface AgentPush extends Omit<Push, 'type' | 'files'> {
  readonly type: PushType
  readonly files: readonly { readonly name: string; readonly type: string; readonly bytes: Uint8Array }[]
}

/** The outcome of a push. */
export type Outcome = 'queued' | 'delivered' | 'withheld' | 'held' | 'failed' | 'unknown'

/** The answer to a request for a push: its outcome within the time that the request waits. */
export interface PushReply {
  readonly outcome: Outcome
  readonly reason?: string
  readonly event_id: string
  /** The chat that was created by this send. */
  readonly chat_id?: string
  /** hookgate told an owner in this chat that the push was withheld, and why. */
  readonly told?: true
}

/**
 * The refusal of a push. `target`: the message that it is about is unknown. `full`: too many pushes wait
 * already. `disk`: it could not be stored.
 */
export interface PushRefusal {
  readonly refused: 'too_large' | 'empty' | 'form' | 'target' | 'full' | 'chat_full' | 'loop' | 'disk'
  readonly message: string
  readonly fix: string
}

export type PushResult = PushReply | PushRefusal

/** A push that waits for an owner's decision because a hook asks for one. */
export interface HeldPush extends Address {
  /** The key of this push with exactly this content. */
  readonly key: string
  readonly agent_id: string
  readonly content: Content
  /** The hook that asks, and its fingerprint. `why`: its reason. */
  readonly by: string
  readonly hook?: string
  readonly why: string
  readonly event_id: string
  readonly sinceMs: number
}

/**
 * The pushes that wait in a chat: their number, the time of the oldest one, and the reason of the last failed
 * try.
 */
export interface ChatBacklog extends Address {
  readonly count: number
  readonly sinceMs: number
  readonly why?: string
}

/** A range of text that a client must not make tappable. In UTF-16 units. */
export interface CodeRange {
  readonly offset: number
  readonly length: number
}

/** A button under a notice. */
export interface Button {
  readonly label: string
  /** A handle that stands behind the label, the same in every language. */
  readonly handle?: string
  /**
   * The data that the messenger returns when it is tapped: random, at most 40 ASCII characters, and valid for
   * this button only.
   */
  readonly press: string
}

/** The form of a notice beside its text. */
export interface NoticeForm {
  /** The rows of buttons under the text. A messenger without buttons omits them. */
  readonly buttons?: readonly (readonly Button[])[]
  /** The messenger's id of an earlier notice that this one replaces, where the messenger supports that. */
  readonly replaces?: string
  /** True: it is pinned in its chat in place of the last pinned one. */
  readonly isAnchor?: true
  /** True: it waits, so it is kept in sight, where the messenger can pin. False: it waits no more. */
  readonly isPinned?: boolean
  /** True: the messenger opens a reply to it, where it supports that. Such a notice has no buttons. */
  readonly asksReply?: true
}

/**
 * One message exactly as it leaves: the only thing that a channel accepts. Only the dispatcher makes one. It
 * is frozen and valid for one send and its retries.
 */
export interface OutgoingMessage extends Address, NoticeForm {
  readonly outgoing_id: string
  readonly kind: 'push' | 'notice'
  readonly type: Content['type']
  readonly text: string
  readonly code: readonly CodeRange[]
  readonly marks: readonly Mark[]
  readonly parts: readonly TextField[]
  /** Bytes that cannot be changed, each with the name that was judged. */
  readonly files: readonly File[]
  /** The messenger's id of the message that this one is about. */
  readonly target?: string
}
