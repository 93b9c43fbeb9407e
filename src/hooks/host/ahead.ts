import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { startProgram, type HookProcess, type ProgramListener } from './program.ts'
import type { RunRequest, StartRequest } from './protocol.ts'
import { makePluginData } from './spawn/hooks-home.ts'
import { findWaitingShell, refusedCode, waitingShellFor } from './spawn/waiting-shell.ts'
import type { WaitingShell } from './spawn/waiting-shell.ts'
import { waitWith, type WaitingProgram } from './waiting.ts'

/** A shell that has not become the program after this time is given up. */
const stuckMs = 250
/** A shell complains in fewer bytes than this when it cannot become the program. */
const maxComplaintBytes = 16 * 1024
const stopLookMs = 2
const maxStopLooks = 20

const deaf: ProgramListener = {
  stdout: () => undefined,
  stderr: () => undefined,
  failed: () => undefined,
  exited: () => undefined,
  closed: () => undefined,
}

/** A process that has just ended is no error. */
const signal = (pid: number, name: NodeJS.Signals): void => {
  try {
    process.kill(pid, name)
  } catch {
    // It is gone, which is reported soon.
  }
}

const isStopped = (pid: number): boolean => {
  try {
    return /^[Tt]/.test(readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ').at(-1) ?? '')
  } catch {
    return false
  }
}

/**
 * Everything that a process wrote has been reported after the second turn of the event loop, also when its
 * end was reported first.
 */
const whenHeard = (then: () => void): void => void setImmediate(setImmediate, then)

/**
 * Stops a shell that has not become the program, and calls `stopped` when it stands still. A shell that is
 * only slow could otherwise become the program while it is given up.
 */
const stopShell = (
  pid: number,
  stopped: () => void,
): {
  /** The process goes on. */
  readonly release: () => void
  /** The process is gone or will be killed. */
  readonly forget: () => void
} => {
  const wasStopped = isStopped(pid)
  let isOver = false
  const forget = (): void => {
    isOver = true
  }
  const release = (): void => {
    if (!isOver && !wasStopped) signal(pid, 'SIGCONT')
    isOver = true
  }
  const look = (looks: number): void => {
    if (isOver) return
    if (isStopped(pid)) whenHeard(() => void (isOver || stopped()))
    else if (looks < maxStopLooks) setTimeout(look, stopLookMs, looks + 1)
    else release()
  }
  signal(pid, 'SIGSTOP')
  look(0)
  return { release, forget }
}

/**
 * Makes the program of a shell that waited. When the shell did not become the program, the program is started
 * as usual, and the listener notices nothing.
 */
const become = (
  waiting: HookProcess,
  shell: WaitingShell,
  lines: string,
  request: RunRequest,
  started: (pid: number) => void,
): HookProcess => {
  let program = waiting
  let hearer = deaf
  let stdin = ''
  /** The shell wrote that it is ready, so from then on it may be the program. */
  let isReady = false
  /** It is certain what the process is, so that its events are reported at once. */
  let isSettled = false
  let isClosed = false
  let complaint: Buffer = Buffer.alloc(0)
  const held: (() => void)[] = []
  let stopping: ReturnType<typeof stopShell> | undefined

  const settle = (): void => {
    if (isSettled) return
    isSettled = true
    clearTimeout(timer)
    stopping?.release()
    if (complaint.length > 0) hearer.stderr(complaint)
    for (const tell of held.splice(0)) tell()
  }
  const startInstead = (): void => {
    if (isSettled) return
    held.length = 0
    complaint = Buffer.alloc(0)
    stopping?.forget()
    settle()
    waiting.hear(deaf)
    waiting.close()
    try {
      program = startProgram(request, hearer)
    } catch (error) {
      return hearer.failed(error instanceof Error ? error : new Error(String(error)))
    }
    if (program.pid !== undefined) started(program.pid)
    program.feed(stdin)
  }
  const decide = (): void => (isReady ? stopping?.release() : startInstead())
  const timer = setTimeout(
    () => {
      if (!isReady && waiting.pid !== undefined) stopping = stopShell(waiting.pid, decide)
    },
    Math.min(stuckMs, request.timeoutMs / 4),
  )
  const ready = Buffer.from(shell.ready)
  const refusal = Buffer.from(shell.refusal)
  const hear = (chunk: Buffer): void => {
    complaint = Buffer.concat([complaint, chunk])
    const at = isReady ? -1 : complaint.indexOf(ready)
    if (at >= 0) {
      isReady = true
      // What the shell itself said before is no output of the program.
      complaint = complaint.subarray(at + ready.length)
      // Only a program writes to stdout.
      if (held.length > 0) settle()
    }
    if (complaint.length > maxComplaintBytes) settle()
  }
  const whenExited = (code: number | null): void => {
    const isRefused = code === refusedCode && complaint.subarray(-refusal.length).equals(refusal)
    if (!isReady || isRefused) startInstead()
    else settle()
  }
  waiting.hear({
    failed: (error) => hearer.failed(error),
    stdout: (chunk) => {
      if (isReady) settle()
      if (isSettled) hearer.stdout(chunk)
      else held.push(() => hearer.stdout(chunk))
    },
    stderr: (chunk) => (isSettled ? hearer.stderr(chunk) : hear(chunk)),
    exited: (code, by) => {
      stopping?.forget()
      if (isSettled) return hearer.exited(code, by)
      held.push(() => hearer.exited(code, by))
      whenHeard(() => whenExited(code))
    },
    closed: () => {
      if (isSettled) hearer.closed()
      else held.push(() => hearer.closed())
    },
  })
  return {
    get pid() {
      return program.pid
    },
    hear: (next) => {
      hearer = next
    },
    feed: (text) => {
      stdin = text
      waiting.feed(lines + text)
    },
    close: () => {
      if (isClosed) return
      isClosed = true
      settle()
      program.close()
    },
  }
}

/**
 * Starts a shell that waits and becomes the program of `request`. `varying` names the variables whose values
 * come with the event. Gives undefined when no shell can wait for this program without being noticed. Throws
 * like a start.
 */
export const startAhead = (
  request: StartRequest,
  varying: readonly string[],
  onSpoiled: (what: string) => void,
): WaitingProgram | undefined => {
  const path = findWaitingShell()
  if (path === undefined) return undefined
  const shell = waitingShellFor(path, request, varying, randomBytes(16).toString('hex'))
  if (shell === undefined) return undefined
  const { pid, kill, claim } = waitWith(shell.start, onSpoiled)
  return {
    pid,
    kill,
    take: (asked, started) => {
      const lines = shell.lines(asked)
      if (lines === undefined) {
        kill()
        return undefined
      }
      const waiting = claim()
      if (waiting === undefined) return undefined
      makePluginData(asked.env)
      return become(waiting, shell, lines, asked, started)
    },
  }
}
