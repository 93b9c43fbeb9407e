import {
  countEntry,
  joinBytes,
  outside,
  spend,
  unpack,
  Unjudged,
  type Budget,
  type FilePart,
  type FileReader,
} from './part.ts'

/** The signatures of the ZIP format. All numbers are little-endian. Source: the APPNOTE of PKWARE. */
const signature = { local: 0x04034b50, central: 0x02014b50, end: 0x06054b50 }
const endBytes = 22
const head = Buffer.from('PK\x03\x04', 'latin1')

interface ZipEntry {
  readonly name: string
  readonly method: number
  /** The offset of its compressed bytes. */
  readonly from: number
  readonly to: number
}

/** The place of the central directory, and the number of bytes before the archive (`base`). */
interface ZipDirectory {
  readonly from: number
  readonly to: number
  readonly base: number
}

const directoryOf = (bytes: Buffer): ZipDirectory | undefined => {
  const at = bytes.lastIndexOf(Buffer.from('PK\x05\x06', 'latin1'))
  if (at === -1 || at < bytes.length - endBytes - 0xffff || at + endBytes > bytes.length) return undefined
  const [size, offset] = [bytes.readUInt32LE(at + 12), bytes.readUInt32LE(at + 16)]
  if (size === 0xffffffff || offset === 0xffffffff)
    throw new Unjudged('is an archive in an unsupported format (zip64)')
  const base = at - size - offset
  return base < 0 ? undefined : { from: at - size, to: at, base }
}

const entriesOf = (bytes: Buffer, directory: ZipDirectory, budget: Budget): readonly ZipEntry[] => {
  const entries: ZipEntry[] = []
  for (let at = directory.from; at < directory.to;) {
    countEntry(budget)
    if (at + 46 > directory.to || bytes.readUInt32LE(at) !== signature.central)
      throw new Unjudged('is damaged: its directory cannot be read')
    const [flags, method, size, offset] = [
      bytes.readUInt16LE(at + 8),
      bytes.readUInt16LE(at + 10),
      bytes.readUInt32LE(at + 20),
      bytes.readUInt32LE(at + 42),
    ]
    const named = bytes.readUInt16LE(at + 28)
    const name = bytes.toString('utf8', at + 46, at + 46 + named)
    at += 46 + named + bytes.readUInt16LE(at + 30) + bytes.readUInt16LE(at + 32)
    const local = directory.base + offset
    if (local + 30 > bytes.length || bytes.readUInt32LE(local) !== signature.local)
      throw new Unjudged(`is damaged at its entry ${name}`)
    const from = local + 30 + bytes.readUInt16LE(local + 26) + bytes.readUInt16LE(local + 28)
    const ownFlags = bytes.readUInt16LE(local + 6)
    if (((flags | ownFlags) & 1) !== 0) throw new Unjudged(`holds an encrypted entry: ${name}`)
    const isStreamed = (ownFlags & 8) !== 0
    const isSame =
      bytes.readUInt16LE(local + 8) === method &&
      (isStreamed ? method !== 0 || size === 0 : bytes.readUInt32LE(local + 18) === size)
    if (from + size > bytes.length || !isSame)
      throw new Unjudged(`has contradictory data about its entry ${name}`)
    entries.push({ name, method, from, to: from + size })
  }
  return entries
}

const unpackEntry = (bytes: Buffer, { name, method, from, to }: ZipEntry, budget: Budget): Buffer => {
  const packed = bytes.subarray(from, to)
  if (method === 8) return unpack('deflate', packed, budget, ` at its entry ${name}`, true)
  if (method === 93) return unpack('zstd', packed, budget, ` at its entry ${name}`, true)
  if (method !== 0) throw new Unjudged(`is compressed in an unsupported way (zip method ${method})`)
  spend(budget, packed.length)
  return packed
}

function* partsOf(bytes: Buffer, entries: readonly ZipEntry[], budget: Budget): Generator<FilePart> {
  for (const entry of entries) yield { name: entry.name, bytes: unpackEntry(bytes, entry, budget) }
}

const headsIn = (run: Buffer): number => {
  let count = 0
  for (let at = run.indexOf(head); at !== -1; at = run.indexOf(head, at + 1)) count += 1
  return count
}

/** The bytes outside of the entries. */
const restOf = (bytes: Buffer, entries: readonly ZipEntry[]): Buffer => {
  const rest = outside(bytes, entries)
  // Some programs read an archive from its start and ignore its directory.
  if (rest.reduce((count, run) => count + headsIn(run), 0) > entries.length)
    throw new Unjudged('holds an entry that is not in its directory')
  return joinBytes(rest)
}

const isZip = (bytes: Buffer): boolean => {
  if (bytes.subarray(0, 4).equals(head)) return true
  const directory = directoryOf(bytes)
  return (
    directory !== undefined &&
    (directory.from === directory.to || bytes.readUInt32LE(directory.from) === signature.central)
  )
}

export const zip: FileReader = {
  is: isZip,
  levels: 1,
  open: (bytes, budget) => {
    const directory = directoryOf(bytes)
    if (directory === undefined) throw new Unjudged('is damaged: its directory cannot be read')
    const entries = entriesOf(bytes, directory, budget)
    return {
      parts: partsOf(bytes, entries, budget),
      rest: restOf(bytes, entries),
      start: directory.base,
      end: directory.to + endBytes,
    }
  },
}
