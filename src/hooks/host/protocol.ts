/** One program to run. The words are executed as they are: no shell stands between. */
export interface RunRequest {
  readonly argv: readonly string[]
  readonly cwd: string
  /** The whole environment: nothing is inherited. */
  readonly env: Readonly<Record<string, string>>
  readonly stdin: string
  readonly timeoutMs: number
}

export type RunFailureKind = 'timeout' | 'start' | 'killed' | 'host' | 'refused' | 'network' | 'output'

export interface RunFailure {
  readonly kind: RunFailureKind
  /** One sentence for the person: what happened and what to do. */
  readonly detail: string
}

/** What became of one run. An expected outcome is a value: nothing here is ever thrown. */
export interface RunResult {
  /** null when it did not exit by itself. */
  readonly exitCode: number | null
  readonly stdout: string
  /** Its first 64 KiB. */
  readonly stderr: string
  /** stdout passed its cap: never to be read as an answer. */
  readonly isTruncated: boolean
  readonly failure?: RunFailure
  /** From the start of the program; waiting for a slot is not in it. */
  readonly durationMs: number
}

export type ToHost =
  | { readonly type: 'run'; readonly id: number; readonly request: RunRequest }
  | { readonly type: 'kill'; readonly id: number }

export type FromHost =
  | { readonly type: 'ready' }
  /** `pid` leads the run's process group. */
  | { readonly type: 'started'; readonly id: number; readonly pid: number }
  | { readonly type: 'done'; readonly id: number; readonly result: RunResult }

/** The result of a run that gave no output. */
export const failedRun = (kind: RunFailureKind, detail: string, durationMs = 0): RunResult => ({
  exitCode: null,
  stdout: '',
  stderr: '',
  isTruncated: false,
  failure: { kind, detail },
  durationMs,
})
