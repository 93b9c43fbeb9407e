import type { Span } from '../span.ts'

/** A text as somebody reads it, and where each of its units stands in the text that was written. In UTF-16 units. */
export interface TextReading {
  readonly text: string
  /** The first written unit of each unit that is read. */
  readonly starts: readonly number[]
  /** The end of what was written for it. */
  readonly ends: readonly number[]
}

/** What was written for a run of what is read; what is read backwards was written the other way round. */
export const written = ({ starts, ends }: TextReading, { start, end, kind }: Span): Span => {
  let [first, last] = [starts[start] ?? 0, ends[end - 1] ?? 0]
  for (let at = start; at < end; at++) {
    first = Math.min(first, starts[at] ?? first)
    last = Math.max(last, ends[at] ?? last)
  }
  return { start: first, end: last, kind }
}

/** A reading of a reading, in units of what was written first. */
export const throughout = (first: TextReading, then: TextReading): TextReading => ({
  text: then.text,
  starts: then.starts.map((start) => first.starts[start] ?? 0),
  ends: then.ends.map((end) => first.ends[end - 1] ?? 0),
})

/** Makes a reading from left to right: whatever is not left out is read as it stands. */
export interface TextReader {
  /** The unit that is read before `at`, at or behind the last run that was left out. */
  before(at: number): string | undefined
  leaveOut(start: number, end: number): void
  /** Reads these units, which stand there as `start` to `end`. */
  add(units: string, start: number, end: number): void
  /** What was read last was written up to here. */
  stretch(end: number): void
  /** Undefined where nothing was left out. */
  finish(): TextReading | undefined
}

export const createReader = (written: string): TextReader => {
  const [starts, ends]: [number[], number[]] = [[], []]
  let [read, from] = ['', 0]
  const copy = (to: number): void => {
    read += written.slice(from, to)
    for (let at = from; at < to; at++) {
      starts.push(at)
      ends.push(at + 1)
    }
  }
  return {
    before: (at) => (at === from ? read.at(-1) : written[at - 1]),
    leaveOut: (start, end) => {
      copy(start)
      from = end
    },
    add: (units, start, end) => {
      read += units
      for (let unit = 0; unit < units.length; unit++) {
        starts.push(start)
        ends.push(end)
      }
    },
    stretch: (end) => {
      if (ends.length > 0) ends[ends.length - 1] = end
    },
    finish: () => {
      if (from === 0) return undefined
      copy(written.length)
      return { text: read, starts, ends }
    },
  }
}
