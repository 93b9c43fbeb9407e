import type { Ending, Question, Resume } from '../../shared/gate/permission.ts'
import type { QuestionCards } from './question-cards.ts'

/** `parked`: the caller has to leave without an answer, and may come again. */
export type Ended = Ending | { readonly kind: 'parked' }

/** A question that waits for a person. */
export interface WaitingQuestion {
  question: Question
  /** By the clock that nobody can set, as is `lastMs`. */
  endsAtMs: number
  readonly units: number
  readonly cards: QuestionCards
  readonly resume: Resume | undefined
  /** Names the call that may come again, with exactly these arguments. */
  readonly mark: string
  /** Set when it was parked first: at this time it counts as a no. */
  lastMs?: number
  cancel?: () => void
  /** Answers the caller who waits. Absent: the caller is away and may come again. */
  tell?: (ended: Ended) => void
}

/** Names a call that may come again: by its digest, and by its own id where the caller gives one. */
export const markOf = (digest: string, resume: Resume | undefined): string =>
  resume === undefined ? digest : `${digest} ${resume.call}`
