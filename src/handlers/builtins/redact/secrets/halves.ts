import { isRandom } from './shapes.ts'
import type { Crossing } from './across.ts'
import { halved } from './tokens.ts'

/** The most first halves and second halves that are combined. */
const maxHeads = 8
const maxTails = 2000

const head = new RegExp(
  `(?<![A-Za-z0-9_-])(?:${halved.map(({ lead, mark }) => lead + mark).join('|')})[\\w-]{4,200}(?![\\w-])`,
  'g',
)
/** Matches mixed letters and digits, which words do not have. */
const tail = /(?<![\w:-])(?=[\w-]{0,24}(?:\d[A-Za-z]|[A-Za-z]\d|[a-z][A-Z]))[\w-]{4,250}(?![\w:-])/g
const wholes = halved.map(({ kind, lead, mark, body }) => ({
  kind,
  whole: new RegExp(`^${lead}${mark}${body}$`),
}))
const kindOf = (letters: string): string | undefined =>
  isRandom(letters) ? wholes.find(({ whole }) => whole.test(letters))?.kind : undefined

interface Half {
  /** The index of the text that is judged now. It is undefined for a message that was sent. */
  readonly text: number | undefined
  readonly start: number
  readonly letters: string
}
const halvesIn = (
  texts: readonly string[],
  sent: readonly string[],
  pattern: RegExp,
  most: number,
): readonly Half[] => {
  const found: Half[] = []
  const look = (text: number | undefined, content: string): void => {
    for (const { 0: letters, index } of content.matchAll(pattern)) {
      if (found.length >= most) return
      found.push({ text, start: index, letters })
    }
  }
  texts.forEach((content, index) => look(index, content))
  for (const content of sent.toReversed()) look(undefined, content)
  return found
}

/**
 * Finds two halves of a secret with other text between them, in either order. The first half starts with a
 * known mark, and both together have the form of a secret. `sent` holds the messages that were sent.
 */
export const findHalves = (texts: readonly string[], sent: readonly string[]): readonly Crossing[] => {
  const heads = halvesIn(texts, sent, head, maxHeads).filter(({ letters }) => kindOf(letters) === undefined)
  if (heads.length === 0) return []
  const tails = halvesIn(texts, sent, tail, maxTails)
  return heads.flatMap((first) =>
    tails.flatMap((second) => {
      if (first.text === undefined && second.text === undefined) return []
      const kind = kindOf(`${first.letters}${second.letters}`)
      if (kind === undefined) return []
      const beganBefore = first.text === undefined || second.text === undefined
      return [first, second].flatMap(({ text, start, letters }) =>
        text === undefined ? [] : [{ text, beganBefore, span: { kind, start, end: start + letters.length } }],
      )
    }),
  )
}
