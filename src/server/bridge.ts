import { once } from 'node:events'
import type { IncomingMessage, Server } from 'node:http'
import { boundsOf } from '../shared/base/bounded-server.ts'
import { yieldIfLarge } from '../core/model/base/yield-if-large.ts'
import { budgets } from '../shared/base/budgets.ts'
import type { ChannelPorts } from '../core/model/chat/channel.ts'
import { CLIENT_NAMES, isClientName, type ClientName } from '../shared/gate/client.ts'
import type { JsonObject } from '../core/model/base/json.ts'
import { nearest } from '../shared/base/nearest.ts'
import type { FireOptions } from '../shared/events/patience.ts'
import { maxEventBytes, readBytes } from './body.ts'
import { fireOptions } from './fields.ts'
import { createListener, type Attendance, type AgentListener } from './listener.ts'
import { RefusedError } from './ports.ts'
import { writeLargeReply } from './reply.ts'
import { listenPrivately } from './socket.ts'

export const bridgePath = '/v1/bridge/'
/** Where clients that call HTTP hooks report their events. */
export const httpPath = '/bridge/'
const eventNames = /^[\w.-]{1,60}$/

export interface BridgePorts {
  /**
   * Returns the answer in the format of the client, or undefined for an empty answer. `wrong` says why the
   * input cannot be read. Never rejects.
   */
  answer(
    client: ClientName,
    event: string,
    stdin: { readonly text: string } | { readonly wrong: string },
    options: FireOptions,
  ): Promise<JsonObject | undefined>
  readonly log: ChannelPorts['log']
}

const routeOf = (
  prefix: string,
  { method, url }: IncomingMessage,
): { readonly client: ClientName; readonly event: string } => {
  const path = String(url).split('?')[0] ?? ''
  const [client = '', event = '', more] = path.startsWith(prefix) ? path.slice(prefix.length).split('/') : []
  if (method !== 'POST' || !eventNames.test(event) || more !== undefined) {
    throw new RefusedError(
      404,
      'path',
      `Expected POST ${prefix}<client>/<Event>, got ${String(method)} ${path.slice(0, 80)}.`,
      'Ask for the event by its own name.',
    )
  }
  if (isClientName(client)) return { client, event }
  const near = nearest(client, CLIENT_NAMES)
  throw new RefusedError(
    404,
    'client',
    `Expected a client that hookgate knows, got "${client.slice(0, 60)}".`,
    near === undefined ? `They are ${CLIENT_NAMES.join(', ')}.` : `Did you mean "${near}"?`,
  )
}

/**
 * Serves the events of foreign agents and nothing else. `admit` throws a RefusedError for a request without
 * permission.
 */
const createBridgeListener = (
  prefix: string,
  { answer, log }: BridgePorts,
  admit?: (request: IncomingMessage) => void,
): AgentListener => {
  // Only the bridge program can see whether its client understands a parked question. A client that does not
  // understand it runs the call.
  const parks = admit === undefined

  const carryOut = async (
    request: IncomingMessage,
    attendance: Attendance,
  ): Promise<JsonObject | undefined> => {
    admit?.(request)
    listener.know(request)
    const { client, event } = routeOf(prefix, request)
    try {
      listener.checkRoom(request)
      listener.takeRoom(request, maxEventBytes)
      const options = {
        ...fireOptions(request.headers),
        ...(parks && request.headers['x-hookgate-park'] === '1' ? { canPark: true as const } : {}),
      }
      const bytes = await readBytes(request, maxEventBytes)
      await yieldIfLarge(bytes.length)
      const text = bytes.toString()
      await yieldIfLarge(bytes.length)
      const { cut, ...waiting } = attendance
      const answered = answer(client, event, { text }, { ...options, ...waiting })
      return await (parks ? answered : Promise.race([answered, cut]))
    } catch (error) {
      // A request that cannot be judged is answered in the format of the client, because most clients take
      // any other status for consent.
      if (error instanceof RefusedError)
        return await answer(client, event, { wrong: error.message }, { chain: [] })
      throw error
    }
  }

  const listener = createListener({
    maxInFlight: budgets.requests.perBridge,
    agent: 'bridge',
    log,
    connections: boundsOf(parks ? 'bridge' : 'loopback'),
    isPrivate: parks,
    serve: async (request, response, attendance) => {
      const said = await carryOut(request, attendance)
      if (said === undefined)
        response
          .writeHead(200, { 'content-length': 0, ...(listener.isStopping() && { connection: 'close' }) })
          .end()
      else await writeLargeReply(response, { status: 200, body: said }, listener.isStopping())
    },
  })
  return listener
}

