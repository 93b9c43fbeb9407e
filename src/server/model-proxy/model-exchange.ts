import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import type { Agent, Dispatcher } from 'undici'
import type { JsonObject } from '../../core/model/base/json.ts'
import { messageOf } from '../../core/model/gate/problem.ts'
import { eventsOf, objectIn } from './model-answer.ts'
import { createMask, createStreamMask } from './model-mask.ts'
import { RefusedError } from '../ports.ts'

export interface ExchangeOptions {
  /** The address without `/chat/completions`, which is added. */
  readonly baseUrl: string
  /** The API key. Empty: the endpoint needs none. */
  readonly key: string
  /** The time limit from the request to the last byte of the answer, in milliseconds. */
  readonly totalMs: number
  /** The time limit without a byte of the answer, in milliseconds. */
  readonly idleMs: number
  readonly maxAnswerBytes: number
  /** The maximum number of connections to the endpoint. */
  readonly maxConnections: number
}

/** Receives every piece of an answer, in the form in which the agent gets it. */
export type OnPiece = (piece: JsonObject) => void

export interface ModelExchange {
  /**
   * Sends a request to the endpoint and passes its answer on without the key. A successful answer is left
   * open, so that the caller decides when it ends. Rejects with a RefusedError.
   */
  ask(body: string, response: ServerResponse, onPiece: OnPiece): Promise<void>
  stop(): Promise<void>
}

/**
 * An answer that is not a stream is read completely, so that hooks see it and the key can be removed from it.
 */
const maxWholeBytes = 4 * 1024 * 1024
const maxErrorBytes = 64 * 1024
export const streamType = 'text/event-stream'

type Headers = Dispatcher.ResponseData['headers']

const away = (code: string, message: string, fix: string): RefusedError =>
  new RefusedError(502, `model.${code}`, message, fix)

const typeOf = (headers: Headers): string => String(headers['content-type'] ?? '').toLowerCase()

/** The agent gets only `retry-after` of the endpoint's headers. */
const retryAfterOf = (headers: Headers): Record<string, string> => {
  const value = headers['retry-after']
  return typeof value === 'string' && /^[\w ,:]{1,40}$/.test(value) ? { 'retry-after': value } : {}
}

interface SilenceTimer {
  /** Restarts the idle timer, because a byte arrived. */
  heard(): void
  /** Rejects when a time limit is reached. */
  readonly late: Promise<never>
  stop(): void
}

const createSilenceTimer = (host: string, totalMs: number, idleMs: number): SilenceTimer => {
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
    idle = setTimeout(giveUp(`with at least one byte every ${idleMs / 1000} s`), idleMs)
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

/** Yields the chunks of a body and reports the size of each, which shows that the endpoint still answers. */
const countedChunks = async function* (
  body: AsyncIterable<Buffer>,
  heard: (bytes: number) => void,
): AsyncGenerator<Buffer> {
  for await (const chunk of body) {
    heard(chunk.length)
    yield chunk
  }
}

/**
 * Creates the client for one path of one endpoint. undici is loaded with the first request. It uses no proxy,
 * follows no redirect and uses HTTP/1.1.
 */
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
    // The timers of `ask` are the only time limits.
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
    onPiece: OnPiece,
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
    onPiece(told)
    response.writeHead(200, { 'content-type': 'application/json' }).write(JSON.stringify(told))
  }

  const passStream = async (
    body: AsyncIterable<Buffer>,
    response: ServerResponse,
    onPiece: OnPiece,
    signal: AbortSignal,
  ): Promise<void> => {
    response.setHeader('content-type', streamType)
    response.writeHead(200).flushHeaders()
    const masked = createStreamMask(key)
    const send = async (pieces: readonly JsonObject[]): Promise<void> => {
      for (const piece of pieces) {
        signal.throwIfAborted()
        onPiece(piece)
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
    onPiece: OnPiece,
    clock: SilenceTimer,
    signal: AbortSignal,
  ): Promise<void> => {
    const { statusCode: status } = answer
    let bytes = 0
    const body = countedChunks(answer.body, (length) => {
      clock.heard()
      bytes += length
      if (bytes > maxAnswerBytes) throw tooLarge(maxAnswerBytes)
    })
    if (status >= 300 && status < 400) {
      const got = `${status}, a redirect, which is never followed`
      const message = `Expected ${host} to answer by itself, got ${got}.`
      throw away('redirect', message, 'Correct "base_url" in gate.yaml.')
    }
    if (status < 200 || status > 299) return complain(status, answer.headers, body, response)
    const type = typeOf(answer.headers)
    return type.startsWith(streamType)
      ? passStream(body, response, onPiece, signal)
      : passWhole(type, body, response, onPiece)
  }

  const ask: ModelExchange['ask'] = async (body, response, onPiece) => {
    const clock = createSilenceTimer(host, totalMs, idleMs)
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
        await pass(answer, response, onPiece, clock, signal)
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
