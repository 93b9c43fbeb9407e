/** This module reads bytes of no known format as the texts that they may be. */

export const isControl = (byte: number): boolean =>
  byte < 0x20 && byte !== 9 && byte !== 10 && byte !== 12 && byte !== 13 && byte !== 27
const isPrintable = (byte: number): boolean =>
  (byte >= 0x20 && byte < 0x7f) || byte === 9 || byte === 10 || byte === 13
/**
 * The shortest run of letters that is read. No secret is shorter, and binary data seldom has so many letters
 * in a row.
 */
const minRun = 8

/** The length of the UTF-8 character at this position in bytes. It is 0 when there is none. */
const charBytes = (bytes: Buffer, at: number): number => {
  const first = bytes[at] ?? 0
  const length = first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : first < 0xf5 ? 4 : 0
  for (let next = 1; next < length; next++) if (((bytes[at + next] ?? 0) & 0xc0) !== 0x80) return 0
  return length
}

/** Reads runs of letters among other bytes, one run on each line. */
const runsIn = (bytes: Buffer): string => {
  const kept = Buffer.allocUnsafe(bytes.length + 1)
  let [length, start] = [0, 0]
  const end = (at: number): void => {
    if (at - start >= minRun) {
      length += bytes.copy(kept, length, start, at)
      kept[length++] = 10
    }
  }
  for (let at = 0; at < bytes.length;) {
    const byte = bytes[at] ?? 0
    const step = isPrintable(byte) ? 1 : byte < 0x80 ? 0 : charBytes(bytes, at)
    if (step === 0) {
      end(at)
      start = at + 1
    }
    at += step || 1
  }
  end(bytes.length)
  return kept.toString('utf8', 0, length)
}

/** Matches ASCII in two or four bytes a letter, with either byte order. */
const wideRun = /(?:[\x20-\x7e\t\r\n]\0{1,3}){7,4000}[\x20-\x7e]?/g
const wideRunsIn = (bytes: Buffer): string =>
  (bytes.toString('latin1').match(wideRun) ?? []).map((run) => run.replaceAll('\0', '')).join('\n')

const swapped = (bytes: Buffer): Buffer =>
  Buffer.from(bytes.subarray(0, bytes.length - (bytes.length % 2))).swap16()

/** Reads UTF-16, recognised by its byte order mark or by the zero bytes of its letters. */
const wideText = (bytes: Buffer, noughts: readonly [even: number, odd: number]): string | undefined => {
  const mark = bytes.length < 2 ? 0 : bytes.readUInt16BE(0)
  const half = bytes.length / 2
  if (mark === 0xfffe || (noughts[1] > half * 0.2 && noughts[0] < half * 0.01))
    return bytes.toString('utf16le')
  return mark === 0xfeff || (noughts[0] > half * 0.2 && noughts[1] < half * 0.01)
    ? swapped(bytes).toString('utf16le')
    : undefined
}

const isMarkup = /^\ufeff?\s{0,1000}</
/**
 * Matches tags that a reader sees as a line break. Any other tag may occur within a word, as in Office files.
 */
const breakTag =
  /<\/?(?:[\w.-]{1,40}:)?(?:p|br|cr|tab|tr|tc|td|th|li|h|h[1-6]|div|si|c|row|comment|table-cell|table-row|list-item)(?=[\s/>])[^<>]*>/gi
const tag = /<[^<>]*>/g

const readings = (text: string): readonly string[] =>
  isMarkup.test(text) ? [text, text.replaceAll(breakTag, '\n').replaceAll(tag, '')] : [text]

/** Yields all texts that a reader may see in the bytes. */
export function* plainTexts(bytes: Buffer): Generator<string> {
  let controls = 0
  const noughts: [number, number] = [0, 0]
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] ?? 0
    if (!isControl(byte)) continue
    controls += 1
    if (byte === 0) noughts[at % 2 === 0 ? 0 : 1] += 1
  }
  const wide = wideText(bytes, noughts)
  if (wide !== undefined) {
    yield* readings(wide)
    yield runsIn(bytes)
    return
  }
  if (controls > bytes.length * 0.02) {
    yield runsIn(bytes)
    if (noughts[0] + noughts[1] > 0) yield wideRunsIn(bytes)
    return
  }
  const text = bytes.toString()
  yield* readings(text)
  // Some programs read invalid UTF-8 as Latin-1.
  if (text.includes('\ufffd')) yield bytes.toString('latin1')
  if (noughts[0] + noughts[1] >= minRun) yield wideRunsIn(bytes)
}
