import { spend, unpack, Unjudged, type Budget, type FilePart, type FileReader } from './part.ts'
import { lettersOf, withLetters, type Letters } from './pdf-letters.ts'

/** Source: ISO 32000. */
const startMark = 'stream'
const endMark = 'endstream'
/** Pictures: their bytes are looked through as they stand. */
const isPicture = /^(?:DCTDecode|JPXDecode|CCITTFaxDecode|JBIG2Decode)$/
const isRead = /^(?:FlateDecode|DCTDecode|JPXDecode|CCITTFaxDecode|JBIG2Decode)$/

const filtersOf = (dictionary: string): readonly string[] => {
  // A name may be written with some of its letters in hex.
  const plain = dictionary.replaceAll(/#([0-9a-fA-F]{2})/g, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  )
  const [, list = ''] = /\/Filter\s*(\[[^\]]*\]|\/\w+|\d+ \d+ R)/.exec(plain) ?? []
  if (/\d R/.test(list))
    throw new Unjudged('has a packing that is not read (it is named elsewhere in the PDF)')
  return list.match(/\w+/g) ?? []
}

const escapes: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', b: '\b', f: '\f', '\n': '' }
const decoded = (letters: string): string =>
  letters.startsWith('\xfe\xff')
    ? Buffer.from(letters.slice(0, letters.length - (letters.length % 2)), 'latin1')
        .swap16()
        .toString('utf16le')
        .slice(1)
    : letters

const special = /[()\\]/g

/** The string that begins at a bracket, and where it ends. */
const literal = (code: string, from: number): readonly [text: string, end: number] => {
  const runs: string[] = []
  let [depth, run] = [1, from + 1]
  special.lastIndex = run
  for (let match = special.exec(code); match !== null; match = special.exec(code)) {
    const at = match.index
    if (match[0] === '\\') {
      const [octal] = /^[0-7]{1,3}/.exec(code.slice(at + 1, at + 4)) ?? []
      const next = code.charAt(at + 1)
      runs.push(
        code.slice(run, at),
        octal === undefined ? (escapes[next] ?? next) : String.fromCharCode(Number.parseInt(octal, 8) & 0xff),
      )
      special.lastIndex = run = at + 1 + (octal ?? next).length
    } else {
      depth += match[0] === '(' ? 1 : -1
      if (depth === 0) return [runs.join('') + code.slice(run, at), at + 1]
    }
  }
  return [runs.join('') + code.slice(run), code.length]
}

/** A step back of this much, in thousandths of the letter's size, is a space between words. */
const spaceStep = -150
const token = /[([\]]|<[0-9a-fA-F\s]*>|-?\d+(?:\.\d+)?/g

/** The strings of a piece of PDF in their order; those that are shown with one stroke are one. */
const stringsIn = (code: string, letters?: Letters): string => {
  const readAs = (text: string): string =>
    letters === undefined ? decoded(text) : withLetters(text, letters)
  const read: string[] = []
  let isArray = false
  token.lastIndex = 0
  for (let match = token.exec(code); match !== null; match = token.exec(code)) {
    const [sign] = match
    if (sign === '[' || sign === ']') {
      isArray = sign === '['
      if (!isArray) read.push('\n')
    } else if (sign === '(') {
      const [text, end] = literal(code, match.index)
      read.push(readAs(text), isArray ? '' : '\n')
      token.lastIndex = end
    } else if (sign.startsWith('<'))
      read.push(
        readAs(Buffer.from(sign.replaceAll(/[^0-9a-fA-F]/g, ''), 'hex').toString('latin1')),
        isArray ? '' : '\n',
      )
    else if (isArray && Number(sign) < spaceStep) read.push(' ')
  }
  return read.join('')
}

/** The first two bytes of what zlib packed. */
const isZlib = (bytes: Buffer): boolean =>
  bytes.length > 2 && ((bytes[0] ?? 0) & 0x0f) === 8 && bytes.readUInt16BE(0) % 31 === 0

const unpacked = (stream: Buffer, filters: readonly string[], budget: Budget): Buffer | undefined => {
  const [filter, ...others] = filters
  if (filter === undefined)
    return isZlib(stream)
      ? unpack('zlib', stream, budget, ': a stream of the PDF cannot be unpacked')
      : undefined
  if (others.length > 0 || !isRead.test(filter))
    throw new Unjudged(`is packed in a way that is not read (${filters.join(', ').slice(0, 80)} in a PDF)`)
  return isPicture.test(filter)
    ? undefined
    : unpack('zlib', stream, budget, ': a stream of the PDF cannot be unpacked')
}

/** What stands between the streams, and the streams, unpacked where they were packed. */
function* piecesOf(
  bytes: Buffer,
  budget: Budget,
): Generator<{ readonly code: Buffer; readonly kind: 'between' | 'stream' | 'unpacked' }> {
  let [at, from] = [0, 0]
  for (let start = bytes.indexOf(startMark); start !== -1; start = bytes.indexOf(startMark, at)) {
    const before = bytes.toString('latin1', Math.max(from, start - 4), start)
    at = start + startMark.length
    // Elsewhere it is a word of some text.
    if (!before.trimEnd().endsWith('>>')) continue
    const dictionary = bytes.toString('latin1', from, start)
    yield { code: bytes.subarray(from, start), kind: 'between' }
    const first = at + (bytes[at] === 13 && bytes[at + 1] === 10 ? 2 : 1)
    const found = bytes.indexOf(endMark, first)
    const end = found === -1 ? bytes.length : found
    from = at = found === -1 ? end : end + endMark.length
    const stream = bytes.subarray(first, end)
    const code = unpacked(
      stream,
      filtersOf(dictionary.slice(Math.max(0, dictionary.lastIndexOf('obj')))),
      budget,
    )
    yield code === undefined ? { code: stream, kind: 'stream' } : { code, kind: 'unpacked' }
  }
  yield { code: bytes.subarray(from), kind: 'between' }
}

function* partsOf(bytes: Buffer, budget: Budget): Generator<FilePart | string> {
  const pieces = [...piecesOf(bytes, budget)].map((piece) => ({
    ...piece,
    text: piece.code.toString('latin1'),
  }))
  const fonts = pieces.flatMap(({ text }) => (text.includes('begincmap') ? [lettersOf(text)] : []))
  if (
    fonts.length === 0 &&
    pieces.some(({ text, kind }) => kind !== 'stream' && text.includes('/Identity-H'))
  )
    throw new Unjudged('is a PDF that does not say the letters of its fonts')
  for (const { code, kind, text } of pieces) {
    if (kind === 'unpacked') yield { name: '', bytes: code }
    yield stringsIn(text)
    // Which font is meant would take the whole of the page to say: each is tried.
    if (kind !== 'between' && /T[jJ]/.test(text)) {
      for (const font of fonts) {
        spend(budget, text.length)
        yield stringsIn(text, font)
      }
    }
  }
}

const encryption = /\/Encrypt\s*(?:\d{1,10}\s+\d{1,5}\s+R|<<)/

export const pdf: FileReader = {
  is: (bytes) => /(?:^|[\r\n])%PDF-\d/.test(bytes.toString('latin1', 0, 1024)),
  levels: 1,
  open: (bytes, budget) => {
    if (encryption.test(bytes.toString('latin1'))) throw new Unjudged('cannot be read: the PDF is encrypted')
    return { parts: partsOf(bytes, budget) }
  },
}
