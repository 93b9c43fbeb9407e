import { createRequire, syncBuiltinESMExports } from 'node:module'
import { subscribe } from 'node:diagnostics_channel'
import type { TaskMeta } from 'vitest'

/** How many processes and threads were started. */
export interface Started {
  readonly processes: number
  readonly threads: number
}

declare module 'vitest' {
  interface TaskMeta {
    /** What a file of the quick tier started in its worker. */
    started?: Started
  }
}

export const startedIn = (meta: TaskMeta): Started => meta.started ?? { processes: 0, threads: 0 }

type Start = (...args: readonly unknown[]) => unknown

const key = Symbol.for('hookgate.started')
const shared = globalThis as { [key]?: { processes: number; threads: number } }

/** Counts what this worker starts, for all files that it runs one after another. */
export const countStarted = (): Started => {
  const known = shared[key]
  if (known !== undefined) return known
  const counts = { processes: 0, threads: 0 }
  shared[key] = counts
  subscribe('child_process', () => (counts.processes += 1))
  subscribe('worker_threads', () => (counts.threads += 1))
  // Nothing is published of a process that its caller waits for.
  const childProcess = createRequire(import.meta.url)('node:child_process') as Record<string, Start>
  for (const name of ['spawnSync', 'execFileSync', 'execSync']) {
    const start = childProcess[name]
    if (start === undefined) continue
    childProcess[name] = (...args) => {
      counts.processes += 1
      return start(...args)
    }
  }
  syncBuiltinESMExports()
  return counts
}
