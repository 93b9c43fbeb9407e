/** How many questions of one agent reach the owners in a minute without an answer. */
export const maxUnanswered = 20
const windowMs = 60_000

/**
 * Limits how often the questions of one agent reach phones. A question that was answered does not count, so
 * an agent may ask as often as its owners answer, and it cannot flood a chat with questions that it drops.
 * The time is that of a clock that nobody can set.
 */
export const createRateLimit = (elapsedMs: () => number) => {
  const shown = new Map<string, readonly { readonly atMs: number }[]>()
  const toldAtMs = new Map<string, number>()
  const isRecent = (atMs: number): boolean => elapsedMs() - atMs < windowMs
  /**
   * `isNews`: the question is not shown, and the owners were not told for a minute that such questions exist.
   */
  return (caller: string): { readonly isShown: boolean; readonly isNews: boolean; answered(): void } => {
    const recent = (shown.get(caller) ?? []).filter(({ atMs }) => isRecent(atMs))
    if (recent.length < maxUnanswered) {
      const one = { atMs: elapsedMs() }
      shown.set(caller, [...recent, one])
      const answered = (): void => {
        const left = (shown.get(caller) ?? []).filter((other) => other !== one)
        shown.set(caller, left)
      }
      return { isShown: true, isNews: false, answered }
    }
    const isNews = !isRecent(toldAtMs.get(caller) ?? -Infinity)
    if (isNews) toldAtMs.set(caller, elapsedMs())
    return { isShown: false, isNews, answered: () => undefined }
  }
}
