import { ask } from '../../shared/base/http.ts'
import type { JsonObject } from '../../core/model/base/json.ts'

const timeoutMs = 10_000
/** The largest answer that the gate accepts. */
const maxBytes = 64 * 1024
/** Reserved for the JSON object around the context. */
const spareBytes = 100
const mark = '\n[… cut: a builtin may return 64 KB]'

const sizeOf = (text: string): number => Buffer.byteLength(JSON.stringify(text))

/** Cuts a text so that its JSON fits into an answer. */
export const fitting = (text: string): string => {
  if (sizeOf(text) <= maxBytes - spareBytes) return text
  let [fits, tooMany] = [0, text.length]
  while (tooMany - fits > 1) {
    const middle = Math.floor((fits + tooMany) / 2)
    if (sizeOf(text.slice(0, middle) + mark) <= maxBytes - spareBytes) fits = middle
    else tooMany = middle
  }
  return text.slice(0, fits).toWellFormed() + mark
}

/** Sends one answer. Errors are ignored, because a gate that is gone needs no answer. */
export const sendReply = async (socketPath: string, id: string, body: JsonObject): Promise<void> => {
  const path = `/v1/builtins/${encodeURIComponent(id)}`
  const answer = await ask({ socketPath, path, timeout: timeoutMs }, JSON.stringify(body)).catch(
    () => undefined,
  )
  answer?.resume()
}
