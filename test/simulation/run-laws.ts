import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { FaultKind } from './plan.ts'

const main = fileURLToPath(new URL('main.ts', import.meta.url))

/**
 * Simulates plans in a process of its own, because a simulation replaces the clock and the timers of its
 * process. Resolves with what it said, also when a law was broken: `npm run simulate -- laws <count> <seed>`
 * finds a smaller plan then. `kinds`: what may go wrong, by default everything.
 */
export const runLaws = async (
  count: number,
  seed: number,
  kinds: readonly FaultKind[] | 'all' = 'all',
): Promise<string> => {
  const words = ['laws', String(count), String(seed), String(kinds), 'first']
  const { stdout } = await promisify(execFile)(process.execPath, [main, ...words]).catch(
    (error: unknown) => error as { readonly stdout: string },
  )
  return stdout
}
