import { unpack, type Budget, type FilePart, type FileReader } from './part.ts'

const signature = Buffer.from('89504e470d0a1a0a', 'hex')

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
function* partsOf(bytes: Buffer, budget: Budget): Generator<FilePart> {
  for (let at = signature.length; at + 8 <= bytes.length;) {
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

const endOf = (bytes: Buffer): number | undefined => {
  for (let at = signature.length; at + 8 <= bytes.length; at += 12 + bytes.readUInt32BE(at))
    if (bytes.toString('latin1', at + 4, at + 8) === 'IEND') return at + 12
  return undefined
}

export const png: FileReader = {
  is: (bytes) => bytes.subarray(0, 8).equals(signature),
  levels: 1,
  open: (bytes, budget) => ({ parts: partsOf(bytes, budget), end: endOf(bytes) }),
}
