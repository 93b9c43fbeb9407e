import { prose } from '../core/model/chat/prose.ts'
import { warn, ok, type Check } from './check.ts'
import { ourWords } from '../shared/said/our-words.ts'

/** Reports the state of a resident program, besides its answer. */
export const residentCheck: Check = ({ resident }) => {
  if (resident === undefined) return []
  const { pid, restarts, asked, dropped, lastError, uptimeMs } = resident
  const state =
    pid === undefined
      ? prose`not running, starts when it is asked, asked ${asked} times, restarted ${restarts} times`
      : prose`running for ${Math.round(uptimeMs / 1000)} s, asked ${asked} times, restarted ${restarts} times`
  const error =
    lastError === undefined ? [] : [warn(prose`The program last ended because: ${ourWords(lastError)}`)]
  const lost =
    dropped === 0
      ? []
      : [
          warn(
            prose`${dropped} of its output lines were dropped: they were late, matched no request or were not JSON.`,
          ),
        ]
  return [ok(state), ...lost, ...error]
}
