import type { Socket } from 'node:net'
import { converse, type Conversation } from './conversation.ts'
import { createOpenRequests, maxRequests, type OpenRequest } from './open-requests.ts'
import { failedRun, type RunFailure, type RunResult } from '../protocol.ts'

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

export interface ResidenceListener {
  /** The program has connected over this socket. */
  connected(socket: Socket): void
  started(pid: number): void
  stderr(text: string): void
  ended(failure: RunFailure): void
}

export interface Residence {
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
  sinceMs?: number
  pid?: number
  talk?: Conversation
  end?: () => void
}

const backoffsMs = [0, 100, 500, 1000, 5000]
const maxLateInARow = 3
const notStarted: readonly RunFailure['kind'][] = ['start', 'changed', 'folder', 'limit']

const details = {
  over: 'The resident hook is no longer in force.',
  unread:
    'Expected the resident hook to read its requests, but too many are unread; make it read its stdin while it works.',
  crowded: `Expected at most ${maxRequests} requests at a time for a resident hook, got more; make it faster.`,
}

const send = (request: OpenRequest, talk: Conversation): void => {
  request.isSent = true
  if (!talk.send(request.line)) request.settle(failedRun('host', details.unread))
}

/**
 * Keeps one resident program: it is started at the first request and restarted when it dies. After as many
 * failed starts as there are backoffs, it waits for the next request.
 */
export const createResidence = (
  launch: (listener: ResidenceListener) => { readonly end: () => void },
  log: (what: string, why: string) => void,
): Residence => {
  let life: ResidentLife | undefined
  let [starts, asked, dropped, attempt, lateInARow] = [0, 0, 0, 0, 0]
  let timer: NodeJS.Timeout | undefined
  let notBeforeMs = 0
  /** Set when the program could not start: requests fail at once and do not wait for the next try. */
  let startFailure: RunFailure | undefined
  let last: { lastError?: string; stderr?: string } = {}
  let isOver = false

  const requests = createOpenRequests(({ isSent }) => {
    if (!isSent) return
    lateInARow += 1
    if (lateInARow >= maxLateInARow)
      lose({
        kind: 'killed',
        detail: `Expected the resident hook to answer in time, got no answer ${lateInARow} times in a row; it is restarted.`,
      })
  })

  const schedule = (): void => {
    timer ??= setTimeout(begin, Math.max(0, notBeforeMs - performance.now()))
  }

  const lose = (failure: RunFailure): void => {
    const ending = life
    life = undefined
    ending?.talk?.close()
    ending?.end?.()
    last = { ...last, lastError: failure.detail }
    lateInARow = 0
    startFailure = notStarted.includes(failure.kind) ? failure : undefined
    notBeforeMs = performance.now() + (backoffsMs[Math.min(attempt, backoffsMs.length - 1)] ?? 0)
    attempt += 1
    requests.fail(failure, ({ isSent }) => isSent || startFailure !== undefined)
    if (isOver) return
    log('a resident hook ended', failure.detail)
    if (requests.count() > 0 || attempt <= backoffsMs.length) schedule()
  }

  const reply: typeof requests.answer = (id, answer) => {
    if (!requests.answer(id, answer)) return false
    attempt = 0
    lateInARow = 0
    return true
  }

  const begin = (): void => {
    timer = undefined
    const mine: ResidentLife = {}
    life = mine
    starts += 1
    const isMine = (): boolean => life === mine
    const broken = (detail: string): void => {
      if (isMine()) lose({ kind: 'killed', detail })
    }
    const { end } = launch({
      connected: (socket) => {
        if (!isMine()) return void socket.destroy()
        mine.sinceMs = performance.now()
        const talk = converse(socket, { reply, broken, dropped: () => (dropped += 1) })
        mine.talk = talk
        for (const request of requests.all()) send(request, talk)
      },
      started: (pid) => (mine.pid = pid),
      stderr: (stderr) => (last = { ...last, stderr }),
      ended: (failure) => {
        if (isMine()) lose(failure)
      },
    })
    mine.end = end
    if (!isMine()) end()
  }

  return {
    ask: (lineOf, timeoutMs) => {
      asked += 1
      if (isOver) return Promise.resolve(failedRun('killed', details.over))
      if (life === undefined && startFailure !== undefined && performance.now() < notBeforeMs)
        return Promise.resolve(failedRun(startFailure.kind, startFailure.detail))
      const opened = requests.open(lineOf, timeoutMs)
      if (opened === undefined) return Promise.resolve(failedRun('limit', details.crowded))
      if (life?.talk !== undefined) send(opened.request, life.talk)
      else if (life === undefined) schedule()
      return opened.result
    },
    isIdle: () => requests.count() === 0,
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
      requests.fail({ kind: 'killed', detail }, () => true)
      life?.talk?.close()
      life?.end?.()
      life = undefined
    },
  }
}
