import type { EventName } from './event.ts'
import type { JsonObject } from '../base/json.ts'
import type { Address } from '../chat/push.ts'
import type { Verdict } from '../hooks/verdict.ts'

/** An event as an agent reports it. */
export interface Step {
  readonly agentId: string
  /**
   * The caller whose limits count, where the agent is one of several inside a client. Absent: the agent
   * itself.
   */
  readonly caller?: string
  readonly event: EventName
  readonly sessionId: string
  readonly cwd: string
  readonly fields: JsonObject
  /** The chat of the session. Notes go there. */
  readonly address?: Address
  /** The time limit that the caller sets for the judgment, in milliseconds. */
  readonly deadlineMs?: number
  /** The events whose hooks caused this one, each `event:event_id`, the oldest first. */
  readonly chain?: readonly string[]
}

/** How hooks are asked about an event. `except`: the fingerprint of a hook that is not asked. */
export interface JudgeOptions extends Pick<Step, 'deadlineMs' | 'chain'> {
  readonly except?: string
}

/** An event without its context. */
export type Happening = Pick<Step, 'event' | 'fields'>

/** How long a caller waits for a person. */
export interface Patience {
  /**
   * How long it waits for a person's decision on a tool call, in milliseconds. Absent: it does not wait and
   * gets `ask`.
   */
  readonly askMs?: number
  /** Aborted when the caller is gone. */
  readonly signal?: AbortSignal
  /** Called when it starts to wait for a person. Such a call does not count as in flight. */
  waits?(): void
  /** It takes the answers of a person to the questions of an agent. */
  readonly takesAnswers?: true
  /** It can ask the person the questions of an agent itself, where that person sits. */
  readonly canAskItself?: true
  /** It can run the call with changed arguments. */
  readonly takesChange?: true
}

/** How a caller wants its event handled. */
export interface FireOptions extends Pick<Step, 'deadlineMs' | 'chain'>, Patience {
  /** The caller can end and make the same call again later. */
  readonly canPark?: true
}

/** The result of an event: a verdict, or a refusal because hooks caused it in a loop. */
export type Fired<V = Verdict> =
  | { readonly kind: 'verdict'; readonly verdict: V }
  | { readonly kind: 'loop'; readonly why: string }
