import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import postgres, { type Sql } from 'postgres'
import type { SqlValue } from '../operations.ts'
import { failuresOf, unreadableAddress, type PostgresFailures } from './failures.ts'

interface Types extends Record<string, unknown> {
  readonly bigint: number
}

/**
 * One connection to the server. It is made by the first request. When it has ended, another client has to be
 * made: the driver would connect again by itself, without a pause and without an end.
 */
export interface PostgresClient {
  /**
   * Runs one statement, or several without values. Statements run in the order of the calls, and a later one
   * does not wait here for the answer to an earlier one. Rejects when the connection has ended.
   */
  query<Row>(text: string, values?: readonly SqlValue[]): Promise<readonly Row[]>
  /** The errors that a caller can get. They name server, database and user, and never the password. */
  readonly failures: PostgresFailures
  isEnded(): boolean
  /** Ends the connection at once, and rejects what waits in it with this error. */
  lose(why: unknown): void
  /** Resolves or rejects like `work`. Rejects when the time limit is over, or when there is no connection. */
  inTime<Result>(work: Promise<Result>): Promise<Result>
  /** Ends the connection, also in the middle of a request. Never rejects. */
  end(): Promise<void>
}

/** The time to wait for a connection, and for the login, in seconds. */
const connectS = 5
/** The time that a connection has to end properly, in seconds. */
const endS = 2

/** Where the driver wants to connect to. */
interface Target {
  readonly host: readonly string[]
  readonly port: readonly number[]
  readonly path: string | false
}

/** Throws when the server cannot be reached. */
const reach = async (to: { readonly path: string } | { readonly host: string; readonly port: number }) => {
  const socket: Socket & { host?: string } = connect(to)
  // The driver checks the server's certificate by this name.
  if ('host' in to) socket.host = to.host
  try {
    await once(socket, 'connect', { signal: AbortSignal.timeout(connectS * 1000) })
    return socket
  } catch (error) {
    socket.on('error', () => undefined).destroy()
    throw error instanceof Error && error.name === 'AbortError'
      ? new Error(`no answer within ${connectS} seconds`)
      : error
  }
}

/** Gives the driver its sockets. Each host is tried once, in order. */
const createSockets = (
  isEnded: () => boolean,
  onReached: (socket: Socket) => void,
  onFailed: (error: unknown) => void,
) => {
  let next = 0
  return async ({ host, port, path }: Target): Promise<Socket> => {
    let error: unknown = new Error('it ended the connection before the login')
    const targets = path === false ? host.map((each, i) => ({ host: each, port: port[i] ?? 0 })) : [{ path }]
    // What waited for an ended connection must not run alone in a new one, outside its transaction.
    while (!isEnded() && next < targets.length) {
      try {
        const socket = await reach(targets[next++] ?? { path: '' })
        onReached(socket)
        return socket
      } catch (failed) {
        error = failed
      }
    }
    onFailed(error)
    throw error
  }
}

const open = (url: string, options: postgres.Options<Record<string, postgres.PostgresType>>): Sql<Types> => {
  try {
    if (!/^postgres(?:ql)?:\/\//.test(url)) throw unreadableAddress()
    return postgres(url, options) as unknown as Sql<Types>
  } catch {
    // The driver's error may hold the address with its password.
    throw unreadableAddress()
  }
}

/**
 * Throws when the address cannot be read. `deadlineMs` bounds each request, and each statement on the
 * server's side, too.
 */
export const createClient = (url: string, deadlineMs: number): PostgresClient => {
  let isEnded = false
  let socket: Socket | undefined
  let lostBy: unknown
  const waiting = new Set<(why: unknown) => void>()
  const fail = (why: unknown): void => {
    isEnded = true
    lostBy = why
    for (const reject of waiting) reject(why)
  }
  const options = {
    // One connection keeps the requests in the order of the calls.
    max: 1,
    connect_timeout: connectS,
    max_lifetime: null,
    fetch_types: false,
    onnotice: () => undefined,
    onclose: () => {
      isEnded = true
    },
    socket: createSockets(
      () => isEnded,
      (reached) => {
        socket = reached
      },
      fail,
    ),
    types: { bigint: { to: 20, from: [20], serialize: String, parse: Number } },
    // The server ends what a lost replica began, so that its locks do not stop the other replicas.
    connection: {
      application_name: 'hookgate',
      statement_timeout: deadlineMs,
      idle_in_transaction_session_timeout: deadlineMs,
    },
  }
  const sql = open(url, options)
  const { path, host, port, database, user } = sql.options
  const server = path || host.map((each, index) => `${each}:${port[index]}`).join(',')
  const failures = failuresOf({ server, database, user })

  const end = async (timeout: number): Promise<void> => {
    isEnded = true
    await sql.end({ timeout }).catch(() => undefined)
    // A server that says nothing does not end its side.
    socket?.destroy()
  }
  return {
    failures,
    query: async <Row>(text: string, values: readonly SqlValue[] = []) => {
      // The driver writes to a connection that has ended, and its error would end the process.
      if (isEnded) throw new Error('it has ended')
      const rows = await sql.unsafe(text, [...values], { prepare: values.length > 0 })
      return [...rows] as unknown as readonly Row[]
    },
    isEnded: () => isEnded,
    end: () => end(endS),
    lose: (why) => {
      fail(why)
      void end(0)
    },
    inTime: async <Result>(work: Promise<Result>) => {
      if (lostBy !== undefined) {
        work.catch(() => undefined)
        throw lostBy
      }
      // Nothing of a request stays with the connection, which may live for months.
      const { promise, resolve, reject } = Promise.withResolvers<Result>()
      const deadline = setTimeout(() => {
        reject(failures.late(deadlineMs))
        void end(0)
      }, deadlineMs)
      waiting.add(reject)
      work.then(resolve, reject)
      try {
        return await promise
      } finally {
        clearTimeout(deadline)
        waiting.delete(reject)
      }
    },
  }
}
