/** The columns of a line on a phone. */
export const phoneColumns = 38

const wide =
  /[\u1100-\u115F\u2E80-\u303E\u3041-\u33FF\u3400-\u4DBF\u4E00-\u9FFF\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE4F\uFF00-\uFF60\uFFE0-\uFFE6]|\p{Extended_Pictographic}/u
const widthOf = (text: string): number =>
  Array.from(text).reduce((sum, char) => sum + (wide.test(char) ? 2 : 1), 0)

/** What a phone keeps together: a word with the space behind it, or one wide character. */
const pieces = (line: string): readonly string[] =>
  line.match(new RegExp(`${wide.source}|(?:(?!${wide.source})\\S)+|\\s+`, 'gu')) ?? []

/** A text as a phone folds it: at spaces, between wide characters, and within a word that is too long. */
export const phoneLines = (text: string): readonly string[] =>
  text.split('\n').flatMap((line) => {
    const lines = ['']
    for (const piece of pieces(line)) {
      const last = lines.at(-1) ?? ''
      const isFit = widthOf(last + piece.trimEnd()) <= phoneColumns
      if (isFit) lines[lines.length - 1] = last + piece
      else if (widthOf(piece) <= phoneColumns) lines.push(piece)
      else
        for (const char of Array.from(piece)) {
          const now = lines.at(-1) ?? ''
          if (widthOf(now + char) <= phoneColumns) lines[lines.length - 1] = now + char
          else lines.push(char)
        }
    }
    return lines
  })