/** Serves the bridges of a node. The listener for nodes hands their requests over. */
export const createNodeBridge = (ports: BridgePorts): Pick<AgentListener, 'attend' | 'stop'> =>
  createBridgeListener(bridgePath, ports)

/** Listens on a Unix socket that only `owner` can open (absent: this user). Throws a ProblemError. */
export const startBridgeSocket = async (
  path: string,
  ports: BridgePorts,
  owner?: { readonly uid: number; readonly gid: number },
): Promise<{ stop(): Promise<void> }> => {
  const { server, stop } = createBridgeListener(bridgePath, ports)
  await listenPrivately(server, path, owner)
  return { stop }
}

/**
 * Checks the requests of clients that call HTTP hooks at a port of loopback. `admits` is true when the
 * Authorization header holds the token. The check throws a RefusedError.
 */
export const httpAdmission =
  (admits: (authorization: string) => boolean) =>
  ({ headers, socket: { localPort } }: Pick<IncomingMessage, 'headers' | 'socket'>): void => {
    const forbid = (what: string, got: string): RefusedError =>
      new RefusedError(
        403,
        'http',
        `Expected ${what}, got ${got}.`,
        'This address is for hooks of agents on this machine.',
      )
    // No web page may ask here, whatever host name it found for this machine.
    if (headers.origin !== undefined) throw forbid('a hook of an agent', 'a browser')
    if (headers.host !== `127.0.0.1:${localPort}` && headers.host !== `localhost:${localPort}`)
      throw forbid('this address by its own name', 'another')
    if (!admits(headers.authorization ?? ''))
      throw forbid(
        '"Authorization: Bearer" with the token in secrets/bridge-token',
        headers.authorization === undefined ? 'none' : 'another',
      )
  }

/** How long after a try the port of HTTP hooks is tried again, in milliseconds. */
const tryAgainMs = 5000

export interface HttpPlace {
  readonly port: number
  after(delayMs: number, run: () => void): void
  /** Called when another program holds the port, and once more when it was free after all. */
  taken(isTaken: boolean): void
}

/** The port on which a server listens. Undefined: it does not listen. */
const portOf = (server: Server): number | undefined => {
  const address = server.address()
  return typeof address === 'object' && address !== null ? address.port : undefined
}

/**
 * Listens for HTTP hooks on loopback. While another program holds the port, it is tried again. Resolves after
 * the first try, with a function that ends the tries.
 */
export const listenForHttp = async (
  server: Server,
  { port, after, taken }: HttpPlace,
): Promise<() => void> => {
  let isStopped = false
  const listen = (): Promise<boolean> => {
    server.listen(port, '127.0.0.1')
    return once(server, 'listening').then(
      () => true,
      () => false,
    )
  }
  const tryAgain = (): void =>
    after(tryAgainMs, () => {
      if (!isStopped) void listen().then((isListening) => (isListening ? taken(false) : tryAgain()))
    })
  if (!(await listen())) {
    taken(true)
    tryAgain()
  }
  return () => {
    isStopped = true
  }
}

/** Serves clients that call HTTP hooks. `port` returns undefined while another program holds the port. */
export const startBridgeHttp = async (
  place: HttpPlace,
  ports: BridgePorts,
  admits: (authorization: string) => boolean,
): Promise<{ port(): number | undefined; stop(): Promise<void> }> => {
  const { server, stop } = createBridgeListener(httpPath, ports, httpAdmission(admits))
  const endTries = await listenForHttp(server, place)
  return {
    port: () => portOf(server),
    stop: async () => {
      endTries()
      await stop()
    },
  }
}
