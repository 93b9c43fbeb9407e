import { spawn } from 'node:child_process'
import { constants } from 'node:os'
import { setTimeout as delay } from 'node:timers/promises'
import { createCapture } from './capture.ts'

const maxOutputBytes = 64 * 1024
/** How long the output may stay open after the group is dead: a process that left the group can hold it. */
const outputGraceMs = 500

/**
 * The tool's process group dies with whoever holds the other end of descriptor 3, even when that is killed at once.
 * A process that makes a session of its own leaves the group and is out of reach.
 */
const script = '(exec >/dev/null 2>&1; read -r _ <&3; kill -KILL 0) & exec bash -c "$1" 2>&1 3<&-'

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

const killGroup = (pid: number): void => {
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

/** Runs one command in a process group of its own; nothing of the group is left when it returns. Rejects on abort. */
export const runBash = async ({ command, cwd, env, timeoutMs, signal }: BashOptions): Promise<BashResult> => {
  signal.throwIfAborted()
  const child = spawn('/bin/sh', ['-c', script, 'sh', command], { cwd, env, detached: true, stdio: ['ignore', 'pipe', 'ignore', 'pipe'] })
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
  child.stdio[3]?.on('error', () => undefined)
  running.add(pid)
  const kill = (): void => killGroup(pid)
  let isTimedOut = false
  const timer = setTimeout(() => {
    isTimedOut = true
    kill()
  }, timeoutMs)
  signal.addEventListener('abort', kill, { once: true })
  try {
    const exitCode = await exited
    // What the command left in the background ends with it.
    kill()
    await Promise.race([outputClosed, delay(outputGraceMs)])
    stdout.destroy()
    signal.throwIfAborted()
    return { output: capture.text(), exitCode, isTimedOut }
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', kill)
    running.delete(pid)
  }
}
