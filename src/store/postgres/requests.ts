import { createClient, type PostgresClient } from './client.ts'

export interface RequestsOptions {
  /** The address of the database with its password. It is never logged. */
  readonly url: string
  /** The time limit for one request, in milliseconds. */
  readonly deadlineMs: number
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

export const createRequests = ({ url, deadlineMs, what }: RequestsOptions): Requests => {
  let client: PostgresClient | undefined
  let last: Promise<unknown> = Promise.resolve()
  const connected = (): PostgresClient => {
    if (client === undefined || client.isEnded()) client = createClient(url, deadlineMs)
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
