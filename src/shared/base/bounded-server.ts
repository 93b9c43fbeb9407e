import { budgets, type ListenerName } from './budgets.ts'
import { createServer, type IncomingMessage, type Server, type ServerResponse, type Socket } from './http.ts'

/** The shortest interval between two reports of closed connections, in milliseconds. */
const reportEveryMs = 60_000

let knownLimit: number | undefined
/**
 * The largest number of files and connections that this process may open. Node has raised it as far as
 * possible at its start.
 */
export const descriptorLimit = (): number => {
  if (knownLimit !== undefined) return knownLimit
  // Without this option the report would look up the name of each connection's address.
  Object.assign(process.report, { excludeNetwork: true })
  const { userLimits } = process.report.getReport() as {
    readonly userLimits?: { readonly open_files?: { readonly soft?: unknown } }
  }
  const soft = userLimits?.open_files?.soft
  knownLimit = typeof soft === 'number' ? soft : soft === 'unlimited' ? Infinity : 256
  return knownLimit
}

export interface ConnectionBounds {
  readonly inAll: number
  readonly perAddress: number
}

/** What all listeners with this name may hold of the descriptors that are free. Each agent has a listener. */
const roomOf = (name: ListenerName, free: number): number => {
  const { node: _, ...others } = budgets.connections
  if (name === 'node') {
    const names = Object.keys(others) as (keyof typeof others)[]
    return names.reduce((left, other) => left - roomOf(other, free), free)
  }
  const { inAll, share } = others[name]
  return name === 'agent' ? share * free : Math.min(inAll, share * free)
}

/** No system lets a process have more descriptors. */
const mostDescriptors = 2 ** 30

/**
 * The connection limits of one of `among` listeners with this name, where the process may open `limit`
 * descriptors.
 */
export const boundsOf = (name: ListenerName, among = 1, limit = descriptorLimit()): ConnectionBounds => {
  const { inAll: most, perAddress } = budgets.connections[name]
  const free =
    Math.min(limit, mostDescriptors) - Math.min(budgets.descriptors.reserved, Math.floor(limit / 2))
  const inAll = Math.max(1, Math.min(most, Math.floor(roomOf(name, free) / among)))
  return { inAll, perAddress: Math.max(1, Math.ceil((perAddress * inAll) / most)) }
}

export interface BoundedServerOptions extends ConnectionBounds {
  /** Every caller is trusted: the permissions of the socket file keep others out. */
  readonly isPrivate?: boolean
  readonly headerMs?: number
  readonly requestMs?: number
  readonly keepAliveMs?: number
  readonly stalledMs?: number
  /** Reports the number of closed connections, for the log. It is called at most once a minute. */
  full(count: number): void
  /** `gone` aborts when the connection is closed before the last byte of the response was sent. */
  serve(request: IncomingMessage, response: ServerResponse, gone: AbortSignal): void
}

export interface BoundedServer {
  readonly server: Server
  /** Marks the caller of this request as authenticated: its connection stays when others are closed. */
  know(request: Pick<IncomingMessage, 'socket'>): void
}

/** Without a reason each \`abort\` would make one, with the stack of its call. */
const over = new Error('The connection was closed before the response was sent.')

interface OpenConnection {
  readonly socket: Socket
  readonly address: string
  isKnown: boolean
  readonly underWay: Set<AbortController>
}

/**
 * Chooses the connection to close, from connections in the order of their arrival. An unknown idle one is
 * first, then an unknown one with a request under way, then a known idle one. Unknown ones with requests hold
 * at most half of the slots, so that a new connection has time to send its request.
 */
const connectionToClose = (
  connections: Iterable<OpenConnection>,
  slots: number,
): OpenConnection | undefined => {
  let [silent, answered, known]: (OpenConnection | undefined)[] = []
  let answeredCount = 0
  for (const connection of connections) {
    const isIdle = connection.underWay.size === 0
    if (connection.isKnown) known ??= isIdle ? connection : undefined
    else if (isIdle) silent ??= connection
    else {
      answered ??= connection
      answeredCount++
    }
  }
  return (answeredCount > slots / 2 ? answered : silent) ?? silent ?? answered ?? known
}

/**
 * The only way to create an HTTP server in this program. Connections, requests and times are bounded. When
 * all slots are taken, the oldest unknown connection is closed for the newest, so that nobody can block
 * others.
 */
export const createBoundedServer = (options: BoundedServerOptions): BoundedServer => {
  const { inAll, perAddress, isPrivate = false, full, serve } = options
  const { requestMs, stalledMs } = budgets.times
  const connections = new Map<Socket, OpenConnection>()
  const byAddress = new Map<string, Set<OpenConnection>>()
  let closedCount = 0
  let reportedMs = -Infinity

  const closeNow = (socket: Socket): void => {
    socket.destroy()
    closedCount++
    if (performance.now() - reportedMs < reportEveryMs) return
    reportedMs = performance.now()
    full(closedCount)
    closedCount = 0
  }

  const forget = (connection: OpenConnection): void => {
    if (!connections.delete(connection.socket)) return
    const sameAddress = byAddress.get(connection.address)
    sameAddress?.delete(connection)
    if (sameAddress?.size === 0) byAddress.delete(connection.address)
    for (const gone of connection.underWay) gone.abort(over)
  }

  /** True when there is a free slot, after closing another connection if necessary. */
  const makeSlot = (
    among: { readonly size: number },
    most: number,
    all: () => Iterable<OpenConnection>,
  ): boolean => {
    if (among.size < most) return true
    const closing = connectionToClose(all(), most)
    if (closing === undefined) return false
    forget(closing)
    closeNow(closing.socket)
    return true
  }

  const admit = (socket: Socket): void => {
    const address = socket.remoteAddress ?? ''
    const sameAddress = byAddress.get(address) ?? new Set<OpenConnection>()
    const isAdmitted =
      makeSlot(sameAddress, perAddress, () => sameAddress) &&
      makeSlot(connections, inAll, () => connections.values())
    if (!isAdmitted) return closeNow(socket)
    const connection: OpenConnection = { socket, address, isKnown: isPrivate, underWay: new Set() }
    connections.set(socket, connection)
    byAddress.set(address, sameAddress.add(connection))
    socket.once('close', () => forget(connection))
  }

  const server = createServer(
    {
      connectionsCheckingInterval: 1000,
      headersTimeout: Math.min(options.headerMs ?? budgets.times.headerMs, options.requestMs ?? requestMs),
      requestTimeout: options.requestMs ?? requestMs,
      keepAliveTimeout: options.keepAliveMs,
    },
    (request, response) => {
      const { socket } = request
      const connection = connections.get(socket)
      const isFull = (connection?.underWay.size ?? 0) >= budgets.requests.perConnection
      if (connection === undefined || isFull) return void socket.destroy()
      const gone = new AbortController()
      connection.underWay.add(gone)
      response.once('close', () => {
        connection.underWay.delete(gone)
        // An event of a signal costs more than all else here, and nobody waits for one after the answer.
        if (!response.writableFinished) gone.abort(over)
      })
      serve(request, response, gone.signal)
    },
  )
  server.timeout = options.stalledMs ?? stalledMs
  server.on('connection', admit)
  // The socket was idle for `stalledMs`. It may wait for its response, but it may not leave a response unread
  // or have no request.
  server.on('timeout', (socket: Socket) => {
    if (socket.writableLength > 0 || (connections.get(socket)?.underWay.size ?? 0) === 0) socket.destroy()
  })
  return {
    server,
    know: ({ socket }) => {
      const connection = connections.get(socket)
      if (connection !== undefined) connection.isKnown = true
    },
  }
}
