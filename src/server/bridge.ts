import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import type { ChannelPorts } from '../model/channel.ts'
import { createServer } from '../model/http.ts'
import { CLIENT_NAMES, isClientName, type ClientName } from '../model/client.ts'
import type { JsonObject } from '../model/json.ts'
import { nearest } from '../model/nearest.ts'
import { maxEventBytes, readBytes } from './body.ts'
import { fireOptions } from './fields.ts'
import { type FireOptions, RefusedError } from './ports.ts'
import { refusalOf, stopping, writeReply } from './reply.ts'
import { listenPrivately } from './socket.ts'

const maxInFlight = 256
const maxConnections = 512
const receiveTimeoutMs = 30_000
const stopGraceMs = 2_000
const eventNames = /^[\w.-]{1,60}$/

export interface BridgePorts {
  /** A client's answer in its own words; undefined: an empty one. `wrong`: why what it sent cannot be read. Never rejects. */
  answer(client: ClientName, event: string, stdin: { readonly text: string } | { readonly wrong: string }, options: FireOptions): Promise<JsonObject | undefined>
  readonly log: ChannelPorts['log']
}

interface Listener {
  readonly server: Server
  /** Refuses what is new, gives what runs 2 s to end. */
  stop(): Promise<void>
}

const routeOf = (prefix: string, { method, url }: IncomingMessage): { readonly client: ClientName; readonly event: string } => {
  const path = String(url).split('?')[0] ?? ''
  const [client = '', event = '', more] = path.startsWith(prefix) ? path.slice(prefix.length).split('/') : []
  if (method !== 'POST' || !eventNames.test(event) || more !== undefined) {
    throw new RefusedError(404, 'path', `Expected POST ${prefix}<client>/<Event>, got ${String(method)} ${path.slice(0, 80)}.`, 'Ask for the event by its own name.')
  }
  if (isClientName(client)) return { client, event }
  const near = nearest(client, CLIENT_NAMES)
  throw new RefusedError(404, 'client', `Expected a client that hookgate knows, got "${client.slice(0, 60)}".`, near === undefined ? `They are ${CLIENT_NAMES.join(', ')}.` : `Did you mean "${near}"?`)
}

/** Serves the events of foreign agents and nothing else. `admit` throws the refusal of a request that may not ask. */
const createListener = (prefix: string, { answer, log }: BridgePorts, admit?: (request: IncomingMessage) => void): Listener => {
  // Only the bridge can see whether its client takes that word: one that does not runs the call instead.
  const parks = admit === undefined
  let isStopping = false
  let inFlight = 0

  const carryOut = async (request: IncomingMessage, { signal, waits }: Required<Pick<FireOptions, 'signal' | 'waits'>>): Promise<JsonObject | undefined> => {
    if (isStopping) throw stopping()
    admit?.(request)
    const { client, event } = routeOf(prefix, request)
    try {
      if (inFlight > maxInFlight) throw new RefusedError(429, 'busy', `Expected at most ${maxInFlight} requests at once, got more.`, 'Wait for an answer, then ask again.')
      const options = { ...fireOptions(request.headers), ...(parks && request.headers['x-hookgate-park'] === '1' ? { canPark: true as const } : {}) }
      return await answer(client, event, { text: (await readBytes(request, maxEventBytes)).toString() }, { ...options, signal, waits })
    } catch (error) {
      // What cannot be judged is answered in the client's own words: most of them take any other status for consent.
      if (error instanceof RefusedError) return await answer(client, event, { wrong: error.message }, { chain: [] })
      throw error
    }
  }

  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    inFlight++
    let isCounted = true
    const waits = (): void => {
      inFlight -= isCounted ? 1 : 0
      isCounted = false
    }
    const gone = new AbortController()
    response.once('close', () => gone.abort())
    try {
      const said = await carryOut(request, { signal: gone.signal, waits })
      if (said === undefined) response.writeHead(200, { 'content-length': 0, ...(isStopping && { connection: 'close' }) }).end()
      else writeReply(response, { status: 200, body: said }, isStopping)
    } catch (error) {
      if (response.headersSent || request.errored !== null) response.destroy()
      else writeReply(response, refusalOf(error, log, { agent: 'bridge' }), isStopping)
    } finally {
      waits()
    }
  }

  const server = createServer({ requestTimeout: receiveTimeoutMs, keepAliveTimeout: receiveTimeoutMs }, (request, response) => void serve(request, response))
  server.maxConnections = maxConnections
  return {
    server,
    stop: async () => {
      isStopping = true
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      await Promise.race([closed, delay(stopGraceMs, undefined, { ref: false })])
      server.closeAllConnections()
      await closed
    },
  }
}

/** On a Unix socket that only its owner can open: this user, or `owner`. Throws a ProblemError. */
export const startBridgeSocket = async (path: string, ports: BridgePorts, owner?: { readonly uid: number; readonly gid: number }): Promise<{ stop(): Promise<void> }> => {
  const { server, stop } = createListener('/v1/bridge/', ports)
  await listenPrivately(server, path, owner)
  return { stop }
}

/** On loopback, for clients that call HTTP hooks. `admits`: whether a request's Authorization header bears the token. Undefined where the port is taken. */
export const startBridgeHttp = async (port: number, ports: BridgePorts, admits: (authorization: string) => boolean): Promise<{ readonly port: number; stop(): Promise<void> } | undefined> => {
  const listening = (): number => {
    const address = server.address()
    return typeof address === 'object' && address !== null ? address.port : port
  }
  const { server, stop } = createListener('/bridge/', ports, ({ headers }) => {
    const forbid = (what: string, got: string): RefusedError => new RefusedError(403, 'http', `Expected ${what}, got ${got}.`, 'This address is for hooks of agents on this machine.')
    // No page of a browser has anything to ask here, whatever name it found for this machine.
    if (headers.origin !== undefined) throw forbid('a hook of an agent', 'a browser')
    if (headers.host !== `127.0.0.1:${listening()}` && headers.host !== `localhost:${listening()}`) throw forbid('this address by its own name', 'another')
    if (!admits(headers.authorization ?? '')) throw forbid('"Authorization: Bearer" with the token in secrets/bridge-token', headers.authorization === undefined ? 'none' : 'another')
  })
  const isListening = await new Promise<boolean>((resolve) => {
    server.once('error', () => resolve(false))
    server.listen(port, '127.0.0.1', () => resolve(true))
  })
  return isListening ? { port: listening(), stop } : undefined
}
