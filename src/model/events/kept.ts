import type { EventName } from './event.ts'

/** What a hook did at an event: `passed` is an allow or no opinion, `wrote` is a rewrite or a context. */
export type HookDeed = 'passed' | 'wrote' | 'asked' | 'blocked' | 'failed'

/** What one hook did in a time, over all its events. */
export interface HookStats {
  readonly fingerprint: string
  /** The name of the hook at its last event. */
  readonly label: string
  readonly event: EventName
  readonly deeds: Readonly<Record<HookDeed, number>>
  /** The times in milliseconds that half and 95 percent of its answers took at most. */
  readonly p50Ms?: number
  readonly p95Ms?: number
  /** The newest event that it blocked. */
  readonly lastBlocked?: string
}

/** What happened in a time, as the history has it. */
export interface HistoryStats {
  /** When the oldest event of this time happened, in epoch milliseconds. Absent: there is none. */
  readonly sinceMs?: number
  readonly verdicts: Readonly<Record<'allow' | 'ask' | 'block', number>>
  /** How many events hooks changed. */
  readonly changed: number
  /** The hooks that were asked, the most asked first. */
  readonly hooks: readonly HookStats[]
  /** How many events came too fast to be kept since the start. */
  readonly missed: number
}
