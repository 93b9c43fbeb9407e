import { until as look } from '../src/attack/gate/until.ts'

export type Until = <T>(
  what: string,
  find: () => T | undefined | false | Promise<T | undefined | false>,
  withinMs?: number,
) => Promise<T>

/**
 * Looks again and again until `find` gives something, for at most `usuallyMs` unless a call says otherwise.
 */
export const untilWithin =
  (usuallyMs: number): Until =>
  (what, find, withinMs = usuallyMs) =>
    look(what, find, withinMs)

/** A wait that takes longer has hung, in milliseconds. It is less than the time of a quick test. */
export const hangsAfterMs = 25_000

export const until = untilWithin(hangsAfterMs)
