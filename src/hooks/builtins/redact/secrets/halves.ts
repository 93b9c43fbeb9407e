import { marked } from './glued.ts'
import { isRandom } from './shapes.ts'
import type { Span } from '../span.ts'

/** At most so many first halves and second halves are tried with one another. */
const maxHeads = 8
const maxTails = 2000

const head = new RegExp(
  `(?<![A-Za-z0-9_-])(?:${marked.map(([, mark]) => mark).join('|')})[\\w-]{4,200}(?![\\w-])`,
  'g',
)
/** Letters and digits mixed, as no word is. */
const tail = /(?<![\w:-])(?=[\w-]{0,24}(?:\d[A-Za-z]|[A-Za-z]\d|[a-z][A-Z]))[\w-]{4,250}(?![\w:-])/g
const wholes = marked.map(([kind, mark, body]) => ({ kind, whole: new RegExp(`^${mark}${body}$`) }))
const kindOf = (letters: string): string | undefined =>
  isRandom(letters) ? wholes.find(({ whole }) => whole.test(letters))?.kind : undefined

interface Half {
  /** Which of the texts that are judged now; undefined for one that has left. */
  readonly text: number | undefined
  readonly start: number
  readonly letters: string
}
const halvesIn = (
  texts: readonly string[],
  told: readonly string[],
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
  for (const content of told.toReversed()) look(undefined, content)
  return found
}

/** A half that can still be rewritten. */
export interface FoundHalf {
  readonly text: number
  readonly span: Span
  readonly beganBefore: boolean
}

/**
 * Two halves of a secret with something between them, in whichever order they are said. The first is known
 * by its mark, and together they are one, letter for letter. `told`: the messages that have left.
 */
export const findHalves = (texts: readonly string[], told: readonly string[]): readonly FoundHalf[] => {
  const heads = halvesIn(texts, told, head, maxHeads).filter(({ letters }) => kindOf(letters) === undefined)
  if (heads.length === 0) return []
  const tails = halvesIn(texts, told, tail, maxTails)
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
