import type { Span } from '../span.ts'

/** A part of one of several texts, in UTF-16 units. */
export interface Piece {
  /** The index of the text. */
  readonly text: number
  readonly offset: number
  readonly length: number
  readonly isLast: boolean
}

export const pieceUnits = 64 * 1024
/**
 * The overlap of two pieces. It is longer than any secret that a rule finds, so each secret is whole in one
 * piece.
 */
export const overlapUnits = 16 * 1024
/** The shortest text that is scanned. No secret and no address is shorter. */
const minUnits = 6

const piecesOf = (length: number, text: number): readonly Piece[] => {
  const pieces: Piece[] = []
  for (let offset = 0; ; offset += pieceUnits - overlapUnits) {
    const isLast = offset + pieceUnits >= length
    pieces.push({ text, offset, length: Math.min(pieceUnits, length - offset), isLast })
    if (isLast) return pieces
  }
}

/** Splits the texts into pieces, in batches of at most one piece's size. */
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

/**
 * Converts a piece's spans to positions in the whole text. A span that the cut may have shortened is dropped,
 * because the next piece holds it whole.
 */
export const inText = ({ offset, length, isLast }: Piece, spans: readonly Span[]): readonly Span[] =>
  spans
    .filter(({ start, end }) => isLast || end < length || start < pieceUnits - overlapUnits)
    .map(({ start, end, kind }) => ({ start: start + offset, end: end + offset, kind }))
