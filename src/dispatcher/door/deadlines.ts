/**
 * Many deadlines of one length share one timer. A timer for each would keep what waits in memory until the
 * timer fires.
 */
export const createDeadlines = (
  withinMs: number,
  ports: { after(delayMs: number, run: () => void): void; elapsedMs(): number },
) => {
  /** The oldest deadline is first, since all have the same length. */
  const waiting = new Map<string, { readonly endsAtMs: number; over(): void }>()
  let isSet = false
  const set = (): void => {
    if (isSet) return
    const [next] = waiting.values()
    if (next === undefined) return
    isSet = true
    ports.after(Math.max(1, next.endsAtMs - ports.elapsedMs()), () => {
      isSet = false
      for (const [id, { endsAtMs, over }] of waiting) {
        if (endsAtMs > ports.elapsedMs()) break
        waiting.delete(id)
        over()
      }
      set()
    })
  }
  return {
    start: (id: string, over: () => void): void => {
      waiting.delete(id)
      waiting.set(id, { endsAtMs: ports.elapsedMs() + withinMs, over })
      set()
    },
    end: (id: string): void => void waiting.delete(id),
  }
}
