import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { killGroup } from '../../src/shared/base/process-group.ts'
import type { Measured } from './measure.ts'

/** What came of one run of a row. */
export type Outcome =
  | ({ readonly kind: 'measured' } & Measured)
  | { readonly kind: 'failed'; readonly why: string }

export interface Place {
  /** The tree whose code is measured. */
  readonly tree: string
  /** Everything that the row writes is below this folder, and whoever made it removes it. */
  readonly temporary: string
  /** Aborted: the row ends at once, and the run rejects. */
  readonly signal: AbortSignal
  /** A row that has not ended by then is ended. */
  readonly withinMs: number
}

const lastLineOf = (text: string): string | undefined => text.trim().split('\n').at(-1)

const outcomeIn = (said: string): Outcome | undefined => {
  try {
    return JSON.parse(lastLineOf(said) ?? '') as Outcome
  } catch {
    return undefined
  }
}

/** The line that says what ended a program of Node, else its last one. */
const causeIn = (complaint: string): string =>
  complaint.split('\n').find((line) => /^\w*Error\b/.test(line)) ?? lastLineOf(complaint) ?? ''

/**
 * Runs a row in a process of its own, so that neither what another row left nor what it does itself reaches
 * any other. It resolves whatever the row does.
 */
export const runRow = async (
  name: string,
  { tree, temporary, signal, withinMs }: Place,
): Promise<Outcome> => {
  signal.throwIfAborted()
  // The leader of a group, so that all that it started ends with it.
  const child = spawn(process.execPath, [join(tree, 'test/bench/row.ts'), name], {
    cwd: tree,
    env: { ...process.env, TMPDIR: temporary },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  })
  let [said, complaint] = ['', '']
  child.stdout.on('data', (chunk: Buffer) => (said += chunk.toString()))
  child.stderr.on('data', (chunk: Buffer) => (complaint = (complaint + chunk.toString()).slice(-10_000)))
  let isLate = false
  const end = (): void => killGroup(child.pid)
  const late = setTimeout(() => {
    isLate = true
    end()
  }, withinMs)
  signal.addEventListener('abort', end)
  const closed = once(child, 'close')
  const [code, killedBy] = (await once(child, 'exit')) as [number | null, string | null]
  // What it left running would be measured with the next row.
  end()
  // Its last words may still be under way, but what it started may also keep its output open.
  await Promise.race([closed, delay(1000)])
  clearTimeout(late)
  signal.removeEventListener('abort', end)
  signal.throwIfAborted()
  if (isLate) return { kind: 'failed', why: `It had not ended after ${withinMs / 1000} s.` }
  const outcome = outcomeIn(said)
  if (outcome !== undefined) return outcome
  return { kind: 'failed', why: `Its process ended with ${code ?? killedBy}. ${causeIn(complaint)}`.trim() }
}
