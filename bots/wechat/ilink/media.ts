import { createCipheriv, createDecipheriv, createHash } from 'node:crypto'
import { isObject, type Json, type JsonObject } from '../../../src/model/json.ts'
import type { FileBytes } from '../file.ts'

/** What a chat takes without trouble. WeChat's own client goes to 100 MB; all of it is held in memory here, several times. */
export const MAX_FILE_BYTES = 20_000_000
/** Encryption fills up to the next 16, and adds 16 where nothing was missing. */
export const MAX_CIPHER_BYTES = MAX_FILE_BYTES + 16

/** As WeChat's server stores a file: AES-128-ECB, filled up as PKCS#7 has it. The key goes along with the message. */
const CIPHER = 'aes-128-ecb'
export const encrypt = (bytes: Uint8Array, key: Uint8Array): Buffer => {
  const cipher = createCipheriv(CIPHER, key, null)
  return Buffer.concat([cipher.update(bytes), cipher.final()])
}
/** Throws where the key is another one. */
export const decrypt = (bytes: Uint8Array, key: Uint8Array): Buffer => {
  const decipher = createDecipheriv(CIPHER, key, null)
  return Buffer.concat([decipher.update(bytes), decipher.final()])
}

const PICTURES: readonly (readonly [name: RegExp, begins: string])[] = [
  [/\.jpe?g$/i, 'ffd8ff'],
  [/\.png$/i, '89504e470d0a1a0a'],
  [/\.gif$/i, '47494638'],
]
/** A picture to its name and to its bytes: shown as one, its name is not seen. */
const isPicture = ({ name, bytes }: FileBytes): boolean => {
  const begin = Buffer.from(bytes.subarray(0, 8)).toString('hex')
  return PICTURES.some(([ending, begins]) => ending.test(name) && begin.startsWith(begins))
}

export interface Upload {
  /** The body of `getuploadurl`. */
  readonly request: JsonObject
  readonly fileKey: string
  readonly ciphertext: Buffer
  /** What stands in the message, once the file's server named the place. */
  item(place: string): JsonObject
}

/** All that an upload needs, from the bytes as they are now. `key` and `fileKey` are 16 random bytes each. */
export const uploadOf = (
  to: string,
  file: FileBytes,
  random: { readonly key: Buffer; readonly fileKey: Buffer },
): Upload => {
  const { name, bytes } = file
  const ciphertext = encrypt(bytes, random.key)
  const [key, fileKey] = [random.key.toString('hex'), random.fileKey.toString('hex')]
  const isImage = isPicture(file)
  return {
    fileKey,
    ciphertext,
    request: {
      filekey: fileKey,
      media_type: isImage ? 1 : 3,
      to_user_id: to,
      rawsize: bytes.length,
      rawfilemd5: createHash('md5').update(bytes).digest('hex'),
      filesize: ciphertext.length,
      no_need_thumb: true,
      aeskey: key,
    },
    item: (place) => {
      // The key's hex digits as base64, and not its bytes: otherwise phones show nothing (chenhg5/cc-connect#435).
      const media = {
        encrypt_query_param: place,
        aes_key: Buffer.from(key).toString('base64'),
        encrypt_type: 1,
      }
      return isImage
        ? { type: 2, image_item: { media, mid_size: ciphertext.length } }
        : { type: 4, file_item: { media, file_name: name, len: String(bytes.length) } }
    },
  }
}

/** A file that somebody sent, and where it lies. Nothing of it was fetched. */
export interface InboundFile {
  readonly kind: 'image' | 'voice' | 'file' | 'video'
  /** A stranger chose it, or it is made up from the kind. */
  readonly name: string
  /** As the sender says; undefined where nobody said. */
  readonly size?: number
  readonly type: string
  /** One of the two, as WeChat gave it. */
  readonly place: string
  readonly address: string
  /** Undefined for one that is stored as it is. */
  readonly key?: Buffer
}

const MAX_FILES = 4
const MAX_PLACE_UNITS = 2048
const KINDS = new Map<Json | undefined, readonly [InboundFile['kind'], string, string, string]>([
  [2, ['image', 'image_item', 'image.jpg', 'image/jpeg']],
  [3, ['voice', 'voice_item', 'voice.silk', 'audio/silk']],
  [4, ['file', 'file_item', 'file', 'application/octet-stream']],
  [5, ['video', 'video_item', 'video.mp4', 'video/mp4']],
])

const textOf = (value: Json | undefined): string =>
  typeof value === 'string' && value.length <= MAX_PLACE_UNITS && /^[\x21-\x7e]*$/.test(value) ? value : ''

/** Two ways are in use: the key's 16 bytes, and its 32 hex digits, as base64; pictures have the digits themselves, too. */
const keyOf = (digits: string, base64: string): Buffer | undefined => {
  const given = Buffer.from(base64, 'base64')
  const hex = digits === '' && given.length === 32 ? given.toString('latin1') : digits
  if (/^[0-9a-f]{32}$/i.test(hex)) return Buffer.from(hex, 'hex')
  return given.length === 16 ? given : undefined
}

const nameFrom = (value: Json | undefined, otherwise: string): string => {
  const name =
    typeof value === 'string'
      ? value
          .slice(0, 1000)
          .toWellFormed()
          .replaceAll(/[\p{Cc}/\\]/gu, '_')
          .slice(0, 255)
          .toWellFormed()
      : ''
  return name === '' || name === '.' || name === '..' ? otherwise : name
}

const fileIn = (item: JsonObject): InboundFile | undefined => {
  const found = KINDS.get(item['type'])
  if (found === undefined) return undefined
  const [kind, field, otherwise, type] = found
  const holder = item[field]
  const media = isObject(holder) ? holder['media'] : undefined
  if (!isObject(holder) || !isObject(media)) return undefined
  const [place, address] = [textOf(media['encrypt_query_param']), textOf(media['full_url'])]
  const [digits, base64] = [textOf(holder['aeskey']), textOf(media['aes_key'])]
  const key = keyOf(digits, base64)
  // Only pictures are ever stored as they are, and then nothing is said of a key.
  if (
    (place === '' && address === '') ||
    (key === undefined && !(kind === 'image' && digits + base64 === ''))
  )
    return undefined
  const size = Number(holder['len'] ?? NaN)
  return {
    kind,
    name: nameFrom(holder['file_name'], otherwise),
    type,
    place,
    address,
    ...(key === undefined ? {} : { key }),
    ...(Number.isSafeInteger(size) && size >= 0 ? { size } : {}),
  }
}

/** The files of a message, a few at most. Never throws, whatever came. */
export const filesIn = (items: readonly JsonObject[]): readonly InboundFile[] =>
  items
    .map(fileIn)
    .filter((file) => file !== undefined)
    .slice(0, MAX_FILES)
