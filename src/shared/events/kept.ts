import type { Silent } from '../../core/model/events/kept.ts'

/** What a hook did at an event: `passed` is an allow or no opinion, `wrote` is a rewrite or a context. */
export type HookDeed = 'passed' | 'wrote' | 'asked' | 'blocked' | 'failed'
/** A deed in the history. With the word `shadow` before it, it is what a shadow would have done. */
export type KeptDeed = HookDeed | `shadow ${HookDeed}`
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
  /** Absent: it has a record. `revision`: of the gate. */
  readonly silent?: Silent & { readonly revision: number }
  /** The hooks that were asked, in their order. */
  readonly hooks: readonly {
    readonly fingerprint: string
    readonly label: string
    readonly deed: HookDeed
    /** It was a shadow, so this is what it would have done. */
    readonly isShadow?: true
    readonly durationMs?: number
  }[]
}

/** Which events are meant. Every condition has to hold. */
export interface EventsFilter {
  /** Epoch milliseconds. */
  readonly sinceMs: number
  /** Only events before this time, in epoch milliseconds. */
  readonly untilMs?: number
  readonly agent?: string
  readonly event?: string
  readonly verdict?: 'allow' | 'ask' | 'block'
  /** How it ended, as the statistics count it. */
  readonly end?: EventEnd
  /** The fingerprint of a hook that was asked. */
  readonly fingerprint?: string
  /** What this hook did or, without a fingerprint, what any hook did. */
  readonly deed?: KeptDeed
  /** Words in the payload, the tool or the reason, in capital or small letters. */
  readonly text?: string
}

/** Which events are wanted, the newest first. */
export interface EventsQuery extends EventsFilter {
  readonly limit: number
  readonly id?: string
  /**
   * Only events of which no hook said anything, where hooks are in force: one that decides, or any, which
   * includes shadows.
   */
  readonly silent?: 'hook' | 'any'
  /** Only events before the one of this number, where the answer before ended. */
  readonly before?: number
}

/** `next`: the number for the next question. Absent: there are no more. */
export interface EventsFound {
  readonly events: readonly KeptEvent[]
  readonly next?: number
}

/** How often a hook did what. */
export type Deeds = Readonly<Record<HookDeed, number>>
/** What one hook did at the events that are meant. */
export interface HookStats {
  readonly fingerprint: string
  /** The name of the hook at its last event. */
  readonly label: string
  readonly event: string
  readonly deeds: Deeds
  /** The times in milliseconds that half and 95 percent of its newest answers took at most. */
  readonly p50Ms?: number
  readonly p95Ms?: number
  /** The newest event that it blocked. */
  readonly lastBlocked?: string
  /** What it would have done while it was a shadow. Absent: it was none. */
  readonly shadow?: { readonly deeds: Deeds; readonly lastBlocked?: string }
}

/**
 * How an event ended. `failed`: it went on, and a hook failed. `changed`: it went on as hooks left it.
 * `allowed`: it went on as it came.
 */
export type EventEnd = 'allowed' | 'changed' | 'failed' | 'asked' | 'blocked'
/** How many events ended so in each step of a time. Every list has the same length. */
export interface Timeline {
  /** Where the first step begins, in epoch milliseconds. */
  readonly startMs: number
  readonly stepMs: number
  readonly ends: Readonly<Record<EventEnd, readonly number[]>>
}

/** What happened at the events that are meant, as the history has it. */
export interface HistoryStats {
  /** When the oldest of them happened, in epoch milliseconds. Absent: there is none. */
  readonly sinceMs?: number
  readonly verdicts: Readonly<Record<'allow' | 'ask' | 'block', number>>
  /** How many events hooks changed. */
  readonly changed: number
  readonly timeline: Timeline
  /** The names of events, the most frequent first. */
  readonly events: readonly { readonly name: string; readonly ends: Readonly<Record<EventEnd, number>> }[]
  /** The agents, the most frequent first. */
  readonly agents: readonly string[]
  /** There are older ones in which the text was not searched. */
  readonly isPart?: true
  /** The hooks that were asked, the most asked first. */
  readonly hooks: readonly HookStats[]
  /** How many events came too fast to be kept since the start. */
  readonly missed: number
}

/** Answers questions about the events of the last days. Rejects with a ProblemError when it cannot. */
export interface HistoryReader {
  /** Finds events, the newest first. */
  events(query: EventsQuery): Promise<EventsFound>
  stats(filter: EventsFilter): Promise<HistoryStats>
}
