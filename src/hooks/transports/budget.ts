const windowMs = 3_600_000

/** How many calls one hour may see, counted over the last hour at any moment. Kept in memory: a restart begins anew. */
export interface Budget {
  /** Takes one call; else how long until the next one is free, in milliseconds. */
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
