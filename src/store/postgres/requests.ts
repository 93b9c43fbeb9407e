import type { PostgresClient } from './client.ts'

/** Whether the database answers now. */
export interface Pulse {
  /** False: it has been silent for half a second. */
  isAnswering(): boolean
  /** The listener is called each time when it becomes silent. Returns the end of the subscription. */
  onSilent(listener: () => void): () => void
}

export interface RequestsOptions {
  /** Makes the next connection. Its time limit is the one of each request. */
  readonly connect: () => PostgresClient
  /** What the requests are for, as a noun in an error. */
  readonly what: string
  /** While the database is silent, no request waits for it. Absent: each waits for its own time limit. */
  readonly pulse?: Pulse | undefined
}

/** Requests over one connection at a time, one after the other. A request that failed ends its connection. */
export interface Requests {
  /** Rejects with a ProblemError. The request may then have been carried out or not. */
  request<Result>(work: (client: PostgresClient) => Promise<Result>): Promise<Result>
  /** Waits for the last request, then ends the connection. Never rejects. */
  stop(): Promise<void>
}

const silent = (): Error => new Error('it does not answer any more')

export const createRequests = ({ connect, what, pulse }: RequestsOptions): Requests => {
  let client: PostgresClient | undefined
  const end = pulse?.onSilent(() => client?.lose(silent()))
  let last: Promise<unknown> = Promise.resolve()
  const connected = (): PostgresClient => {
    if (client === undefined || client.isEnded()) client = connect()
    return client
  }
  return {
    request: (work) => {
      const done = last.then(async () => {
        const used = connected()
        try {
          if (pulse?.isAnswering() === false) throw silent()
          return await used.inTime(work(used))
        } catch (error) {
          void used.end()
          throw used.failures.failed(error, what)
        }
      })
      last = done.catch(() => undefined)
      return done
    },
    stop: async () => {
      await last
      end?.()
      await client?.end()
    },
  }
}
