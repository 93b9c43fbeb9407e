import { setTimeout as delay } from 'node:timers/promises'

/** Calls `find` every 10 ms until it returns a value. Throws an Error after `withinMs` milliseconds. */
export const until = async <T>(
  what: string,
  find: () => T | undefined | false | Promise<T | undefined | false>,
  withinMs = 15_000,
): Promise<T> => {
  const endsAtMs = performance.now() + withinMs
  for (;;) {
    const found = await find()
    if (found !== undefined && found !== false) return found
    if (performance.now() > endsAtMs) throw new Error(`Waited ${withinMs} ms for ${what}.`)
    await delay(10)
  }
}
