import { until } from '../src/attack/gate/until.ts'

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
    until(what, find, withinMs)
