/** Where something goes: one conversation on one connected messenger. */
export interface Address {
  readonly channel: string
  readonly chat_id: string
}

/** What an agent says to a chat. Frozen once it was judged. */
export interface Push extends Address {
  /** The agent's own name for this push; a repeated id is one push. */
  readonly push_id: string
  readonly agent_id: string
  readonly session_id: string
  readonly text: string
}

/** What became of a push. */
export type Outcome = 'queued' | 'delivered' | 'withheld' | 'held' | 'failed' | 'unknown'

/** A run of text that a client must not turn into something tappable. In UTF-16 units. */
export interface CodeRange {
  readonly offset: number
  readonly length: number
}

/**
 * One message exactly as it leaves: the only thing a channel accepts.
 * Only the dispatcher makes one, frozen, and each is good for one send and its retries.
 */
export interface Parcel extends Address {
  readonly parcel_id: string
  readonly kind: 'push' | 'notice'
  readonly text: string
  readonly code: readonly CodeRange[]
}
