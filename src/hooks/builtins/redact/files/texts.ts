import { bareViews } from './bare.ts'
import { mail } from './mail.ts'
import { maxDepth, NotOpened, Unjudged, unpack, type Budget, type FileReader } from './part.ts'
import { plainTexts } from './plain.ts'
import { png } from './png.ts'
import { rtf } from './rtf.ts'
import { tar } from './tar.ts'
import { zip } from './zip.ts'

const startsWith =
  (hex: string) =>
  (bytes: Buffer): boolean =>
    bytes.subarray(0, hex.length / 2).equals(Buffer.from(hex, 'hex'))

const packed = (method: 'gzip' | 'zstd', hex: string): FileReader => ({
  is: startsWith(hex),
  levels: 0.5,
  open: (bytes, budget) => ({
    parts: [{ name: '', bytes: unpack(method, bytes, budget, '', method === 'zstd') }],
  }),
})

/** The readers of all kinds of files that are opened. */
const views: readonly FileReader[] = [
  zip,
  tar,
  packed('gzip', '1f8b08'),
  packed('zstd', '28b52ffd'),
  png,
  mail,
  rtf,
  ...bareViews,
]

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
  ['a pack of git', startsWith('5041434b0000000')],
  [
    'encrypted Office',
    (bytes) =>
      startsWith('d0cf11e0a1b11ae1')(bytes) && bytes.includes(Buffer.from('EncryptedPackage', 'utf16le')),
  ],
]

/**
 * True for a PDF, which is never opened. The packages that could read one have no memory limit: a PDF of 4 kB
 * can take 2 GB. Programs that show a PDF search its signature in the first 1024 bytes.
 */
const isPdf = (bytes: Buffer): boolean => /%PDF-\d/.test(bytes.toString('latin1', 0, 1024))

/**
 * Yields all texts of a file and of the files in it, one at a time. Throws `Unjudged` when it cannot read all
 * of them.
 */
export function* textsIn(bytes: Buffer, budget: Budget, depth = 0): Generator<string> {
  const other = unread.find(([, is]) => is(bytes))
  if (other !== undefined) throw new Unjudged(`is compressed in an unsupported format (${other[0]})`)
  if (isPdf(bytes)) throw new NotOpened('is a PDF, which is not opened')
  let isCovered = false
  for (const view of views.filter(({ is }) => is(bytes))) {
    const inner = depth + view.levels
    // Any bytes may be compressed data without a signature. Only unpacking them shows it.
    if (inner > maxDepth && view.isGuess === true && [...view.open(bytes, budget).parts].length === 0)
      continue
    if (inner > maxDepth) throw new Unjudged(`is packed more than ${maxDepth} levels deep`)
    const { parts, rest } = view.open(bytes, budget)
    if (rest !== undefined) {
      isCovered = true
      yield* plainTexts(rest)
    }
    const names: string[] = []
    for (const part of parts) {
      if (typeof part === 'string') yield part
      else {
        if (part.name !== '') names.push(part.name)
        yield* textsIn(part.bytes, budget, inner)
      }
    }
    if (names.length > 0) yield names.join('\n')
  }
  if (!isCovered) yield* plainTexts(bytes)
}
