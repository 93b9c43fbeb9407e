import { once } from 'node:events'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import { type ConnectionBounds, createBoundedServer } from '../model/base/bounded-server.ts'
import { budgets } from '../model/base/budgets.ts'
import type { ChannelPorts } from '../model/chat/channel.ts'
import type { Patience } from '../model/events/step.ts'
import { RefusedError } from './ports.ts'
import { refusalOf, stopping, writeReply } from './reply.ts'

const stopGraceMs = 2_000
const { inFlight: maxBytes, smallest: largeFromBytes } = budgets.bytes

/** What of a request its caller's connection says: it is gone, and it waits for a person and no longer counts. */
export type Attendance = Required<Pick<Patience, 'signal' | 'waits'>>

export interface ListenerOptions {
  readonly maxInFlight: number
  readonly connections: ConnectionBounds
  /** Nobody can connect but who may ask: it listens on a socket file. */
  readonly isPrivate: boolean
  /** Who asks, for the log. */
  readonly agent: string
  readonly log: ChannelPorts['log']
  /** Answers one request, or throws why it is refused. */
  serve(request: IncomingMessage, response: ServerResponse, attendance: Attendance): Promise<void>
}

export interface AgentListener {
  readonly server: Server
  /** A request has shown that its caller may ask. */
  know(request: IncomingMessage): void
  isStopping(): boolean
  /** Throws where more is in flight than may be. */
  checkRoom(): void
  /**
   * Takes room for a body of at most so many bytes, until its answer is gone or it waits for a person. Throws
   * where there is none.
   */
  takeRoom(request: IncomingMessage, atMost: number): void
  /** Refuses what is new, gives what runs 2 s to end. `begun` is called once nothing new comes in. */
  stop(begun?: () => void): Promise<void>
}

/**
 * An HTTP server whose requests are counted, refused in one grammar and given time to end. It does not listen
 * yet. A request counts until the last byte of its answer has left: what nobody reads takes memory as well.
 */
export const createListener = (options: ListenerOptions): AgentListener => {
  const { maxInFlight, connections, isPrivate, agent, log, serve } = options
  let isStopping = false
  let inFlight = 0
  const large = new Map<IncomingMessage, number>()

  const untilGone = async (response: ServerResponse, gone: AbortSignal): Promise<void> => {
    if (!response.writableEnded || gone.aborted) return
    const late = setTimeout(() => response.destroy(), budgets.times.answerMs)
    await once(gone, 'abort')
    clearTimeout(late)
  }

  const attend = async (
    request: IncomingMessage,
    response: ServerResponse,
    gone: AbortSignal,
  ): Promise<void> => {
    inFlight++
    let isCounted = true
    const waits = (): void => {
      inFlight -= isCounted ? 1 : 0
      isCounted = false
      large.delete(request)
    }
    try {
      if (isStopping) throw stopping()
      await serve(request, response, { signal: gone, waits })
    } catch (error) {
      // Nobody waits for an answer where the caller left in the middle of its request.
      if (response.headersSent || request.errored !== null) response.destroy()
      else writeReply(response, refusalOf(error, log, { agent }), isStopping)
    }
    const { writableLength: unread } = response
    if (unread > 0) large.set(request, Math.max(large.get(request) ?? 0, unread))
    await untilGone(response, gone)
    waits()
  }

  const { server, know } = createBoundedServer({
    ...connections,
    isPrivate,
    keepAliveMs: budgets.times.requestMs,
    full: (count) => log('warn', 'too many connections at once, some were cut off', { agent, count }),
    serve: (request, response, gone) => void attend(request, response, gone),
  })
  return {
    server,
    know,
    isStopping: () => isStopping,
    checkRoom: () => {
      if (inFlight > maxInFlight)
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
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      begun?.()
      await Promise.race([closed, delay(stopGraceMs, undefined, { ref: false })])
      server.closeAllConnections()
      await closed
    },
  }
}
