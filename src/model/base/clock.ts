/** Two clocks, since somebody can set the one by which people read the time. */
export interface Clock {
  /** For an instant that is shown, kept or compared with another machine's: epoch milliseconds. */
  now(): number
  /** For an interval: milliseconds from any beginning, by a clock that nobody can set. */
  elapsedMs(): number
}

export const systemClock: Clock = { now: () => Date.now(), elapsedMs: () => performance.now() }
