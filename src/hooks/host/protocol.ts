import type { FaultKind } from '../../model/hooks/answer.ts'

/** One program to start. The words are executed as they are: no shell stands between. */
export interface StartRequest {
  readonly argv: readonly string[]
  /** What the program hears as its own name; absent: the first of the words. */
  readonly argv0?: string
  readonly cwd: string
  /** Where it starts when its working folder is closed or gone; absent: it does not start then. */
  readonly ownFolder?: string
  /** The whole environment: nothing is inherited. */
  readonly env: Readonly<Record<string, string>>
}

/** One program to run: it is asked once. */
export interface RunRequest extends StartRequest {
  readonly stdin: string
  readonly timeoutMs: number
  /** Whose run it is: what it leaves behind ends when this hook is no longer in force. */
  readonly fingerprint?: string
  /** After a first line `{"async": true}` it may run on, its answer given. */
  readonly mayGoAsync?: true
  /** Behind its answer the next instance is started and waits for the same request with another stdin. */
  readonly isWarm?: true
}

/** `broken`: what it runs in failed, which is no verdict of the hook. */
export type RunFailureKind = Exclude<FaultKind, 'exit'>

export interface RunFailure {
  readonly kind: RunFailureKind
  /** One sentence for the person: what happened and what to do. */
  readonly detail: string
}

/** What became of one run. An expected outcome is a value: nothing here is ever thrown. */
export interface RunResult {
  /** null when it did not exit by itself; 0 when it answered and runs on. */
  readonly exitCode: number | null
  readonly stdout: string
  /** Its first and its last 32 KiB. */
  readonly stderr: string
  /** Part of stderr is missing. */
  readonly isStderrCut?: true
  /** stdout passed its cap: never to be read as an answer. */
  readonly isTruncated: boolean
  readonly failure?: RunFailure
  /** Its working folder was closed or gone, so it ran in its own. */
  readonly inOwnFolder?: true
  /** From the start of the program, or from its question when it was waiting; waiting for a slot is not in it. */
  readonly durationMs: number
}

/** Whether a program may wait, started, at its stdin. */
export type Probe =
  | { readonly isSafe: true; readonly coldMs: number; readonly warmMs: number }
  /** `why` is one sentence for the person. */
  | { readonly isSafe: false; readonly why: string }

/** Where a resident's hook host shall connect, and the word by which the gate knows that connection. */
export interface Meeting {
  readonly path: string
  readonly token: string
}

/** The hook host's one argument when it lives in a PID namespace of its own. */
export const containedWord = 'contained'

/** Ids are the gate's, one row for all kinds. */
export type ToHost =
  /** `instance`: the id of the waiting program that is to answer. When it cannot, another one is started. */
  | { readonly type: 'run'; readonly id: number; readonly request: RunRequest; readonly instance?: number }
  | { readonly type: 'wait'; readonly id: number; readonly request: StartRequest }
  | {
      readonly type: 'reside'
      readonly id: number
      readonly request: StartRequest
      readonly meeting: Meeting
    }
  | { readonly type: 'probe'; readonly id: number; readonly request: RunRequest }
  /** How much did hooks write? */
  | { readonly type: 'measure'; readonly id: number }
  | { readonly type: 'kill'; readonly id: number }
  /** Kill all hooks and exit: a signal would not pass what the host lives in. */
  | { readonly type: 'end' }

export type FromHost =
  | { readonly type: 'ready' }
  /** `pid` leads the process group. */
  | { readonly type: 'started'; readonly id: number; readonly pid: number }
  /** `goesOn`: the answer is given, the program runs on, and `ended` follows. */
  | { readonly type: 'done'; readonly id: number; readonly result: RunResult; readonly goesOn: boolean }
  | { readonly type: 'probed'; readonly id: number; readonly probe: Probe }
  /** In bytes; `Infinity` has no form in a message. */
  | { readonly type: 'measured'; readonly id: number; readonly bytes: number | 'endless' }
  /** What a resident wrote last on stderr. */
  | { readonly type: 'stderr'; readonly id: number; readonly text: string }
  /** Whoever waited, resided or ran on is gone. */
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
