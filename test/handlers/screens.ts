import { createScreen } from '../../src/core/hooks/match/screen.ts'
import { wordsOf } from '../../src/core/hooks/match/words.ts'

/** Whether a text is known not to match a pattern, by the words of the pattern alone. */
export const screens = (source: string, subject: string): boolean => {
  const words = wordsOf(source)
  return words !== undefined && createScreen([words])(subject).size === 0
}
