import type { HandlerOutput } from './dialect.ts'
import type { FaultKind } from './answer.ts'

/** `broken` means that the environment of the hook failed, which is no verdict of the hook. */
export type RunFailureKind = Exclude<FaultKind, 'exit'>

export interface RunFailure {
  readonly kind: RunFailureKind
  /** One sentence for the person: what happened and what to do. */
  readonly detail: string
}

/** The result of one run. Failures are values here and are never thrown. */
export interface RunResult extends HandlerOutput {
  readonly failure?: RunFailure
  /** Its working folder was closed or gone, so it ran in its own folder. */
  readonly inOwnFolder?: true
  /**
   * The time from the start of the program, or from the request when it was waiting. The wait for a slot is
   * not included.
   */
  readonly durationMs: number
}
