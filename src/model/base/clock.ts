/** Two clocks. The first gives the time of day, which somebody can set. */
export interface Clock {
  /** For a time that is shown, stored or compared with another machine's, in epoch milliseconds. */
  now(): number
  /** For an interval, in milliseconds since an arbitrary start, by a clock that nobody can set. */
  elapsedMs(): number
}

export const systemClock: Clock = { now: () => Date.now(), elapsedMs: () => performance.now() }
