import { secondsWords } from '../../shared/base/duration.ts'
import type { RunFailure, RunResult } from '../../core/model/hooks/run-result.ts'
import { goesAsync } from './goes-async.ts'
import { startProgram, type ProgramListener, type HookProcess } from './program.ts'
import type { RunRequest } from './protocol.ts'
import { createHeadTailSink, createSink } from './spawn/sink.ts'
import { failureOfStart } from './spawn/start-failure.ts'

const maxStdoutBytes = 1024 * 1024
const maxStderrBytes = 64 * 1024
/** A pipe may stay open this long after the program's end. Each piece of data restarts the time. */
const graceMs = 200
const lineFeed = 10

export const stoppedDetail = 'The hook was stopped, because the caller stopped waiting for its answer.'

export interface ProgramRun {
  /** Never rejects. When it resolves, the whole process group has been killed, unless the program goes on. */
  readonly result: Promise<RunResult>
  /** True when the program has answered and runs until `over`. */
  readonly goesOn: () => boolean
  /** The process group is gone. */
  readonly over: Promise<void>
  readonly kill: () => void
}

export interface RunOptions {
  /** A started program that waits at its stdin. */
  readonly waiting?: HookProcess | undefined
  /** True when one more async run fits into the bound. */
  readonly mayGoOn?: () => boolean
}

/**
 * Runs one program in its own process group, with bounds on time and output. A process that leaves the group
 * (`setsid`) never prolongs the run. It outlives the run only when no namespace contains it.
 */
export const startRun = (
  request: RunRequest,
  { waiting, mayGoOn = () => false }: RunOptions = {},
): ProgramRun => {
  const startedAtMs = performance.now()
  const durationMs = (): number => performance.now() - startedAtMs
  const answer = Promise.withResolvers<RunResult>()
  const over = Promise.withResolvers<void>()
  const stdout = createSink(maxStdoutBytes)
  const stderr = createHeadTailSink(maxStderrBytes)
  let exitCode: number | null = null
  let isOver = false
  let goesOn = false
  let chunksHeard = 0
  let isFirstLineOpen = request.mayGoAsync === true
  let grace: NodeJS.Timeout | undefined

  const finish = (failure?: RunFailure, isTruncated = false): void => {
    if (isOver) return
    isOver = true
    clearTimeout(deadline)
    clearTimeout(grace)
    // This also happens after a normal end, so that no background process stays.
    program?.close()
    over.resolve()
    answer.resolve({
      exitCode,
      stdout: stdout.text(),
      stderr: stderr.text(),
      ...(stderr.isCut() ? { isStderrCut: true } : {}),
      isTruncated,
      failure,
      durationMs: durationMs(),
    })
  }

  const late = `It did not answer within ${secondsWords(request.timeoutMs)}. Make it faster, or raise its "timeout".`
  // After a hold-up of this process its timers run before it reads what arrived meanwhile. So each timer
  // waits for one more reading: otherwise a block that was said in time would count as silence, which allows.
  const expire = (): void =>
    void setImmediate(() => finish(grace === undefined ? { kind: 'timeout', detail: late } : undefined))
  const hear = (): void => {
    chunksHeard += 1
    grace?.refresh()
  }
  const endGrace = (): void => {
    const before = chunksHeard
    setImmediate(() => {
      if (chunksHeard === before) finish()
    })
  }

  const lookForAsync = (chunk: Buffer): void => {
    if (!chunk.includes(lineFeed)) return
    isFirstLineOpen = false
    const line = stdout.text().split('\n', 1)[0] ?? ''
    const asyncMark = goesAsync(line)
    if (asyncMark === undefined || !mayGoOn()) return
    goesOn = true
    answer.resolve({
      exitCode: 0,
      stdout: `${line}\n`,
      stderr: stderr.text(),
      isTruncated: false,
      durationMs: durationMs(),
    })
    if (asyncMark.timeoutMs === undefined) return
    clearTimeout(deadline)
    deadline = setTimeout(expire, asyncMark.timeoutMs - durationMs())
  }

  const listener: ProgramListener = {
    failed: (error) => finish(failureOfStart(request, error)),
    exited: (code, signal) => {
      exitCode = code
      const ended = `The signal ${signal} ended it. Run it by hand to see why.`
      if (signal !== null) finish({ kind: 'killed', detail: ended })
      // A process that still holds the pipes may write a little longer.
      else grace = setTimeout(endGrace, graceMs)
    },
    closed: () => finish(),
    stdout: (chunk) => {
      if (goesOn) return
      hear()
      if (!stdout.add(chunk)) finish(undefined, true)
      else if (isFirstLineOpen) lookForAsync(chunk)
    },
    stderr: (chunk) => {
      if (goesOn) return
      hear()
      stderr.add(chunk)
    },
  }

  let program: HookProcess | undefined
  let deadline = setTimeout(expire, request.timeoutMs)
  try {
    program = waiting ?? startProgram(request, listener)
    program.hear(listener)
    program.feed(request.stdin)
  } catch (error) {
    finish(failureOfStart(request, error))
  }
  return {
    result: answer.promise,
    goesOn: () => goesOn,
    over: over.promise,
    kill: () => finish({ kind: 'killed', detail: stoppedDetail }),
  }
}
