import { spawn, type ChildProcess } from 'node:child_process'
import { killGroup } from './group.ts'
import { failedRun, type RunFailure, type RunRequest, type RunResult } from './protocol.ts'
import { createSink } from './sink.ts'
import { startFailure } from './start-failure.ts'

const maxStdoutBytes = 1024 * 1024
const maxStderrBytes = 64 * 1024
/** How long a pipe may stay open after the program's end, counted anew from each piece of data. */
const graceMs = 200

export interface Run {
  /** Undefined when the program did not start. */
  readonly pid: number | undefined
  /** Never rejects. When it resolves, the whole process group has been killed. */
  readonly result: Promise<RunResult>
  readonly kill: () => void
}

/**
 * Runs one program in a process group of its own, bounded in time and in output.
 * A process that leaves the group (`setsid`) can outlive the run, but can never prolong it.
 */
export const startRun = (request: RunRequest): Run => {
  const startedAtMs = performance.now()
  const durationMs = (): number => performance.now() - startedAtMs
  const [program = '', ...args] = request.argv
  let child: ChildProcess
  try {
    child = spawn(program, args, { cwd: request.cwd, env: request.env, detached: true, shell: false })
  } catch (error) {
    const result = Promise.resolve(failedRun('start', startFailure(request, error), durationMs()))
    return { pid: undefined, result, kill: () => undefined }
  }

  // With no descriptor left there are no streams, whatever the type says; an `error` follows.
  const streams = (child.stdio as typeof child.stdio | undefined) ?? []
  const { promise, resolve } = Promise.withResolvers<RunResult>()
  const stdout = createSink(maxStdoutBytes)
  const stderr = createSink(maxStderrBytes)
  let exitCode: number | null = null
  let isOver = false
  let grace: NodeJS.Timeout | undefined

  const finish = (failure?: RunFailure, isTruncated = false): void => {
    if (isOver) return
    isOver = true
    clearTimeout(deadline)
    clearTimeout(grace)
    // After a normal end too: no background process is left behind.
    if (child.pid !== undefined) killGroup(child.pid)
    for (const stream of streams) stream?.destroy()
    resolve({
      exitCode,
      stdout: stdout.text(),
      stderr: stderr.text(),
      isTruncated,
      ...(failure === undefined ? {} : { failure }),
      durationMs: durationMs(),
    })
  }

  const late = `Expected an answer within ${request.timeoutMs} ms, got none; make the hook faster or raise its "timeout".`
  const deadline = setTimeout(
    () => finish(grace === undefined ? { kind: 'timeout', detail: late } : undefined),
    request.timeoutMs - durationMs(),
  )

  child.on('error', (error) => finish({ kind: 'start', detail: startFailure(request, error) }))
  child.on('exit', (code, signal) => {
    exitCode = code
    const ended = `Expected the hook to exit by itself, got ended by ${signal}; run it by hand to see why.`
    if (signal !== null) finish({ kind: 'killed', detail: ended })
    // Whoever still holds the pipes may have a last word to say.
    else grace = setTimeout(finish, graceMs)
  })
  child.on('close', () => finish())
  child.stdout?.on('data', (chunk: Buffer) => {
    grace?.refresh()
    if (!stdout.add(chunk)) finish(undefined, true)
  })
  child.stderr?.on('data', (chunk: Buffer) => {
    grace?.refresh()
    stderr.add(chunk)
  })
  // A hook need not read what it is given (EPIPE), and a broken pipe is the end of that stream and of nothing else.
  for (const stream of streams) stream?.on('error', () => undefined)
  child.stdin?.end(request.stdin)

  return {
    pid: child.pid,
    result: promise,
    kill: () => finish({ kind: 'killed', detail: 'The hook was stopped because nobody waits for its answer any more.' }),
  }
}
