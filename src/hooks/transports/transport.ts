import type { ArmedHook } from '../../model/hooks/entry.ts'
import type { Payload } from '../../model/events/payload.ts'
import type { RunResult } from '../host/protocol.ts'

export interface AskOptions {
  readonly timeoutMs: number
  /** What led here, each `event:event_id`, so that a hook's own work can be told from the agent's. */
  readonly chain: readonly string[]
  readonly signal?: AbortSignal
}

/** One way to reach a handler: the payload goes in, what it left behind comes out. Never rejects. */
export interface Transport {
  ask(hook: ArmedHook, payload: Payload, options: AskOptions): Promise<RunResult>
  /** Ends whatever waits or resides for hooks that are not among these fingerprints. */
  retire?(live: ReadonlySet<string>): void
  stop?(): Promise<void>
}

/** How a hook's own system puts an event: its stdin as JSON text, and the variables that its hooks find. */
export interface Speech {
  stdin(hook: ArmedHook, payload: Payload): string | Promise<string>
  env(hook: ArmedHook, payload: Payload): Readonly<Record<string, string>>
}
