import {
  questionMark,
  type Ending,
  type Question,
  type Resume,
  type Speaker,
  type Word,
} from '../model/permission.ts'
import type { Board } from './board.ts'
import { createKept } from './kept.ts'

/** All arguments of one agent's waiting questions together, in UTF-16 units. */
export const maxWaitingUnits = 16_000_000
/** How many that are over are remembered, for whoever answers late. */
const maxEnded = 1000
/** Of one agent, at once, and so long. */
const maxParked = 32
const parkedMs = 24 * 60 * 60_000

export interface QuestionsPorts {
  /** Shows it to every owner. */
  readonly show: (question: Question) => Board
  hasOwners(): boolean
  isOwner(id: string): boolean
  /** It ended while nobody waited for that. */
  ended(question: Question, ending: Ending): void
  newId(): string
  /** The returned function takes it back. */
  after(delayMs: number, run: () => void): () => void
  now(): number
}

/** What is asked: `digest` and `units` are of the canonical arguments. */
export interface Asked extends Omit<Question, 'key' | 'parked'> {
  readonly digest: string
  readonly units: number
  readonly resume?: Resume
}

/** `parked`: the caller has to go without an answer, and may come again. */
export type Ended = Ending | { readonly kind: 'parked' }

interface Waiting {
  question: Question
  readonly units: number
  readonly board: Board
  readonly resume: Resume | undefined
  /** The one call that comes again, with exactly these arguments. */
  readonly mark: string | undefined
  /** Since it was parked first: when it is a no. */
  lastMs?: number
  cancel?: () => void
  /** To whoever waits. Absent: it is parked. */
  tell?: (ended: Ended) => void
}

const markOf = (digest: string, resume: Resume | undefined): string | undefined =>
  resume === undefined ? undefined : `${digest} ${resume.call}`

/** The questions that wait for a person. In memory: when the gate dies, its callers have no answer, and that is a no. */
export const createQuestions = (ports: QuestionsPorts) => {
  const waiting = new Map<string, Waiting>()
  const ended = new Map<string, Ending>()
  const kept = createKept(ports)
  const of = (caller: string, isParked: boolean): readonly Waiting[] =>
    [...waiting.values()].filter(
      ({ question, tell }) => question.caller === caller && (tell === undefined) === isParked,
    )
  const unitsOf = (caller: string, isParked: boolean): number =>
    of(caller, isParked).reduce((sum, { units }) => sum + units, 0)

  const note = (key: string, ending: Ending): void => {
    ended.set(key, ending)
    const oldest = ended.size > maxEnded ? ended.keys().next().value : undefined
    if (oldest !== undefined) ended.delete(oldest)
  }

  const end = (one: Waiting, ending: Ending, speaker?: Speaker): void => {
    const { question, board, mark, tell } = one
    if (!waiting.delete(question.key)) return
    one.cancel?.()
    note(question.key, ending)
    board.end(ending, speaker)
    if (tell !== undefined) return tell(ending)
    if (mark !== undefined) kept.keep(mark, ending)
    ports.ended(question, ending)
  }

  const hasRoom = ({ question: { caller }, units }: Waiting): boolean =>
    of(caller, true).length < maxParked && unitsOf(caller, true) + units <= maxWaitingUnits

  /** Its caller goes; an owner can still answer. */
  const park = (one: Waiting, otherwise: Ending): void => {
    const { resume, tell } = one
    const lastMs = one.lastMs ?? ports.now() + parkedMs
    if (resume === undefined || lastMs <= ports.now() || !hasRoom(one)) return end(one, otherwise)
    one.lastMs = lastMs
    one.cancel?.()
    delete one.tell
    one.question = { ...one.question, untilMs: lastMs, parked: resume }
    one.cancel = ports.after(lastMs - ports.now(), () => end(one, { kind: 'expired' }))
    one.board.change(one.question)
    tell?.({ kind: 'parked' })
  }

  const wait = (one: Waiting, signal: AbortSignal | undefined): Promise<Ended> => {
    const { promise, resolve } = Promise.withResolvers<Ended>()
    // Who was parked once and goes away unanswered may come once more.
    const gone = (): void =>
      one.lastMs === undefined ? end(one, { kind: 'gone' }) : park(one, { kind: 'gone' })
    const cancel = ports.after(Math.max(0, one.question.untilMs - ports.now()), () =>
      park(one, { kind: 'expired' }),
    )
    signal?.addEventListener('abort', gone, { once: true })
    one.cancel = () => {
      cancel()
      signal?.removeEventListener('abort', gone)
    }
    one.tell = resolve
    return promise
  }

  /** The same call is there again. */
  const unpark = (one: Waiting, untilMs: number, signal: AbortSignal | undefined): Promise<Ended> => {
    const { parked: _, ...question } = one.question
    one.cancel?.()
    one.question = { ...question, untilMs: Math.min(untilMs, one.lastMs ?? untilMs) }
    const answer = wait(one, signal)
    one.board.change(one.question)
    return answer
  }

  return {
    /** Resolves when it is over, one way or another, or parked. Never rejects. */
    ask: ({ digest, units, resume, ...asked }: Asked, signal?: AbortSignal): Promise<Ended> => {
      if (signal?.aborted === true) return Promise.resolve({ kind: 'gone' })
      if (asked.untilMs <= ports.now()) return Promise.resolve({ kind: 'expired' })
      const mark = markOf(digest, resume)
      const said = mark === undefined ? undefined : kept.take(mark)
      if (said !== undefined) return Promise.resolve(said)
      if (!ports.hasOwners()) return Promise.resolve({ kind: 'nobody' })
      if (unitsOf(asked.caller, false) + units > maxWaitingUnits) return Promise.resolve({ kind: 'full' })
      const parked = mark === undefined ? undefined : of(asked.caller, true).find((one) => one.mark === mark)
      if (parked !== undefined) return unpark(parked, asked.untilMs, signal)
      const question: Question = { ...asked, key: `${questionMark}${ports.newId()} ${digest}` }
      const one: Waiting = { question, units, board: ports.show(question), resume, mark }
      waiting.set(question.key, one)
      return wait(one, signal)
    },

    /** An owner's word. `isYours`: it counted; else how the question had ended before. Undefined: there was none. */
    answer: (
      key: string,
      word: Word,
      speaker: Speaker,
    ): { readonly ending: Ending; readonly question?: Question; readonly isYours: boolean } | undefined => {
      const found = waiting.get(key)
      const before = ended.get(key)
      if (found === undefined) return before === undefined ? undefined : { ending: before, isYours: false }
      const ending: Ending = { ...word, by: speaker.owner }
      end(found, ending, speaker)
      return { ending, question: found.question, isYours: true }
    },

    waiting: (): readonly Question[] => [...waiting.values()].map(({ question }) => question),
    /** Shows one once more, in one chat. */
    showAgain: (key: string, address: Speaker['address']): void => waiting.get(key)?.board.showAgain(address),
    /** What is parked waits for the session to begin again. */
    endSession: (caller: string, sessionId: string): void => {
      for (const one of of(caller, false))
        if (one.question.session_id === sessionId) end(one, { kind: 'gone' })
    },
    stop: (): void => {
      for (const one of waiting.values()) end(one, { kind: 'stopped' })
    },
  }
}
