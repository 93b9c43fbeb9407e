import { secondsWords } from '../../shared/base/duration.ts'
import type { RunFailure } from '../../core/model/hooks/run-result.ts'
import type { Agent, Dispatcher } from 'undici'
import { isObject } from '../../core/model/base/json.ts'
import { messageOf } from '../../core/model/gate/problem.ts'
import { createConnector, TargetRefused, type ConnectorPorts } from './connector.ts'

/** The largest answer of a server, in bytes. */
export const maxBodyBytes = 64 * 1024
/** At most this many connections to one server. */
const maxConnections = 64

export interface PostRequest {
  /** A URL that `urlProblem` has accepted. */
  readonly url: string
  /** What is sent beside the headers of JSON. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  /** The time limit of the name lookup, connection, TLS, headers and body together. */
  readonly timeoutMs: number
  readonly signal?: AbortSignal | undefined
}

/**
 * The whole text of a 2xx answer with its content type in lower case (empty: none was sent), or the failure.
 */
export type PostResult =
  | { readonly text: string; readonly contentType: string }
  | { readonly failure: RunFailure }

export interface Poster {
  /** Never rejects. */
  post(request: PostRequest): Promise<PostResult>
  /** Closes idle connections. Requests in progress are not affected. */
  release(): void
  stop(): Promise<void>
}

const jsonHeaders = {
  'content-type': 'application/json',
  accept: 'application/json',
  'user-agent': 'hookgate',
}
const over = new Error('Nobody waits for this answer any more.')

/** Describes a network error. The text never contains the URL, because a token may be in it. */
const networkFailure = (host: string, error: unknown): RunFailure => {
  if (error instanceof TargetRefused) return { kind: 'refused', detail: error.message }
  // Happy eyeballs reports one error for each address.
  const cause: unknown = error instanceof AggregateError ? error.errors[0] : error
  return {
    kind: 'network',
    detail: `${host} did not answer (${messageOf(cause) || 'the connection failed'}). Check that the server runs and can be reached from here.`,
  }
}

/**
 * True when the server closed a kept connection before it read a byte. Then the request is sent once more.
 */
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

/**
 * Statuses that do not depend on the request's content: the path does not exist, or the gate is not
 * authorized. Another error may be caused by the content.
 */
const ownFaults: readonly number[] = [401, 404, 405, 410]
const isFailing = (status: number): boolean => status >= 400 && !ownFaults.includes(status)

const statusFailure = (host: string, status: number): RunFailure => {
  const words =
    status >= 300 && status < 400 ? `${status}, a redirect, which is never followed` : String(status)
  return {
    kind: isFailing(status) ? 'network' : 'output',
    detail: `${host} answered with the status ${words}. Look at the log of that server: an answer has 200 to 299.`,
  }
}

const first = (header: string | string[] | undefined): string =>
  (Array.isArray(header) ? header[0] : header)?.toLowerCase() ?? ''

/**
 * Sends POST requests over checked, kept connections. undici is loaded at the first request. No proxy, no
 * redirect, HTTP/1.1.
 */
export const createPoster = (ports: ConnectorPorts): Poster => {
  let made: Promise<Agent> | undefined
  const agent = (): Promise<Agent> => {
    made ??= import('undici').then(
      ({ Agent }) =>
        new Agent({
          // Only the timer of `post` limits the time.
          connect: createConnector(ports),
          connections: maxConnections,
          pipelining: 1,
          headersTimeout: 0,
          bodyTimeout: 0,
        }),
    )
    return made
  }

  const drop = async (how: 'close' | 'destroy'): Promise<void> => {
    const old = made
    made = undefined
    await old?.then((agent) => agent[how]()).catch(() => undefined)
  }

  return {
    post: async ({ url, headers, body, timeoutMs, signal }) => {
      const { origin, host, pathname, search } = new URL(url)
      const { promise, resolve } = Promise.withResolvers<PostResult>()
      let isOver = false
      let controller: Dispatcher.DispatchController | undefined
      const end = (posted: PostResult): void => {
        isOver = true
        clearTimeout(timer)
        signal?.removeEventListener('abort', cancel)
        resolve(posted)
      }
      const fail = (failure: RunFailure): void => {
        end({ failure })
        // An answer that is on its way ends with its connection.
        controller?.abort(over)
      }
      const late = (): void =>
        fail({
          kind: 'timeout',
          detail: `${host} did not answer within ${secondsWords(timeoutMs)}. Make it faster, or raise the "timeout" of the hook.`,
        })
      const cancel = (): void =>
        fail({
          kind: 'killed',
          detail: 'The hook was stopped, because the caller stopped waiting for its answer.',
        })
      // undici ends a request only after it is connected, so the timer does not wait for it.
      const timer = setTimeout(late, timeoutMs)
      signal?.addEventListener('abort', cancel, { once: true })
      if (signal?.aborted === true) cancel()

      const send = (to: Agent, isAgain: boolean): void => {
        const chunks: Buffer[] = []
        let bytes = 0
        let contentType: string | undefined
        to.dispatch(
          { origin, path: pathname + search, method: 'POST', headers: { ...jsonHeaders, ...headers }, body },
          {
            onRequestStart: (started) => {
              controller = started
              if (isOver) started.abort(over)
            },
            onResponseStart: (_, status, { 'content-encoding': encoding, 'content-type': type }) => {
              if (status < 200) return
              contentType = first(type)
              if (status > 299) fail(statusFailure(host, status))
              else if (!['', 'identity'].includes(first(encoding)))
                fail({
                  kind: 'output',
                  detail: `${host} answered with compressed text, which was not requested. Let it answer with plain text.`,
                })
            },
            onResponseData: (_, chunk) => {
              bytes += chunk.length
              if (bytes <= maxBodyBytes) return void chunks.push(chunk)
              fail({
                kind: 'limit',
                detail: `${host} answered with more than ${maxBodyBytes / 1024} KiB. An answer is one small JSON object.`,
              })
            },
            onResponseEnd: () =>
              end({ text: Buffer.concat(chunks).toString('utf8'), contentType: contentType ?? '' }),
            onResponseError: (_, error) => {
              if (contentType !== undefined || isAgain || isOver || !isStale(error))
                return fail(networkFailure(host, error))
              // undici still counts the lost connection as busy now.
              queueMicrotask(() => send(to, true))
            },
          },
        )
      }
      try {
        if (!isOver) send(await agent(), false)
      } catch (error) {
        fail(networkFailure(host, error))
      }
      return promise
    },
    release: () => void drop('close'),
    stop: () => drop('destroy'),
  }
}
