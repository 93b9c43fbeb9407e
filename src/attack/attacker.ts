import type { ChildProcess } from 'node:child_process'
import { extname } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { isObject } from '../core/model/base/json.ts'
import { killGroup } from '../shared/base/process-group.ts'
import { refused, type Order, type ForgeryReport, type Target } from './forgery.ts'

/**
 * Starts a program exactly as the agent host is started: with the rights of the agent, as the leader of a
 * process group, and with pipes for all three streams.
 */
export type AsAgent = (argv: readonly string[]) => ChildProcess | Promise<ChildProcess>

const programFile = fileURLToPath(new URL(`./program${extname(import.meta.url)}`, import.meta.url))
const maxLineChars = 100_000

/** A saved file. */
export interface KeptFile {
  readonly path: string
  /** Absent: the file did not exist. */
  readonly content?: Buffer
  readonly mode: number
}

export interface Attacker {
  /** Runs one forgery. Returns a report of its own when the program died or did not answer in time. */
  attempt(name: string, target: Target, timeoutMs: number): Promise<ForgeryReport>
  putBack(kept: KeptFile): Promise<boolean>
  /** True when the program runs. If it does not, a failed attempt proves nothing. */
  isAlive(): Promise<boolean>
  stop(): void
}

const outcomes: readonly unknown[] = ['refused', 'done', 'open'] satisfies readonly ForgeryReport['outcome'][]
const isReport = (value: unknown): value is ForgeryReport =>
  isObject(value) &&
  outcomes.includes(value['outcome']) &&
  typeof value['what'] === 'string' &&
  (value['read'] === undefined || Array.isArray(value['read'])) &&
  (value['at'] === undefined || (isObject(value['at']) && typeof value['at']['path'] === 'string'))

/** Keeps one attacking process, and starts a new one when it died, because some attempts kill it. */
export const createAttacker = (asAgent: AsAgent): Attacker => {
  let child: ChildProcess | undefined
  let onAnswer: ((line: unknown) => void) | undefined

  const start = async (): Promise<ChildProcess> => {
    const mine = await asAgent([process.execPath, programFile])
    child = mine
    const ended = (): void => {
      if (child !== mine) return
      child = undefined
      onAnswer?.(undefined)
    }
    mine.on('error', ended).on('exit', ended)
    mine.stdin?.on('error', () => undefined)
    mine.stderr?.resume()
    if (mine.stdout !== null) {
      createInterface({ input: mine.stdout }).on('line', (line) => {
        if (child !== mine || line.length > maxLineChars) return
        try {
          onAnswer?.(JSON.parse(line))
        } catch {
          // The line is not a report.
        }
      })
    }
    return mine
  }
  const stop = (): void => {
    const ending = child
    child = undefined
    // What the attempt started ends with it: the programs of an unfinished attempt would keep a machine busy.
    killGroup(ending?.pid)
  }
  const order = async (lines: readonly Order[], timeoutMs: number): Promise<unknown> => {
    const to = child ?? (await start())
    const { promise, resolve } = Promise.withResolvers<unknown>()
    onAnswer = resolve
    const timer = setTimeout(resolve, timeoutMs)
    to.stdin?.write(lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
    const answer = await promise
    clearTimeout(timer)
    onAnswer = undefined
    // Its remaining actions must not disturb the next attempt.
    if (answer === undefined) stop()
    return answer
  }

  return {
    attempt: async (name, target, timeoutMs) => {
      const answer = await order([{ target }, { attempt: name }], timeoutMs)
      const report = isObject(answer) ? answer['report'] : undefined
      return isReport(report) ? report : refused('it did not come to an end')
    },
    putBack: async ({ path, content, mode }) => {
      const answer = await order(
        [
          {
            putBack: { path, mode, base64: content?.toString('base64') },
          },
        ],
        5000,
      )
      return isObject(answer) && answer['putBack'] === true
    },
    isAlive: async () => {
      const answer = await order([{ isAlive: true }], 10_000)
      return isObject(answer) && answer['isAlive'] === true
    },
    stop,
  }
}
