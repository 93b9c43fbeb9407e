/** More are forgotten, the oldest first, and asked about again. */
const maxAllowances = 1000

/** What owners allowed for a whole session, each exactly one call by its digest. In memory. */
export const createAllowances = (isOwner: (id: string) => boolean) => {
  const allowed = new Map<string, { readonly session: string; readonly by: string }>()
  const sessionOf = (caller: string, sessionId: string): string => JSON.stringify([caller, sessionId])
  return {
    add: (digest: string, caller: string, sessionId: string, by: string): void => {
      allowed.delete(digest)
      allowed.set(digest, { session: sessionOf(caller, sessionId), by })
      const oldest = allowed.size > maxAllowances ? allowed.keys().next().value : undefined
      if (oldest !== undefined) allowed.delete(oldest)
    },
    /** Who allowed it; nobody whose word does not count any more. */
    by: (digest: string): string | undefined => {
      const by = allowed.get(digest)?.by
      return by !== undefined && isOwner(by) ? by : undefined
    },
    endSession: (caller: string, sessionId: string): void => {
      const ended = sessionOf(caller, sessionId)
      for (const [digest, { session }] of allowed) if (session === ended) allowed.delete(digest)
    },
  }
}
