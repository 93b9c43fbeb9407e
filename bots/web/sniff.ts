/** What the bytes of a file are, whatever its name says: only what a browser may show or play. */
export interface Sniffed {
  readonly type: string
  /** Of a picture, in pixels. */
  readonly width?: number
  readonly height?: number
}

/** How much of a file's beginning is looked at: a photo may have its colours and a small copy of itself before its size. */
export const headBytes = 1024 * 1024
/** More than any camera makes; beyond it a small file could fill a browser's memory. */
const maxPixels = 60_000_000
/** For everything that a browser could take for something to run, and everything unknown. */
export const unknownType = 'application/octet-stream'

type Size = readonly [width: number, height: number]

/** A JPEG's size stands in the first frame header, behind segments that each tell their length. */
const sizeOfJpeg = (head: Buffer): Size | undefined => {
  let at = 2
  while (at + 9 <= head.length) {
    if (head[at] !== 0xff) return undefined
    const marker = head.readUInt8(at + 1)
    // A frame header; C4, C8 and CC, in the midst of them, are something else.
    if (marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker))
      return [head.readUInt16BE(at + 7), head.readUInt16BE(at + 5)]
    at += marker === 0xff ? 1 : 2 + head.readUInt16BE(at + 2)
  }
  return undefined
}

const sizeOfWebp = (head: Buffer): Size | undefined => {
  const kind = head.toString('latin1', 12, 16)
  if (kind === 'VP8X') return [head.readUIntLE(24, 3) + 1, head.readUIntLE(27, 3) + 1]
  if (kind === 'VP8 ') return [head.readUInt16LE(26) & 0x3fff, head.readUInt16LE(28) & 0x3fff]
  if (kind !== 'VP8L') return undefined
  const bits = head.readUInt32LE(21)
  return [(bits & 0x3fff) + 1, ((bits >>> 14) & 0x3fff) + 1]
}

/** By their first bytes, each byte a character. */
const pictures: readonly (readonly [
  begins: RegExp,
  type: string,
  size: (head: Buffer) => Size | undefined,
])[] = [
  [/^\x89PNG\r\n\x1a\n[^]{4}IHDR/, 'image/png', (head) => [head.readUInt32BE(16), head.readUInt32BE(20)]],
  [/^\xff\xd8\xff/, 'image/jpeg', sizeOfJpeg],
  [/^GIF8[79]a/, 'image/gif', (head) => [head.readUInt16LE(6), head.readUInt16LE(8)]],
  [/^RIFF[^]{4}WEBP/, 'image/webp', sizeOfWebp],
]
const sounds: readonly (readonly [begins: RegExp, type: string])[] = [
  [/^OggS/, 'audio/ogg'],
  [/^ID3|^\xff[\xf2\xf3\xfb]/, 'audio/mpeg'],
  [/^RIFF[^]{4}WAVE/, 'audio/wav'],
  [/^fLaC/, 'audio/flac'],
  [/^[^]{4}ftyp/, 'audio/mp4'],
  [/^\x1a\x45\xdf\xa3/, 'audio/webm'],
]

/** Reads the head of a file. What is not surely one of the few is `unknownType`, and so only something to save. */
export const sniff = (head: Uint8Array): Sniffed => {
  const bytes = Buffer.from(head.buffer, head.byteOffset, head.byteLength)
  const begin = bytes.toString('latin1', 0, 16)
  const picture = pictures.find(([begins]) => begins.test(begin))
  if (picture === undefined)
    return { type: sounds.find(([begins]) => begins.test(begin))?.[1] ?? unknownType }
  const [, type, sizeOf] = picture
  // Shorter than every header: nothing to show, and nothing to read beyond.
  const [width, height] = (bytes.length < 30 ? undefined : sizeOf(bytes)) ?? [0, 0]
  return width > 0 && height > 0 && width * height <= maxPixels
    ? { type, width, height }
    : { type: unknownType }
}
