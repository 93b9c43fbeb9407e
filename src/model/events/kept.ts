/** What a hook did at an event: `passed` is an allow or no opinion, `wrote` is a rewrite or a context. */
export type HookDeed = 'passed' | 'wrote' | 'asked' | 'blocked' | 'failed'

/** One event of the history. */
export interface KeptEvent {
  readonly id: string
  readonly atMs: number
  readonly event: string
  readonly agent: string
  readonly session: string
  readonly tool?: string
  readonly verdict: 'allow' | 'ask' | 'block'
  /** The hook whose reason this is. */
  readonly by?: string
  readonly reason?: string
  readonly durationMs: number
  /** The event as it came. Absent: gate.yaml keeps no payloads. */
  readonly payload?: Readonly<Record<string, unknown>>
  /** The fields that hooks changed, with their new values. */
  readonly changed?: Readonly<Record<string, unknown>>
  /** Long texts were cut. */
  readonly isCut?: true
  /** The hooks that were asked, in their order. */
  readonly hooks: readonly {
    readonly fingerprint: string
    readonly label: string
    readonly deed: HookDeed
    readonly durationMs?: number
  }[]
}

/** Which events are wanted, the newest first. Every condition has to hold. */
export interface EventsQuery {
  /** Epoch milliseconds. */
  readonly sinceMs: number
  readonly agent?: string
  readonly event?: string
  readonly verdict?: 'allow' | 'ask' | 'block'
  /** The fingerprint of a hook that was asked. */
  readonly fingerprint?: string
  /** Words in the payload, the tool or the reason, in capital or small letters. */
  readonly text?: string
  readonly limit: number
  /** Only events before the one of this number, where the answer before ended. */
  readonly before?: number
}

/** `next`: the number for the next question. Absent: there are no more. */
export interface EventsFound {
  readonly events: readonly KeptEvent[]
  readonly next?: number
}

/** Which events a statistic is about. */
export interface StatsQuery {
  /** Epoch milliseconds. */
  readonly sinceMs: number
  /** One hook alone. */
  readonly fingerprint?: string
}

/** What one hook did in a time, over all its events. */
export interface HookStats {
  readonly fingerprint: string
  /** The name of the hook at its last event. */
  readonly label: string
  readonly event: string
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
