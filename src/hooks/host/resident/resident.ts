import type { ChildProcess } from 'node:child_process'
import { closeSync } from 'node:fs'
import { Socket } from 'node:net'
import type { Readable } from 'node:stream'
import { spawnPatiently } from '../spawn/patient-spawn.ts'
import { pipes, strays } from '../program.ts'
import type { Meeting, RunFailure, StartRequest } from '../protocol.ts'
import { failureOfStart } from '../spawn/start-failure.ts'

const maxStderrBytes = 4 * 1024
/** The shortest time between two reports of stderr. */
const tellEveryMs = 1000
const meetTimeoutMs = 5000
const lastWordsMs = 50

export interface ResidentProcessListener {
  started(pid: number): void
  /** The end of its stderr. */
  stderr(text: string): void
  /** Comes exactly once, as the last event. The process group is gone. */
  ended(failure: RunFailure): void
}

/** Keeps the end of a stream and reports it from time to time. */
const createTail = (tell: (text: string) => void) => {
  let held: Buffer = Buffer.alloc(0)
  let timer: NodeJS.Timeout | undefined
  const flush = (): void => {
    clearTimeout(timer)
    if (timer !== undefined) tell(held.toString())
    timer = undefined
  }
  return {
    add: (chunk: Buffer): void => {
      held = Buffer.concat([held, chunk.subarray(-maxStderrBytes)]).subarray(-maxStderrBytes)
      timer ??= setTimeout(flush, tellEveryMs)
    },
    flush,
  }
}

/**
 * Starts a resident program with a connection to the gate as its stdin and stdout, so that requests and
 * answers do not pass through this process. The first line on that connection is the token; the program uses
 * the connection after that.
 */
export const startResident = (
  request: StartRequest,
  { path, token }: Meeting,
  listener: ResidentProcessListener,
): { readonly kill: () => void } => {
  let isOver = false
  let child: ChildProcess | undefined
  let letGo = (): void => undefined
  const errors = createTail(listener.stderr)
  const socket = new Socket()

  const finish = (failure: RunFailure): void => {
    if (isOver) return
    isOver = true
    clearTimeout(deadline)
    if (child?.pid !== undefined) strays.ended(child.pid)
    socket.destroy()
    letGo()
    errors.flush()
    listener.ended(failure)
  }
  const deadline = setTimeout(
    () =>
      finish({
        kind: 'host',
        detail: `Expected the gate to accept the connection of a resident hook within ${meetTimeoutMs} ms, got no answer.`,
      }),
    meetTimeoutMs,
  )

  const begin = (): void => {
    if (isOver) return
    clearTimeout(deadline)
    const [name = '', ...args] = request.argv
    const output = pipes.open('out')
    const ours =
      output === undefined ? undefined : new Socket({ fd: output.ours, readable: true, writable: false })
    letGo = () => {
      ours?.destroy()
      child?.stderr?.destroy()
      if (output !== undefined) pipes.release(output)
    }
    try {
      child = spawnPatiently(name, args, {
        ...(request.argv0 === undefined ? {} : { argv0: request.argv0 }),
        cwd: request.cwd,
        env: request.env,
        detached: true,
        shell: false,
        stdio: [socket, socket, output?.theirs ?? 'pipe'],
      })
    } finally {
      if (output !== undefined) closeSync(output.theirs)
    }
    // From now on the program holds the connection. This process closes its copy without writing anything.
    socket.destroy()
    const stderr: Readable | null = ours ?? child.stderr
    stderr?.on('data', errors.add).on('error', () => undefined)
    child.on('error', (error) => finish(failureOfStart(request, error)))
    child.on('exit', (code, signal) => {
      const failure = {
        kind: 'killed',
        detail: `Expected the resident hook to keep running, but it ended with ${signal ?? `exit code ${code}`}; see its stderr.`,
      } as const
      // The rest of stderr is read first. A grandchild that holds the pipe open does not delay the report.
      stderr?.once('close', () => finish(failure))
      setTimeout(finish, lastWordsMs, failure)
    })
    if (child.pid === undefined) return
    // No mark is passed: a resident has no end of its own, so a process that falsely claims its mark would
    // never be ended either.
    strays.began(child.pid)
    listener.started(child.pid)
  }

  // An unpaused socket would read data that is meant for the program.
  socket.pause()
  socket.on('error', (error) =>
    finish({
      kind: 'host',
      detail: `Expected the hook host to reach the gate at ${path}, got "${error.message}"; the hooks' user must be able to enter that folder.`,
    }),
  )
  socket.connect(path, () => {
    socket.write(`${token}\n`, () => {
      try {
        begin()
      } catch (error) {
        finish(failureOfStart(request, error))
      }
    })
  })
  return {
    kill: () =>
      finish({ kind: 'killed', detail: 'The resident hook was ended because it is no longer in force.' }),
  }
}
