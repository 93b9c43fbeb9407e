import type { RunResult } from '../../core/model/hooks/run-result.ts'
import type { ArmedHook } from '../../core/model/hooks/entry.ts'
import type { Payload } from '../../core/model/events/payload.ts'

export interface AskOptions {
  readonly timeoutMs: number
  /**
   * The events that caused this one, each as `event:event_id`, so that a hook's own actions can be told from
   * the agent's.
   */
  readonly chain: readonly string[]
  readonly signal?: AbortSignal
}

/** One way to reach a handler: it sends the payload and returns the result. Never rejects. */
export interface Transport {
  ask(hook: ArmedHook, payload: Payload, options: AskOptions): Promise<RunResult>
  /** Ends the waiting and resident programs of hooks that are not among these fingerprints. */
  retire?(live: ReadonlySet<string>): void
  stop?(): Promise<void>
}

/**
 * Writes an event in the format of a hook's own system: its stdin as JSON text on one line, and the variables
 * that its hooks get.
 */
export interface Speech {
  stdin(hook: ArmedHook, payload: Payload): string | Promise<string>
  env(hook: ArmedHook, payload: Payload): Readonly<Record<string, string>>
}
