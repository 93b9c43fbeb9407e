import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import type { ChannelPorts } from '../model/channel.ts'
import { createServer } from '../model/http.ts'
import type { Patience } from '../model/step.ts'
import { RefusedError } from './ports.ts'
import { refusalOf, stopping, writeReply } from './reply.ts'

const receiveTimeoutMs = 30_000
const stopGraceMs = 2_000
/** Bodies above this size share `maxLargeBytes`: each stands in memory whole. */
const largeFromBytes = 1_000_000
const maxLargeBytes = 128 * 1024 * 1024

/** What of a request its caller's connection says: it is gone, and it waits for a person and no longer counts. */
export type Attendance = Required<Pick<Patience, 'signal' | 'waits'>>

export interface ListenerOptions {
  readonly maxInFlight: number
  readonly maxConnections: number
  /** Who asks, for the log. */
  readonly agent: string
  readonly log: ChannelPorts['log']
  /** Answers one request, or throws why it is refused. */
  serve(request: IncomingMessage, response: ServerResponse, attendance: Attendance): Promise<void>
}

export interface Listener {
  readonly server: Server
  isStopping(): boolean
  /** Throws where more is in flight than may be. */
  checkRoom(): void
  /** Takes room for a body of at most so many bytes, until the request is over or waits for a person. Throws where there is none. */
  takeRoom(request: IncomingMessage, maxBytes: number): void
  /** Refuses what is new, gives what runs 2 s to end. `begun` is called once nothing new comes in. */
  stop(begun?: () => void): Promise<void>
}

/** An HTTP server whose requests are counted, refused in one grammar and given time to end. It does not listen yet. */
export const createListener = ({ maxInFlight, maxConnections, agent, log, serve }: ListenerOptions): Listener => {
  let isStopping = false
  let inFlight = 0
  const large = new Map<IncomingMessage, number>()

  const attend = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    inFlight++
    let isCounted = true
    const waits = (): void => {
      inFlight -= isCounted ? 1 : 0
      isCounted = false
      large.delete(request)
    }
    const gone = new AbortController()
    response.once('close', () => gone.abort())
    try {
      if (isStopping) throw stopping()
      await serve(request, response, { signal: gone.signal, waits })
    } catch (error) {
      // Nobody waits for an answer where the caller left in the middle of its request.
      if (response.headersSent || request.errored !== null) response.destroy()
      else writeReply(response, refusalOf(error, log, { agent }), isStopping)
    } finally {
      waits()
    }
  }

  const server = createServer({ requestTimeout: receiveTimeoutMs, keepAliveTimeout: receiveTimeoutMs }, (request, response) => void attend(request, response))
  server.maxConnections = maxConnections
  return {
    server,
    isStopping: () => isStopping,
    checkRoom: () => {
      if (inFlight > maxInFlight) throw new RefusedError(429, 'busy', `Expected at most ${maxInFlight} requests at once, got more.`, 'Wait for an answer, then ask again.')
    },
    takeRoom: (request, maxBytes) => {
      const bytes = Math.min(Number(request.headers['content-length'] ?? maxBytes), maxBytes)
      if (bytes <= largeFromBytes) return
      const taken = [...large.values()].reduce((sum, each) => sum + each, 0)
      if (taken + bytes > maxLargeBytes) throw new RefusedError(429, 'busy', `Expected requests of at most ${maxLargeBytes / 1024 / 1024} MB together, got more.`, 'Wait for an answer, then ask again.')
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
