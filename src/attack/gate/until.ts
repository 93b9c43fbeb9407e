import { setTimeout as delay } from 'node:timers/promises'

/** Looks again and again until `find` gives something. Throws after `withinMs`. */
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
