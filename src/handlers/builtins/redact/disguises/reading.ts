import type { Span } from '../span.ts'

/**
 * A text as a reader sees it, with the position of each unit in the written text. Positions are in UTF-16
 * units.
 */
export interface TextReading {
  readonly text: string
  /** The first written unit of each unit of `text`. */
  readonly starts: Int32Array
  /** The end of the written units of each unit of `text`. */
  readonly ends: Int32Array
}

/** The units of the text as bytes. A unit that is no byte is 0xff. */
export const bytesOf = (text: string): Buffer => {
  if (!/[^\0-\xff]/.test(text)) return Buffer.from(text, 'latin1')
  const bytes = Buffer.allocUnsafe(text.length)
  for (let at = 0; at < text.length; at++) bytes[at] = Math.min(text.charCodeAt(at), 0xff)
  return bytes
}

/** For each byte, 1 when its character matches the pattern. */
export const tableOf = (pattern: RegExp): Uint8Array =>
  Uint8Array.from({ length: 0x100 }, (_, code) => Number(pattern.test(String.fromCharCode(code))))

/** Converts a span to the written text. Text that is read backwards has its positions in reverse order. */
export const written = ({ starts, ends }: TextReading, { start, end, kind }: Span): Span => {
  let [first, last] = [starts[start] ?? 0, ends[end - 1] ?? 0]
  for (let at = start; at < end; at++) {
    first = Math.min(first, starts[at] ?? first)
    last = Math.max(last, ends[at] ?? last)
  }
  return { start: first, end: last, kind }
}

/** Combines two readings. The result has positions in the first written text. */
export const throughout = (first: TextReading, then: TextReading): TextReading => {
  const [starts, ends] = [new Int32Array(then.starts.length), new Int32Array(then.ends.length)]
  for (let at = 0; at < starts.length; at++) {
    starts[at] = first.starts[then.starts[at] ?? 0] ?? 0
    ends[at] = first.ends[(then.ends[at] ?? 0) - 1] ?? 0
  }
  return { text: then.text, starts, ends }
}

/** A separator that no rule and no reading continues across. */
const seam = '\n\u00a6\u00a6\n'
/** Joins several readings into one, because scanning many short texts takes longer than one long text. */
export const together = (readings: readonly TextReading[]): TextReading | undefined => {
  const [first, ...others] = readings
  if (first === undefined || others.length === 0) return first
  const text = readings.map((reading) => reading.text).join(seam)
  const [starts, ends] = [new Int32Array(text.length), new Int32Array(text.length)]
  let at = 0
  for (const reading of readings) {
    starts.set(reading.starts, at)
    ends.set(reading.ends, at)
    at += reading.text.length + seam.length
  }
  return { text, starts, ends }
}

/** The units around a change that are read with it: the name of a secret, and the rest of it. */
const marginUnits = 1000

/** A reading without what is far from all that it reads in another way than it is written. */
export const nearChanges = (reading: TextReading): TextReading => {
  const { text, starts, ends } = reading
  const places: { readonly from: number; to: number }[] = []
  for (let at = 0; at <= text.length; at++) {
    const isWritten =
      at < text.length && starts[at] === (at === 0 ? 0 : ends[at - 1]) && ends[at] === (starts[at] ?? 0) + 1
    if (isWritten) continue
    const [from, to] = [Math.max(0, at - marginUnits), at + marginUnits]
    const last = places.at(-1)
    if (last === undefined || last.to < from) places.push({ from, to })
    else last.to = to
  }
  const near = places.map(({ from, to }) => ({
    text: text.slice(from, to),
    starts: starts.subarray(from, to),
    ends: ends.subarray(from, to),
  }))
  return together(near) ?? reading
}

/** Builds a reading from left to right. Text that is not left out is read unchanged. */
export const createReader = (written: string) => {
  let [starts, ends] = [new Int32Array(), new Int32Array()]
  let [read, count, from] = ['', 0, 0]
  const makeRoom = (units: number): void => {
    if (count + units <= starts.length) return
    const [before, behind] = [starts, ends]
    const length = Math.max(written.length, 2 * (count + units))
    starts = new Int32Array(length)
    ends = new Int32Array(length)
    starts.set(before)
    ends.set(behind)
  }
  const copy = (to: number): void => {
    makeRoom(to - from)
    read += written.slice(from, to)
    for (let at = from; at < to; at++) {
      starts[count] = at
      ends[count++] = at + 1
    }
  }
  return {
    /** The unit of the reading before `at`. `at` must not be before the last run that was left out. */
    before: (at: number): string | undefined => (at === from ? read.at(-1) : written[at - 1]),
    leaveOut: (start: number, end: number): void => {
      copy(start)
      from = end
    },
    /** Adds units that are written from `start` to `end`. */
    add: (units: string, start: number, end: number): void => {
      makeRoom(units.length)
      read += units
      starts.fill(start, count, count + units.length)
      ends.fill(end, count, count + units.length)
      count += units.length
    },
    /** Extends the last unit to `end` in the written text. */
    stretch: (end: number): void => {
      if (count > 0) ends[count - 1] = end
    },
    /** Returns the reading. It is undefined when nothing was left out. */
    finish: (): TextReading | undefined => {
      if (from === 0) return undefined
      copy(written.length)
      return { text: read, starts: starts.subarray(0, count), ends: ends.subarray(0, count) }
    },
  }
}
