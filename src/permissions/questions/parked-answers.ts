import { createBoundedMap } from '../../core/model/base/bounded-map.ts'
import type { Ending } from '../../core/model/gate/permission.ts'
import type { AskedCall } from '../../core/model/gate/person.ts'

/** When there are more, the oldest answers are forgotten, and their questions are asked again. */
const maxAnswers = 1000

export interface ParkedAnswer {
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
export const createParkedAnswers = ({
  elapsedMs,
  mayAnswer,
  forget,
}: {
  elapsedMs(): number
  mayAnswer(id: string, asked: AskedCall): boolean
  forget(key: string): void
}) => {
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
