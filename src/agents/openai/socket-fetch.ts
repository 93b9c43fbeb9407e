import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import { buffer as readBytes } from 'node:stream/consumers'
import { ask } from '../../shared/base/http.ts'
import { isObject, parseJson, type Json, type JsonObject } from '../../core/model/base/json.ts'
import { refusalIn } from '../../shared/base/problem.ts'
import { ModelFault } from './fault.ts'

/**
 * The timeout is longer than the gate's timeout for a model's answer (10 min), so that the gate answers
 * first.
 */
const timeoutMs = 630_000
const maxWholeBytes = 4 * 1024 * 1024

const objects = (value: Json | undefined): readonly JsonObject[] =>
  Array.isArray(value) ? value.filter((item: Json) => isObject(item)) : []

/** Converts a complete answer to a stream of one chunk, because some servers never stream. */
const asStream = (text: string): string => {
  const whole = parseJson(text)
  if (whole === undefined)
    throw new ModelFault('The model\'s endpoint did not answer with JSON. Check "base_url" in gate.yaml.')
  if (!isObject(whole))
    throw new ModelFault(
      'The model\'s endpoint did not answer in the format of chat completions. Check "base_url" in gate.yaml.',
    )
  const choices = objects(whole['choices']).map(({ message, ...choice }) => ({
    ...choice,
    delta: isObject(message)
      ? { ...message, tool_calls: objects(message['tool_calls']).map((call, index) => ({ index, ...call })) }
      : {},
  }))
  return `data: ${JSON.stringify({ ...whole, choices })}\n\ndata: [DONE]\n\n`
}

/** Returns a fault with the hook's complete reason when the gate reports that a hook blocked the question. */
const blockIn = (text: string): ModelFault | undefined => {
  const refusal = refusalIn(parseJson(text))
  if (refusal?.code !== 'model.blocked' && refusal?.code !== 'model.blocked_told') return undefined
  const { code, message } = refusal
  return new ModelFault(message, { blocked: message, isTold: code === 'model.blocked_told' })
}

const responseOf = async (answer: IncomingMessage): Promise<Response> => {
  const type = answer.headers['content-type'] ?? ''
  const retryAfter = answer.headers['retry-after']
  const status = answer.statusCode ?? 502
  const init = {
    status,
    headers: { 'content-type': type, ...(retryAfter === undefined ? {} : { 'retry-after': retryAfter }) },
  }
  if (status === 403) {
    const text = (await readBytes(answer)).toString()
    const block = blockIn(text)
    if (block !== undefined) throw block
    return new Response(text, init)
  }
  if (status !== 200 || type.startsWith('text/event-stream'))
    return new Response(Readable.toWeb(answer) as ReadableStream<Uint8Array>, init)
  if (Number(answer.headers['content-length'] ?? 0) > maxWholeBytes)
    throw new ModelFault("The model's answer is too long.")
  const text = (await readBytes(answer)).toString()
  return new Response(asStream(text), { status, headers: { 'content-type': 'text/event-stream' } })
}

/**
 * Makes a `fetch` for a library that does not support sockets. Every request goes to the gate, whatever its
 * address.
 */
export const createSocketFetch =
  (socketPath: string): typeof fetch =>
  async (_, init) => {
    if (typeof init?.body !== 'string') throw new TypeError('Expected a question in JSON.')
    const [path, signal] = ['/v1/model/chat/completions', init.signal ?? undefined]
    return responseOf(await ask({ socketPath, path, timeout: timeoutMs, signal }, init.body))
  }
