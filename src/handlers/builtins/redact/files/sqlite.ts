import { countEntry, joinBytes, spend, type Budget, type FilePart, type FileReader } from './part.ts'

/** Pages that hold records: leaves of tables, and pages of indexes. Source: the file format of SQLite. */
const [tableLeaf, indexLeaf, indexInner] = [0x0d, 0x0a, 0x02]
/** The sizes of the values of a record whose type is a small number. */
const sizes = [0, 1, 2, 3, 4, 6, 8, 8]
/** The shortest value that is read by its kind. */
const leastBlob = 16

const varint = (bytes: Buffer, from: number): readonly [value: number, next: number] => {
  let value = 0
  for (let at = from; at < from + 8; at++) {
    const byte = bytes[at] ?? 0
    value = value * 128 + (byte & 0x7f)
    if (byte < 0x80) return [value, at + 1]
  }
  return [value * 256 + (bytes[from + 8] ?? 0), from + 9]
}

/** Yields the binary values of a record. */
function* blobsIn(record: Buffer): Generator<Buffer> {
  const [head, first] = varint(record, 0)
  let value = head
  for (let at = first; at < head && value < record.length;) {
    const [type, next] = varint(record, at)
    at = next
    const size = type < 12 ? (sizes[type] ?? 0) : Math.floor((type - 12) / 2)
    if (type >= 12 && type % 2 === 0 && size >= leastBlob) yield record.subarray(value, value + size)
    value += size
  }
}

/**
 * Yields the records of a page. A long record goes on in a chain of other pages, which may lie anywhere. A
 * page that is not in use may hold anything, so what makes no sense is skipped.
 */
function* recordsIn(
  bytes: Buffer,
  page: { readonly at: number; readonly size: number; readonly usable: number },
  budget: Budget,
): Generator<{ readonly record: Buffer; readonly isLong: boolean }> {
  const { at, size, usable } = page
  const head = at === 0 ? 100 : at
  const type = bytes[head]
  if (type !== tableLeaf && type !== indexLeaf && type !== indexInner) return
  const most = type === tableLeaf ? usable - 35 : Math.floor(((usable - 12) * 64) / 255) - 23
  const least = Math.floor(((usable - 12) * 32) / 255) - 23
  const pointers = head + (type === indexInner ? 12 : 8)
  const count = Math.min(bytes.readUInt16BE(head + 3), (at + size - pointers) / 2)
  for (let cell = 0; cell + 1 <= count; cell++) {
    const place = at + bytes.readUInt16BE(pointers + cell * 2) + (type === indexInner ? 4 : 0)
    const [length, next] = varint(bytes, place)
    const from = type === tableLeaf ? varint(bytes, next)[1] : next
    const rest = least + ((length - least) % (usable - 4))
    const local = length <= most ? length : rest <= most ? rest : least
    if (length > bytes.length || from + local + (length > local ? 4 : 0) > bytes.length) continue
    const pieces = [bytes.subarray(from, from + local)]
    let left = length - local
    if (left > 0) spend(budget, length)
    for (let number = left > 0 ? bytes.readUInt32BE(from + local) : 0; left > 0 && number > 0;) {
      const start = (number - 1) * size
      if (start + size > bytes.length) break
      pieces.push(bytes.subarray(start + 4, start + 4 + Math.min(left, usable - 4)))
      left -= usable - 4
      number = bytes.readUInt32BE(start)
    }
    yield {
      record: pieces.length === 1 ? (pieces[0] ?? bytes) : Buffer.concat(pieces),
      isLong: pieces.length > 1,
    }
  }
}

/** Yields the records that are in several pages, and each value that may be a file of its own. */
function* partsOf(bytes: Buffer, size: number, budget: Budget): Generator<FilePart> {
  const usable = size - (bytes[20] ?? 0)
  const long: Buffer[] = []
  for (let at = 0; at + size <= bytes.length; at += size)
    for (const { record, isLong } of recordsIn(bytes, { at, size, usable }, budget)) {
      if (isLong) long.push(record)
      for (const blob of blobsIn(record)) {
        countEntry(budget)
        spend(budget, blob.length)
        yield { name: '', bytes: blob }
      }
    }
  if (long.length > 0) yield { name: '', bytes: joinBytes(long) }
}

export const sqlite: FileReader = {
  is: (bytes) => bytes.length >= 512 && bytes.toString('latin1', 0, 16) === 'SQLite format 3\0',
  levels: 0,
  open: (bytes, budget) => {
    const stated = bytes.readUInt16BE(16)
    const size = stated === 1 ? 65_536 : Math.max(512, stated)
    return { parts: partsOf(bytes, size, budget), end: size * bytes.readUInt32BE(28) || undefined }
  },
}
