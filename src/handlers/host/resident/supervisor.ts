import { secondsWords } from '../../../shared/base/duration.ts'
import type { RunFailure, RunResult } from '../../../core/model/hooks/run-result.ts'
import type { Socket } from 'node:net'
import { isObject } from '../../../core/model/base/json.ts'
import { answeredRun, failedRun, type ResidentListener } from '../protocol.ts'
import { converse, type ConversationListener, type Send } from './conversation.ts'

/** The state of a resident program, for doctor. */
export interface ResidentState {
  readonly pid?: number
  /** The number of restarts. */
  readonly restarts: number
  readonly asked: number
  /** Lines that did not answer a request in time: late answers, answers without a request, and garbage. */
  readonly dropped: number
  /** The reason why it last ended. */
  readonly lastError?: string
  /** The last 4 KiB of its stderr. */
  readonly stderr?: string
  /** 0 while it is down. */
  readonly uptimeMs: number
}

export interface ConnectedListener extends ResidentListener {
  /** The program has connected over this socket. */
  connected(socket: Socket): void
}

export interface ResidentSupervisor {
  /** `lineOf` builds the request's line with the given id. Never rejects. */
  ask(lineOf: (id: string) => string, timeoutMs: number): Promise<RunResult>
  /** True when no request waits for an answer. */
  isIdle(): boolean
  state(): ResidentState
  /** Ends the program for good. Waiting requests fail with this reason. */
  end(why: string): void
}

/** One run of the program, from its start to its end. */
interface ResidentLife {
  /** Ends the program and the conversation with it. */
  readonly end: AbortController
  sinceMs?: number
  pid?: number
  send?: Send
}

/** One request, until it is answered or its time is up. */
interface OpenRequest {
  readonly line: string
  readonly askedAtMs: number
  readonly timeoutMs: number
  readonly resolve: (result: RunResult) => void
  isSent: boolean
}

const maxRequests = 256
const maxRequestBytes = 16 * 1024 * 1024
const backoffsMs = [0, 100, 500, 1000, 5000]
const maxLateInARow = 3
const notStarted: readonly RunFailure['kind'][] = ['start', 'changed', 'folder', 'limit']

const details = {
  over: 'The resident hook is no longer in force.',
  unread: 'Too many requests wait, because it does not read them. Make it read its stdin while it works.',
  garbled: 'The "answer" in its reply is not the JSON object that a hook prints. Write {} for no opinion.',
  late: (timeoutMs: number) =>
    `It did not answer within ${secondsWords(timeoutMs)}. Make it faster, or raise its "timeout".`,
  silent: `It did not answer in time ${maxLateInARow} times in a row, so it is started again. Make it faster.`,
  crowded: `More than ${maxRequests} requests wait for it. Make it faster.`,
}

/** One timer for all requests. It rings once for each time that was set, or for several together. */
const createAlarm = (ring: () => void) => {
  let next: { readonly timer: NodeJS.Timeout; readonly atMs: number } | undefined
  const rung = (): void => {
    next = undefined
    ring()
  }
  return {
    set: (atMs: number): void => {
      if (next !== undefined && next.atMs <= atMs) return
      clearTimeout(next?.timer)
      // After a hold-up of this process its timers run before it reads the answers that came meanwhile.
      next = { atMs, timer: setTimeout(setImmediate, Math.max(0, atMs - performance.now()), rung) }
    },
    stop: () => clearTimeout(next?.timer),
  }
}

/**
 * Keeps one resident program: it is started at the first request and restarted when it dies. After as many
 * failed starts as there are backoffs, it waits for the next request.
 */
