/** Bytes without a form of their own, as the texts that they may be. */

const isControl = (byte: number): boolean =>
  byte < 0x20 && byte !== 9 && byte !== 10 && byte !== 12 && byte !== 13 && byte !== 27
const isPrintable = (byte: number): boolean =>
  (byte >= 0x20 && byte < 0x7f) || byte === 9 || byte === 10 || byte === 13
/** Nothing shorter is a secret, and bytes that are no text seldom have so many letters in a row. */
const minRun = 8

/** How long the character of UTF-8 at this place is; 0 where there is none. */
const charBytes = (bytes: Buffer, at: number): number => {
  const first = bytes[at] ?? 0
  const length = first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : first < 0xf5 ? 4 : 0
  for (let next = 1; next < length; next++) if (((bytes[at + next] ?? 0) & 0xc0) !== 0x80) return 0
  return length
}

/** What is legible among other bytes: letters in a row, one run a line. */
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

/** ASCII in two or four bytes a letter, whichever of them comes first. */
const wideRun = /(?:[\x20-\x7e\t\r\n]\0{1,3}){7,4000}[\x20-\x7e]?/g
const wideRunsIn = (bytes: Buffer): string =>
  (bytes.toString('latin1').match(wideRun) ?? []).map((run) => run.replaceAll('\0', '')).join('\n')

const swapped = (bytes: Buffer): Buffer =>
  Buffer.from(bytes.subarray(0, bytes.length - (bytes.length % 2))).swap16()

/** UTF-16 as its mark says it, or as the noughts of its letters show it. */
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
/** Where a reader sees a new line; every other tag may stand within a word, as Office puts them. */
const breakTag =
  /<\/?(?:[\w.-]{1,40}:)?(?:p|br|cr|tab|tr|tc|td|th|li|h|h[1-6]|div|si|c|row|comment|table-cell|table-row|list-item)(?=[\s/>])[^<>]*>/gi
const tag = /<[^<>]*>/g

const readings = (text: string): readonly string[] =>
  isMarkup.test(text) ? [text, text.replaceAll(breakTag, '\n').replaceAll(tag, '')] : [text]

/** All that a reader may make of the bytes. */
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
  // What is no UTF-8 is read by some as Latin-1.
  if (text.includes('\ufffd')) yield bytes.toString('latin1')
  if (noughts[0] + noughts[1] >= minRun) yield wideRunsIn(bytes)
}
