import type { PostgresClient } from './client.ts'

export interface RequestsOptions {
  /** Makes the next connection. Its time limit is the one of each request. */
  readonly connect: () => PostgresClient
  /** What the requests are for, as a noun in an error. */
  readonly what: string
}

/** Requests over one connection at a time, one after the other. A request that failed ends its connection. */
export interface Requests {
  /** Rejects with a ProblemError. The request may then have been carried out or not. */
  request<Result>(work: (client: PostgresClient) => Promise<Result>): Promise<Result>
  /** Waits for the last request, then ends the connection. Never rejects. */
  stop(): Promise<void>
}

export const createRequests = ({ connect, what }: RequestsOptions): Requests => {
  let client: PostgresClient | undefined
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
      await client?.end()
    },
  }
}
