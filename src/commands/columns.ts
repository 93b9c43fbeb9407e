import { exactText } from './cards/exact.ts'

/** Characters that take two columns: those of East Asia, and most pictures. */
const wide =
  /[\u1100-\u115F\u2E80-\uA4CF\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE6F\uFF00-\uFF60\uFFE0-\uFFE6\p{Extended_Pictographic}]/u

/** The columns that a text takes on a phone. */
const columnsOf = (text: string): number =>
  Array.from(text).reduce((sum, char) => sum + (wide.test(char) ? 2 : 1), 0)

/** A foreign text as it is shown, with the columns that it takes. */
export interface Fitted {
  readonly shown: string
  readonly columns: number
}

/**
 * As much of the beginning of a foreign text as fits into so many columns when it is shown exactly, with a
 * sign behind it where it is cut. No more of it is read than can fit.
 */
export const fitting = (
  text: string,
  columns: number,
  show: (text: string) => string = exactText,
): Fitted => {
  const chars = Array.from(text.slice(0, 2 * columns))
  for (;;) {
    const start = chars.join('')
    const shown = `${show(start)}${start.length < text.length ? '…' : ''}`
    const taken = columnsOf(shown)
    if (taken <= columns || chars.length === 0) return { shown, columns: taken }
    chars.pop()
  }
}
