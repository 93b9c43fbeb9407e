import { isUtf8 } from 'node:buffer'

/** The default message type of a file. */
export type SendAs = 'photo' | 'document' | 'voice'

export interface FileKind {
  /** The MIME type. */
  readonly type: string
  readonly as: SendAs
}

/** Larger pictures are sent as documents. Source: https://core.telegram.org/bots/api#sendphoto */
const maxPhotoBytes = 10_000_000

/** The bytes that identify each type of file, and their offset. */
const beginnings: readonly (readonly [type: string, as: SendAs, magic: string, at?: number])[] = [
  ['image/png', 'photo', '\x89PNG\r\n\x1a\n'],
  ['image/jpeg', 'photo', '\xff\xd8\xff'],
  ['image/webp', 'photo', 'WEBP', 8],
  ['image/gif', 'document', 'GIF8'],
  ['audio/ogg', 'voice', 'OpusHead', 28],
  ['audio/mpeg', 'document', 'ID3'],
  ['video/mp4', 'document', 'ftyp', 4],
  ['application/pdf', 'document', '%PDF-'],
  ['application/zip', 'document', 'PK\x03\x04'],
  ['application/gzip', 'document', '\x1f\x8b'],
]

/** Returns the type of a file from its bytes, because its name is not reliable. */
export const kindOf = (bytes: Buffer): FileKind => {
  const head = bytes.subarray(0, 64).toString('latin1')
  const [type, as] = beginnings.find(([, , magic, at = 0]) => head.startsWith(magic, at)) ?? []
  if (type !== undefined && as !== undefined)
    return { type, as: as === 'photo' && bytes.length > maxPhotoBytes ? 'document' : as }
  return {
    type: isUtf8(bytes) && !bytes.includes(0) ? 'text/plain' : 'application/octet-stream',
    as: 'document',
  }
}
