import { bytesOf, tableOf, together, type TextReading } from './reading.ts'

/** Where a run of an encoding stands, from its first letter to behind its last. */
interface Run {
  readonly from: number
  readonly to: number
}

const is64 = tableOf(/[A-Za-z0-9+/_-]/)
const isHex = tableOf(/[0-9a-fA-F]/)
const isHexGap = tableOf(/[\s:,;-]/)
const isWord = tableOf(/[A-Za-z0-9]/)

/** The runs of so many letters of a class or more. */
const runsOf = (bytes: Buffer, isLetter: Uint8Array, least: number): readonly Run[] => {
  const runs: Run[] = []
  let from = 0
  for (let at = 0; at <= bytes.length; at++) {
    if (at < bytes.length && isLetter[bytes[at] ?? 0] === 1) continue
    if (at - from >= least) runs.push({ from, to: at })
    from = at + 1
  }
  return runs
}

const nextLines = /(?:[ \t]{0,8}\r?\n[ \t>]{0,16}(?:[A-Za-z0-9+/_-]{4,}|[A-Za-z0-9+/_-]{2,3}=))*/y
/** Base64 may go on in the next lines. */
const runs64 = (bytes: Buffer, text: string): readonly Run[] => {
  const runs: Run[] = []
  let until = 0
  for (const { from, to } of runsOf(bytes, is64, 16)) {
    if (from < until) continue
    nextLines.lastIndex = to
    nextLines.test(text)
    until = nextLines.lastIndex
    runs.push({ from, to: until })
  }
  return runs
}

const blank = 0x20
/** The fewest bytes of a run of hex. */
const leastHex = 16
/** Two digits for each byte, with up to two signs between two of them, or `0x` before each. */
const runsHex = (bytes: Buffer): readonly Run[] => {
  const runs: Run[] = []
  const isDigit = (at: number): boolean => isHex[bytes[at] ?? 0] === 1
  for (let at = 0; at < bytes.length;) {
    if (!isDigit(at) || isDigit(at - 1)) {
      at += 1
      continue
    }
    const from = at
    let count = 0
    for (;;) {
      if (bytes[at] === 0x30 && bytes[at + 1] === 0x78 && isDigit(at + 2) && isDigit(at + 3)) {
        // This zero is no digit.
        bytes[at] = blank
        at += 2
      }
      if (!isDigit(at) || !isDigit(at + 1)) break
      count += 1
      at += 2
      for (let gap = 0; gap < 2 && at < bytes.length && isHexGap[bytes[at] ?? 0] === 1; gap++) at += 1
    }
    if (count >= leastHex) runs.push({ from, to: at })
    else if (at === from) at += 1
  }
  return runs
}

const letters32 = /^(?:[A-Z2-7]+|[a-z2-7]+)$/
const runs32 = (bytes: Buffer, text: string): readonly Run[] =>
  runsOf(bytes, isWord, 24).filter(({ from, to }) => letters32.test(text.slice(from, to)))

const digit64 = '[A-Za-z0-9+/_-]'
/**
 * Matches base64 that decodes to legible bytes, so that names, paths, hashes and pictures are skipped: four
 * times three bytes of ASCII or of a script without it (in Chinese, one letter and a space can be a word), or
 * three letters of UTF-16 or UTF-32. The position of the match shows where the bytes begin.
 */
const legible64 = new RegExp(
  `(?:[CDI-Za-f][A-HQ-Xg-nwxyz0-3][ABEFIJMNQRUVYZcdghklopstwx014589]${digit64}){4}|(?:[4-7][I-LYZabo-r4-7][CGKOSWaeimquy26+-]${digit64}){4}|[4-7][I-LYZabo-r4-7][CGKOSWaeimquy26+-]${digit64}IO[CGKOSWaeimquy26+-]|[A-Za-f][AQgw][AB]${digit64}A[A-H]${digit64}{2}[A-Za-f][AQgw][AB]|[A-Za-f][AQgw]AAA[A-H][AEIMQUYcgkosw048]AAA[AB]${digit64}AAAA`,
  'g',
)
const alphabet32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'
const from32 = (letters: string): Buffer => {
  const bytes: number[] = []
  let [pending, bits] = [0, 0]
  for (const letter of letters.toUpperCase()) {
    pending = ((pending << 5) | alphabet32.indexOf(letter)) & 0xfff
    bits += 5
    if (bits < 8) continue
    bits -= 8
    bytes.push((pending >> bits) & 0xff)
  }
  return Buffer.from(bytes)
}
const legibleHex =
  /(?:(?:[2-7][0-9a-fA-F]|0[9aAdD])(?:00){0,3}){12}|(?:[eE][0-9a-fA-F](?:[89abAB][0-9a-fA-F]){2}(?:20)?){4}/g
/**
 * Matches a run of legible bytes. Fewer than one in a million binary files has it, so pictures and hashes are
 * skipped.
 */
const legible = /[\x20-\x7e]\0{0,3}(?:[\x20-\x7e\t\r\n]\0{0,3}){15}/

