import type { IncomingMessage } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import { linesOf, request as httpRequest } from '../shared/base/http.ts'
import { isObject, parseJson, type Json } from '../core/model/base/json.ts'
import type { AgentWord, InboxLine } from '../core/model/events/record.ts'

const firstRetryMs = 100
const longestRetryMs = 5_000
/** The gate sends a ping every 15 s. After three missed pings the stream counts as dead. */
const silenceMs = 45_000
const maxLineUnits = 8 * 1024 * 1024

const words: readonly Json[] = ['cancel', 'new', 'goal', 'goal_off', 'compact'] satisfies readonly AgentWord[]

const lineOf = (text: string): InboxLine | undefined => {
  const line = parseJson(text)
  if (!isObject(line)) return undefined
  const hasTexts = (...fields: readonly string[]): boolean =>
    fields.every((field) => typeof line[field] === 'string')
  const { files = [] } = line
  const isFile = (file: Json): boolean =>
    isObject(file) && typeof file['id'] === 'string' && typeof file['name'] === 'string'
  const isKnown =
    line['type'] === 'ping' ||
    (words.includes(line['type'] ?? null) && hasTexts('channel', 'chat_id')) ||
    (line['type'] === 'builtin' &&
      hasTexts('id', 'name', 'cwd') &&
      Array.isArray(line['args']) &&
      line['args'].every((arg) => typeof arg === 'string')) ||
    (line['type'] === 'prompt' &&
      hasTexts('prompt_id', 'channel', 'chat_id', 'sender_id', 'sender_name', 'text') &&
      ['undefined', 'string'].includes(typeof line['message_id']) &&
      ['undefined', 'boolean'].includes(typeof line['isGoal']) &&
      [undefined, 'owner', 'member'].includes(line['inGroup'] as string | undefined) &&
      Array.isArray(files) &&
      files.every(isFile))
  // Lines of a type that only a later gate sends are ignored.
  return isKnown ? (line as unknown as InboxLine) : undefined
}

const connect = (socketPath: string): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    const request = httpRequest({ socketPath, path: '/v1/inbox', agent: false, timeout: silenceMs })
    request.on('timeout', () => request.destroy(new Error('silence')))
    request.on('error', reject)
    request.on('response', resolve)
    request.end()
  })

/**
 * Yields the lines that the gate sends to this agent. It never ends: it connects again whenever the stream
 * ends.
 */
export const inboxLines = async function* (socketPath: string): AsyncGenerator<InboxLine> {
  let retryMs = firstRetryMs
  for (;;) {
    try {
      const response = await connect(socketPath)
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
