import { createReader, tableOf, type TextReading } from './reading.ts'
import { createSearch } from '../secrets/marks.ts'
import { shapes, tightGap, type Shape } from '../secrets/shapes.ts'
import type { Span } from '../span.ts'

/** True for a piece that is not a word: it has a digit beside a letter, or a capital after a small letter. */
const looksOn = (piece: string): boolean => /\d[A-Za-z]|[A-Za-z]\d|[a-z][A-Z]/.test(piece)
const further = new RegExp(`${tightGap}{1,64}([A-Za-z0-9_-]+)`, 'y')

/**
 * Finds the end of a secret of unknown length: the end of its piece, and of further pieces that look like it.
 */
const endOf = (text: string, end: number): number => {
  let at = end
  while (/[A-Za-z0-9_-]/.test(text.charAt(at))) at += 1
  const isLetterwise =
    at === end && new RegExp(`${tightGap}[A-Za-z0-9_-]$`).test(text.slice(Math.max(0, end - 4), end))
  for (;;) {
    further.lastIndex = at
    const [whole = '', piece = ''] = further.exec(text) ?? []
    if (piece === '' || !(isLetterwise ? piece.length === 1 : looksOn(piece))) return at
    at += whole.length
  }
}

/** The least letters of a piece that looks like a word or like a secret. */
const leastLetters = 3

/**
 * True for pieces of a secret that ends within the last of them. The words of code may have its form, too.
 */
const isOfSecret = (pieces: readonly string[]): boolean => {
  const long = pieces.filter(({ length }) => length >= leastLetters)
  return looksOn(pieces.at(-1) ?? '') && long.filter(looksOn).length * 2 >= long.length
}

const isGap = tableOf(new RegExp(`^${tightGap}$`))
/** Blanks that are no bytes. */
const wideBlank = /[\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff]/g

/** The text without its gaps. */
const squeezed = (bytes: Buffer): string => {
  const left = Buffer.allocUnsafe(bytes.length)
  let count = 0
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] ?? 0
    if (isGap[byte] === 0) left[count++] = byte
  }
  return left.toString('latin1', 0, count)
}
const search = createSearch(shapes.map(({ mark }) => mark))

/** The shapes whose marks stand in the text, with or without gaps. */
const shapesIn = (text: string): readonly Shape[] => {
  const present = new Set<number>()
  const plain = text.replaceAll(wideBlank, ' ')
  const readings = [plain, ...(/\\[nrt]/.test(plain) ? [plain.replaceAll(/\\[nrt]/g, ' ')] : [])]
  for (const reading of readings)
    search(squeezed(Buffer.from(reading, 'latin1')), (index) => present.add(index))
  return shapes.filter((_, index) => present.has(index))
}

/** Finds secrets of a known form that are split by breaks, spaces, quotes or signs. */
export const findSplit = (text: string): readonly Span[] =>
  shapesIn(text).flatMap(({ kind, pattern, gaps, isOne, isOpen }) =>
    Array.from(text.matchAll(pattern)).flatMap(({ 0: found, index }) => {
      const end = index + found.length
      const pieces = found.split(gaps)
      const isWhole = !/[A-Za-z0-9]/.test(text.charAt(end)) || isOfSecret(pieces)
      return pieces.length > 1 && (isWhole || isOpen === true) && isOne(pieces.join(''), pieces.length)
        ? [{ start: index, end: isOpen === true ? endOf(text, end) : end, kind }]
        : []
    }),
  )

const breaks = /["'`]?[ \t]{0,8}\+?[ \t]{0,8}\r?\n[ \t>]{0,16}["'`]?/g

/** Joins all lines into one, for rules that allow no gaps. It is undefined for a single line. */
export const unwrap = (text: string): TextReading | undefined => {
  const reader = createReader(text)
  for (const { 0: gap, index } of text.matchAll(breaks)) reader.leaveOut(index, index + gap.length)
  return reader.finish()
}
