import { execFileSync } from 'node:child_process'
import { cpus } from 'node:os'

const keepOn = (cores: string): boolean => {
  try {
    execFileSync('taskset', ['-acp', cores, String(process.pid)], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

/**
 * Keeps this process, and what it starts meanwhile, on one core. Two processes that take turns cost a bare line 18 µs when
 * the system wakes the other one where the first stood, and 85 µs elsewhere; which it does is settled at the first lines
 * and then stays, for the floor and for the gate apart. Without `taskset` (not Linux) it is the system's choice.
 */
export const onOneCore = async <Result>(measured: () => Promise<Result>): Promise<Result> => {
  if (!keepOn('0')) return measured()
  try {
    return await measured()
  } finally {
    keepOn(`0-${cpus().length - 1}`)
  }
}
