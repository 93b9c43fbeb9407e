import { type ChildProcess, spawn } from 'node:child_process'
import { constants } from 'node:os'
import { setTimeout as delay } from 'node:timers/promises'
import { createCapture } from './capture.ts'

const maxOutputBytes = 64 * 1024
/** How long the output may stay open after the group is dead: a process that left the group can hold it. */
const outputGraceMs = 500

/**
 * The program's process group dies with whoever holds the other end of descriptor 3, even when that is killed at once.
 * A process that makes a session of its own leaves the group and is out of reach.
 */
const leash = '(exec >/dev/null 2>&1; read -r _ <&3; kill -KILL 0) & exec "$@" 3<&-'

export interface GroupOptions {
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  readonly stdin?: 'pipe'
  /** Absent: it goes where the output goes. */
  readonly stderr?: 'pipe'
}

export interface BashOptions {
  readonly command: string
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  readonly timeoutMs: number
  readonly signal: AbortSignal
}

export interface BashResult {
  readonly output: string
  readonly exitCode: number
  readonly isTimedOut: boolean
}

/** Process groups that run now, by the id of their first process. */
const running = new Set<number>()

/** Ends a process and all of its group at once. */
export const killGroup = (pid: number): void => {
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // The group is gone already.
  }
}

/** For the end of this process. */
export const killAllTools = (): void => {
  for (const pid of running) killGroup(pid)
}

/** Starts a program in a process group of its own; nothing of the group outlives it, or this process. */
export const spawnGroup = (argv: readonly string[], { cwd, env, stdin, stderr }: GroupOptions): ChildProcess => {
  const child = spawn('/bin/sh', ['-c', stderr === undefined ? `${leash} 2>&1` : leash, 'sh', ...argv], { cwd, env, detached: true, stdio: [stdin ?? 'ignore', 'pipe', stderr ?? 'ignore', 'pipe'] })
  const { pid } = child
  child.stdio[3]?.on('error', () => undefined)
  if (pid === undefined) return child
  running.add(pid)
  child.once('exit', () => {
    // What it left in the background ends with it.
    killGroup(pid)
    running.delete(pid)
  })
  return child
}

/** Runs one command in a process group of its own; nothing of the group is left when it returns. Rejects on abort. */
export const runBash = async ({ command, cwd, env, timeoutMs, signal }: BashOptions): Promise<BashResult> => {
  signal.throwIfAborted()
  const child = spawnGroup(['bash', '-c', command], { cwd, env })
  const { pid, stdout } = child
  const exited = new Promise<number>((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', (code, name) => resolve(code ?? 128 + (name === null ? 0 : constants.signals[name])))
  })
  // Without these it did not start, and `exited` rejects with the reason.
  if (pid === undefined || stdout === null) return { output: '', exitCode: await exited, isTimedOut: false }

  const capture = createCapture(maxOutputBytes)
  stdout.on('data', capture.add)
  const outputClosed = new Promise<void>((resolve) => stdout.once('close', resolve))
  const kill = (): void => killGroup(pid)
  let isTimedOut = false
  const timer = setTimeout(() => {
    isTimedOut = true
    kill()
  }, timeoutMs)
  signal.addEventListener('abort', kill, { once: true })
  try {
    const exitCode = await exited
    await Promise.race([outputClosed, delay(outputGraceMs)])
    stdout.destroy()
    signal.throwIfAborted()
    return { output: capture.text(), exitCode, isTimedOut }
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', kill)
  }
}