/** Decodes the bytes to text, with the range of bytes of each unit. */
const textOf = (bytes: Buffer): TextReading => {
  const [starts, ends] = [new Int32Array(bytes.length), new Int32Array(bytes.length)]
  let [text, count] = ['', 0]
  for (let index = 0; index < bytes.length;) {
    const first = index
    for (let byte = bytes[index] ?? 0; byte > 0 && byte < 0x80; byte = bytes[index] ?? 0) {
      starts[count] = index
      ends[count++] = ++index
    }
    text += bytes.toString('latin1', first, index)
    if (index === bytes.length) break
    const byte = bytes[index] ?? 0
    const length = byte < 0xc2 ? 1 : byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4
    const end = Math.min(index + length, bytes.length)
    // In UTF-16 every other byte is zero, in UTF-32 three of four. They belong to the byte before them.
    if (byte === 0 && count > 0) ends[count - 1] = end
    const read =
      byte === 0 ? '' : length === 1 ? String.fromCharCode(byte) : bytes.toString('utf8', index, end)
    const isWhole = !read.includes('\ufffd')
    const units = isWhole ? read : ' '
    const until = isWhole ? end : index + 1
    starts.fill(index, count, count + units.length)
    ends.fill(until, count, count + units.length)
    count += units.length
    text += units
    index = until
  }
  return { text, starts: starts.subarray(0, count), ends: ends.subarray(0, count) }
}

/**
 * True for bytes that may be a seed phrase in a script without ASCII: at least eleven gaps, and few invalid
 * bytes.
 */
const hasWords = (bytes: Buffer): boolean => {
  const text = bytes.toString()
  const count = (sign: RegExp): number => text.match(sign)?.length ?? 0
  return count(/\s/g) >= 11 && count(/\ufffd/g) <= 8
}

const isLegible = (bytes: Buffer): boolean =>
  bytes.length >= 12 && (legible.test(bytes.toString('latin1')) || hasWords(bytes))

/**
 * An encoding: its runs, its letters, a pattern for legible contents, and the number of letters in a group
 * that starts at a byte.
 */
interface Encoding {
  readonly runs: (bytes: Buffer, text: string) => readonly Run[]
  readonly letters: Uint8Array
  readonly legible: RegExp
  readonly group: number
  bytesOf(letters: string): Buffer
  /** The indexes of the first and the last letter of a byte. */
  lettersOf(byte: number): readonly [first: number, last: number]
}

/** The number of letters that are decoded around legible contents, in whole groups of all encodings. */
const marginLetters = 192

/**
 * Reads the parts of runs that have legible bytes. Letters of a path may come before them, and other bytes
 * between them.
 */
const readRuns = (text: string, bytes: Buffer, encoding: Encoding): readonly TextReading[] => {
  const runs = encoding.runs(bytes, text)
  const units = runs.reduce((sum, { from, to }) => sum + to - from + 1, 0)
  const [letters, places] = [Buffer.allocUnsafe(units), new Int32Array(units)]
  const begins: number[] = []
  let count = 0
  for (const { from, to } of runs) {
    begins.push(count)
    for (let at = from; at < to; at++) {
      const byte = bytes[at] ?? 0
      if (encoding.letters[byte] === 0) continue
      letters[count] = byte
      places[count++] = at
    }
    letters[count++] = blank
  }
  const written = letters.toString('latin1', 0, count)
  const stretches: { readonly from: number; to: number }[] = []
  /** The last stretch of the run for each letter of a group. */
  let last: (typeof stretches)[number][] = []
  let run = 0
  for (const { 0: found, index } of written.matchAll(encoding.legible)) {
    for (; (begins[run + 1] ?? Infinity) <= index; run++) last = []
    const begin = begins[run] ?? 0
    const skip = (index - begin) % encoding.group
    const from = Math.max(begin + skip, index - marginLetters)
    const to = Math.min((begins[run + 1] ?? count) - 1, index + found.length + marginLetters)
    const known = last[skip]
    if (known !== undefined && known.to >= from) known.to = to
    else stretches.push((last[skip] = { from, to }))
  }
  return stretches.flatMap(({ from, to }) => {
    const decoded = encoding.bytesOf(written.slice(from, to))
    if (!isLegible(decoded)) return []
    const { text: read, starts, ends } = textOf(decoded)
    return {
      text: read,
      starts: starts.map((byte) => places[from + encoding.lettersOf(byte)[0]] ?? 0),
      ends: ends.map((end) => (places[from + encoding.lettersOf(end - 1)[1]] ?? 0) + 1),
    }
  })
}

const encodings: readonly Encoding[] = [
  {
    runs: runs64,
    letters: is64,
    legible: legible64,
    group: 4,
    bytesOf: (letters) => Buffer.from(letters, 'base64'),
    lettersOf: (byte) => [Math.floor((byte * 4) / 3), Math.ceil(((byte + 1) * 4) / 3) - 1],
  },
  {
    runs: runsHex,
    letters: isHex,
    legible: legibleHex,
    group: 2,
    bytesOf: (letters) => Buffer.from(letters.slice(0, letters.length - (letters.length % 2)), 'hex'),
    lettersOf: (byte) => [byte * 2, byte * 2 + 1],
  },
  {
    runs: runs32,
    letters: isWord,
    legible: /[A-Za-z2-7]{24,}/g,
    group: 8,
    bytesOf: from32,
    lettersOf: (byte) => [Math.floor((byte * 8) / 5), Math.ceil(((byte + 1) * 8) / 5) - 1],
  },
]

/** Decodes the legible contents of base64, base64url, hex and base32. */
export const decodedIn = (text: string): TextReading | undefined => {
  const bytes = bytesOf(text)
  return together(encodings.flatMap((encoding) => readRuns(text, bytes, encoding)))
}
