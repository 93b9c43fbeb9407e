import { countEntry, joinBytes, outside, spend, Unjudged, type Budget, type FileReader } from './part.ts'

const block = 512
const text = (bytes: Buffer): string => bytes.toString().split('\0', 1)[0] ?? ''

/** Reads a number in octal digits, or in binary when its first bit is set. */
const numberOf = (field: Buffer): number =>
  (field[0] ?? 0) >= 0x80
    ? field.readUIntBE(field.length - 6, 6)
    : Number.parseInt(text(field).trim() || '0', 8)

/**
 * True when the checksum of a header is right. It is the sum of its bytes, with spaces in place of the
 * checksum.
 */
const isHeader = (header: Buffer): boolean => {
  let sum = 8 * 0x20
  for (const [at, byte] of header.entries()) if (at < 148 || at >= 156) sum += byte
  return sum === numberOf(header.subarray(148, 156))
}

/** The entries of a tar, and where it ends. Another tar may follow behind the zeros at its end. */
const entriesOf = (bytes: Buffer, budget: Budget) => {
  const entries: { readonly name: string; readonly from: number; readonly to: number }[] = []
  let [at, isOver] = [0, false]
  while (at + block <= bytes.length) {
    const header = bytes.subarray(at, at + block)
    if (header.every((byte) => byte === 0)) {
      isOver = true
      at += block
      continue
    }
    if (isOver && !isHeader(header)) break
    isOver = false
    const size = numberOf(header.subarray(124, 136))
    const from = at + block
    countEntry(budget)
    if (!isHeader(header) || !(size >= 0) || from + size > bytes.length)
      throw new Unjudged('is damaged: one of its entries cannot be read')
    entries.push({
      name: [text(header.subarray(345, 500)), text(header.subarray(0, 100))]
        .filter((part) => part !== '')
        .join('/'),
      from,
      to: from + size,
    })
    at = from + Math.ceil(size / block) * block
  }
  return { entries, end: at }
}

export const tar: FileReader = {
  is: (bytes) => bytes.length >= block && isHeader(bytes.subarray(0, block)),
  levels: 0.5,
  open: (bytes, budget) => {
    const { entries, end } = entriesOf(bytes, budget)
    spend(budget, bytes.length)
    // A long name is stored in an entry of its own, which is scanned too.
    return {
      parts: entries.map(({ name, from, to }) => ({ name, bytes: bytes.subarray(from, to) })),
      rest: joinBytes(outside(bytes, entries)),
      end,
    }
  },
}
