import type { KeptEvent } from '../events/kept.ts'
import type { ClientName } from '../gate/client.ts'
import type { Problem } from '../../core/model/gate/problem.ts'
import { handlerOf, isForGate, type Entry } from '../../core/model/hooks/entry.ts'

/** What a hook would have done to an event. `pass`: nothing that changes it. */
export type HypotheticalEffect = 'block' | 'ask' | 'rewrite' | 'fail' | 'pass'

/** What a hook would have answered to one event of the past. */
export interface PastAnswer {
  readonly would: HypotheticalEffect
  /** The hook's reason, or its failure in a few words. */
  readonly why?: string
  readonly durationMs: number
  /** A text that is the same for the same effect on the event. */
  readonly effect: string
}

/** An event of the past about which something is to be told. */
export interface PastCase extends Pick<KeptEvent, 'id' | 'event' | 'atMs' | 'agent'> {
  /** What the event was about. Quoted text of the agent. */
  readonly about: string
  readonly would: HypotheticalEffect
  readonly why?: string
  /** What really became of it. */
  readonly was: KeptEvent['verdict'] | 'rewrite'
  /** What the approved version would have done, where it answers differently. */
  readonly sealed?: HypotheticalEffect
}

/** Why a trial ended before it had asked about every event. */
export type EarlyEnd = 'stopped' | 'time' | 'memory' | 'machine' | 'killed' | 'off' | 'lockdown' | 'closing'

/** What a hook would have answered to the events of the past. Nothing of it decides. */
export interface Evidence {
  /** The fingerprint of the bytes that were asked. */
  readonly fingerprint: string
  /** The fingerprint of the approved bytes that were asked for comparison. */
  readonly sealed?: string
  readonly atMs: number
  /** The events that were looked at. Those below are parts of them. */
  readonly events: number
  /** Their payload is not kept, or was cut, so nothing could be asked. */
  readonly unkept: number
  readonly matched: number
  readonly counts: Readonly<Record<HypotheticalEffect, number>>
  readonly p50Ms?: number
  readonly p95Ms?: number
  /** Its failures, the most frequent first, each once with its count. */
  readonly failures: readonly { readonly why: string; readonly count: number }[]
  /** The newest events that it would have blocked, asked about or rewritten. */
  readonly cases: readonly PastCase[]
  /** The number of events that both versions answer differently, and the newest of them. */
  readonly different: number
  readonly differences: readonly PastCase[]
  readonly end?: EarlyEnd
}

/** Which events of the past a trial is about. */
export interface TrialScope {
  readonly maxEvents: number
  /** Epoch milliseconds. */
  readonly sinceMs: number
  /** The events are what this client keeps of its sessions. Absent: they are those of the history. */
  readonly client?: ClientName
}

const problem = (code: string, message: string, fix: string): Problem => ({
  code: `try.${code}`,
  message,
  fix,
})

/** Builtins that answer from the event alone. */
const answersAlone: ReadonlySet<string> = new Set([
  'add_context',
  'add_date',
  'guard_commands',
  'mark_instructions',
  'ask_owner',
  'check_publish',
  'max_iterations',
  'redact_secrets',
  'redact_pii',
])

/** The reason why an entry cannot be asked about the past; undefined when it can. */
export const trialProblem = (
  entry: Pick<Entry, 'type' | 'command' | 'isAsync' | 'node' | 'nodes'>,
): Problem | undefined => {
  if (!isForGate(entry))
    return problem(
      'node',
      'It runs on a node, and trials run on the machine of the gate.',
      'Try it at a terminal of that machine: hookgate test.',
    )
  if (entry.type === 'http' || entry.type === 'llm')
    return problem(
      'network',
      `${handlerOf(entry)} would send the past to a server.`,
      'It cannot be tried. Read it, or make it a shadow.',
    )
  if (entry.type === 'builtin' && !answersAlone.has(entry.command))
    return problem(
      'effects',
      `${handlerOf(entry)} works with the agent of now, and not with the past.`,
      'It cannot be tried. Approve it, or leave it.',
    )
  if (entry.isAsync)
    return problem(
      'async',
      'It is an async hook, whose answer is ignored.',
      'There is nothing to try. Approve it, or leave it.',
    )
  return undefined
}
