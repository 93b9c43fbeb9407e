import type { InboundFile } from '../chat/channel.ts'
import type { Address, Outcome } from '../chat/push.ts'
import type { RecordedHook } from '../hooks/verdict.ts'

/**
 * One row of the event history. It never holds a message's text or a rewritten value: it holds their `length`
 * and `sha256`. Of a tool call it holds the beginning of the arguments, as the hooks settled them.
 */
export interface EventRecord {
  readonly event_id: string
  readonly atMs: number
  /**
   * `event`: judged by hooks. `push`, `notice`: the outcome of one. `gate`: an act of an owner. `question`: a
   * question about a tool call that ended without an owner's decision. `shadow`: the answers of the shadows
   * of an event, which did not decide. `refusal`: an attempt without permission. `alarm`: a warning to the
   * owners about the gate itself. `trouble`: a failure of hookgate.
   */
  readonly kind:
    | 'event'
    | 'push'
    | 'notice'
    | 'gate'
    | 'question'
    | 'shadow'
    | 'refusal'
    | 'alarm'
    | 'trouble'
  /** The event's name, or a stable word for what was done or tried. */
  readonly subject: string
  readonly outcome: string
  readonly reason?: string
  readonly agent_id?: string
  readonly session_id?: string
  readonly channel?: string
  readonly chat_id?: string
  readonly tool_name?: string
  /** The beginning of the tool's arguments, on one line. */
  readonly argument?: string
  /** The hooks that were asked, or that were not asked for another reason than their matcher. */
  readonly hooks?: readonly RecordedHook[]
  /** The number of other hooks in force that did not match. */
  readonly missed?: number
  /**
   * The number of shadows that get the event after its verdict. What those that matched would have done is in
   * a record of the kind `shadow` with the same event id.
   */
  readonly shadows?: number
  readonly revision?: number
  readonly length?: number
  readonly sha256?: string
  readonly durationMs?: number
}

/**
 * A push or notice that waits to leave or is held. The row is written before the send and deleted afterwards.
 */
export interface OutboxItem {
  readonly id: string
  /** Order within the chat; grows. */
  readonly seq: number
  readonly channel: string
  readonly chat_id: string
  readonly kind: 'push' | 'notice'
  /**
   * `sending`: a send has started. After a crash its outcome is unknown. `held`: owners were asked about it.
   */
  readonly state: 'queued' | 'sending' | 'held'
  /** The gate's revision under which `body` was judged. */
  readonly revision: number
  readonly createdAtMs: number
  /** What the dispatcher needs in order to send it or judge it again, as JSON text. */
  readonly body: string
}

/** The outcome of a push that is no longer in the outbox. A repeated request gets it as the answer. */
export interface Ended {
  readonly outcome: Outcome
  readonly reason?: string
  /** The message as which it left, if it is a single one. It can be edited. */
  readonly message?: Address & { readonly message_id: string }
  /** The chat that was created by this send. */
  readonly chat_id?: string
}

/** A person's message on its way to an agent. It is stored until the agent's turn about it has ended. */
export interface Prompt {
  readonly prompt_id: string
  readonly agent_id: string
  readonly channel: string
  readonly chat_id: string
  readonly sender_id: string
  readonly sender_name: string
  readonly text: string
  /** In a group: whether these are an owner's own words. Absent in a private chat. */
  readonly inGroup?: 'owner' | 'member'
  /**
   * The messenger's id of the message, for reactions. It is not stored, so it is absent after a restart of
   * the gate.
   */
  readonly message_id?: string
  /**
   * It is a goal: the agent works until its claim that the goal is reached passes. This is not stored: after
   * a restart of the gate it is an ordinary message.
   */
  readonly isGoal?: true
  readonly atMs: number
  /** `given`: the agent had already received it when the gate or the agent stopped. */
  readonly state: 'waiting' | 'given'
}

/** A prompt in memory. Its files are still at the messenger, so they do not outlive this process. */
export type HeldPrompt = Prompt & { readonly files?: readonly InboundFile[] }
