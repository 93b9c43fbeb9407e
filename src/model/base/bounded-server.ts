import { budgets, type ListenerName } from './budgets.ts'
import { createServer, type IncomingMessage, type Server, type ServerResponse, type Socket } from './http.ts'

/** How often it is told that connections had to be cut off. */
const tellEveryMs = 60_000

let knownLimit: number | undefined
/** How many files and connections this process may open. Node has raised it as far as it can at its start. */
export const descriptorLimit = (): number => {
  if (knownLimit !== undefined) return knownLimit
  // Without it the report would ask the name server about each connection.
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

/** What one of `among` listeners of a name may hold where the process may open `limit` descriptors. */
export const boundsOf = (name: ListenerName, among = 1, limit = descriptorLimit()): ConnectionBounds => {
  const { inAll: most, perAddress, share } = budgets.connections[name]
  const free = limit - Math.min(budgets.descriptors.reserved, Math.floor(limit / 2))
  const inAll = Math.max(1, Math.min(most, Math.floor((share * free) / among)))
  return { inAll, perAddress: Math.max(1, Math.ceil((perAddress * inAll) / most)) }
}

export interface BoundedServerOptions extends ConnectionBounds {
  /** Whoever can connect is known: the file of a socket lets nobody else in. */
  readonly isPrivate?: boolean
  readonly headerMs?: number
  readonly requestMs?: number
  readonly keepAliveMs?: number
  readonly stalledMs?: number
  /** Connections had to be cut off, for the log. It is called once a minute at most. */
  full(count: number): void
  /** `gone` aborts once the answer's last byte has left, or its connection is closed. */
  serve(request: IncomingMessage, response: ServerResponse, gone: AbortSignal): void
}

export interface BoundedServer {
  readonly server: Server
  /** This request's caller has shown who it is: its connection stays when strangers have to go. */
  know(request: Pick<IncomingMessage, 'socket'>): void
}

interface Guest {
  readonly socket: Socket
  readonly address: string
  isKnown: boolean
  readonly underWay: Set<AbortController>
}

/**
 * Of guests in the order in which they came. A stranger that asks nothing goes first, then one that is being
 * answered, then somebody known that asks nothing. At most half of the places are for strangers that are
 * being answered: who comes has time to ask.
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
 * The one way to make an HTTP server here. What its callers can hold is bounded, in connections, requests and
 * time. When all places are taken, the oldest connection of a stranger gives its place to the newest, so that
 * nobody shuts others out.
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

  /** Whether there is a place among these, made where there was none. */
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
  // Nothing went over it for a while: it may wait for an answer, but not hold one or have nothing to ask.
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
