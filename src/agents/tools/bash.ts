import { type ChildProcess, spawn } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { constants } from 'node:os'
import type { Readable } from 'node:stream'
import { setImmediate as immediate, setTimeout as delay } from 'node:timers/promises'
import { killGroup } from '../../shared/base/process-group.ts'
import { createCapture } from './capture.ts'

const maxOutputBytes = 64 * 1024
/** How long the output may stay open after the session ended, in milliseconds. */
const outputGraceMs = 500
/**
 * How often the session's groups are searched. Each search finds processes that started during the one
 * before, and processes that are still ending.
 */
const maxSearches = 5

/**
 * A shell script that kills the program's session when the other end of descriptor 3 is closed, even when its
 * holder was killed. It first kills the process groups that `timeout` and job control made, and then the
 * program's group, to which the script itself belongs. It cannot reach a process that started a session of
 * its own.
 */
const leash = `(
  exec >/dev/null 2>&1
  read -r _ <&3
  for stat in /proc/[0-9]*/stat; do
    read -r row <"$stat" && set -- \${row##*) } && [ "$4" = "$$" ] && [ "$3" != "$$" ] && kill -s KILL -- "-$3"
  done
  kill -KILL 0
) & exec "$@" 3<&-`

export interface GroupOptions {
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  readonly stdin?: 'pipe'
  /** Absent: standard error goes to standard output. */
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

/** Running sessions, by the id of their first process. */
const running = new Set<number>()

/**
 * Returns the other process groups of the session that a process leads. Outside Linux there is no /proc, and
 * it returns none.
 */
const groupsBeside = (leader: number): ReadonlySet<number> => {
  const groups = new Set<number>()
  try {
    for (const name of readdirSync('/proc')) {
      if (!/^\d+$/.test(name)) continue
      try {
        // The fields begin after the name in brackets, which may contain any characters.
        const [state, , group, session] =
          readFileSync(`/proc/${name}/stat`, 'latin1').split(') ').at(-1)?.split(' ') ?? []
        if (Number(session) === leader && Number(group) !== leader && state !== 'Z') groups.add(Number(group))
      } catch {
        // The process ended meanwhile.
      }
    }
  } catch {
    // There is no /proc.
  }
  return groups
}

/** Kills a process and its whole session: its group, and the groups that `timeout` and job control made. */
export const killSession = (pid: number): void => {
  killGroup(pid)
  for (let search = 0; search < maxSearches; search++) {
    const groups = groupsBeside(pid)
    if (groups.size === 0) return
    for (const group of groups) killGroup(group)
  }
}

/** Kills all running sessions, before this process ends. */
export const killAllTools = (): void => {
  for (const pid of running) killSession(pid)
}

/**
 * Starts a program in a session of its own. No process of the session outlives the program or this process.
 */
export const spawnGroup = (
  argv: readonly string[],
  { cwd, env, stdin, stderr }: GroupOptions,
): ChildProcess => {
  const child = spawn('/bin/sh', ['-c', stderr === undefined ? `${leash} 2>&1` : leash, 'sh', ...argv], {
    cwd,
    env,
    detached: true,
    stdio: [stdin ?? 'ignore', 'pipe', stderr ?? 'ignore', 'pipe'],
  })
  const { pid } = child
  child.stdio[3]?.on('error', () => undefined)
  if (pid === undefined) return child
  running.add(pid)
  child.once('exit', () => {
    // Background processes of the session end as well.
    killSession(pid)
    running.delete(pid)
  })
  return child
}

/**
 * Returns what waits for the rest of a program's output, once the program has ended, and then closes it. It
 * waits for `outputGraceMs` at most, because a process that left the session can hold the output open.
 */
export const watchOutput = (output: Readable): (() => Promise<void>) => {
  const closed = new Promise<void>((resolve) => output.once('close', resolve))
  return async () => {
    await Promise.race([closed, delay(outputGraceMs)])
    // What arrived while this process was held up is read only now.
    await immediate()
    output.destroy()
  }
}

/**
 * Runs one command in a session of its own. No process of the session is left when it returns. Rejects on
 * abort.
 */
export const runBash = async ({ command, cwd, env, timeoutMs, signal }: BashOptions): Promise<BashResult> => {
  signal.throwIfAborted()
  const child = spawnGroup(['bash', '-c', command], { cwd, env })
  const { pid, stdout } = child
  const exited = new Promise<number>((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', (code, name) => resolve(code ?? 128 + (name === null ? 0 : constants.signals[name])))
  })
  // The program did not start, and `exited` rejects with the reason.
  if (pid === undefined || stdout === null) return { output: '', exitCode: await exited, isTimedOut: false }

  const capture = createCapture(maxOutputBytes)
  stdout.on('data', capture.add)
  const outputEnds = watchOutput(stdout)
  const kill = (): void => killSession(pid)
  let isTimedOut = false
  const timer = setTimeout(() => {
    isTimedOut = true
    kill()
  }, timeoutMs)
  signal.addEventListener('abort', kill, { once: true })
  try {
    const exitCode = await exited
    await outputEnds()
    signal.throwIfAborted()
    return { output: capture.text(), exitCode, isTimedOut }
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', kill)
  }
}
