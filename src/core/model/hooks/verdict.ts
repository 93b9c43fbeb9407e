import type { Answer } from './answer.ts'
import type { Payload } from '../events/payload.ts'

/** The part of one approved hook in one event: a line of `/hooks why`. */
export interface RecordedHook {
  readonly fingerprint: string
  /** The entry's name or, without one, its command, for people. */
  readonly label: string
  readonly fired: boolean
  /** The reason why it fired or not: `matched`, `was not reached`, `the switch is off`, … */
  readonly why: string
  readonly answer?: Answer
  /** When it was asked first, by the gate's clock for intervals. Records do not have it. */
  readonly askedAtMs?: number
  readonly durationMs?: number
  /** It changed what it judged. `openly`: with a mark for something that nobody decides by. */
  readonly rewrote?: 'openly' | 'silently'
  /** It was asked after the verdict, so this answer decided nothing. */
  readonly isShadow?: true
}

/**
 * Why questions have no answer. `elsewhere`: the person answers where the caller itself asks. The others are
 * those of `Ending`.
 */
export type Unanswered = 'elsewhere' | 'expired' | 'gone' | 'full' | 'nobody'

/** The merged answers of all hooks, with the payload after their rewrites. */
export interface Verdict {
  readonly verdict: 'allow' | 'ask' | 'block'
  /**
   * True when a hook answered `allow`, or an owner allowed a permission request. An abstention is not
   * consent.
   */
  readonly isConsent: boolean
  /** A hook asked to end the turn here. */
  readonly stopsTurn?: true
  /**
   * Nobody answered in time. The caller had said that it can end and repeat this call, and it should do so.
   */
  readonly isParked?: true
  /** An owner in the chat of the step was told of the block, with its reason. */
  readonly isTold?: true
  /** A person answered the questions of this call. The payload has the answers, and these are the words. */
  readonly answered?: string
  /** The questions of this step were put to people and have no answer, for this reason. */
  readonly unanswered?: Unanswered
  readonly reason?: string
  /** The label of the hook whose reason this is, and its fingerprint. */
  readonly by?: string
  readonly fingerprint?: string
  readonly payload: Payload
  readonly contexts: readonly string[]
  readonly notes: readonly string[]
  /** Warnings for the person: faults, dropped keys, and verdicts that the event does not allow. */
  readonly warnings: readonly string[]
  /** The hooks that matched, in their order, and behind them the async ones. */
  readonly hooks: readonly RecordedHook[]
  /** The number of other hooks in force at the event. Absent: none. */
  readonly missed?: number
  /** The gate's revision under which it was judged. */
  readonly revision: number
}
