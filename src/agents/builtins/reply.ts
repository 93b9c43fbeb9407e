import { request as httpRequest } from '../../model/base/http.ts'
import type { JsonObject } from '../../model/base/json.ts'

const timeoutMs = 10_000
/** What the gate takes. */
const maxBytes = 64 * 1024
/** Beside the context: the object around it. */
const spareBytes = 100
const mark = '\n[… cut: a builtin may say 64 KB]'

const sizeOf = (text: string): number => Buffer.byteLength(JSON.stringify(text))

/** The start of a text whose JSON fits into an answer. */
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

/** Sends one answer. A gate that is away or does not want it any more needs none. */
export const sendReply = (socketPath: string, id: string, body: JsonObject): Promise<void> =>
  new Promise((resolve) => {
    const data = JSON.stringify(body)
    const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(data) }
    const request = httpRequest(
      {
        socketPath,
        agent: false,
        path: `/v1/builtins/${encodeURIComponent(id)}`,
        method: 'POST',
        headers,
        timeout: timeoutMs,
      },
      (response) => {
        response.resume()
        response.on('close', resolve)
      },
    )
    request.on('timeout', () => request.destroy())
    request.on('error', () => resolve())
    request.end(data)
  })
