import { setImmediate, setTimeout as delay } from 'node:timers/promises'

/** What the work below takes on an idle desktop, in milliseconds. */
const usualMs = 1

/** Where the sum goes: what nobody could see would not be worked out. */
const sums = new Int32Array(1)
/** Adds up so many numbers. */
export const spin = (rounds: number): void => {
  let sum = 0
  for (let index = 0; index < rounds; index++) sum = (sum + index * 31) | 0
  sums[0] = sum
}
const work = (): number => {
  const fromMs = performance.now()
  spin(500_000)
  return performance.now() - fromMs
}

/**
 * A bound for what must be done in a moment, in milliseconds: longer where this machine is slower, or busier
 * right now, than an idle desktop. It tells a cost that grows with the square of its input from an honest
 * one, and nothing finer.
 */
export const stretched = (ms: number): number => ms * Math.max(1, Math.max(work(), work(), work()) / usualMs)

/**
 * What `work` gives, if it gives it before a timer of `ms` milliseconds here and a few turns after that. A
 * deadline of this process is held up with that timer, however busy the machine is. Rejects when it is late.
 */
export const beforeTimer = async <T>(ms: number, work: Promise<T>): Promise<T> => {
  const late = new AbortController()
  const timer = async (): Promise<never> => {
    await delay(ms, undefined, { signal: late.signal })
    for (let turn = 0; turn < 10; turn++) await setImmediate()
    throw new Error(`Expected an end within ${ms} ms, got none.`)
  }
  try {
    return await Promise.race([work, timer()])
  } finally {
    late.abort()
  }
}
