import { setTimeout as delay } from 'node:timers/promises'
import { ask, linesOf } from '../shared/base/http.ts'
import { isObject, parseJson, type Json } from '../core/model/base/json.ts'
import { inboxPath, type InboxLine } from '../shared/events/inbox-line.ts'

const firstRetryMs = 100
const longestRetryMs = 5_000
/** The gate sends a ping every 15 s. After three missed pings the stream counts as dead. */
const silenceMs = 45_000
const maxLineUnits = 8 * 1024 * 1024

const types: readonly Json[] = [
  'ping',
  'prompt',
  'builtin',
  'cancel',
  'new',
  'goal',
  'goal_off',
  'compact',
] satisfies readonly InboxLine['type'][]

/** Lines of a type that only a later gate sends are ignored. */
const lineOf = (text: string): InboxLine | undefined => {
  const line = parseJson(text)
  return isObject(line) && types.includes(line['type'] ?? null) ? (line as unknown as InboxLine) : undefined
}

/**
 * Yields the lines that the gate sends to this agent. It never ends: it connects again whenever the stream
 * ends.
 */
export const inboxLines = async function* (socketPath: string): AsyncGenerator<InboxLine> {
  let retryMs = firstRetryMs
  for (;;) {
    try {
      const response = await ask({ socketPath, path: inboxPath, timeout: silenceMs })
      if (response.statusCode !== 200) response.destroy()
      for await (const text of linesOf(response, maxLineUnits)) {
        const line = lineOf(text)
        if (line === undefined) continue
        retryMs = firstRetryMs
        yield line
      }
    } catch {
      // The gate cannot be reached, refused, or closed the stream. In each case the next connection may work.
    }
    await delay(retryMs)
    retryMs = Math.min(retryMs * 2, longestRetryMs)
  }
}
