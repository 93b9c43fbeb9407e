/**
 * Many deadlines of one length share one timer. A timer for each would keep what waits in memory until the
 * timer fires.
 */
export const createDeadlines = (
  withinMs: number,
  ports: { after(delayMs: number, run: () => void): void; elapsedMs(): number },
) => {
  /** The oldest deadline is first, since all have the same length. */
  const waiting = new Map<string, { readonly endsAtMs: number; expire(): void }>()
  let isTimerSet = false
  const setTimer = (): void => {
    if (isTimerSet) return
    const [next] = waiting.values()
    if (next === undefined) return
    isTimerSet = true
    ports.after(Math.max(1, next.endsAtMs - ports.elapsedMs()), () => {
      isTimerSet = false
      for (const [id, { endsAtMs, expire }] of waiting) {
        if (endsAtMs > ports.elapsedMs()) break
        waiting.delete(id)
        expire()
      }
      setTimer()
    })
  }
  return {
    start: (id: string, expire: () => void): void => {
      waiting.delete(id)
      waiting.set(id, { endsAtMs: ports.elapsedMs() + withinMs, expire })
      setTimer()
    },
    end: (id: string): void => void waiting.delete(id),
  }
}
