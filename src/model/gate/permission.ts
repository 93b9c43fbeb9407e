import type { JsonObject } from '../base/json.ts'
import type { Address } from '../chat/push.ts'

/** How a call comes again after its caller has ended without an answer. */
export interface Resume {
  /** Names the call; the same one when it comes again. */
  readonly call: string
  /** Who makes it, for people. */
  readonly title: string
  /** What a person types for that. */
  readonly command: string
}

/** One tool call that waits for a person's word. */
export interface Question {
  /** Names this question, with the digest of exactly these arguments. */
  readonly key: string
  readonly agent_id: string
  /** Whose limits it counts against: the agent, or the client that it is inside of. */
  readonly caller: string
  readonly session_id: string
  readonly tool_name: string
  /** As the hooks settled it: what will run if the answer is yes. */
  readonly tool_input: JsonObject
  readonly cwd: string
  /** The hook that asks, in the words of its owner; absent where no hook does. */
  readonly by?: string
  readonly why: string
  /** The event that is answered. */
  readonly event_id: string
  /** In epoch milliseconds; from then on it is a no. */
  readonly untilMs: number
  /** The chat that the session talks to. */
  readonly address?: Address
  /** Whoever asked has ended; the answer counts when the call comes again. */
  readonly parked?: Resume
}

/** What every question's key begins with, so that its handle is not taken for another's. */
export const questionMark = 'ask:'

/** A person's word on a question. `session`: also for the same call later in the same session. */
export type PersonAnswer =
  | { readonly kind: 'once' | 'session' }
  | { readonly kind: 'deny'; readonly words: string }

/**
 * How a question ended. `gone`: whoever asked does not wait any more; `full`: too many waited already; `nobody`: there is
 * no owner to ask; `stopped`: the gate stopped.
 */
export type Ending =
  | (PersonAnswer & { readonly by: string })
  | { readonly kind: 'expired' | 'gone' | 'full' | 'nobody' | 'stopped' }

/** Whose word it was, where and, for a tap, under which message: there the answer stands already. */
export interface OwnerSpeaking {
  readonly owner: string
  readonly address: Address
  readonly on_message_id?: string
}
