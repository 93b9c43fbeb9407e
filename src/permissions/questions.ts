import { createBoundedMap } from '../model/base/bounded-map.ts'
import type { Prose } from '../model/chat/prose.ts'
import {
  questionMark,
  type Ending,
  type Question,
  type Resume,
  type OwnerSpeaking,
  type PersonAnswer,
} from '../model/gate/permission.ts'
import type { AskedCall } from '../model/gate/person.ts'
import { createParkedAnswers } from './parked-answers.ts'
import type { QuestionCards } from './question-cards.ts'

/** The arguments of all questions of one agent that wait may have this length together, in UTF-16 units. */
export const maxWaitingUnits = 16_000_000
/** So many ended questions are remembered, so that a late answer can be told how they ended. */
const maxEnded = 1000
/** One agent may have so many parked questions at once. */
const maxParked = 32
/** A parked question waits so long for an answer. */
const parkedMs = 24 * 60 * 60_000

export interface QuestionsPorts {
  /** Shows the question to everybody who may answer it. */
  readonly show: (question: Question) => QuestionCards
  /** True when there is somebody who may answer. */
  hasPeople(asked: AskedCall): boolean
  /** The person's role lets them answer for this call, at this moment. */
  mayAnswer(id: string, asked: AskedCall): boolean
  /** A question ended while its caller was away. */
  ended(question: Question, ending: Ending): void
  newId(): string
  /** The returned function cancels it. */
  after(delayMs: number, run: () => void): () => void
  /** For what is shown. */
  now(): number
  /** For how long a question waits, by a clock that nobody can set. */
  elapsedMs(): number
}

/**
 * A new question. `digest` and `units` are those of the canonical arguments, and `endsAtMs` is the time by
 * the clock that nobody can set at which it counts as a no.
 */
export interface NewQuestion extends Omit<Question, 'key' | 'parked' | 'untilMs'> {
  readonly endsAtMs: number
  readonly digest: string
  readonly units: number
  readonly resume?: Resume
}

/** `parked`: the caller has to leave without an answer, and may come again. */
export type Ended = Ending | { readonly kind: 'parked' }

interface WaitingQuestion {
  question: Question
  /** By the clock that nobody can set, as is `lastMs`. */
  endsAtMs: number
  readonly units: number
  readonly cards: QuestionCards
  readonly resume: Resume | undefined
  /** Names the call that may come again, with exactly these arguments. */
  readonly mark: string | undefined
  /** Set when it was parked first: at this time it counts as a no. */
  lastMs?: number
  cancel?: () => void
  /** Answers the caller who waits. Absent: the question is parked. */
  tell?: (ended: Ended) => void
}

const markOf = (digest: string, resume: Resume | undefined): string | undefined =>
  resume === undefined ? undefined : `${digest} ${resume.call}`

/**
 * The questions that wait for a person. They are only in memory: when the gate dies, its callers get no
 * answer, and no answer counts as a no.
 */
