import type { Socket } from 'node:net'
import type { Json } from '../../model/json.ts'
import { converse, type Conversation } from './conversation.ts'
import { failedRun, type RunFailure, type RunResult } from './protocol.ts'

/** What doctor tells of a resident program. */
export interface ResidentState {
  readonly pid?: number
  /** How often it was started anew. */
  readonly restarts: number
  readonly asked: number
  /** Lines that were no answer in time to a request: late, to nothing, or garbage. */
  readonly dropped: number
  /** Why it was last gone. */
  readonly lastError?: string
  /** The last 4 KiB of its stderr. */
  readonly stderr?: string
  /** 0 while it is down. */
  readonly uptimeMs: number
}

export interface ResidenceEars {
  /** The program is there, behind this socket. */
  connected(socket: Socket): void
  started(pid: number): void
  stderr(text: string): void
  ended(failure: RunFailure): void
}

export interface Residence {
  /** `lineOf` puts the request under an id. Never rejects. */
  ask(lineOf: (id: string) => string, timeoutMs: number, signal?: AbortSignal): Promise<RunResult>
  /** Nobody waits for an answer. */
  isIdle(): boolean
  state(): ResidentState
  /** Ends the program for good; whoever waits is told. */
  end(why: string): void
}

interface HookQuestion {
  readonly line: string
  isSent: boolean
  settle(result: RunResult): void
}

const backoffsMs = [0, 100, 500, 1000, 5000]
const maxLateInARow = 3
const maxQuestions = 256
const maxQuestionBytes = 16 * 1024 * 1024
const notStarted: readonly RunFailure['kind'][] = ['start', 'changed', 'folder', 'limit']

/**
 * One resident program through its lives: started at the first question, started anew when it dies. After as many tries
 * in vain as there are backoffs it waits for the next question.
 */
export const createResidence = (
  launch: (ears: ResidenceEars) => { readonly end: () => void },
  log: (what: string, why: string) => void,
): Residence => {
  const questions = new Map<string, HookQuestion>()
  let life: { sinceMs?: number; pid?: number; talk?: Conversation; end?: () => void } | undefined
  let [starts, asked, dropped, attempt, lateInARow, lastId, questionBytes] = [0, 0, 0, 0, 0, 0, 0]
  let timer: NodeJS.Timeout | undefined
  let notBeforeMs = 0
  /** It could not even be started: nobody need wait for the next try. */
  let startFailure: RunFailure | undefined
  let last: { lastError?: string; stderr?: string } = {}
  let isOver = false

  const fault = ({ kind, detail }: RunFailure, who: (question: HookQuestion) => boolean): void => {
    for (const question of questions.values()) if (who(question)) question.settle(failedRun(kind, detail))
  }

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
    fault(failure, ({ isSent }) => isSent || startFailure !== undefined)
    if (isOver) return
    log('a resident hook ended', failure.detail)
    if (questions.size > 0 || attempt <= backoffsMs.length) schedule()
  }

  const send = (question: HookQuestion, talk: Conversation): void => {
    question.isSent = true
    if (!talk.send(question.line))
      question.settle(
        failedRun(
          'host',
          'Expected the resident hook to read its requests, got too many unread; let it read its stdin while it works.',
        ),
      )
  }

  const reply = (id: string, answer: Json | undefined): boolean => {
    const question = questions.get(id)
    if (question?.isSent !== true) return false
    attempt = 0
    lateInARow = 0
    try {
      if (typeof answer !== 'object' || answer === null || Array.isArray(answer)) throw new Error('no object')
      question.settle({
        exitCode: 0,
        stdout: JSON.stringify(answer),
        stderr: '',
        isTruncated: false,
        durationMs: 0,
      })
    } catch {
      question.settle(
        failedRun(
          'garbled',
          'Expected "answer" in the reply to be what a hook prints, a JSON object, got something else; {} means no opinion.',
        ),
      )
    }
    return true
  }

  const begin = (): void => {
    timer = undefined
    const mine: NonNullable<typeof life> = {}
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
        for (const question of questions.values()) send(question, talk)
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

  const late = (question: HookQuestion): void => {
    if (!question.isSent) return
    lateInARow += 1
    if (lateInARow >= maxLateInARow)
      lose({
        kind: 'killed',
        detail: `Expected the resident hook to answer in time, got no answer ${lateInARow} times in a row; it is started anew.`,
      })
  }

  return {
    ask: (lineOf, timeoutMs, signal) => {
      asked += 1
      if (isOver) return Promise.resolve(failedRun('killed', 'The resident hook is no longer in force.'))
      if (signal?.aborted === true)
        return Promise.resolve(
          failedRun('killed', 'The hook was not asked because nobody waits for its answer any more.'),
        )
      if (life === undefined && startFailure !== undefined && performance.now() < notBeforeMs)
        return Promise.resolve(failedRun(startFailure.kind, startFailure.detail))
      const id = String(++lastId)
      const line = lineOf(id)
      if (questions.size >= maxQuestions || questionBytes + line.length > maxQuestionBytes) {
        return Promise.resolve(
          failedRun(
            'limit',
            `Expected at most ${maxQuestions} requests at a time for a resident hook, got more; make it faster.`,
          ),
        )
      }
      const { promise, resolve } = Promise.withResolvers<RunResult>()
      const startedAtMs = performance.now()
      const onAbort = (): void =>
        question.settle(failedRun('killed', 'The answer came too late: nobody waits for it any more.'))
      const expiry = setTimeout(() => {
        question.settle(
          failedRun(
            'timeout',
            `Expected an answer within ${timeoutMs} ms, got none; make the hook faster or raise its "timeout".`,
          ),
        )
        late(question)
      }, timeoutMs)
      const question: HookQuestion = {
        line,
        isSent: false,
        settle: (result) => {
          if (!questions.delete(id)) return
          clearTimeout(expiry)
          signal?.removeEventListener('abort', onAbort)
          questionBytes -= line.length
          resolve({ ...result, durationMs: performance.now() - startedAtMs })
        },
      }
      signal?.addEventListener('abort', onAbort, { once: true })
      questions.set(id, question)
      questionBytes += line.length
      if (life?.talk !== undefined) send(question, life.talk)
      else if (life === undefined) schedule()
      return promise
    },
    isIdle: () => questions.size === 0,
    state: () => ({
      ...(life?.pid === undefined ? {} : { pid: life.pid }),
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
      fault({ kind: 'killed', detail }, () => true)
      life?.talk?.close()
      life?.end?.()
      life = undefined
    },
  }
}
