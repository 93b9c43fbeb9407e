import { createCipheriv, createDecipheriv, createHash } from 'node:crypto'
import { isObject, type Json, type JsonObject } from '../../../src/core/model/base/json.ts'
import type { FileBytes } from '../file.ts'

/**
 * WeChat's own client allows 100 MB. hookgate holds several copies of a file in memory, so it allows less.
 */
export const MAX_FILE_BYTES = 20_000_000
/** The encryption adds 1 to 16 bytes, so that the length is a multiple of 16. */
export const MAX_CIPHER_BYTES = MAX_FILE_BYTES + 16

/**
 * WeChat's server stores a file encrypted with AES-128-ECB and PKCS#7 padding. The message contains the key.
 */
const CIPHER = 'aes-128-ecb'
export const encrypt = (bytes: Uint8Array, key: Uint8Array): Buffer => {
  const cipher = createCipheriv(CIPHER, key, null)
  return Buffer.concat([cipher.update(bytes), cipher.final()])
}
/** Throws when the key is wrong. */
export const decrypt = (bytes: Uint8Array, key: Uint8Array): Buffer => {
  const decipher = createDecipheriv(CIPHER, key, null)
  return Buffer.concat([decipher.update(bytes), decipher.final()])
}

/** Each picture type by the ending of its name and the first bytes of its content, in hexadecimal. */
const PICTURES: readonly (readonly [ending: RegExp, firstBytes: string])[] = [
  [/\.jpe?g$/i, 'ffd8ff'],
  [/\.png$/i, '89504e470d0a1a0a'],
  [/\.gif$/i, '47494638'],
]
/**
 * True when both the name and the bytes are those of a picture. WeChat shows such a file as a picture and
 * does not show its name.
 */
const isPicture = ({ name, bytes }: FileBytes): boolean => {
  const head = Buffer.from(bytes.subarray(0, 8)).toString('hex')
  return PICTURES.some(([ending, firstBytes]) => ending.test(name) && head.startsWith(firstBytes))
}

export interface Upload {
  /** The body of `getuploadurl`. */
  readonly request: JsonObject
  readonly fileKey: string
  readonly ciphertext: Buffer
  /**
   * The item of the message. `storageParam` is the parameter by which the file server names the uploaded
   * file.
   */
  item(storageParam: string): JsonObject
}

/** Prepares an upload of the bytes as they are now. `key` and `fileKey` are 16 random bytes each. */
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
    item: (storageParam): JsonObject => {
      // The hex digits of the key are encoded as base64, not its bytes. Otherwise phones show nothing
      // (chenhg5/cc-connect#435).
      const media = {
        encrypt_query_param: storageParam,
        aes_key: Buffer.from(key).toString('base64'),
        encrypt_type: 1,
      }
      return isImage
        ? { type: 2, image_item: { media, mid_size: ciphertext.length } }
        : { type: 4, file_item: { media, file_name: name, len: String(bytes.length) } }
    },
  }
}

/** A received file. It is not downloaded yet. */
export interface InboundFile {
  readonly kind: 'image' | 'voice' | 'file' | 'video'
  /** The sender chose this name, or it is the default name of the kind. */
  readonly name: string
  /** The size that the sender gave, in bytes. Absent when the sender gave none. */
  readonly size?: number
  readonly type: string
  /** WeChat names the stored file by a parameter, a URL, or both. The missing one is empty. */
  readonly storageParam: string
  readonly url: string
  /** Absent when the file is stored without encryption. */
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

/**
 * Reads a key. WeChat gives either the 16 bytes as base64, or the 32 hex digits as base64. Pictures may also
 * have the 32 hex digits without base64.
 */
const keyOf = (digits: string, base64: string): Buffer | undefined => {
  const decoded = Buffer.from(base64, 'base64')
  const hex = digits === '' && decoded.length === 32 ? decoded.toString('latin1') : digits
  if (/^[0-9a-f]{32}$/i.test(hex)) return Buffer.from(hex, 'hex')
  return decoded.length === 16 ? decoded : undefined
}

const nameFrom = (value: Json | undefined, defaultName: string): string => {
  const name =
    typeof value === 'string'
      ? value
          .slice(0, 1000)
          .toWellFormed()
          .replaceAll(/[\p{Cc}/\\]/gu, '_')
          .slice(0, 255)
          .toWellFormed()
      : ''
  return name === '' || name === '.' || name === '..' ? defaultName : name
}

const fileIn = (item: JsonObject): InboundFile | undefined => {
  const found = KINDS.get(item['type'])
  if (found === undefined) return undefined
  const [kind, field, defaultName, type] = found
  const holder = item[field]
  const media = isObject(holder) ? holder['media'] : undefined
  if (!isObject(holder) || !isObject(media)) return undefined
  const [storageParam, url] = [textOf(media['encrypt_query_param']), textOf(media['full_url'])]
  const [digits, base64] = [textOf(holder['aeskey']), textOf(media['aes_key'])]
  const key = keyOf(digits, base64)
  // Only pictures can be stored without encryption. They then have no key field.
  if (
    (storageParam === '' && url === '') ||
    (key === undefined && !(kind === 'image' && digits + base64 === ''))
  )
    return undefined
  const size = Number(holder['len'] ?? NaN)
  return {
    kind,
    name: nameFrom(holder['file_name'], defaultName),
    type,
    storageParam,
    url,
    key,
    ...(Number.isSafeInteger(size) && size >= 0 ? { size } : {}),
  }
}

/** The files of a message, at most 4. Never throws. */
export const filesIn = (items: readonly JsonObject[]): readonly InboundFile[] =>
  items
    .map(fileIn)
    .filter((file) => file !== undefined)
    .slice(0, MAX_FILES)
