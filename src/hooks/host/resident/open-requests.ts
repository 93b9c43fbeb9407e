import type { Json } from '../../../model/base/json.ts'
import { failedRun, type RunFailure, type RunResult } from '../protocol.ts'

/** One request to a resident program, until it is answered or its time is over. */
export interface OpenRequest {
  readonly line: string
  isSent: boolean
  /** Counts once. */
  settle(result: RunResult): void
}

/** The requests to one resident program that wait for an answer, bounded in number and bytes. */
export interface OpenRequests {
  /** `lineOf` puts it under an id. Undefined: too many wait. */
  open(
    lineOf: (id: string) => string,
    timeoutMs: number,
    signal: AbortSignal | undefined,
  ): { readonly request: OpenRequest; readonly result: Promise<RunResult> } | undefined
  all(): Iterable<OpenRequest>
  count(): number
  /** The program answered. False: nobody waits for an answer to that id. */
  answer(id: string, answer: Json | undefined): boolean
  /** Settles those that are meant. */
  fail(failure: RunFailure, isMeant: (request: OpenRequest) => boolean): void
}

export const maxRequests = 256
const maxRequestBytes = 16 * 1024 * 1024

const garbled = (): RunResult =>
  failedRun(
    'garbled',
    'Expected "answer" in the reply to be what a hook prints, a JSON object, got something else; {} means no opinion.',
  )

const resultOf = (answer: Json | undefined): RunResult => {
  if (typeof answer !== 'object' || answer === null || Array.isArray(answer)) return garbled()
  try {
    return { exitCode: 0, stdout: JSON.stringify(answer), stderr: '', isTruncated: false, durationMs: 0 }
  } catch {
    // It is nested too deep.
    return garbled()
  }
}

/** `late` hears of each request whose time was over before its answer came. */
export const createOpenRequests = (late: (request: OpenRequest) => void): OpenRequests => {
  const requests = new Map<string, OpenRequest>()
  let bytes = 0
  let lastId = 0

  return {
    open: (lineOf, timeoutMs, signal) => {
      const id = String(++lastId)
      const line = lineOf(id)
      if (requests.size >= maxRequests || bytes + line.length > maxRequestBytes) return undefined
      const { promise, resolve } = Promise.withResolvers<RunResult>()
      const startedAtMs = performance.now()
      const onAbort = (): void =>
        request.settle(failedRun('killed', 'The answer came too late: nobody waits for it any more.'))
      const expiry = setTimeout(() => {
        request.settle(
          failedRun(
            'timeout',
            `Expected an answer within ${timeoutMs} ms, got none; make the hook faster or raise its "timeout".`,
          ),
        )
        late(request)
      }, timeoutMs)
      const request: OpenRequest = {
        line,
        isSent: false,
        settle: (result) => {
          if (!requests.delete(id)) return
          clearTimeout(expiry)
          signal?.removeEventListener('abort', onAbort)
          bytes -= line.length
          resolve({ ...result, durationMs: performance.now() - startedAtMs })
        },
      }
      signal?.addEventListener('abort', onAbort, { once: true })
      requests.set(id, request)
      bytes += line.length
      return { request, result: promise }
    },
    all: () => requests.values(),
    count: () => requests.size,
    answer: (id, answer) => {
      const request = requests.get(id)
      if (request?.isSent !== true) return false
      request.settle(resultOf(answer))
      return true
    },
    fail: ({ kind, detail }, isMeant) => {
      for (const request of requests.values()) if (isMeant(request)) request.settle(failedRun(kind, detail))
    },
  }
}
