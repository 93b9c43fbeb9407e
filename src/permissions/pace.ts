/** What one agent may put before the owners unasked, and did not get an answer to, a minute. */
const maxUnanswered = 20
const windowMs = 60_000

/** How often an agent's questions reach phones: as often as they are answered, but no agent floods a chat with questions that it drops. */
export const createPace = (now: () => number) => {
  const shown = new Map<string, readonly { readonly atMs: number }[]>()
  const toldAtMs = new Map<string, number>()
  /** `isNews`: it is not shown, and that there are such was not told for a minute. */
  return (agentId: string): { readonly isShown: boolean; readonly isNews: boolean; answered(): void } => {
    const recent = (shown.get(agentId) ?? []).filter(({ atMs }) => now() - atMs < windowMs)
    if (recent.length < maxUnanswered) {
      const one = { atMs: now() }
      shown.set(agentId, [...recent, one])
      return { isShown: true, isNews: false, answered: () => void shown.set(agentId, (shown.get(agentId) ?? []).filter((other) => other !== one)) }
    }
    const isNews = now() - (toldAtMs.get(agentId) ?? -Infinity) >= windowMs
    if (isNews) toldAtMs.set(agentId, now())
    return { isShown: false, isNews, answered: () => undefined }
  }
}
