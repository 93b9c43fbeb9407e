import type { EventName } from './event.ts'
import type { JsonObject } from '../base/json.ts'
import type { Address } from '../chat/push.ts'
import type { Verdict } from '../hooks/verdict.ts'

/** An event as an agent reports it. */
export interface Step {
  readonly agentId: string
  /** Whose limits count, where the agent is one of several inside a client; absent: its own. */
  readonly caller?: string
  readonly event: EventName
  readonly sessionId: string
  readonly cwd: string
  readonly fields: JsonObject
  /** The chat that the session talks to, where notes go. */
  readonly address?: Address
  /** It is judged within so long, in milliseconds, by the caller's wish. */
  readonly deadlineMs?: number
  /** The events whose hooks caused this one, each `event:event_id`, the oldest first. */
  readonly chain?: readonly string[]
}

/** What happened, without where. */
export type Happening = Pick<Step, 'event' | 'fields'>

/** What a caller says about waiting for a person. */
export interface Patience {
  /** So long it waits for a person's word on a tool call, in milliseconds; absent: it does not, and is told `ask`. */
  readonly askMs?: number
  /** Aborted when the caller is gone. */
  readonly signal?: AbortSignal
  /** Called when it begins to wait for a person: that is not counted among what is in flight. */
  waits?(): void
}

/** How a caller wants its event handled. */
export interface FireOptions extends Pick<Step, 'deadlineMs' | 'chain'>, Patience {
  /** The caller can end and make the same call again later. */
  readonly canPark?: true
}

/** What came of an event: it was judged, or hooks had caused it round and round. */
export type Fired<V = Verdict> =
  | { readonly kind: 'verdict'; readonly verdict: V }
  | { readonly kind: 'loop'; readonly why: string }
