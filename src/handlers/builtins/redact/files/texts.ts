import { bareViews, endOfText, hasControls } from './bare.ts'
import { gzip, gzipsIn, pastZeros } from './gzip.ts'
import { mail } from './mail.ts'
import { maxDepth, NotOpened, spend, Unjudged, unpack, type Budget, type FileReader } from './part.ts'
import { plainTexts } from './plain.ts'
import { pictures } from './pictures.ts'
import { tar } from './tar.ts'
import { zip } from './zip.ts'

const startsWith =
  (hex: string) =>
  (bytes: Buffer): boolean =>
    bytes.subarray(0, hex.length / 2).equals(Buffer.from(hex, 'hex'))

const zstd: FileReader = {
  is: startsWith('28b52ffd'),
  levels: 0.5,
  open: (bytes, budget) => ({ parts: [{ bytes: unpack('zstd', bytes, budget, '', true) }] }),
}

/** The readers of all kinds of files that are opened. The zip is first, because it may be behind another. */
const views: readonly FileReader[] = [zip, tar, gzip, zstd, ...pictures, mail, ...bareViews]

/** The kinds of files that Node cannot unpack. */
const unread: readonly (readonly [name: string, is: (bytes: Buffer) => boolean])[] = [
  ['7z', startsWith('377abcaf271c')],
  ['rar', startsWith('526172211a07')],
  ['xz', startsWith('fd377a585a00')],
  ['lzma', startsWith('5d0000')],
  ['lzop', startsWith('894c5a4f')],
  ['snappy', startsWith('ff060000734e6150')],
  ['lz4', startsWith('04224d18')],
  ['bzip2', (bytes) => /^BZh[1-9]1AY&SY/.test(bytes.toString('latin1', 0, 10))],
  ['compress', startsWith('1f9d')],
  ['lzip', startsWith('4c5a4950')],
  ['cab', startsWith('4d534346')],
  ['ar', startsWith('213c617263683e0a')],
  ['rpm', startsWith('edabeedb')],
  ['a log of SQLite', startsWith('377f0682')],
  ['a log of SQLite', startsWith('377f0683')],
  ['a pack of git', startsWith('5041434b0000000')],
  [
    'encrypted Office',
    (bytes) =>
      startsWith('d0cf11e0a1b11ae1')(bytes) && bytes.includes(Buffer.from('EncryptedPackage', 'utf16le')),
  ],
]

/**
 * The kinds of files that are never opened, so that a person decides about them. A reader of records or of
 * formatting finds little more than what is plain to see. The packages that could read a PDF have no memory
 * limit: a PDF of 4 kB can take 2 GB. Programs that show a PDF search its signature in the first 1024 bytes.
 */
const closed: readonly (readonly [name: string, is: (bytes: Buffer) => boolean])[] = [
  ['a PDF', (bytes) => /%PDF-\d/.test(bytes.toString('latin1', 0, 1024))],
  ['a database of SQLite', startsWith('53514c69746520666f726d6174203300')],
  ['a rich text file (RTF)', startsWith('7b5c727466')],
]

/** The number of levels that a gzip adds which stands within other bytes. */
const besideLevels = 0.5

/** The fewest bytes of no known kind behind a file that may hold a secret. */
const leastBehind = 20
/** The fewest bytes that are a text with something behind it. Many files have a name at their beginning. */
const leastText = 24

/** What the readers of a file found out, besides its texts. */
interface Opened {
  /** Whether a reader knows its kind. */
  isKnown: boolean
  /** The bytes that no reader opened. */
  rest: Buffer
  /** The bytes behind its end. */
  behind: Buffer
}

const checkDepth = (depth: number): void => {
  if (depth > maxDepth) throw new Unjudged(`is packed more than ${maxDepth} levels deep`)
}

/** Yields the texts of the parts of a file, by all readers of its kinds. */
function* partsOf(bytes: Buffer, budget: Budget, depth: number, opened: Opened): Generator<string> {
  let start = bytes.length
  for (const view of views.filter(({ is }) => is(bytes))) {
    const contents = view.open(bytes, budget)
    // Any bytes may be compressed data without a signature. Only unpacking them shows it.
    if (contents === undefined) continue
    checkDepth(depth + view.levels)
    opened.isKnown = true
    if (contents.rest !== undefined) opened.rest = contents.rest
    start = contents.start ?? start
    if (contents.end !== undefined)
      opened.behind = bytes.subarray(contents.end, contents.start === undefined ? start : bytes.length)
    const names: string[] = []
    for (const part of contents.parts) {
      if (typeof part === 'string') yield part
      else {
        if (part.name) names.push(part.name)
        yield* textsIn(part.bytes, budget, depth + view.levels)
      }
    }
    if (names.length > 0) yield names.join('\n')
  }
}

/**
 * Yields all texts of a file and of the files in it, one at a time. Throws `Unjudged` when it cannot read all
 * of them. With `isBehind`, the file stands behind another, where nothing but a text or a file of a known
 * kind is expected.
 */
export function* textsIn(bytes: Buffer, budget: Budget, depth = 0, isBehind = false): Generator<string> {
  const other = unread.find(([, is]) => is(bytes))
  if (other !== undefined) throw new Unjudged(`is compressed in an unsupported format (${other[0]})`)
  const unopened = closed.find(([, is]) => is(bytes))
  const opened: Opened = { isKnown: false, rest: bytes, behind: Buffer.alloc(0) }
  let fault: unknown
  try {
    if (unopened !== undefined) throw new NotOpened(`is ${unopened[0]}, which is not opened`)
    yield* partsOf(bytes, budget, depth, opened)
    for (const inner of gzipsIn(opened.rest, budget)) {
      checkDepth(depth + besideLevels)
      yield* textsIn(inner, budget, depth + besideLevels)
    }
    const end = opened.isKnown ? undefined : endOfText(bytes)
    const behind = end === undefined ? opened.behind : bytes.subarray(end)
    const file = behind.subarray(pastZeros(behind, 0))
    if (file.length > 0) {
      // Many files one behind another would be read again and again.
      spend(budget, file.length)
      yield* textsIn(file, budget, depth, isBehind || end === undefined || end >= leastText)
    }
    if (isBehind && bytes.length >= leastBehind && !opened.isKnown && end === undefined && hasControls(bytes))
      throw new Unjudged('has data behind its end that is of no known kind')
  } catch (error) {
    fault = error
  }
  // A secret that is plain to see is found all the same.
  yield* plainTexts(opened.rest)
  if (fault !== undefined) throw fault
}
