import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import type { Agent, Dispatcher } from 'undici'
import type { JsonObject } from '../../model/base/json.ts'
import { messageOf } from '../../model/gate/problem.ts'
import { eventsOf, objectIn } from './model-answer.ts'
import { createMask, createStreamMask } from './model-mask.ts'
import { RefusedError } from '../ports.ts'

export interface ExchangeOptions {
  /** Up to `/chat/completions`, which is added. */
  readonly baseUrl: string
  /** Empty: the endpoint wants none. */
  readonly key: string
  /** From the request to the last byte of the answer, in milliseconds. */
  readonly totalMs: number
  /** Without a byte of it, in milliseconds. */
  readonly idleMs: number
  readonly maxAnswerBytes: number
  /** Connections to the endpoint. */
  readonly maxConnections: number
}

/** Told of every piece of an answer, in the form in which it goes on. */
export type Saw = (piece: JsonObject) => void

export interface ModelExchange {
  /**
   * Asks the endpoint and passes its answer on without the key. What was a success is left open, so that the
   * caller decides when it ends. Rejects with a refusal.
   */
  ask(body: string, response: ServerResponse, saw: Saw): Promise<void>
  stop(): Promise<void>
}

/** What is no stream is read whole, so that hooks can be told of it and the key be taken out of it. */
const maxWholeBytes = 4 * 1024 * 1024
const maxErrorBytes = 64 * 1024
export const streamType = 'text/event-stream'

type Headers = Dispatcher.ResponseData['headers']

const away = (code: string, message: string, fix: string): RefusedError =>
  new RefusedError(502, `model.${code}`, message, fix)

const typeOf = (headers: Headers): string => String(headers['content-type'] ?? '').toLowerCase()

/** Of the endpoint's own headers the agent hears only when to come again. */
const retryAfterOf = (headers: Headers): Record<string, string> => {
  const value = headers['retry-after']
  return typeof value === 'string' && /^[\w ,:]{1,40}$/.test(value) ? { 'retry-after': value } : {}
}

interface SilenceTimer {
  /** Something came. */
  heard(): void
  /** Rejects when it takes too long. */
  readonly late: Promise<never>
  stop(): void
}

const createClock = (host: string, totalMs: number, idleMs: number): SilenceTimer => {
  const { promise: late, reject } = Promise.withResolvers<never>()
  late.catch(() => undefined)
  const giveUp = (words: string) => () => {
    const message = `Expected ${host} to answer ${words}, got less.`
    reject(away('timeout', message, 'Try again, or choose a faster model.'))
  }
  const total = setTimeout(giveUp(`within ${totalMs / 1000} s`), totalMs)
  let idle: NodeJS.Timeout | undefined
  const heard = (): void => {
    clearTimeout(idle)
    idle = setTimeout(giveUp(`with something each ${idleMs / 1000} s`), idleMs)
  }
  heard()
  return { heard, late, stop: () => [total, idle].forEach((timer) => clearTimeout(timer)) }
}

interface ReadBody {
  readonly text: string
  readonly isWhole: boolean
}

const readSome = async (body: AsyncIterable<Buffer>, maxBytes: number): Promise<ReadBody> => {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of body) {
    chunks.push(chunk)
    bytes += chunk.length
    if (bytes > maxBytes) break
  }
  return { text: Buffer.concat(chunks).subarray(0, maxBytes).toString(), isWhole: bytes <= maxBytes }
}

/** The pieces of a body, each of which says that the endpoint is alive. */
const heardOf = async function* (
  body: AsyncIterable<Buffer>,
  heard: (bytes: number) => void,
): AsyncGenerator<Buffer> {
  for await (const chunk of body) {
    heard(chunk.length)
    yield chunk
  }
}

