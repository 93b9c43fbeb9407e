import type { TextReading } from './reading.ts'

const base64 =
  /[A-Za-z0-9+/_-]{16,}(?:[ \t]{0,8}\r?\n[ \t>]{0,16}(?:[A-Za-z0-9+/_-]{4,}|[A-Za-z0-9+/_-]{2,3}=))*/g
const hex = /(?<![0-9a-fA-F])(?:(?:0x)?[0-9a-fA-F]{2}[\s:,;-]{0,2}){16,}/g
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
const base32 = /(?<![A-Za-z0-9])(?:[A-Z2-7]{24,}|[a-z2-7]{24,})(?![A-Za-z0-9])/g
const letters32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'
const from32 = (letters: string): Buffer => {
  const bytes: number[] = []
  let [pending, bits] = [0, 0]
  for (const letter of letters.toUpperCase()) {
    pending = ((pending << 5) | letters32.indexOf(letter)) & 0xfff
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
const textOf = (
  bytes: Buffer,
): { readonly text: string; readonly at: readonly number[]; readonly to: readonly number[] } => {
  const [at, to]: [number[], number[]] = [[], []]
  let text = ''
  for (let index = 0; index < bytes.length;) {
    const byte = bytes[index] ?? 0
    const length = byte < 0xc2 ? 1 : byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4
    const end = Math.min(index + length, bytes.length)
    // In UTF-16 every other byte is zero, in UTF-32 three of four. They belong to the byte before them.
    if (byte === 0 && to.length > 0) to[to.length - 1] = end
    const read =
      byte === 0 ? '' : length === 1 ? String.fromCharCode(byte) : bytes.toString('utf8', index, end)
    const isWhole = !read.includes('\ufffd')
    const units = isWhole ? read : ' '
    const until = isWhole ? end : index + 1
    for (let unit = 0; unit < units.length; unit++) {
      at.push(index)
      to.push(until)
    }
    text += units
    index = until
  }
  return { text, at, to }
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

const readBytes = (
  bytes: Buffer,
  startOf: (byte: number) => number,
  endOf: (byte: number) => number,
): readonly TextReading[] => {
  if (bytes.length < 12 || !(legible.test(bytes.toString('latin1')) || hasWords(bytes))) return []
  const { text, at, to } = textOf(bytes)
  return [{ text, starts: Int32Array.from(at, startOf), ends: Int32Array.from(to, (end) => endOf(end - 1)) }]
}

/** The positions of the letters of an alphabet in a run, without the line breaks between them. */
const placesOf = (run: string, from: number, letter: RegExp): readonly number[] =>
  Array.from(run.matchAll(letter)).flatMap(({ 0: text, index }) =>
    Array.from(text, (_, at) => from + index + at),
  )

/**
 * An encoding: patterns for its runs, its letters and legible contents, and the number of letters in a group
 * that starts at a byte.
 */
interface Encoding {
  readonly runs: RegExp
  readonly letter: RegExp
  readonly legible: RegExp
  readonly group: number
  bytesOf(letters: string): Buffer
  /** The indexes of the first and the last letter of a byte. */
  lettersOf(byte: number): readonly [first: number, last: number]
}

/** The number of letters that are decoded around legible contents, in whole groups of all encodings. */
const marginLetters = 192

/**
 * The parts of a run with legible bytes. Letters of a path may come before them, and other bytes between
 * them.
 */
const stretchesOf = (
  letters: string,
  { legible, group }: Encoding,
): readonly { readonly from: number; readonly to: number }[] => {
  const stretches: { from: number; to: number }[][] = Array.from({ length: group }, () => [])
  for (const { 0: found, index } of letters.matchAll(legible)) {
    const skip = index % group
    const [from, to] = [Math.max(skip, index - marginLetters), index + found.length + marginLetters]
    const last = stretches[skip]?.at(-1)
    if (last === undefined || last.to < from) stretches[skip]?.push({ from, to })
    else last.to = to
  }
  return stretches.flat()
}

const readRuns = (text: string, encoding: Encoding): readonly TextReading[] =>
  Array.from(text.matchAll(encoding.runs)).flatMap(({ 0: run, index }) => {
    const letters = (run.match(encoding.letter) ?? []).join('')
    const stretches = stretchesOf(letters, encoding)
    if (stretches.length === 0) return []
    const places = placesOf(run, index, encoding.letter)
    return stretches.flatMap(({ from, to }) => {
      const place = (digit: number): number => places[from + digit] ?? 0
      return readBytes(
        encoding.bytesOf(letters.slice(from, to)),
        (byte) => place(encoding.lettersOf(byte)[0]),
        (byte) => place(encoding.lettersOf(byte)[1]) + 1,
      )
    })
  })

const encodings: readonly Encoding[] = [
  {
    runs: base64,
    letter: /[A-Za-z0-9+/_-]+/g,
    legible: legible64,
    group: 4,
    bytesOf: (letters) => Buffer.from(letters, 'base64'),
    lettersOf: (byte) => [Math.floor((byte * 4) / 3), Math.ceil(((byte + 1) * 4) / 3) - 1],
  },
  {
    runs: hex,
    letter: /(?:(?!0x)[0-9a-fA-F])+/g,
    legible: legibleHex,
    group: 2,
    bytesOf: (letters) => Buffer.from(letters.slice(0, letters.length - (letters.length % 2)), 'hex'),
    lettersOf: (byte) => [byte * 2, byte * 2 + 1],
  },
  {
    runs: base32,
    letter: /[A-Za-z2-7]+/g,
    legible: /[A-Za-z2-7]{24,}/g,
    group: 8,
    bytesOf: from32,
    lettersOf: (byte) => [Math.floor((byte * 8) / 5), Math.ceil(((byte + 1) * 8) / 5) - 1],
  },
]

/** A separator that no rule and no reading continues across. */
const seam = '\n\u00a6\u00a6\n'
/** Joins several readings into one, because scanning many short texts takes longer than one long text. */
const together = (readings: readonly TextReading[]): TextReading | undefined => {
  const [first, ...others] = readings
  if (first === undefined || others.length === 0) return first
  const sides = (reading: TextReading, side: 'starts' | 'ends'): readonly number[] => [
    ...Array.from(seam, () => 0),
    ...reading[side],
  ]
  return {
    text: readings.map(({ text }) => text).join(seam),
    starts: Int32Array.from([...first.starts, ...others.flatMap((reading) => sides(reading, 'starts'))]),
    ends: Int32Array.from([...first.ends, ...others.flatMap((reading) => sides(reading, 'ends'))]),
  }
}

/** Decodes the legible contents of base64, base64url, hex and base32. */
export const decodedIn = (text: string): TextReading | undefined =>
  together(encodings.flatMap((encoding) => readRuns(text, encoding)))
