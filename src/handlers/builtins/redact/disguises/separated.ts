import { createReader, type TextReading } from './reading.ts'
import { isRandom } from '../secrets/shapes.ts'

/** The longest distance between two separators, in units. */
const maxPeriod = 10
/** The fewest letters and separators of a run. */
const leastLetters = 20
const leastRun = 2
/** The longest distance between blanks. Longer pieces of a secret have no blanks between them. */
const maxBlankPeriod = 5

const isBlank = (code: number): boolean => code <= 0x20
const isLetter = (code: number): boolean =>
  (code >= 0x30 && code <= 0x39) || (code >= 0x41 && code <= 0x5a) || (code >= 0x61 && code <= 0x7a)

/** True when the letters look random. Lines of dashes, tables of zeros and words do not. */
const looksSecret = (run: string, period: number): boolean =>
  (period <= maxBlankPeriod || !/\s/.test(run)) && isRandom(run)

/**
 * Finds positions of a sign that repeats after the same number of letters. A letter or digit as separator
 * counts only between single letters. Blanks are handled by other readings.
 */
const separatorsIn = (text: string): ReadonlySet<number> => {
  const places = new Set<number>()
  const codes = new Uint16Array(text.length)
  const signs = new Uint32Array(text.length)
  /** The number of units before each that are the same. */
  const same = new Uint32Array(text.length)
  let count = 0
  for (let at = 0; at < text.length; at++) {
    const code = (codes[at] = text.charCodeAt(at))
    if (code === codes[at - 1]) same[at] = (same[at - 1] ?? 0) + 1
    if (!isLetter(code) && !isBlank(code)) signs[count++] = at
  }
  const runs = new Uint32Array(text.length)
  const look = (at: number, period: number, least: number): void => {
    const code = codes[at] ?? 0
    if (code !== codes[at - period]) {
      runs[at] = 0
      return
    }
    const run = (runs[at] = (runs[at - period] ?? 0) + 1)
    if (run < least || code === codes[at + period] || isBlank(code)) return
    const first = at - run * period
    // One sign alone separates nothing.
    if ((same[at] ?? 0) >= run * period) return
    if (!looksSecret(text.slice(first, at), period)) return
    const row = Array.from({ length: run + 1 }, (_, back) => at - back * period)
    // A longer distance over the same signs would take letters of the secret for separators.
    if (!row.some((place) => places.has(place))) for (const place of row) places.add(place)
  }
  for (let period = 2; period <= maxPeriod; period++) {
    const least = Math.max(leastRun, Math.ceil(leastLetters / (period - 1)) - 2)
    runs.fill(0, 0, period)
    if (period === 2) for (let at = period; at < text.length; at++) look(at, period, least)
    else
      for (let index = 0; index < count; index++) {
        const at = signs[index] ?? 0
        if (at >= period) look(at, period, least)
      }
  }
  return places
}

/** Reads the text without the signs that separate all its letters or groups of letters. */
export const unseparated = (text: string): TextReading | undefined => {
  const places = separatorsIn(text)
  if (places.size === 0) return undefined
  const reader = createReader(text)
  for (const at of [...places].toSorted((a, b) => a - b)) reader.leaveOut(at, at + 1)
  return reader.finish()
}
