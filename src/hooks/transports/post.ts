import type { Agent } from 'undici'
import { isObject } from '../../model/base/json.ts'
import { messageOf } from '../../model/gate/problem.ts'
import type { RunFailure } from '../host/protocol.ts'
import { createConnector, TargetRefused, type ConnectorPorts } from './connector.ts'

/** What a server may answer, in bytes. */
export const maxBodyBytes = 64 * 1024
/** At most this many connections to one server. */
const maxConnections = 64

export interface PostRequest {
  /** Judged already: see `urlProblem`. */
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  /** For everything together: name, connection, TLS, headers and body. */
  readonly timeoutMs: number
  readonly signal?: AbortSignal | undefined
}

/** A 2xx answer's text, whole, with its content type in small letters (empty: none was said), or why there is none. */
export type Posted =
  | { readonly text: string; readonly contentType: string }
  | { readonly failure: RunFailure }

export interface Poster {
  /** Never rejects. */
  post(request: PostRequest): Promise<Posted>
  /** Lets idle connections go; what is under way ends as it would have. */
  release(): void
  stop(): Promise<void>
}

const failed = (kind: RunFailure['kind'], detail: string): Posted => ({ failure: { kind, detail } })

/** The words of what went wrong on the way. Never the URL's own: a token may stand in it. */
const networkFailure = (host: string, error: unknown): Posted => {
  if (error instanceof TargetRefused) return failed('refused', error.message)
  // Happy eyeballs hands over one error for each address.
  const cause: unknown = error instanceof AggregateError ? error.errors[0] : error
  return failed(
    'network',
    `Expected an answer of ${host}, got none: ${messageOf(cause) || 'the connection failed'}. Check that the server runs and can be reached from here.`,
  )
}

/** A kept connection that its server closed just then, before it read a byte: worth one more try. */
const isStale = (error: unknown): boolean => {
  if (!(error instanceof Error) || !('code' in error)) return false
  if (error.code === 'ECONNRESET' || error.code === 'EPIPE') return true
  return (
    error.code === 'UND_ERR_SOCKET' &&
    'socket' in error &&
    isObject(error.socket) &&
    Number(error.socket['bytesRead']) > 0
  )
}

/** It has no such place, or does not know this gate, whatever it is sent. What else fails may fail over what was sent. */
const ownFaults: readonly number[] = [401, 404, 405, 410]
const isFailing = (status: number): boolean => status >= 400 && !ownFaults.includes(status)

const refusedStatus = (host: string, status: number): Posted => {
  const words =
    status >= 300 && status < 400 ? `${status}, a redirect, which is never followed` : String(status)
  return failed(
    isFailing(status) ? 'network' : 'output',
    `Expected ${host} to answer with a status from 200 to 299, got ${words}.`,
  )
}

const first = (header: string | string[] | undefined): string =>
  (Array.isArray(header) ? header[0] : header)?.toLowerCase() ?? ''

/** POSTs over guarded, kept connections. undici is loaded when the first one is wanted. No proxy, no redirect, HTTP/1.1. */
export const createPoster = (ports: ConnectorPorts): Poster => {
  let made: Promise<Agent> | undefined
  const agent = (): Promise<Agent> => {
    made ??= import('undici').then(
      ({ Agent }) =>
        new Agent({
          // Time is kept by one clock, that of `post`.
          connect: createConnector(ports),
          connections: maxConnections,
          pipelining: 1,
          headersTimeout: 0,
          bodyTimeout: 0,
        }),
    )
    return made
  }

  const exchange = async ({ url, headers, body }: PostRequest, signal: AbortSignal): Promise<Posted> => {
    const { origin, host, pathname, search } = new URL(url)
    const send = async () =>
      (await agent()).request({ origin, path: pathname + search, method: 'POST', headers, body, signal })
    const response = await send().catch((error: unknown) => {
      if (signal.aborted || !isStale(error)) throw error
      return send()
    })
    response.body.on('error', () => undefined)
    const give = (posted: Posted): Posted => {
      response.body.destroy()
      return posted
    }
    if (response.statusCode < 200 || response.statusCode > 299)
      return give(refusedStatus(host, response.statusCode))
    const encoding = first(response.headers['content-encoding'])
    if (encoding !== '' && encoding !== 'identity')
      return give(
        failed(
          'output',
          `Expected ${host} to answer with plain text, got it packed, though that was not asked for.`,
        ),
      )
    const chunks: Buffer[] = []
    let bytes = 0
    for await (const chunk of response.body) {
      bytes += (chunk as Buffer).length
      if (bytes > maxBodyBytes)
        return give(
          failed('limit', `Expected ${host} to answer with at most ${maxBodyBytes / 1024} KiB, got more.`),
        )
      chunks.push(chunk as Buffer)
    }
    return {
      text: Buffer.concat(chunks).toString('utf8'),
      contentType: first(response.headers['content-type']),
    }
  }

  return {
    post: async (request) => {
      const { url, timeoutMs, signal } = request
      const { host } = new URL(url)
      const abort = new AbortController()
      const { promise: ended, resolve: end } = Promise.withResolvers<Posted>()
      const timer = setTimeout(
        () =>
          end(
            failed(
              'timeout',
              `Expected ${host} to answer within ${Math.round(timeoutMs)} ms, got no whole answer; make it faster or raise the hook's "timeout".`,
            ),
          ),
        timeoutMs,
      )
      const cancel = (): void =>
        end(failed('killed', 'The hook was stopped because nobody waits for its answer any more.'))
      signal?.addEventListener('abort', cancel, { once: true })
      if (signal?.aborted === true) cancel()
      let isAnswered = false
      const answered =
        signal?.aborted === true
          ? ended
          : exchange(request, abort.signal)
              .catch((error: unknown) => networkFailure(host, error))
              .finally(() => {
                isAnswered = true
              })
      // undici hears of an abort only once it is connected: the clock cannot wait for it.
      const posted = await Promise.race([ended, answered])
      clearTimeout(timer)
      signal?.removeEventListener('abort', cancel)
      if (!isAnswered) abort.abort()
      return posted
    },
    release: () => {
      const old = made
      made = undefined
      void old?.then((agent) => agent.close()).catch(() => undefined)
    },
    stop: async () => {
      const old = made
      made = undefined
      await old?.then((agent) => agent.destroy()).catch(() => undefined)
    },
  }
}
