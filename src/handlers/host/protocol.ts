import type { RunFailure, RunFailureKind, RunResult } from '../../core/model/hooks/run-result.ts'
import type { JsonObject } from '../../core/model/base/json.ts'

/** One program to start. The arguments are executed as they are, without a shell. */
export interface StartRequest {
  readonly argv: readonly string[]
  /** The name that the program gets as its own; absent: the first argument. */
  readonly argv0?: string
  readonly cwd: string
  /**
   * The folder in which it starts when its working folder is closed or gone. Absent: it does not start then.
   */
  readonly ownFolder?: string
  /** The whole environment. Nothing is inherited. */
  readonly env: Readonly<Record<string, string>>
}

/** True when the two differ in nothing but the values of their variables. */
export const isAlike = (one: StartRequest, other: StartRequest): boolean => {
  const names = Object.keys(one.env)
  return (
    one.cwd === other.cwd &&
    one.argv0 === other.argv0 &&
    one.argv.length === other.argv.length &&
    one.argv.every((word, index) => word === other.argv[index]) &&
    names.length === Object.keys(other.env).length &&
    names.every((name) => Object.hasOwn(other.env, name))
  )
}

/** One program to run once. */
export interface RunRequest extends StartRequest {
  readonly stdin: string
  readonly timeoutMs: number
  /** The hook that runs. Its leftover processes end when this hook is no longer in force. */
  readonly fingerprint?: string
  /** After a first line `{"async": true}` the program may continue after its answer. */
  readonly mayGoAsync?: boolean
  /** The process that waits after the answer for the next request of this hook. Absent: none. */
  readonly waits?: Waits
}

/**
 * A warm hook's own program waits for the same request with another stdin. For every other hook that fires
 * often a shell waits, which becomes the program only with its event.
 */
export type Waits = 'program' | 'shell'

/** The result of the check whether a program may be started in advance and wait at its stdin. */
export type Probe =
  | { readonly isSafe: true; readonly coldMs: number; readonly warmMs: number }
  /** `why` is one sentence for the person. */
  | { readonly isSafe: false; readonly why: string }

/**
 * The socket path to which the hook host connects for a resident program, and the token by which the gate
 * knows that connection.
 */
export interface Meeting {
  readonly path: string
  readonly token: string
}

/** Gets the events of a resident program. */
export interface ResidentListener {
  started(pid: number): void
  /** The end of its stderr, reported from time to time. */
  stderr(text: string): void
  /** Comes exactly once, as the last event: the program has ended or never started. */
  ended(failure: RunFailure): void
}

/** The hook host's only argument when it runs in its own PID namespace. */
export const containedWord = 'contained'

/** Messages to the hook host. The gate assigns the ids, from one sequence for all types. */
export type ToHost =
  /** A part of the stdin of the run with this id, which follows. */
  | { readonly type: 'stdin'; readonly id: number; readonly part: string }
  | { readonly type: 'run'; readonly id: number; readonly request: RunRequest }
  | {
      readonly type: 'reside'
      readonly id: number
      readonly request: StartRequest
      readonly meeting: Meeting
    }
  | { readonly type: 'probe'; readonly id: number; readonly request: RunRequest }
  /** Asks for the bytes that hooks wrote. */
  | { readonly type: 'measure'; readonly id: number }
  | { readonly type: 'kill'; readonly id: number }
  /** Ends what waits, and what goes on after its answer, for hooks that are not among these fingerprints. */
  | { readonly type: 'retire'; readonly live: readonly string[] }
  /** Kill all hooks and exit. A signal would not pass the container of the host. */
  | { readonly type: 'end' }

export type FromHost =
  | { readonly type: 'ready' }
  /** A process group has begun or ended. `pid` is its leader. Not sent from a PID namespace. */
  | { readonly type: 'group'; readonly pid: number; readonly isOver: boolean }
  /** A resident program has started. */
  | { readonly type: 'started'; readonly id: number; readonly pid: number }
  /** `goesOn`: the answer was given, the program still runs, and `ended` follows. */
  | { readonly type: 'done'; readonly id: number; readonly result: RunResult; readonly goesOn: boolean }
  | { readonly type: 'probed'; readonly id: number; readonly probe: Probe }
  /** In bytes. `Infinity` cannot be sent in a message, so it is sent as 'endless'. */
  | { readonly type: 'measured'; readonly id: number; readonly bytes: number | 'endless' }
  /** The end of a resident's stderr. */
  | { readonly type: 'stderr'; readonly id: number; readonly text: string }
  /** A resident or async program has ended. */
  | { readonly type: 'ended'; readonly id: number; readonly failure?: RunFailure }

/** The result of a run that gave no output. */
export const failedRun = (kind: RunFailureKind, detail: string, durationMs = 0): RunResult => ({
  exitCode: null,
  stdout: '',
  stderr: '',
  isTruncated: false,
  failure: { kind, detail },
  durationMs,
})

/** The result of what answered with JSON and printed nothing else. */
export const answeredRun = (json: JsonObject, durationMs = 0): RunResult => ({
  exitCode: 0,
  stdout: JSON.stringify(json),
  json,
  stderr: '',
  isTruncated: false,
  durationMs,
})
