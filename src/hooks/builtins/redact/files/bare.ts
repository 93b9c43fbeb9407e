import { tryUnpack, type FileReader } from './part.ts'

/** The number of bytes at the start of a file that show whether it is text. */
const headBytes = 4096
const hasControls = (bytes: Buffer): boolean =>
  bytes.subarray(0, headBytes).some((byte) => byte < 9 || (byte > 13 && byte < 32) || byte === 127) ||
  bytes.toString('utf8', 0, headBytes).slice(0, -4).includes('\ufffd')

/**
 * The fewest unpacked bytes that count. Random bytes sometimes unpack to a few others, and no secret is so
 * short.
 */
const leastBytes = 8

/**
 * A reader for compressed data without a signature. It scans the unpacked bytes, and the packed bytes are
 * scanned too.
 */
const bare = (method: 'zlib' | 'deflate' | 'brotli', is: (bytes: Buffer) => boolean): FileReader => ({
  is: (bytes) => bytes.length > 0 && is(bytes),
  levels: 0.5,
  isGuess: true,
  open: (bytes, budget) => {
    const unpacked = tryUnpack(method, bytes, budget)
    return {
      parts: unpacked === undefined || unpacked.length < leastBytes ? [] : [{ name: '', bytes: unpacked }],
    }
  },
})

const isZlib = (bytes: Buffer): boolean =>
  bytes.length > 2 && (bytes.readUInt8(0) & 0x0f) === 8 && bytes.readUInt16BE(0) % 31 === 0

export const bareViews: readonly FileReader[] = [
  bare('zlib', isZlib),
  bare('deflate', (bytes) => hasControls(bytes) && !isZlib(bytes)),
  bare('brotli', hasControls),
]
