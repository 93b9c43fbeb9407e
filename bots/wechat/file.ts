import { createRequire } from 'node:module'
import type { impls } from 'wechaty-puppet'

/** wechaty's own class for files. It can also stand for a path or an address, which nobody judged: ours hold bytes. */
export type Box = Awaited<ReturnType<impls.PuppetInterface['messageFile']>>

/** A file as it was judged. */
export interface FileBytes {
  readonly name: string
  readonly bytes: Uint8Array
}

interface BoxClass {
  fromBase64(base64: string, name: string): Box
}

const MAX_NAME_UNITS = 255
/** The kinds of a box that hold bytes, as wechaty numbers them: base64 and buffer. */
const HOLDS_BYTES: readonly number[] = [1, 4]

/** A box drops the folders of a name, and WeChat shows the rest as it is. */
const isName = (name: string): boolean =>
  name.length > 0 &&
  name.length <= MAX_NAME_UNITS &&
  !/[\p{Cc}/\\]/u.test(name) &&
  name !== '.' &&
  name !== '..'

/** The package that wechaty itself uses, wherever it is installed. Throws for a name that would not arrive as it is. */
export const boxOf = ({ name, bytes }: FileBytes): Box => {
  if (!isName(name))
    throw new TypeError(
      `Expected the name of a file, of at most ${MAX_NAME_UNITS} units and without a folder, got another one.`,
    )
  // Copied before anybody waits: nobody can change it on its way. As base64 every puppet takes it, one in another process too.
  const copy = Buffer.from(bytes).toString('base64')
  const beside = createRequire(createRequire(import.meta.url).resolve('wechaty-puppet'))
  return (beside('file-box') as { readonly FileBox: BoxClass }).FileBox.fromBase64(copy, name)
}

/** The bytes of a box that holds them itself; never those of a path, an address or a stream. */
export const bytesOf = async (box: Box): Promise<FileBytes> => {
  const { name, type } = box
  if (!HOLDS_BYTES.includes(type) || !isName(name))
    throw new TypeError('Expected a file as bytes, with a name, got something else.')
  return { name, bytes: await box.toBuffer() }
}

/** A box that is read as it comes in, as wechaty numbers it. */
const STREAM = 6

/** What a puppet gives of a message: bytes it holds or brings. Nothing is opened or fetched for a path or an address that it names. */
export const bytesIn = async (box: Box, maxBytes: number): Promise<Uint8Array> => {
  if (HOLDS_BYTES.includes(box.type)) return await box.toBuffer()
  if (Number(box.type) !== STREAM) throw new TypeError('Expected a file as bytes, got something else.')
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
