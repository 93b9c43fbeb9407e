import { setTimeout as delay } from 'node:timers/promises'

/**
 * How long something may take that the gate surely does, in milliseconds. A busy machine needs many times
 * what an idle one needs, and only an attack that cannot go on waits for the whole of it.
 */
export const surelyWithinMs = 60_000

/** Calls `find` every 10 ms until it returns a value. Throws an Error after `withinMs` milliseconds. */
export const until = async <T>(
  what: string,
  find: () => T | undefined | false | Promise<T | undefined | false>,
  withinMs = surelyWithinMs,
): Promise<T> => {
  const endsAtMs = performance.now() + withinMs
  for (;;) {
    const found = await find()
    if (found !== undefined && found !== false) return found
    if (performance.now() > endsAtMs) throw new Error(`Waited ${withinMs} ms for ${what}.`)
    await delay(10)
  }
}
