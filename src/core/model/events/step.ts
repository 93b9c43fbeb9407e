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

/** The result of an event: a verdict, or a refusal because hooks caused it in a loop. */
export type Fired<V = Verdict> =
  | { readonly kind: 'verdict'; readonly verdict: V }
  | { readonly kind: 'loop'; readonly why: string }
