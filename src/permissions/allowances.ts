import { createBoundedMap } from '../model/base/bounded-map.ts'

/** When there are more, the oldest allowances are forgotten, and their calls are asked about again. */
const maxAllowances = 1000

/**
 * What owners allowed for a whole session. Each allowance is for exactly one call, by its digest. In memory.
 */
export const createAllowances = (isOwner: (id: string) => boolean) => {
  const allowed = createBoundedMap<string, { readonly session: string; readonly by: string }>(maxAllowances)
  const sessionOf = (caller: string, sessionId: string): string => JSON.stringify([caller, sessionId])
  return {
    add: (digest: string, caller: string, sessionId: string, by: string): void =>
      allowed.set(digest, { session: sessionOf(caller, sessionId), by }),
    /**
     * The owner who allowed the call. Undefined when nobody did, or when that person is no longer an owner.
     */
    by: (digest: string): string | undefined => {
      const by = allowed.get(digest)?.by
      return by !== undefined && isOwner(by) ? by : undefined
    },
    endSession: (caller: string, sessionId: string): void => {
      const ended = sessionOf(caller, sessionId)
      for (const [digest, { session }] of allowed.entries()) if (session === ended) allowed.delete(digest)
    },
  }
}