export const createResidentSupervisor = (
  launch: (listener: ConnectedListener, signal: AbortSignal) => void,
  log: (what: string, why: string) => void,
): ResidentSupervisor => {
  /** The requests that wait for an answer, by id. */
  const requests = new Map<string, OpenRequest>()
  let life: ResidentLife | undefined
  let [starts, asked, dropped, attempt, lateInARow, openBytes] = [0, 0, 0, 0, 0, 0]
  let timer: NodeJS.Timeout | undefined
  let notBeforeMs = 0
  /** Set when the program could not start: requests fail at once and do not wait for the next try. */
  let startFailure: RunFailure | undefined
  let last: { lastError?: string; stderr?: string } = {}
  let isOver = false

  const settle = (id: string, { line, askedAtMs, resolve }: OpenRequest, result: RunResult): void => {
    requests.delete(id)
    openBytes -= line.length
    resolve({ ...result, durationMs: performance.now() - askedAtMs })
  }
  const failAll = ({ kind, detail }: RunFailure, isMeant: (request: OpenRequest) => boolean): void => {
    for (const [id, request] of requests) if (isMeant(request)) settle(id, request, failedRun(kind, detail))
  }
  const ask = (id: string, request: OpenRequest, send: Send): void => {
    request.isSent = true
    if (!send(request.line)) settle(id, request, failedRun('host', details.unread))
  }

  const alarm = createAlarm(() => {
    const nowMs = performance.now()
    for (const [id, request] of requests) {
      const { askedAtMs, timeoutMs, isSent } = request
      if (askedAtMs + timeoutMs > nowMs) {
        alarm.set(askedAtMs + timeoutMs)
        continue
      }
      settle(id, request, failedRun('timeout', details.late(timeoutMs)))
      if (isSent) lateInARow += 1
      if (lateInARow >= maxLateInARow) lose({ kind: 'killed', detail: details.silent })
    }
  })

  const schedule = (): void => {
    timer ??= setTimeout(begin, Math.max(0, notBeforeMs - performance.now()))
  }

  const lose = (failure: RunFailure): void => {
    const ending = life
    life = undefined
    ending?.end.abort()
    last = { ...last, lastError: failure.detail }
    lateInARow = 0
    startFailure = notStarted.includes(failure.kind) ? failure : undefined
    notBeforeMs = performance.now() + (backoffsMs[Math.min(attempt, backoffsMs.length - 1)] ?? 0)
    attempt += 1
    failAll(failure, ({ isSent }) => isSent || startFailure !== undefined)
    if (isOver) return
    log('a resident hook ended', failure.detail)
    if (requests.size > 0 || attempt <= backoffsMs.length) schedule()
  }

  const reply: ConversationListener['reply'] = (id = '', answer) => {
    const request = requests.get(id)
    if (request?.isSent !== true) {
      dropped += 1
      return false
    }
    attempt = 0
    lateInARow = 0
    settle(id, request, isObject(answer) ? answeredRun(answer) : failedRun('garbled', details.garbled))
    return true
  }

  const begin = (): void => {
    timer = undefined
    const mine: ResidentLife = { end: new AbortController() }
    const { signal } = mine.end
    life = mine
    starts += 1
    const ended = (failure: RunFailure): void => {
      if (life === mine) lose(failure)
    }
    launch(
      {
        connected: (socket) => {
          mine.sinceMs = performance.now()
          const broken = (detail: string): void => ended({ kind: 'killed', detail })
          mine.send = converse(socket, { reply, broken }, signal)
          for (const [id, request] of requests) ask(id, request, mine.send)
        },
        started: (pid) => (mine.pid = pid),
        stderr: (stderr) => (last = { ...last, stderr }),
        ended,
      },
      signal,
    )
  }

  return {
    ask: (lineOf, timeoutMs) => {
      asked += 1
      if (isOver) return Promise.resolve(failedRun('killed', details.over))
      if (life === undefined && startFailure !== undefined && performance.now() < notBeforeMs)
        return Promise.resolve(failedRun(startFailure.kind, startFailure.detail))
      const id = String(asked)
      const line = lineOf(id)
      if (requests.size >= maxRequests || openBytes + line.length > maxRequestBytes)
        return Promise.resolve(failedRun('limit', details.crowded))
      const { promise, resolve } = Promise.withResolvers<RunResult>()
      const request: OpenRequest = { line, askedAtMs: performance.now(), timeoutMs, resolve, isSent: false }
      requests.set(id, request)
      openBytes += line.length
      alarm.set(request.askedAtMs + timeoutMs)
      if (life?.send !== undefined) ask(id, request, life.send)
      else if (life === undefined) schedule()
      return promise
    },
    isIdle: () => requests.size === 0,
    state: () => ({
      pid: life?.pid,
      restarts: Math.max(0, starts - 1),
      asked,
      dropped,
      ...last,
      uptimeMs: life?.sinceMs === undefined ? 0 : performance.now() - life.sinceMs,
    }),
    end: (detail) => {
      if (isOver) return
      isOver = true
      clearTimeout(timer)
      alarm.stop()
      failAll({ kind: 'killed', detail }, () => true)
      life?.end.abort()
      life = undefined
    },
  }
}
