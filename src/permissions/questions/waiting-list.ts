import { createBoundedMap } from '../../core/model/base/bounded-map.ts'
import type { Ending, OwnerSpeaking, Question, AskedCall } from '../../shared/gate/permission.ts'
import type { ShowQuestion } from './question-cards.ts'
import type { QuestionStore, StandingCard } from './question-store.ts'
import type { Ended, WaitingQuestion } from './waiting-question.ts'

/** The arguments of all questions of one agent that wait may have this length together, in UTF-16 units. */
export const maxWaitingUnits = 16_000_000
/** So many ended questions are remembered, so that a late answer can be told how they ended. */
const maxEnded = 1000
/** One agent may have so many parked questions at once. */
const maxParked = 32
/** A parked question waits so long for an answer, and its answer so long for the caller. */
export const parkedMs = 24 * 60 * 60_000

export interface WaitingListPorts {
  /** Shows the question to everybody who may answer it. */
  readonly show: ShowQuestion
  readonly store: QuestionStore
  /** The person's role lets them answer for this call, at this moment. */
  mayAnswer(id: string, asked: AskedCall): boolean
  /** A question ended while its caller was away. */
  ended(question: Question, ending: Ending): void
  /** The returned function cancels it. */
  after(delayMs: number, run: () => void): () => void
  /** For what is shown. */
  now(): number
  /** For how long a question waits, by a clock that nobody can set. */
  elapsedMs(): number
}

/** When there are more, the oldest answers are forgotten, and their questions are asked again. */
const maxAnswers = 1000

interface ParkedAnswer {
  readonly ending: Ending
  /** By the clock that nobody can set. */
  readonly untilMs: number
  /** The key of its question. */
  readonly key: string
}

/**
 * Answers to calls whose caller was away. An answer is kept until exactly that call comes again, and it
 * counts once. `forget` is called with the key of each question whose answer is no longer kept.
 */
const createParkedAnswers = (
  { elapsedMs, mayAnswer }: Pick<WaitingListPorts, 'elapsedMs' | 'mayAnswer'>,
  forget: (key: string) => void,
) => {
  const answers = createBoundedMap<string, ParkedAnswer>(maxAnswers)
  return {
    keep: (mark: string, answer: ParkedAnswer): void => answers.set(mark, answer),
    /**
     * Undefined when there is no answer, when it is too old, or when the person who gave it may not answer
     * for such calls any more.
     */
    take: (mark: string, asked: AskedCall): Ending | undefined => {
      const found = answers.take(mark)
      if (found === undefined) return undefined
      forget(found.key)
      if (found.untilMs <= elapsedMs()) return undefined
      return 'by' in found.ending && !mayAnswer(found.ending.by, asked) ? undefined : found.ending
    },
  }
}

/** The questions that wait, in memory and on disk: each begins, may lose its caller for a while, and ends. */
export const createWaitingList = (ports: WaitingListPorts) => {
  const { store } = ports
  const waiting = new Map<string, WaitingQuestion>()
  const ended = createBoundedMap<string, Ending>(maxEnded)
  const parkedAnswers = createParkedAnswers(ports, store.remove)
  const of = (caller: string, isAway: boolean): readonly WaitingQuestion[] =>
    [...waiting.values()].filter(
      ({ question, tell }) => question.caller === caller && (tell === undefined) === isAway,
    )
  const unitsOf = (caller: string, isAway: boolean): number =>
    of(caller, isAway).reduce((sum, { units }) => sum + units, 0)

  const keepAnswer = (one: WaitingQuestion, ending: Ending): void => {
    const { question, mark, endsAtMs } = one
    const forMs = question.parked === undefined ? endsAtMs - ports.elapsedMs() : parkedMs
    parkedAnswers.keep(mark, { ending, untilMs: ports.elapsedMs() + forMs, key: question.key })
    store.keepAnswer(one, ending, forMs)
  }

  const end = (one: WaitingQuestion, ending: Ending, speaker?: OwnerSpeaking): void => {
    const { question, cards, tell } = one
    if (!waiting.delete(question.key)) return
    one.cancel?.()
    ended.set(question.key, ending)
    cards.end(ending, speaker)
    if (tell === undefined && ('by' in ending || question.parked !== undefined)) keepAnswer(one, ending)
    else store.remove(question.key)
    if (tell !== undefined) return tell(ending)
    ports.ended(question, ending)
  }

  /** When a question ends, as people read the time. */
  const shownEnd = (endsAtMs: number): number => ports.now() + Math.max(0, endsAtMs - ports.elapsedMs())
  const endAt = (one: WaitingQuestion, atMs: number, ending: Ending): void => {
    one.cancel = ports.after(Math.max(0, atMs - ports.elapsedMs()), () => end(one, ending))
  }

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
    endAt(one, lastMs, { kind: 'expired' })
    one.cards.change(one.question)
    store.save(one)
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
  const comesAgain = (
    one: WaitingQuestion,
    endsAtMs: number,
    signal: AbortSignal | undefined,
  ): Promise<Ended> => {
    const { parked: _, isCallerAway: __, ...question } = one.question
    one.cancel?.()
    one.endsAtMs = Math.min(endsAtMs, one.lastMs ?? endsAtMs)
    one.question = { ...question, untilMs: shownEnd(one.endsAtMs) }
    const answer = wait(one, signal)
    one.cards.change(one.question)
    store.save(one)
    return answer
  }

  const begin = (
    one: Omit<WaitingQuestion, 'cards'>,
    cards: readonly StandingCard[] | undefined,
  ): WaitingQuestion => {
    const added: WaitingQuestion = {
      ...one,
      cards: ports.show(
        one.question,
        () => {
          if (waiting.has(one.question.key)) store.save(added)
        },
        cards,
      ),
    }
    waiting.set(one.question.key, added)
    return added
  }

  return {
    of,
    unitsOf,
    shownEnd,
    endAt,
    begin,
    wait,
    comesAgain,
    end,
    parkedAnswers,
    get: (key: string): WaitingQuestion | undefined => waiting.get(key),
    all: (): readonly WaitingQuestion[] => [...waiting.values()],
    /** How a question of the past ended. */
    endingOf: (key: string): Ending | undefined => ended.get(key),
    /** A question of the past, from an earlier run. */
    noteEnding: (key: string, ending: Ending): void => ended.set(key, ending),
  }
}
