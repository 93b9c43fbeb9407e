import { questionMark, type Ending, type Question, type Speaker, type Word } from '../model/permission.ts'
import type { Board } from './board.ts'

/** All arguments of one agent's waiting questions together, in UTF-16 units. */
const maxWaitingUnits = 16_000_000
/** How many that are over are remembered, for whoever answers late. */
const maxEnded = 1000

export interface QuestionsPorts {
  /** Shows it to every owner. */
  readonly show: (question: Question) => Board
  hasOwners(): boolean
  newId(): string
  /** The returned function takes it back. */
  after(delayMs: number, run: () => void): () => void
  now(): number
}

/** What is asked: `digest` and `units` are of the canonical arguments. */
export interface Asked extends Omit<Question, 'key'> {
  readonly digest: string
  readonly units: number
}

interface Waiting {
  readonly question: Question
  readonly units: number
  readonly board: Board
  end(ending: Ending, speaker?: Speaker): void
}

/** The questions that wait for a person. In memory: when the gate dies, its callers have no answer, and that is a no. */
export const createQuestions = (ports: QuestionsPorts) => {
  const waiting = new Map<string, Waiting>()
  const ended = new Map<string, Ending>()
  const of = (agentId: string): readonly Waiting[] => [...waiting.values()].filter(({ question }) => question.agent_id === agentId)

  const isFull = (agentId: string, units: number): boolean => of(agentId).reduce((sum, other) => sum + other.units, units) > maxWaitingUnits

  const note = (key: string, ending: Ending): void => {
    ended.set(key, ending)
    const oldest = ended.size > maxEnded ? ended.keys().next().value : undefined
    if (oldest !== undefined) ended.delete(oldest)
  }

  return {
    /** Resolves when it is over, one way or another. Never rejects. */
    ask: ({ digest, units, ...asked }: Asked, signal?: AbortSignal): Promise<Ending> => {
      if (signal?.aborted === true) return Promise.resolve({ kind: 'gone' })
      if (asked.untilMs <= ports.now()) return Promise.resolve({ kind: 'expired' })
      if (!ports.hasOwners()) return Promise.resolve({ kind: 'nobody' })
      if (isFull(asked.agent_id, units)) return Promise.resolve({ kind: 'full' })
      const question: Question = { ...asked, key: `${questionMark}${ports.newId()} ${digest}` }
      const { promise, resolve } = Promise.withResolvers<Ending>()
      const end: Waiting['end'] = (ending, speaker) => {
        if (!waiting.delete(question.key)) return
        cancel()
        signal?.removeEventListener('abort', gone)
        note(question.key, ending)
        board.end(ending, speaker)
        resolve(ending)
      }
      const gone = (): void => end({ kind: 'gone' })
      const cancel = ports.after(Math.max(0, asked.untilMs - ports.now()), () => end({ kind: 'expired' }))
      signal?.addEventListener('abort', gone, { once: true })
      const board = ports.show(question)
      waiting.set(question.key, { question, units, board, end })
      return promise
    },

    /** An owner's word. `isYours`: it counted; else how the question had ended before. Undefined: there was none. */
    answer: (key: string, word: Word, speaker: Speaker): { readonly ending: Ending; readonly question?: Question; readonly isYours: boolean } | undefined => {
      const found = waiting.get(key)
      const before = ended.get(key)
      if (found === undefined) return before === undefined ? undefined : { ending: before, isYours: false }
      const ending: Ending = { ...word, by: speaker.owner }
      found.end(ending, speaker)
      return { ending, question: found.question, isYours: true }
    },

    waiting: (): readonly Question[] => [...waiting.values()].map(({ question }) => question),
    /** Shows one once more, in one chat. */
    showAgain: (key: string, address: Speaker['address']): void => waiting.get(key)?.board.showAgain(address),
    endSession: (agentId: string, sessionId: string): void => {
      for (const { question, end } of of(agentId)) if (question.session_id === sessionId) end({ kind: 'gone' })
    },
    stop: (): void => {
      for (const { end } of waiting.values()) end({ kind: 'stopped' })
    },
  }
}
