import { countEntry, unpack, type Budget, type FilePart, type FileReader } from './part.ts'

const pngSignature = Buffer.from('89504e470d0a1a0a', 'hex')

/**
 * The offset of the compressed bytes in a chunk: after its keyword, and in an iTXt chunk after a language and
 * a second keyword.
 */
const packedAt = (type: string, chunk: Buffer): number | undefined => {
  const keyword = chunk.indexOf(0)
  if (keyword === -1) return undefined
  if (type !== 'iTXt') return keyword + 2
  const language = chunk[keyword + 1] === 1 ? chunk.indexOf(0, keyword + 3) : -1
  const translated = language === -1 ? -1 : chunk.indexOf(0, language + 1)
  return translated === -1 ? undefined : translated + 1
}

/** Yields the compressed texts. Other texts are readable without unpacking. */
function* pngTexts(bytes: Buffer, budget: Budget): Generator<FilePart> {
  for (let at = pngSignature.length; at + 8 <= bytes.length;) {
    const size = bytes.readUInt32BE(at)
    const type = bytes.toString('latin1', at + 4, at + 8)
    const chunk = bytes.subarray(at + 8, at + 8 + size)
    const from = type === 'zTXt' || type === 'iTXt' || type === 'iCCP' ? packedAt(type, chunk) : undefined
    if (type === 'IEND') return
    if (from !== undefined)
      yield { bytes: unpack('zlib', chunk.subarray(from), budget, `: its ${type} cannot be unpacked`) }
    at += 12 + size
  }
}

const endOfPng = (bytes: Buffer): number | undefined => {
  for (let at = pngSignature.length; at + 8 <= bytes.length; at += 12 + bytes.readUInt32BE(at))
    if (bytes.toString('latin1', at + 4, at + 8) === 'IEND') return at + 12
  return undefined
}

const png: FileReader = {
  is: (bytes) => bytes.subarray(0, 8).equals(pngSignature),
  levels: 1,
  open: (bytes, budget) => ({ parts: pngTexts(bytes, budget), end: endOfPng(bytes) }),
}

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

export const pictures: readonly FileReader[] = [png, jpeg, gif, riff]
