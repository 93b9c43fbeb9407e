import { tryUnpack, type FileReader } from './part.ts'
import { isControl } from './plain.ts'

/** The number of bytes at the start of a file that show whether it is text. */
const headBytes = 4096
export const hasControls = (bytes: Buffer): boolean =>
  bytes.subarray(0, headBytes).some((byte) => byte < 9 || (byte > 13 && byte < 32) || byte === 127) ||
  bytes.toString('utf8', 0, headBytes).slice(0, -4).includes('\ufffd')

/** The number of bytes at the start of a text, and in each block in which other data shows. */
const [startBytes, blockBytes] = [8, 64]
const isBinary = (byte: number): boolean => isControl(byte) || byte === 127

/** Where a text ends that has other data behind it. Texts in old alphabets have no control characters. */
export const endOfText = (bytes: Buffer): number | undefined => {
  if (bytes.length < startBytes || hasControls(bytes.subarray(0, startBytes))) return undefined
  for (let at = 0; at < bytes.length; at += blockBytes) {
    const block = bytes.subarray(at, at + blockBytes)
    if (!block.some(isBinary)) continue
    const unread =
      block
        .toString()
        .slice(3, -3)
        .match(/\ufffd/g) ?? []
    if (unread.length < 4) continue
    const from = Math.max(startBytes, at - blockBytes)
    return from + bytes.subarray(from).findIndex((byte) => byte >= 0x80 || isBinary(byte))
  }
  return undefined
}

/**
 * The fewest unpacked bytes that count. Random bytes sometimes unpack to a few others, and no secret is so
 * short.
 */
const leastBytes = 8
/** The fewest that show for sure that bytes were compressed, and so where their data ends. */
const sureBytes = 64

/**
 * A reader for compressed data without a signature. It scans the unpacked bytes, and the packed bytes are
 * scanned too.
 */
const bare = (method: 'zlib' | 'deflate' | 'brotli', is: (bytes: Buffer) => boolean): FileReader => ({
  is: (bytes) => bytes.length > 0 && is(bytes),
  levels: 0.5,
  open: (bytes, budget) => {
    const unpacked = tryUnpack(method, bytes, budget)
    if (unpacked === undefined || unpacked.buffer.length < leastBytes) return undefined
    // Other bytes may be taken for compressed data, and then they end nowhere.
    const isSure = method === 'zlib' || (unpacked.buffer.length >= sureBytes && !hasControls(unpacked.buffer))
    return { parts: [{ bytes: unpacked.buffer }], end: isSure ? unpacked.length : undefined }
  },
})

const isZlib = (bytes: Buffer): boolean =>
  bytes.length > 2 && (bytes.readUInt8(0) & 0x0f) === 8 && bytes.readUInt16BE(0) % 31 === 0

export const bareViews: readonly FileReader[] = [
  bare('zlib', isZlib),
  bare('deflate', (bytes) => hasControls(bytes) && !isZlib(bytes)),
  bare('brotli', hasControls),
]
