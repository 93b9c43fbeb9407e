const windowMs = 3_600_000

/** A rate limit on calls over a sliding hour. It is kept in memory, so a restart resets it. */
export interface Budget {
  /**
   * Counts one call. When the limit is reached, gives the time until the next call is free, in milliseconds.
   */
  take(): number | undefined
}

export const createBudget = (maxPerHour: number, elapsedMs: () => number): Budget => {
  let takenAtMs: readonly number[] = []
  return {
    take: () => {
      const nowMs = elapsedMs()
      takenAtMs = takenAtMs.filter((atMs) => nowMs - atMs < windowMs)
      const [oldest] = takenAtMs
      if (oldest !== undefined && takenAtMs.length >= maxPerHour) return oldest + windowMs - nowMs
      takenAtMs = [...takenAtMs, nowMs]
      return undefined
    },
  }
}
