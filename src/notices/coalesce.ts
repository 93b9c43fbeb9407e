const windowMs = 60_000

/**
 * Suppresses repetitions. The first call with a key passes at once. After `quietMs` the next one passes, with
 * the number of suppressed ones. At most 500 keys are remembered; the oldest is removed.
 */
export const createCoalescer = (quietMs: number, elapsedMs: () => number) => {
  const sent = new Map<string, { atMs: number; again: number }>()
  return (key: string): { readonly again: number } | undefined => {
    const last = sent.get(key)
    if (last !== undefined && elapsedMs() - last.atMs < quietMs) {
      last.again += 1
      return undefined
    }
    sent.delete(key)
    sent.set(key, { atMs: elapsedMs(), again: 0 })
    const oldest = sent.size > 500 ? sent.keys().next().value : undefined
    if (oldest !== undefined) sent.delete(oldest)
    return { again: last?.again ?? 0 }
  }
}

/**
 * Lets at most `max` messages of a kind pass within a minute. Further ones are counted and reported as one
 * when the minute ends. So no flood that an agent can cause delays the answers to its owner's commands.
 */
export const createBurst = (max: number, after: (delayMs: number, run: () => void) => void) => {
  const windows = new Map<string, { sent: number; suppressed: number }>()
  return (key: string, tell: () => void, tellRest: (suppressed: number) => void): void => {
    const window = windows.get(key) ?? { sent: 0, suppressed: 0 }
    if (window.sent === 0) {
      windows.set(key, window)
      after(windowMs, () => {
        windows.delete(key)
        if (window.suppressed > 0) tellRest(window.suppressed)
      })
    }
    if (window.sent >= max) {
      window.suppressed += 1
      return
    }
    window.sent += 1
    tell()
  }
}
