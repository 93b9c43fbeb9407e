export type Until = <T>(
  what: string,
  find: () => T | undefined | false | Promise<T | undefined | false>,
  withinMs?: number,
) => Promise<T>

/** Looks again and again until `find` gives something, for at most `usuallyMs` unless a call says otherwise. */
export const untilWithin =
  (usuallyMs: number): Until =>
  async (what, find, withinMs = usuallyMs) => {
    const endsAtMs = Date.now() + withinMs
    for (;;) {
      const found = await find()
      if (found !== undefined && found !== false) return found
      if (Date.now() > endsAtMs) throw new Error(`Waited ${withinMs} ms for ${what}.`)
      await new Promise((done) => setTimeout(done, 10))
    }
  }
