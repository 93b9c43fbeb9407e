const windowMs = 60_000

/**
 * Suppresses repetitions. The first call with a key passes at once. After `quietMs` the next one passes, with
 * the number of suppressed ones. At most 500 keys are remembered; the oldest is removed.
 */
export const createCoalescer = (quietMs: number, elapsedMs: () => number) => {
  const told = new Map<string, { atMs: number; again: number }>()
  return (key: string): { readonly again: number } | undefined => {
    const last = told.get(key)
    if (last !== undefined && elapsedMs() - last.atMs < quietMs) {
      last.again += 1
      return undefined
    }
    told.delete(key)
    told.set(key, { atMs: elapsedMs(), again: 0 })
    const oldest = told.size > 500 ? told.keys().next().value : undefined
    if (oldest !== undefined) told.delete(oldest)
    return { again: last?.again ?? 0 }
  }
}

/**
 * Lets at most `max` messages of a kind pass within a minute. Further ones are counted and reported as one
 * when the minute ends. So no flood that an agent can cause delays the answers to its owner's commands.
 */
export const createBurst = (max: number, after: (delayMs: number, run: () => void) => void) => {
  const windows = new Map<string, { told: number; left: number }>()
  return (key: string, tell: () => void, tellRest: (left: number) => void): void => {
    const window = windows.get(key) ?? { told: 0, left: 0 }
    if (window.told === 0) {
      windows.set(key, window)
      after(windowMs, () => {
        windows.delete(key)
        if (window.left > 0) tellRest(window.left)
      })
    }
    if (window.told >= max) {
      window.left += 1
      return
    }
    window.told += 1
    tell()
  }
}
