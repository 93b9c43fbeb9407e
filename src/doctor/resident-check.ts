import { fixed, prose } from '../model/chat/prose.ts'
import type { Check } from './check.ts'

/** How a resident program is, beside what it answered. */
export const residentCheck: Check = ({ resident }) => {
  if (resident === undefined) return []
  const { pid, restarts, asked, dropped, lastError, uptimeMs } = resident
  const state =
    pid === undefined
      ? 'is not running; it starts when it is asked'
      : `runs for ${Math.round(uptimeMs / 1000)} s`
  const error =
    lastError === undefined
      ? []
      : [{ level: 'warn' as const, text: prose`It was last gone because: ${lastError}` }]
  const lost =
    dropped === 0
      ? []
      : [
          {
            level: 'warn' as const,
            text: fixed(`${dropped} of its lines were dropped: late, to no request, or no JSON.`),
          },
        ]
  return [
    { level: 'ok', text: fixed(`${state}, asked ${asked} times, started anew ${restarts} times`) },
    ...lost,
    ...error,
  ]
}
