import type { Answer } from './answer.ts'
import type { Payload } from '../events/payload.ts'

/** One approved hook's part in one event: the line that `/hooks why` shows. */
export interface RecordedHook {
  readonly fingerprint: string
  /** The entry's name, else its command, for people. */
  readonly label: string
  readonly fired: boolean
  /** Why it fired or not, in words: `matched`, `did not match`, `the switch is off`, … */
  readonly why: string
  readonly answer?: Answer
  readonly durationMs?: number
  /** It changed what it judged. `openly`: a built-in, which leaves a mark in the place of what it took out. */
  readonly rewrote?: 'openly' | 'silently'
}

/** All answers merged, with the payload as it settled. */
export interface Verdict {
  readonly verdict: 'allow' | 'ask' | 'block'
  /** True when a hook answered `allow`, or an owner said yes to a request for permission: no opinion is not consent. */
  readonly isConsent: boolean
  /** A hook asked that the turn end here. */
  readonly stopsTurn?: true
  /** Nobody answered in time, and the caller, which said that it can end and make this call again, should. */
  readonly isParked?: true
  readonly reason?: string
  /** The label of the hook whose reason this is. */
  readonly by?: string
  readonly payload: Payload
  readonly contexts: readonly string[]
  readonly notes: readonly string[]
  /** Told to the person: faults, dropped keys, verdicts that the event cannot honour. */
  readonly warnings: readonly string[]
  /** One for each hook in force at the event. When none matched it is one array shared by all such verdicts. */
  readonly hooks: readonly RecordedHook[]
  /** The gate's revision under which it was judged. */
  readonly revision: number
}