export const createQuestions = (ports: QuestionsPorts) => {
  const waiting = new Map<string, WaitingQuestion>()
  const ended = createBoundedMap<string, Ending>(maxEnded)
  const parkedAnswers = createParkedAnswers(ports)
  const of = (caller: string, isParked: boolean): readonly WaitingQuestion[] =>
    [...waiting.values()].filter(
      ({ question, tell }) => question.caller === caller && (tell === undefined) === isParked,
    )
  const unitsOf = (caller: string, isParked: boolean): number =>
    of(caller, isParked).reduce((sum, { units }) => sum + units, 0)

  const end = (one: WaitingQuestion, ending: Ending, speaker?: OwnerSpeaking): void => {
    const { question, cards, mark, tell } = one
    if (!waiting.delete(question.key)) return
    one.cancel?.()
    ended.set(question.key, ending)
    cards.end(ending, speaker)
    if (tell !== undefined) return tell(ending)
    if (mark !== undefined) parkedAnswers.keep(mark, ending)
    ports.ended(question, ending)
  }

  /** When a question ends, as people read the time. */
  const shownEnd = (endsAtMs: number): number => ports.now() + Math.max(0, endsAtMs - ports.elapsedMs())

  const hasRoom = ({ question: { caller }, units }: WaitingQuestion): boolean =>
    of(caller, true).length < maxParked && unitsOf(caller, true) + units <= maxWaitingUnits

  /** The caller leaves, and an owner can still answer. */
  const park = (one: WaitingQuestion, otherwise: Ending): void => {
    const { resume, tell } = one
    const lastMs = one.lastMs ?? ports.elapsedMs() + parkedMs
    if (resume === undefined || lastMs <= ports.elapsedMs() || !hasRoom(one)) return end(one, otherwise)
    one.lastMs = lastMs
    one.cancel?.()
    delete one.tell
    one.question = { ...one.question, untilMs: shownEnd(lastMs), parked: resume }
    one.cancel = ports.after(lastMs - ports.elapsedMs(), () => end(one, { kind: 'expired' }))
    one.cards.change(one.question)
    tell?.({ kind: 'parked' })
  }

  const wait = (one: WaitingQuestion, signal: AbortSignal | undefined): Promise<Ended> => {
    const { promise, resolve } = Promise.withResolvers<Ended>()
    // A caller that was parked before and leaves unanswered may come once more.
    const gone = (): void =>
      one.lastMs === undefined ? end(one, { kind: 'gone' }) : park(one, { kind: 'gone' })
    const cancel = ports.after(Math.max(0, one.endsAtMs - ports.elapsedMs()), () =>
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

  /** The same call has come again. */
  const unpark = (
    one: WaitingQuestion,
    endsAtMs: number,
    signal: AbortSignal | undefined,
  ): Promise<Ended> => {
    const { parked: _, ...question } = one.question
    one.cancel?.()
    one.endsAtMs = Math.min(endsAtMs, one.lastMs ?? endsAtMs)
    one.question = { ...question, untilMs: shownEnd(one.endsAtMs) }
    const answer = wait(one, signal)
    one.cards.change(one.question)
    return answer
  }

  return {
    /** Resolves when the question has ended or is parked. Never rejects. */
    ask: (
      { digest, units, resume, endsAtMs, ...asked }: NewQuestion,
      signal?: AbortSignal,
    ): Promise<Ended> => {
      if (signal?.aborted === true) return Promise.resolve({ kind: 'gone' })
      if (endsAtMs <= ports.elapsedMs()) return Promise.resolve({ kind: 'expired' })
      const mark = markOf(digest, resume)
      const parkedAnswer = mark === undefined ? undefined : parkedAnswers.take(mark, asked)
      if (parkedAnswer !== undefined) return Promise.resolve(parkedAnswer)
      if (!ports.hasPeople(asked)) return Promise.resolve({ kind: 'nobody' })
      if (unitsOf(asked.caller, false) + units > maxWaitingUnits) return Promise.resolve({ kind: 'full' })
      const parked = mark === undefined ? undefined : of(asked.caller, true).find((one) => one.mark === mark)
      if (parked !== undefined) return unpark(parked, endsAtMs, signal)
      const key = `${questionMark}${ports.newId()} ${digest}`
      const question: Question = { ...asked, key, untilMs: shownEnd(endsAtMs) }
      const one: WaitingQuestion = { question, endsAtMs, units, cards: ports.show(question), resume, mark }
      waiting.set(question.key, one)
      return wait(one, signal)
    },

    /**
     * A person's answer. `isYours`: the answer counted; otherwise `ending` tells how the question had ended
     * before. Undefined: there is no such question, or this person may not answer it.
     */
    answer: (
      key: string,
      word: PersonAnswer,
      speaker: OwnerSpeaking,
    ): { readonly ending: Ending; readonly question?: Question; readonly isYours: boolean } | undefined => {
      const found = waiting.get(key)
      const before = ended.get(key)
      if (found === undefined) return before === undefined ? undefined : { ending: before, isYours: false }
      if (!ports.mayAnswer(speaker.owner, found.question)) return undefined
      const ending: Ending = { ...word, by: speaker.owner }
      end(found, ending, speaker)
      return { ending, question: found.question, isYours: true }
    },

    waiting: (): readonly Question[] => [...waiting.values()].map(({ question }) => question),
    /** Shows a question once more, in one chat. `more`: words under its card. */
    showAgain: (key: string, address: OwnerSpeaking['address'], more?: Prose): void =>
      waiting.get(key)?.cards.showAgain(address, more),
    /** A parked question waits on, until the session begins again. */
    endSession: (caller: string, sessionId: string): void => {
      for (const one of of(caller, false))
        if (one.question.session_id === sessionId) end(one, { kind: 'gone' })
    },
    stop: (): void => {
      for (const one of waiting.values()) end(one, { kind: 'stopped' })
    },
  }
}
