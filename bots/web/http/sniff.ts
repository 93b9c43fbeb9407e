/**
 * The type of a file according to its bytes. Its name is ignored. Only types that a browser may show or play
 * are named.
 */
export interface Sniffed {
  readonly type: string
  /** The size of a picture, in pixels. */
  readonly width?: number
  readonly height?: number
}

/**
 * How many bytes at the beginning of a file are read. A photo may have a colour profile and a thumbnail
 * before its size.
 */
export const headBytes = 1024 * 1024
/** No camera makes larger pictures. A small file with more pixels could fill a browser's memory. */
const maxPixels = 60_000_000
/** The type of every unknown file, and of every file that a browser could run. */
export const unknownType = 'application/octet-stream'

type Size = readonly [width: number, height: number]

/** The size of a JPEG is in the first frame header. Segments with a length each come before it. */
const sizeOfJpeg = (head: Buffer): Size | undefined => {
  let at = 2
  while (at + 9 <= head.length) {
    if (head[at] !== 0xff) return undefined
    const marker = head.readUInt8(at + 1)
    // These markers are frame headers, except C4, C8 and CC.
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

/** The pictures and sounds by their first bytes. Each byte is one character of the pattern. */
const pictures: readonly (readonly [
  firstBytes: RegExp,
  type: string,
  size: (head: Buffer) => Size | undefined,
])[] = [
  [/^\x89PNG\r\n\x1a\n[^]{4}IHDR/, 'image/png', (head) => [head.readUInt32BE(16), head.readUInt32BE(20)]],
  [/^\xff\xd8\xff/, 'image/jpeg', sizeOfJpeg],
  [/^GIF8[79]a/, 'image/gif', (head) => [head.readUInt16LE(6), head.readUInt16LE(8)]],
  [/^RIFF[^]{4}WEBP/, 'image/webp', sizeOfWebp],
]
const sounds: readonly (readonly [firstBytes: RegExp, type: string])[] = [
  [/^OggS/, 'audio/ogg'],
  [/^ID3|^\xff[\xf2\xf3\xfb]/, 'audio/mpeg'],
  [/^RIFF[^]{4}WAVE/, 'audio/wav'],
  [/^fLaC/, 'audio/flac'],
  [/^[^]{4}ftyp/, 'audio/mp4'],
  [/^\x1a\x45\xdf\xa3/, 'audio/webm'],
]

/**
 * Finds the type from the head of a file. A file that is not certainly of a known type is `unknownType` and
 * can only be saved.
 */
export const sniff = (head: Uint8Array): Sniffed => {
  const bytes = Buffer.from(head.buffer, head.byteOffset, head.byteLength)
  const start = bytes.toString('latin1', 0, 16)
  const picture = pictures.find(([firstBytes]) => firstBytes.test(start))
  if (picture === undefined)
    return { type: sounds.find(([firstBytes]) => firstBytes.test(start))?.[1] ?? unknownType }
  const [, type, sizeOf] = picture
  // Fewer than 30 bytes are shorter than every header, so no size can be read.
  const [width, height] = (bytes.length < 30 ? undefined : sizeOf(bytes)) ?? [0, 0]
  return width > 0 && height > 0 && width * height <= maxPixels
    ? { type, width, height }
    : { type: unknownType }
}