/** One path of one endpoint. undici is loaded with the first question. No proxy, no redirect, HTTP/1.1. */
export const createModelExchange = (options: ExchangeOptions): ModelExchange => {
  const { baseUrl, key, totalMs, idleMs, maxAnswerBytes, maxConnections } = options
  const { origin, host, pathname } = new URL(`${baseUrl.replace(/\/+$/, '')}/chat/completions`)
  const mask = createMask(key)
  const headers = {
    'content-type': 'application/json',
    accept: `${streamType}, application/json`,
    'accept-encoding': 'identity',
    'user-agent': 'hookgate',
    ...(key === '' ? {} : { authorization: `Bearer ${key}` }),
  }
  let made: Promise<Agent> | undefined

  const agent = (): Promise<Agent> => {
    // Time is kept by one clock, that of `ask`.
    const bounds = { connections: maxConnections, pipelining: 1, headersTimeout: 0, bodyTimeout: 0 }
    made ??= import('undici').then(({ Agent }) => new Agent(bounds))
    return made
  }

  const tooLarge = (maxBytes: number): RefusedError =>
    away('size', `Expected ${host} to answer with at most ${maxBytes} bytes, got more.`, 'Ask for less.')

  const complain = async (
    status: number,
    answered: Headers,
    body: AsyncIterable<Buffer>,
    response: ServerResponse,
  ): Promise<void> => {
    const { text } = await readSome(body, maxErrorBytes)
    const complaint = objectIn(text)
    const type = complaint === undefined ? 'text/plain' : 'application/json'
    const told = complaint === undefined ? mask.text(text) : JSON.stringify(mask.object(complaint))
    response.writeHead(status, { 'content-type': type, ...retryAfterOf(answered) }).end(told)
  }

  const passWhole = async (
    type: string,
    body: AsyncIterable<Buffer>,
    response: ServerResponse,
    saw: Saw,
  ): Promise<void> => {
    const { text, isWhole } = await readSome(body, maxWholeBytes)
    if (!isWhole) throw tooLarge(maxWholeBytes)
    const whole = objectIn(text)
    if (whole === undefined) {
      const got = type.startsWith('text/html') ? 'a web page' : 'something else'
      throw away(
        'form',
        `Expected ${host} to answer as a model does, got ${got}.`,
        'Check "base_url" in gate.yaml.',
      )
    }
    const told = mask.object(whole)
    saw(told)
    response.writeHead(200, { 'content-type': 'application/json' }).write(JSON.stringify(told))
  }

  const passStream = async (
    body: AsyncIterable<Buffer>,
    response: ServerResponse,
    saw: Saw,
    signal: AbortSignal,
  ): Promise<void> => {
    response.setHeader('content-type', streamType)
    response.writeHead(200).flushHeaders()
    const masked = createStreamMask(key)
    const send = async (pieces: readonly JsonObject[]): Promise<void> => {
      for (const piece of pieces) {
        signal.throwIfAborted()
        saw(piece)
        if (!response.write(`data: ${JSON.stringify(piece)}\n\n`)) await once(response, 'drain', { signal })
      }
    }
    for await (const event of eventsOf(body, maxWholeBytes, () => tooLarge(maxWholeBytes)))
      await send(masked(event))
    await send(masked(undefined))
  }

  const pass = async (
    answer: Dispatcher.ResponseData,
    response: ServerResponse,
    saw: Saw,
    clock: SilenceTimer,
    signal: AbortSignal,
  ): Promise<void> => {
    const { statusCode: status } = answer
    let bytes = 0
    const body = heardOf(answer.body, (length) => {
      clock.heard()
      bytes += length
      if (bytes > maxAnswerBytes) throw tooLarge(maxAnswerBytes)
    })
    if (status >= 300 && status < 400) {
      const got = `${status}, a redirect, which is never followed`
      const message = `Expected ${host} to answer by itself, got ${got}.`
      throw away('redirect', message, 'Mend "base_url" in gate.yaml.')
    }
    if (status < 200 || status > 299) return complain(status, answer.headers, body, response)
    const type = typeOf(answer.headers)
    return type.startsWith(streamType)
      ? passStream(body, response, saw, signal)
      : passWhole(type, body, response, saw)
  }

  const ask: ModelExchange['ask'] = async (body, response, saw) => {
    const clock = createClock(host, totalMs, idleMs)
    const abort = new AbortController()
    const { signal } = abort
    const left = (): void => abort.abort()
    response.once('close', left)
    try {
      const exchange = async (): Promise<void> => {
        const answer = await (
          await agent()
        ).request({ origin, path: pathname, method: 'POST', headers, body, signal })
        answer.body.on('error', () => undefined)
        await pass(answer, response, saw, clock, signal)
      }
      const asked = exchange()
      asked.catch(() => undefined)
      await Promise.race([clock.late, asked])
    } catch (error) {
      if (error instanceof RefusedError) throw error
      const why =
        mask.text(messageOf(error instanceof AggregateError ? error.errors[0] : error)) ||
        'the connection failed'
      const fix = 'Check that the model runs there and "base_url" in gate.yaml.'
      throw away('unreachable', `Expected an answer of ${host}, got none: ${why}.`, fix)
    } finally {
      clock.stop()
      response.off('close', left)
      abort.abort()
    }
  }

  return {
    ask,
    stop: async () => {
      const old = made
      made = undefined
      await old?.then((agent) => agent.destroy()).catch(() => undefined)
    },
  }
}
