import { budgets, type ListenerName } from './budgets.ts'
import { createServer, type IncomingMessage, type Server, type ServerResponse, type Socket } from './http.ts'

/** The shortest interval between two reports of closed connections, in milliseconds. */
const tellEveryMs = 60_000

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

/**
 * The connection limits of one of `among` listeners with this name, where the process may open `limit`
 * descriptors.
 */
export const boundsOf = (name: ListenerName, among = 1, limit = descriptorLimit()): ConnectionBounds => {
  const { inAll: most, perAddress, share } = budgets.connections[name]
  const free = limit - Math.min(budgets.descriptors.reserved, Math.floor(limit / 2))
  const inAll = Math.max(1, Math.min(most, Math.floor((share * free) / among)))
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
  /** `gone` aborts once the last byte of the response was sent, or its connection was closed. */
  serve(request: IncomingMessage, response: ServerResponse, gone: AbortSignal): void
}

export interface BoundedServer {
  readonly server: Server
  /** Marks the caller of this request as authenticated: its connection stays when others are closed. */
  know(request: Pick<IncomingMessage, 'socket'>): void
}

interface Guest {
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
const whoGives = (guests: Iterable<Guest>, places: number): Guest | undefined => {
  let [silent, answered, known]: (Guest | undefined)[] = []
  let answeredCount = 0
  for (const guest of guests) {
    const isIdle = guest.underWay.size === 0
    if (guest.isKnown) known ??= isIdle ? guest : undefined
    else if (isIdle) silent ??= guest
    else {
      answered ??= guest
      answeredCount++
    }
  }
  return (answeredCount > places / 2 ? answered : silent) ?? silent ?? answered ?? known
}

/**
 * The only way to create an HTTP server in this program. Connections, requests and times are bounded. When
 * all slots are taken, the oldest unknown connection is closed for the newest, so that nobody can block
 * others.
 */
export const createBoundedServer = (options: BoundedServerOptions): BoundedServer => {
  const { inAll, perAddress, isPrivate = false, full, serve } = options
  const { requestMs, stalledMs } = budgets.times
  const guests = new Map<Socket, Guest>()
  const byAddress = new Map<string, Set<Guest>>()
  let cutOff = 0
  let toldMs = -Infinity

  const cut = (socket: Socket): void => {
    socket.destroy()
    cutOff++
    if (performance.now() - toldMs < tellEveryMs) return
    toldMs = performance.now()
    full(cutOff)
    cutOff = 0
  }

  const forget = (guest: Guest): void => {
    if (!guests.delete(guest.socket)) return
    const neighbours = byAddress.get(guest.address)
    neighbours?.delete(guest)
    if (neighbours?.size === 0) byAddress.delete(guest.address)
    for (const gone of guest.underWay) gone.abort()
  }

  /** True when there is a free slot, after closing another connection if necessary. */
  const hasPlace = (among: { readonly size: number }, most: number, all: () => Iterable<Guest>): boolean => {
    if (among.size < most) return true
    const gives = whoGives(all(), most)
    if (gives === undefined) return false
    forget(gives)
    cut(gives.socket)
    return true
  }

  const admit = (socket: Socket): void => {
    const address = socket.remoteAddress ?? ''
    const neighbours = byAddress.get(address) ?? new Set<Guest>()
    const isAdmitted =
      hasPlace(neighbours, perAddress, () => neighbours) && hasPlace(guests, inAll, () => guests.values())
    if (!isAdmitted) return cut(socket)
    const guest: Guest = { socket, address, isKnown: isPrivate, underWay: new Set() }
    guests.set(socket, guest)
    byAddress.set(address, neighbours.add(guest))
    socket.once('close', () => forget(guest))
  }

  const server = createServer(
    {
      connectionsCheckingInterval: 1000,
      headersTimeout: Math.min(options.headerMs ?? budgets.times.headerMs, options.requestMs ?? requestMs),
      requestTimeout: options.requestMs ?? requestMs,
      ...(options.keepAliveMs === undefined ? {} : { keepAliveTimeout: options.keepAliveMs }),
    },
    (request, response) => {
      const { socket } = request
      const guest = guests.get(socket)
      const isFull = (guest?.underWay.size ?? 0) >= budgets.requests.perConnection
      if (guest === undefined || isFull) return void socket.destroy()
      const gone = new AbortController()
      guest.underWay.add(gone)
      response.once('close', () => {
        guest.underWay.delete(gone)
        gone.abort()
      })
      serve(request, response, gone.signal)
    },
  )
  server.timeout = options.stalledMs ?? stalledMs
  server.on('connection', admit)
  // The socket was idle for `stalledMs`. It may wait for its response, but it may not leave a response unread
  // or have no request.
  server.on('timeout', (socket: Socket) => {
    if (socket.writableLength > 0 || (guests.get(socket)?.underWay.size ?? 0) === 0) socket.destroy()
  })
  return {
    server,
    know: ({ socket }) => {
      const guest = guests.get(socket)
      if (guest !== undefined) guest.isKnown = true
    },
  }
}
