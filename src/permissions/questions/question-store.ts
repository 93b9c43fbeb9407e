import { isObject, parseJson } from '../../core/model/base/json.ts'
import type { AnswerWays } from '../../core/model/chat/card.ts'
import type { Ending, StoredQuestion, Question, Resume } from '../../shared/gate/permission.ts'
import type { FormProgress } from '../../shared/gate/form.ts'
import type { Address } from '../../core/model/chat/push.ts'
import type { WaitingQuestion } from './waiting-question.ts'

/** A card that was delivered, with the messenger's id for it where it has one. */
export interface StandingCard {
  readonly address: Address
  readonly messageId: string | undefined
}

export interface QuestionStorePorts {
  /** Each of these returns at once. A failure is logged, and then the question does not outlive the gate. */
  put(question: StoredQuestion): void
  set(key: string, state: string): void
  remove(key: string): void
  /** The questions of the gate's last run. Never rejects. */
  all(): Promise<readonly StoredQuestion[]>
  /** The handles and buttons under the cards of a question in these chats. */
  ways(key: string, chats: readonly Address[]): AnswerWays
  /** Makes them valid again. */
  restoreWays(key: string, ways: AnswerWays): void
  now(): number
  elapsedMs(): number
}

interface StoredCall {
  readonly question: Question
  readonly units: number
  readonly mark: string
  readonly resume?: Resume
}

interface StoredState {
  /** In epoch milliseconds, as are the others. */
  readonly endsAtMs: number
  readonly lastAtMs?: number
  readonly cards: readonly StandingCard[]
  readonly ways: AnswerWays
  /** How far people are with a form. */
  readonly progress?: FormProgress
  /** The answer to a caller who was away. It waits for the caller until `endsAtMs`. */
  readonly ending?: Ending
}

/** A question of the gate's last run. Its times are by the clock that nobody can set. */
export interface RestoredQuestion
  extends StoredCall, Pick<StoredState, 'cards' | 'ways' | 'ending' | 'progress'> {
  readonly endsAtMs: number
  readonly lastMs?: number
}

/** The file is the gate's own, so only its outer form is checked. A text that cannot be read is dropped. */
const read = ({ call, state }: StoredQuestion): (StoredCall & StoredState) | undefined => {
  const [readCall, readState] = [parseJson(call), parseJson(state)]
  if (!isObject(readCall) || !isObject(readState) || !isObject(readCall['question'])) return undefined
  if (typeof readState['endsAtMs'] !== 'number' || !Array.isArray(readState['cards'])) return undefined
  return { ...readCall, ...readState } as unknown as StoredCall & StoredState
}

/** Writes the questions that wait and the answers for callers who are away, so that both outlive the gate. */
export const createQuestionStore = (ports: QuestionStorePorts) => {
  const atMs = (elapsedMs: number): number => ports.now() + elapsedMs - ports.elapsedMs()
  /** A clock that was set back makes nothing wait longer than it would have waited at most. */
  const backMs = (epochMs: number, mostMs: number): number =>
    ports.elapsedMs() + Math.min(mostMs, epochMs - ports.now())

  const stateOf = ({ question, endsAtMs, lastMs, cards }: WaitingQuestion): StoredState => {
    const standing = cards.standing()
    return {
      endsAtMs: atMs(endsAtMs),
      lastAtMs: lastMs === undefined ? undefined : atMs(lastMs),
      cards: standing,
      progress: question.progress,
      ways: ports.ways(
        question.key,
        standing.map(({ address }) => address),
      ),
    }
  }

  return {
    put: (one: WaitingQuestion): void => {
      const { question, units, mark, resume } = one
      const call: StoredCall = { question, units, mark, resume }
      ports.put({ key: question.key, call: JSON.stringify(call), state: JSON.stringify(stateOf(one)) })
    },
    /** Writes what changed: the cards, or how long it waits. */
    save: (one: WaitingQuestion): void => ports.set(one.question.key, JSON.stringify(stateOf(one))),
    /** Writes an answer whose caller is away. It counts for so long. */
    keepAnswer: ({ question: { key } }: WaitingQuestion, ending: Ending, forMs: number): void => {
      const none: AnswerWays = { handles: [], buttons: [] }
      const state: StoredState = { endsAtMs: ports.now() + forMs, cards: [], ways: none, ending }
      ports.set(key, JSON.stringify(state))
    },
    remove: ports.remove,
    /** The questions and answers of the gate's last run. Never rejects. */
    restore: async (mostMs: number): Promise<readonly RestoredQuestion[]> =>
      (await ports.all()).flatMap((stored) => {
        const found = read(stored)
        if (found === undefined) {
          ports.remove(stored.key)
          return []
        }
        const { endsAtMs, lastAtMs, ...rest } = found
        if (found.ending === undefined) ports.restoreWays(stored.key, found.ways)
        return [
          {
            ...rest,
            endsAtMs: backMs(endsAtMs, mostMs),
            lastMs: lastAtMs === undefined ? undefined : backMs(lastAtMs, mostMs),
          },
        ]
      }),
  }
}

export type QuestionStore = ReturnType<typeof createQuestionStore>
