import type { Verdict } from '../hooks/verdict.ts'
import type { Payload } from './payload.ts'

/**
 * What is known of an event that was allowed and of which no hook said anything: how many hooks in force did
 * not match it, and how many shadows got it.
 */
export interface Silent {
  readonly missed: number
  readonly shadows: number
}

/**
 * Keeps an event in the history. `payload`: as it came. `silent`: no hook said anything, so it needs no
 * record. Returns at once. False: it came too fast, so it is counted and not kept, or the disk fails.
 */
export type KeepEvent = (payload: Payload, verdict: Verdict, durationMs: number, silent?: Silent) => boolean
