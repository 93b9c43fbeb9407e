import { createRequire } from 'node:module'
import type { impls } from 'wechaty-puppet'

/**
 * wechaty's class for files. A box can also hold a path or a URL, which no hook judged. The boxes that
 * hookgate makes hold bytes.
 */
export type Box = Awaited<ReturnType<impls.PuppetInterface['messageFile']>>

/** A judged file. */
export interface FileBytes {
  readonly name: string
  readonly bytes: Uint8Array
}

interface BoxClass {
  fromBase64(base64: string, name: string): Box
}

const MAX_NAME_UNITS = 255
/** wechaty's numbers for the types of box that hold bytes: base64 and buffer. */
const BYTE_TYPES: readonly number[] = [1, 4]

/** A box removes the folders from a name. WeChat shows the rest without a change. */
const isName = (name: string): boolean =>
  name.length > 0 &&
  name.length <= MAX_NAME_UNITS &&
  !/[\p{Cc}/\\]/u.test(name) &&
  name !== '.' &&
  name !== '..'

/**
 * Makes a box with the file-box package that wechaty uses. Throws a TypeError for a name that would be
 * changed on the way.
 */
export const boxOf = ({ name, bytes }: FileBytes): Box => {
  if (!isName(name))
    throw new TypeError(
      `Expected a file name of at most ${MAX_NAME_UNITS} UTF-16 units without a folder, got another name.`,
    )
  // The bytes are copied before any wait, so nobody can change them. Every puppet accepts base64, also one in
  // another process.
  const copy = Buffer.from(bytes).toString('base64')
  const requireLikePuppet = createRequire(createRequire(import.meta.url).resolve('wechaty-puppet'))
  return (requireLikePuppet('file-box') as { readonly FileBox: BoxClass }).FileBox.fromBase64(copy, name)
}

/**
 * The bytes of a box that holds bytes. It never reads a path, a URL or a stream. Throws a TypeError for any
 * other box.
 */
export const bytesOf = async (box: Box): Promise<FileBytes> => {
  const { name, type } = box
  if (!BYTE_TYPES.includes(type) || !isName(name))
    throw new TypeError('Expected a file as bytes, with a name, got something else.')
  return { name, bytes: await box.toBuffer() }
}

/** wechaty's number for the type of box that holds a stream. */
const STREAM_TYPE = 6

/**
 * The bytes of a received file. The box may hold bytes or a stream. A path or a URL is never opened; it
 * throws a TypeError. More than `maxBytes` bytes in a stream throw a RangeError.
 */
export const bytesIn = async (box: Box, maxBytes: number): Promise<Uint8Array> => {
  const type: number = box.type
  if (BYTE_TYPES.includes(type)) return await box.toBuffer()
  if (type !== STREAM_TYPE) throw new TypeError('Expected a file as bytes, got something else.')
  const parts: Uint8Array[] = []
  let size = 0
  for await (const part of await box.toStream()) {
    const bytes = Buffer.from(part as Uint8Array)
    size += bytes.length
    if (size > maxBytes) throw new RangeError('Expected a smaller file.')
    parts.push(bytes)
  }
  return Buffer.concat(parts)
}
