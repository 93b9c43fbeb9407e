import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import type { Agent, Dispatcher } from 'undici'
import { messageOf } from '../model/problem.ts'
import { RefusedError } from './ports.ts'

/** Where an agent's model is. The owner's own choice in gate.yaml: it may be on this machine. */
export interface ModelEndpoint {
  /** Up to `/chat/completions`, which is added. */
  readonly baseUrl: string
  /** What the agent must never have: its tools could read it there. */
  readonly apiKey?: string
}

export interface ModelProxyOptions {
  readonly endpoint: ModelEndpoint
  /** From the request to the last byte of the answer, in milliseconds. */
  readonly totalMs?: number
  /** Without a byte of it, in milliseconds. */
  readonly idleMs?: number
  readonly maxAnswerBytes?: number
}

/** Puts an agent's questions to its model and adds the key on the way. */
export interface ModelProxy {
  /** Streams the answer back. Rejects with a refusal while nothing was answered; later a stream of events ends with it, and any other answer breaks off. */
  forward(body: Buffer, response: ServerResponse): Promise<void>
  stop(): Promise<void>
}

const maxInFlight = 8
/** An answer that is no success is read whole, so that the key can be taken out of an endpoint's complaint about it. */
const maxErrorBytes = 64 * 1024
const passedOn = ['content-type', 'retry-after'] as const

const away = (code: string, message: string, fix: string): RefusedError => new RefusedError(502, `model.${code}`, message, fix)

const headersOf = (headers: Dispatcher.ResponseData['headers']): Record<string, string> =>
  Object.fromEntries(passedOn.flatMap((name) => {
    const value = headers[name]
    return typeof value === 'string' ? [[name, value]] : []
  }))

const isStreaming = (response: ServerResponse): boolean => response.headersSent && String(response.getHeader('content-type')).startsWith('text/event-stream')

const readSome = async (body: AsyncIterable<Buffer>, heard: () => void): Promise<string> => {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of body) {
    heard()
    chunks.push(chunk)
    bytes += chunk.length
    if (bytes > maxErrorBytes) break
  }
  return Buffer.concat(chunks).subarray(0, maxErrorBytes).toString()
}

/** One path of one endpoint. undici is loaded with the first question. No proxy, no redirect, HTTP/1.1. */
export const createModelProxy = ({ endpoint, totalMs = 600_000, idleMs = 120_000, maxAnswerBytes = 32 * 1024 * 1024 }: ModelProxyOptions): ModelProxy => {
  const { origin, host, pathname } = new URL(`${endpoint.baseUrl.replace(/\/+$/, '')}/chat/completions`)
  const key = endpoint.apiKey ?? ''
  const headers = {
    'content-type': 'application/json', accept: 'text/event-stream, application/json', 'accept-encoding': 'identity', 'user-agent': 'hookgate',
    ...(key === '' ? {} : { authorization: `Bearer ${key}` }),
  }
  const masked = (text: string): string => (key === '' ? text : text.replaceAll(key, '[key]'))
  let made: Promise<Agent> | undefined
  let inFlight = 0

  const agent = (): Promise<Agent> => {
    // Time is kept by one clock, that of `forward`.
    made ??= import('undici').then(({ Agent }) => new Agent({ connections: maxInFlight, pipelining: 1, headersTimeout: 0, bodyTimeout: 0 }))
    return made
  }

  const pass = async (answer: Dispatcher.ResponseData, response: ServerResponse, heard: () => void, signal: AbortSignal): Promise<void> => {
    const body = answer.body as unknown as AsyncIterable<Buffer>
    if (answer.statusCode >= 300 && answer.statusCode < 400) throw away('redirect', `Expected ${host} to answer by itself, got ${answer.statusCode}, a redirect, which is never followed.`, 'Mend "base_url" in gate.yaml.')
    if (answer.statusCode < 200 || answer.statusCode > 299) {
      const text = masked(await readSome(body, heard))
      response.writeHead(answer.statusCode, headersOf(answer.headers)).end(text)
      return
    }
    response.setHeaders(new Map(Object.entries(headersOf(answer.headers)))).writeHead(answer.statusCode)
    let bytes = 0
    for await (const chunk of body) {
      signal.throwIfAborted()
      heard()
      bytes += chunk.length
      if (bytes > maxAnswerBytes) throw away('size', `Expected ${host} to answer with at most ${maxAnswerBytes} bytes, got more.`, 'Ask for less.')
      if (!response.write(chunk)) await once(response, 'drain', { signal })
    }
    response.end()
  }

  const forward: ModelProxy['forward'] = async (body, response) => {
    if (inFlight >= maxInFlight) throw new RefusedError(429, 'model.busy', `Expected at most ${maxInFlight} model calls at once, got more.`, 'Wait for an answer, then ask again.')
    inFlight++
    const { promise: late, reject: tooLate } = Promise.withResolvers<never>()
    late.catch(() => undefined)
    const giveUp = (words: string) => () => tooLate(away('timeout', `Expected ${host} to answer ${words}, got less.`, 'Try again, or choose a faster model.'))
    const total = setTimeout(giveUp(`within ${totalMs / 1000} s`), totalMs)
    let idle: NodeJS.Timeout | undefined
    const heard = (): void => {
      clearTimeout(idle)
      idle = setTimeout(giveUp(`with something each ${idleMs / 1000} s`), idleMs)
    }
    heard()
    const abort = new AbortController()
    const left = (): void => abort.abort()
    response.once('close', left)
    try {
      const exchange = async (): Promise<void> => {
        const answer = await (await agent()).request({ origin, path: pathname, method: 'POST', headers, body, signal: abort.signal })
        answer.body.on('error', () => undefined)
        await pass(answer, response, heard, abort.signal)
      }
      const exchanged = exchange()
      exchanged.catch(() => undefined)
      await Promise.race([late, exchanged])
    } catch (error) {
      if (error instanceof RefusedError && isStreaming(response)) return void response.end(`\n\ndata: ${JSON.stringify({ error: error.refusal.error })}\n\n`)
      if (error instanceof RefusedError) throw error
      throw away('unreachable', `Expected an answer of ${host}, got none: ${masked(messageOf(error instanceof AggregateError ? error.errors[0] : error)) || 'the connection failed'}.`, 'Check that the model runs there and "base_url" in gate.yaml.')
    } finally {
      inFlight--
      clearTimeout(total)
      clearTimeout(idle)
      response.off('close', left)
      abort.abort()
    }
  }

  return {
    forward,
    stop: async () => {
      const old = made
      made = undefined
      await old?.then((agent) => agent.destroy()).catch(() => undefined)
    },
  }
}
