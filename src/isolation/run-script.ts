import { spawn, spawnSync } from 'node:child_process'
import { killGroup, ownSession } from '../shared/base/process-group.ts'
import type { StartAs } from '../shared/gate/separation.ts'

const timeoutMs = 10_000
const maxWords = 300

const world = { cwd: '/', env: { PATH: '/usr/bin:/bin:/usr/sbin:/sbin' }, ...ownSession }
const wordsOf = ({ prefix }: StartAs, script: string, args: readonly string[]): readonly string[] => [
  ...prefix,
  '/bin/sh',
  '-c',
  script,
  'sh',
  ...args,
]
const lastOutput = (output: string): string =>
  output
    .replaceAll(/[\x00-\x1f\x7f]+/g, ' ')
    .trim()
    .slice(-maxWords)
const failureOf = (error: unknown): string =>
  error instanceof Error ? error.message : 'it could not be started'

/**
 * Runs a short shell script with somebody's rights and waits for it. Returns the output of a failed script in
 * one line, or undefined on success. The gate blocks meanwhile, so this is only for its start.
 */
export const runScript = (
  who: StartAs,
  script: string,
  args: readonly string[],
  input = '',
): string | undefined => {
  const [file = '', ...rest] = wordsOf(who, script, args)
  try {
    const options = {
      ...who.user,
      ...world,
      input,
      encoding: 'utf8',
      timeout: timeoutMs,
      killSignal: 'SIGKILL',
    } as const
    const { status, error, stderr, stdout } = spawnSync(file, rest, options)
    if (status === 0) return undefined
    const text = lastOutput(`${stdout}${stderr}`)
    return error?.message ?? (text === '' ? `exit code ${status}` : text)
  } catch (error) {
    return failureOf(error)
  }
}

/**
 * The same without blocking the gate. When the script is late, it is killed with all processes that it
 * started, because the owner of the folder it works in can make each of its steps wait without end. Never
 * rejects.
 */
export const startScript = (
  who: StartAs,
  script: string,
  args: readonly string[],
  input = '',
  withinMs = timeoutMs,
): Promise<string | undefined> =>
  new Promise((resolve) => {
    const [file = '', ...rest] = wordsOf(who, script, args)
    try {
      const child = spawn(file, rest, {
        ...who.user,
        ...world,
        stdio: ['pipe', 'pipe', 'pipe'],
      })
      let output = ''
      let isLate = false
      const timer = setTimeout(() => {
        isLate = true
        killGroup(child.pid)
        // A descendant in a group of its own may keep the pipes open.
        for (const stream of child.stdio) stream?.destroy()
      }, withinMs)
      const append = (chunk: Buffer): void =>
        void (output = (output + chunk.toString('latin1')).slice(-maxWords * 2))
      child.stdout.on('data', append)
      child.stderr.on('data', append)
      child.stdin.on('error', () => undefined)
      child.on('error', (error) => {
        clearTimeout(timer)
        resolve(error.message)
      })
      child.on('close', (status) => {
        clearTimeout(timer)
        const text = lastOutput(output)
        const why = text === '' ? `exit code ${status}` : text
        resolve(isLate ? `it did not end within ${withinMs / 1000} s` : status === 0 ? undefined : why)
      })
      child.stdin.end(input)
    } catch (error) {
      resolve(failureOf(error))
    }
  })

/**
 * Returns the script of the first process in a sandbox. It starts the program without any rights and waits
 * for it. The first process keeps its rights, and nobody else there has them, so no other process can trace
 * it or take it over. It also reaps processes that lost their parent. Descriptor 3 belongs to the program,
 * and a shell gives no stdin to a background program, hence the redirections. The shell prints nothing about
 * the program's end, because the gate reports it.
 */
export const firstProcessScript = (setpriv: string): string =>
  `exec 8>&2 9<&0 2>/dev/null; ${setpriv} --no-new-privs --inh-caps=-all --ambient-caps=-all --bounding-set=-all "$@" <&9 2>&8 8>&- 9<&- & exec 8>&- 9<&-; wait $!`
