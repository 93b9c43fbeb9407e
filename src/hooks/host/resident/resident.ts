import type { ChildProcess } from 'node:child_process'
import { closeSync } from 'node:fs'
import { Socket } from 'node:net'
import type { Readable } from 'node:stream'
import { spawnPatiently } from '../spawn/patient-spawn.ts'
import { pipes, strays } from '../program.ts'
import type { Meeting, RunFailure, StartRequest } from '../protocol.ts'
import { failureOfStart } from '../spawn/start-failure.ts'

const maxStderrBytes = 4 * 1024
/** How often at most it is told that there is more on stderr. */
const tellEveryMs = 1000
const meetTimeoutMs = 5000
const lastWordsMs = 50

export interface ResidentEars {
  started(pid: number): void
  /** The last of what it wrote on stderr. */
  stderr(text: string): void
  /** Exactly once, the last; its process group is gone. */
  ended(failure: RunFailure): void
}

/** Keeps the end of a stream and tells it now and then. */
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
 * Starts a program that stays, with a connection to the gate as its stdin and stdout: what is asked and answered does
 * not pass through this process. The first line on that connection is the token; the program comes after it.
 */
export const startResident = (
  request: StartRequest,
  { path, token }: Meeting,
  ears: ResidentEars,
): { readonly kill: () => void } => {
  let isOver = false
  let child: ChildProcess | undefined
  let letGo = (): void => undefined
  const errors = createTail(ears.stderr)
  const socket = new Socket()

  const finish = (failure: RunFailure): void => {
    if (isOver) return
    isOver = true
    clearTimeout(deadline)
    if (child?.pid !== undefined) strays.ended(child.pid)
    socket.destroy()
    letGo()
    errors.flush()
    ears.ended(failure)
  }
  const deadline = setTimeout(
    () =>
      finish({
        kind: 'host',
        detail: `Expected the gate to take the connection of a resident hook within ${meetTimeoutMs} ms, got no answer.`,
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
    // The program holds the connection from now on; here it is let go of without a word on it.
    socket.destroy()
    const stderr: Readable | null = ours ?? child.stderr
    stderr?.on('data', errors.add).on('error', () => undefined)
    child.on('error', (error) => finish(failureOfStart(request, error)))
    child.on('exit', (code, signal) => {
      const failure = {
        kind: 'killed',
        detail: `Expected the resident hook to stay, got ended by ${signal ?? `exit code ${code}`}; its stderr tells more.`,
      } as const
      // Its last words are still to be read; a grandchild that holds the pipe does not delay what is told.
      stderr?.once('close', () => finish(failure))
      setTimeout(finish, lastWordsMs, failure)
    })
    if (child.pid === undefined) return
    // Without its mark: it has no end of its own, and whoever lies to be of it would have none either.
    strays.began(child.pid)
    ears.started(child.pid)
  }

  // A socket that is not paused would read what is meant for the program.
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
