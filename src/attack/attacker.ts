import type { ChildProcess } from 'node:child_process'
import { extname } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { isObject } from '../model/base/json.ts'
import { refused, type Order, type ForgeryReport, type Target } from './forgery.ts'

/** Starts a program exactly as the agent host is started: with the agent's rights, and pipes for all three streams. */
export type AsAgent = (argv: readonly string[]) => ChildProcess

const programFile = fileURLToPath(new URL(`./program${extname(import.meta.url)}`, import.meta.url))
const maxLineChars = 100_000

/** A file as it was. */
export interface KeptFile {
  readonly path: string
  /** Absent: nothing was there. */
  readonly content?: Buffer
  readonly mode: number
}

export interface Attacker {
  /** A report of its own making where the program died or did not answer in time. */
  attempt(name: string, target: Target, timeoutMs: number): Promise<ForgeryReport>
  putBack(kept: KeptFile): Promise<boolean>
  /** Whether it runs at all: else nothing that it does not do would mean anything. */
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

/** Holds one attacking process and starts another when it died: some attempts end it. */
export const createAttacker = (asAgent: AsAgent): Attacker => {
  let child: ChildProcess | undefined
  let heard: ((line: unknown) => void) | undefined

  const start = (): ChildProcess => {
    const mine = asAgent([process.execPath, programFile])
    child = mine
    const ended = (): void => {
      if (child !== mine) return
      child = undefined
      heard?.(undefined)
    }
    mine.on('error', ended).on('exit', ended)
    mine.stdin?.on('error', () => undefined)
    mine.stderr?.resume()
    if (mine.stdout !== null) {
      createInterface({ input: mine.stdout }).on('line', (line) => {
        if (child !== mine || line.length > maxLineChars) return
        try {
          heard?.(JSON.parse(line))
        } catch {
          // Not one of its lines.
        }
      })
    }
    return mine
  }
  const stop = (): void => {
    const ending = child
    child = undefined
    // One that never was has the number 0 with Node, and that is this process's own group.
    if (ending?.pid !== undefined) ending.kill('SIGKILL')
  }
  const order = async (lines: readonly Order[], timeoutMs: number): Promise<unknown> => {
    const to = child ?? start()
    const { promise, resolve } = Promise.withResolvers<unknown>()
    heard = resolve
    const timer = setTimeout(resolve, timeoutMs)
    to.stdin?.write(lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
    const answer = await promise
    clearTimeout(timer)
    heard = undefined
    // Whatever it still does must not run into the next attempt.
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
            putBack: { path, mode, ...(content === undefined ? {} : { base64: content.toString('base64') }) },
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
