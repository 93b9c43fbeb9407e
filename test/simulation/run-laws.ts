import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const main = fileURLToPath(new URL('main.ts', import.meta.url))

/**
 * Simulates plans in a process of its own, because a simulation replaces the clock and the timers of its
 * process. Resolves with what it said, also when a law was broken: `npm run simulate -- laws <count> <seed>`
 * finds a smaller plan then.
 */
export const runLaws = async (count: number, seed: number): Promise<string> => {
  const { stdout } = await promisify(execFile)(process.execPath, [
    main,
    'laws',
    String(count),
    String(seed),
    'first',
  ]).catch((error: unknown) => error as { readonly stdout: string })
  return stdout
}
