/** What one agent may put before the owners unasked, and did not get an answer to, a minute. */
export const maxUnanswered = 20
const windowMs = 60_000

/** How often an agent's questions reach phones: as often as they are answered, but no agent floods a chat with questions that it drops. */
export const createPace = (now: () => number) => {
  const shown = new Map<string, readonly { readonly atMs: number }[]>()
  const toldAtMs = new Map<string, number>()
  /** A clock that is set back leaves times in the future: they are as little of this minute as those long past. */
  const isRecent = (atMs: number): boolean => Math.abs(now() - atMs) < windowMs
  /** `isNews`: it is not shown, and that there are such was not told for a minute. */
  return (caller: string): { readonly isShown: boolean; readonly isNews: boolean; answered(): void } => {
    const recent = (shown.get(caller) ?? []).filter(({ atMs }) => isRecent(atMs))
    if (recent.length < maxUnanswered) {
      const one = { atMs: now() }
      shown.set(caller, [...recent, one])
      return {
        isShown: true,
        isNews: false,
        answered: () =>
          void shown.set(
            caller,
            (shown.get(caller) ?? []).filter((other) => other !== one),
          ),
      }
    }
    const isNews = !isRecent(toldAtMs.get(caller) ?? -Infinity)
    if (isNews) toldAtMs.set(caller, now())
    return { isShown: false, isNews, answered: () => undefined }
  }
}
