/** Two clocks. The first gives the time of day, which somebody can set. */
export interface Clock {
  /** For a time that is shown, stored or compared with another machine's, in epoch milliseconds. */
  now(): number
  /** For an interval, in milliseconds since an arbitrary start, by a clock that nobody can set. */
  elapsedMs(): number
}

export const systemClock: Clock = { now: () => Date.now(), elapsedMs: () => performance.now() }

let second = Number.NaN
let upToSecond = ''
/**
 * A time in epoch milliseconds as ISO 8601 in UTC, with milliseconds. Each event has one, and `Date` would
 * take a quarter of what an event without hooks costs, so the part up to the second is kept.
 */
export const isoTime = (atMs: number): string => {
  const ms = Math.floor(atMs)
  const now = Math.floor(ms / 1000)
  if (now !== second) [second, upToSecond] = [now, new Date(now * 1000).toISOString().slice(0, -4)]
  return `${upToSecond}${String(ms - now * 1000).padStart(3, '0')}Z`
}

export const units = { s: 1000, m: 60_000, min: 60_000, h: 3_600_000 } as const
/** Formats milliseconds as a person would type them. */
export const durationWords = (ms: number): string => {
  if (ms % units.h === 0) return `${ms / units.h}h`
  return ms % units.m === 0 ? `${ms / units.m}m` : `${Math.ceil(ms / 1000)}s`
}
