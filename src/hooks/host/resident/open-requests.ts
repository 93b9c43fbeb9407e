import { isObject, type Json } from '../../../model/base/json.ts'
import { answeredRun, failedRun, type RunFailure, type RunResult } from '../protocol.ts'

/** One request to a resident program, until it is answered or its time is up. */
export interface OpenRequest {
  readonly line: string
  isSent: boolean
  /** Only the first call has an effect. */
  settle(result: RunResult): void
}

/** The requests to one resident program that wait for an answer, bounded in number and bytes. */
export interface OpenRequests {
  /** `lineOf` builds the line with the given id. Undefined: too many requests wait. */
  open(
    lineOf: (id: string) => string,
    timeoutMs: number,
  ): { readonly request: OpenRequest; readonly result: Promise<RunResult> } | undefined
  all(): Iterable<OpenRequest>
  count(): number
  /** Takes the program's answer. False: no request waits for an answer with that id. */
  answer(id: string, answer: Json | undefined): boolean
  /** Settles the requests for which `isMeant` is true. */
  fail(failure: RunFailure, isMeant: (request: OpenRequest) => boolean): void
}

export const maxRequests = 256
const maxRequestBytes = 16 * 1024 * 1024

const resultOf = (answer: Json | undefined): RunResult =>
  isObject(answer)
    ? answeredRun(answer)
    : failedRun(
        'garbled',
        'Expected "answer" in the reply to be the JSON object that a hook prints, got something else; {} means no opinion.',
      )

/** `late` is called for each request whose time ran out before its answer came. */
export const createOpenRequests = (late: (request: OpenRequest) => void): OpenRequests => {
  const requests = new Map<string, OpenRequest>()
  let bytes = 0
  let lastId = 0

  return {
    open: (lineOf, timeoutMs) => {
      const id = String(++lastId)
      const line = lineOf(id)
      if (requests.size >= maxRequests || bytes + line.length > maxRequestBytes) return undefined
      const { promise, resolve } = Promise.withResolvers<RunResult>()
      const startedAtMs = performance.now()
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
          bytes -= line.length
          resolve({ ...result, durationMs: performance.now() - startedAtMs })
        },
      }
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
