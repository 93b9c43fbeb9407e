import { createBoundedMap } from '../model/base/bounded-map.ts'
import type { Ending } from '../model/gate/permission.ts'
import type { AskedCall } from '../model/gate/person.ts'

/** When there are more, the oldest answers are forgotten, and their questions are asked again. */
const maxAnswers = 1000
const keepMs = 24 * 60 * 60_000

/**
 * Answers to calls whose caller had already ended. An answer is kept, in memory, until exactly that call
 * comes again, and it counts once.
 */
export const createParkedAnswers = ({
  elapsedMs,
  mayAnswer,
}: {
  elapsedMs(): number
  mayAnswer(id: string, asked: AskedCall): boolean
}) => {
  const answers = createBoundedMap<string, { readonly ending: Ending; readonly untilMs: number }>(maxAnswers)
  return {
    keep: (mark: string, ending: Ending): void =>
      answers.set(mark, { ending, untilMs: elapsedMs() + keepMs }),
    /**
     * Undefined when there is no answer, when it is too old, or when the person who gave it may not answer for
     * such calls any more.
     */
    take: (mark: string, asked: AskedCall): Ending | undefined => {
      const found = answers.take(mark)
      if (found === undefined || found.untilMs <= elapsedMs()) return undefined
      return 'by' in found.ending && !mayAnswer(found.ending.by, asked) ? undefined : found.ending
    },
  }
}
