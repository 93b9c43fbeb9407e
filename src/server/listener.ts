import { once } from 'node:events'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import { type ConnectionBounds, createBoundedServer } from '../shared/base/bounded-server.ts'
import { budgets } from '../shared/base/budgets.ts'
import type { ChannelPorts } from '../core/model/chat/channel.ts'
import type { Patience } from '../shared/events/patience.ts'
import { RefusedError } from './ports.ts'
import { refusalOf, stopping, writeReply } from './reply.ts'

const stopGraceMs = 2_000
const { inFlight: maxBytes, smallest: largeFromBytes } = budgets.bytes

/**
 * The state of the connection of a caller. `signal` aborts when the caller disconnects. `waits` is called
 * when the request waits for a person, and then it no longer counts as in flight. It then ends when the
 * listener stops, and its caller can ask again.
 */
export type Attendance = Required<Pick<Patience, 'signal' | 'waits'>> & {
  /** Rejects with a RefusedError when the listener stops while the request waits for a person. */
  readonly cut: Promise<never>
}

export interface ListenerOptions {
  readonly maxInFlight: number
  /** True for a request of the gate's own agent host. They have room of their own. */
  readonly isOwn?: (request: IncomingMessage) => boolean
  readonly connections: ConnectionBounds
  /** So long a connection stays open on which nothing is asked. */
  readonly keepAliveMs?: number
  /** True for a socket file: only permitted users can connect. */
  readonly isPrivate: boolean
  /** The name of the caller in the log. */
  readonly agent: string
  readonly log: ChannelPorts['log']
  /** Answers one request, or throws a RefusedError. */
  serve(request: IncomingMessage, response: ServerResponse, attendance: Attendance): Promise<void>
}

/** Answers a request that came in by another listener, within the bounds of this one. Never rejects. */
export type Attend = (request: IncomingMessage, response: ServerResponse, gone: AbortSignal) => Promise<void>

export interface AgentListener {
  readonly server: Server
  readonly attend: Attend
  /** Marks the connection of a request as authenticated. */
  know(request: IncomingMessage): void
  isStopping(): boolean
  /** Throws a RefusedError when too many requests are in flight. */
  checkRoom(request: IncomingMessage): void
  /**
   * Reserves memory for a body of at most `atMost` bytes. The reservation ends when the answer has been sent
   * or the request waits for a person. Throws a RefusedError when no memory is left.
   */
  takeRoom(request: IncomingMessage, atMost: number): void
  /**
   * Refuses new requests and gives running ones 2 s to end. `begun` is called when no new request comes in.
   */
  stop(begun?: () => void): Promise<void>
}

/**
 * Creates an HTTP server that counts its requests, refuses them in one format and lets them end. It does not
 * listen yet. A request counts until the last byte of its answer has been sent, because an unread answer uses
 * memory too.
 */
export const createListener = (options: ListenerOptions): AgentListener => {
  const { maxInFlight, isOwn = () => false, connections, isPrivate, agent, log, serve } = options
  let isStopping = false
  const inFlight = { own: 0, others: 0 }
  const kindOf = (request: IncomingMessage): keyof typeof inFlight => (isOwn(request) ? 'own' : 'others')
  const large = new Map<IncomingMessage, number>()
  /** Ends the requests that wait for a person. */
  const cuts = new Set<() => void>()

  const untilSent = async (response: ServerResponse): Promise<void> => {
    if (!response.writableEnded || response.closed) return
    const late = setTimeout(() => response.destroy(), budgets.times.answerMs)
    await once(response, 'close')
    clearTimeout(late)
  }

  const attend: Attend = async (request, response, gone) => {
    const kind = kindOf(request)
    inFlight[kind]++
    let isCounted = true
    const { promise: cut, reject } = Promise.withResolvers<never>()
    cut.catch(() => undefined)
    const end = (): void => reject(stopping())
    const waits = (): void => {
      inFlight[kind] -= isCounted ? 1 : 0
      isCounted = false
      large.delete(request)
    }
    const waitsForPerson = (): void => {
      waits()
      cuts.add(end)
    }
    try {
      if (isStopping) throw stopping()
      const served = serve(request, response, { signal: gone, waits: waitsForPerson, cut })
      // A client that calls over HTTP may take every other status for consent, so its answer is made there.
      await (isPrivate ? Promise.race([served, cut]) : served)
    } catch (error) {
      // Nobody reads an answer when the caller disconnected in the middle of its request.
      if (response.headersSent || request.errored !== null) response.destroy()
      else writeReply(response, refusalOf(error, log, { agent }), isStopping)
    }
    const { writableLength: unread } = response
    if (unread > 0) large.set(request, Math.max(large.get(request) ?? 0, unread))
    await untilSent(response)
    waits()
    cuts.delete(end)
  }

  const { server, know } = createBoundedServer({
    ...connections,
    isPrivate,
    keepAliveMs: options.keepAliveMs ?? budgets.times.requestMs,
    full: (count) => log('warn', 'too many connections at once, some were cut off', { agent, count }),
    serve: (request, response, gone) => void attend(request, response, gone),
  })
  return {
    server,
    attend,
    know,
    isStopping: () => isStopping,
    checkRoom: (request) => {
      if (inFlight[kindOf(request)] > maxInFlight)
        throw new RefusedError(
          429,
          'busy',
          `Expected at most ${maxInFlight} requests at once, got more.`,
          'Wait for an answer, then ask again.',
        )
    },
    takeRoom: (request, atMost) => {
      const bytes = Math.min(Number(request.headers['content-length'] ?? atMost), atMost)
      if (bytes <= largeFromBytes) return
      const taken = [...large.values()].reduce((sum, each) => sum + each, 0)
      if (taken + bytes > maxBytes) {
        const most = maxBytes / 1024 / 1024
        const message = `Expected requests and answers of at most ${most} MB together, got more.`
        throw new RefusedError(429, 'busy', message, 'Read your answers, then ask again.')
      }
      large.set(request, bytes)
    },
    stop: async (begun) => {
      isStopping = true
      for (const cut of cuts) cut()
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      begun?.()
      await Promise.race([closed, delay(stopGraceMs, undefined, { ref: false })])
      server.closeAllConnections()
      await closed
    },
  }
}
