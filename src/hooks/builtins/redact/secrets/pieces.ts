import type { Span } from '../span.ts'

/** A part of one of several texts, in UTF-16 units. */
export interface Piece {
  /** Which of the texts. */
  readonly text: number
  readonly offset: number
  readonly length: number
  readonly isLast: boolean
}

export const pieceUnits = 64 * 1024
/** Longer than the longest secret that any rule finds, so that each one stands whole in some piece. */
export const overlapUnits = 16 * 1024
/** Nothing shorter is a secret. */
const minUnits = 8

const piecesOf = (length: number, text: number): readonly Piece[] => {
  const pieces: Piece[] = []
  for (let offset = 0; ; offset += pieceUnits - overlapUnits) {
    const isLast = offset + pieceUnits >= length
    pieces.push({ text, offset, length: Math.min(pieceUnits, length - offset), isLast })
    if (isLast) return pieces
  }
}

/** All of the texts, in batches of at most one piece's size. */
export const batchesOf = (texts: readonly string[]): readonly (readonly Piece[])[] => {
  const batches: Piece[][] = []
  let units = Infinity
  for (const piece of texts.flatMap((text, index) =>
    text.length < minUnits ? [] : piecesOf(text.length, index),
  )) {
    if (units + piece.length > pieceUnits) {
      batches.push([])
      units = 0
    }
    batches.at(-1)?.push(piece)
    units += piece.length
  }
  return batches
}

/** A piece's spans in its whole text. What the cut may have shortened stands whole in the next piece. */
export const inText = ({ offset, length, isLast }: Piece, spans: readonly Span[]): readonly Span[] =>
  spans
    .filter(({ start, end }) => isLast || end < length || start < pieceUnits - overlapUnits)
    .map(({ start, end, kind }) => ({ start: start + offset, end: end + offset, kind }))
