import { createBoundedMap } from '../core/model/base/bounded-map.ts'
import type { AskedCall } from '../core/model/gate/person.ts'

/** When there are more, the oldest allowances are forgotten, and their calls are asked about again. */
const maxAllowances = 1000

/**
 * What people allowed for a whole session. Each allowance is for exactly one call, by its digest. In memory.
 */
export const createAllowances = (mayAnswer: (id: string, asked: AskedCall) => boolean) => {
  const allowed = createBoundedMap<string, { readonly session: string; readonly by: string }>(maxAllowances)
  const sessionOf = (caller: string, sessionId: string): string => JSON.stringify([caller, sessionId])
  return {
    add: (digest: string, caller: string, sessionId: string, by: string): void =>
      allowed.set(digest, { session: sessionOf(caller, sessionId), by }),
    /**
     * The person who allowed the call. Undefined when nobody did, or when that person may not answer for such
     * calls any more.
     */
    by: (digest: string, asked: AskedCall): string | undefined => {
      const by = allowed.get(digest)?.by
      return by !== undefined && mayAnswer(by, asked) ? by : undefined
    },
    endSession: (caller: string, sessionId: string): void => {
      const ended = sessionOf(caller, sessionId)
      for (const [digest, { session }] of allowed.entries()) if (session === ended) allowed.delete(digest)
    },
  }
}
