import type { Span } from './span.ts'

/** A text as somebody reads it, and where each of its units stands in the text that was written. In UTF-16 units. */
export interface Reading {
  readonly text: string
  /** The first written unit of each unit that is read. */
  readonly starts: readonly number[]
  /** The end of what was written for it. */
  readonly ends: readonly number[]
}

/** What was written for a run of what is read; what is read backwards was written the other way round. */
export const written = ({ starts, ends }: Reading, { start, end, kind }: Span): Span => {
  let [first, last] = [starts[start] ?? 0, ends[end - 1] ?? 0]
  for (let at = start; at < end; at++) {
    first = Math.min(first, starts[at] ?? first)
    last = Math.max(last, ends[at] ?? last)
  }
  return { start: first, end: last, kind }
}

/** A reading of a reading, in units of what was written first. */
export const throughout = (first: Reading, then: Reading): Reading => ({
  text: then.text,
  starts: then.starts.map((start) => first.starts[start] ?? 0),
  ends: then.ends.map((end) => first.ends[end - 1] ?? 0),
})
