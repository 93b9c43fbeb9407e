import { countEntry, type Budget, type FilePart, type FileReader } from './part.ts'

/** The end of a JPEG: its segments, and the data of its scans up to the next marker. */
const endOfJpeg = (bytes: Buffer): number | undefined => {
  for (let at = 2; at + 2 <= bytes.length;) {
    const marker = bytes[at + 1] ?? 0
    if (bytes[at] !== 0xff || marker === 0xff || marker < 2 || (marker >= 0xd0 && marker <= 0xd7)) at += 1
    else if (marker === 0xd9) return at + 2
    else at += at + 4 > bytes.length ? 2 : 2 + Math.max(2, bytes.readUInt16BE(at + 2))
  }
  return undefined
}

const jpeg: FileReader = {
  is: (bytes) => bytes.toString('latin1', 0, 3) === '\xff\xd8\xff',
  levels: 0,
  open: (bytes) => ({ parts: [], end: endOfJpeg(bytes) }),
}

/** Reads a GIF: the blocks of each comment, which are at most 255 bytes long, and where it ends. */
const readGif = (bytes: Buffer, budget: Budget): { parts: readonly FilePart[]; end: number | undefined } => {
  const parts: FilePart[] = []
  const tableAt = (flags: number): number => ((flags & 0x80) === 0 ? 0 : 3 << ((flags & 7) + 1))
  let at = 13 + tableAt(bytes[10] ?? 0)
  for (;;) {
    const kind = bytes[at]
    if (kind !== 0x2c && kind !== 0x21) return { parts, end: kind === 0x3b ? at + 1 : undefined }
    at += kind === 0x21 ? 2 : 11 + tableAt(bytes[at + 9] ?? 0)
    const blocks: Buffer[] = []
    for (let size = bytes[at] ?? 0; size > 0; size = bytes[at] ?? 0) {
      if (kind === 0x21) blocks.push(bytes.subarray(at + 1, at + 1 + size))
      at += 1 + size
    }
    at += 1
    if (blocks.length < 2) continue
    countEntry(budget)
    parts.push({ bytes: Buffer.concat(blocks) })
  }
}

const gif: FileReader = {
  is: (bytes) => /^GIF8[79]a/.test(bytes.toString('latin1', 0, 6)),
  levels: 0,
  open: readGif,
}

/** WebP, WAV and others of the RIFF format, which states its size. */
const riff: FileReader = {
  is: (bytes) => bytes.length >= 12 && bytes.toString('latin1', 0, 4) === 'RIFF',
  levels: 0,
  open: (bytes) => {
    const size = bytes.readUInt32LE(4)
    return { parts: [], end: 8 + size + (size % 2) }
  },
}

export const pictures: readonly FileReader[] = [jpeg, gif, riff]
