import { joinBytes, tryUnpack, Unjudged, type Budget, type FileReader } from './part.ts'

const mark = Buffer.from('1f8b08', 'hex')
const isGzip = (bytes: Buffer, at: number): boolean => bytes.subarray(at, at + mark.length).equals(mark)
/** The bytes behind the data of a member: a checksum and a size. */
const trailerBytes = 8

/** The place of the data behind the header at `from`: it may hold an extra field, a name and a comment. */
const dataAt = (bytes: Buffer, from: number): number => {
  const flags = bytes[from + 3] ?? 0
  let at = from + 10
  if ((flags & 4) !== 0) at += 2 + (bytes[at] ?? 0) + (bytes[at + 1] ?? 0) * 256
  for (const flag of [8, 16]) if ((flags & flag) !== 0) at = bytes.indexOf(0, at) + 1 || bytes.length
  return at + ((flags & 2) !== 0 ? 2 : 0)
}

export const pastZeros = (bytes: Buffer, from: number): number => {
  let at = from
  while (bytes[at] === 0) at += 1
  return at
}

/**
 * Unpacks all members of a gzip, which programs read as one file, with zeros between them or without. `rest`
 * is their headers, which hold names and comments. It is undefined when the first of them is none.
 */
const openGzip = (bytes: Buffer, from: number, budget: Budget) => {
  const [unpacked, heads]: [Buffer[], Buffer[]] = [[], []]
  let end = from
  for (let at = from; isGzip(bytes, at); at = pastZeros(bytes, end)) {
    const data = dataAt(bytes, at)
    const member = tryUnpack('deflate', bytes.subarray(data), budget)
    if (member === undefined) break
    unpacked.push(member.buffer)
    heads.push(bytes.subarray(at, data))
    end = Math.min(bytes.length, data + member.length + trailerBytes)
  }
  if (unpacked.length === 0) return undefined
  return { bytes: Buffer.concat(unpacked), rest: joinBytes(heads), end }
}

export const gzip: FileReader = {
  is: (bytes) => isGzip(bytes, 0),
  levels: 0.5,
  open: (bytes, budget) => {
    const found = openGzip(bytes, 0, budget)
    if (found === undefined) throw new Unjudged('is damaged')
    return { parts: [{ bytes: found.bytes }], rest: found.rest, end: found.end }
  },
}

/** Yields the unpacked data of each gzip that stands somewhere within the bytes. */
export function* gzipsIn(bytes: Buffer, budget: Budget): Generator<Buffer> {
  for (let at = bytes.indexOf(mark, 1); at !== -1;) {
    const found = openGzip(bytes, at, budget)
    if (found !== undefined) yield found.bytes
    at = bytes.indexOf(mark, found?.end ?? at + 1)
  }
}
