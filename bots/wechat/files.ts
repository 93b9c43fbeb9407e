import { setTimeout as sleep } from 'node:timers/promises'
import type { MessageInterface } from 'wechaty/impls'
import type { InboundFile } from '../../src/model/channel.ts'
import { bytesIn } from './file.ts'
import { MAX_FILE_BYTES } from './ilink/media.ts'

/** Longer than our own puppet takes to give up. */
const TIMEOUT_MS = 65_000
const MAX_NAME_UNITS = 255

/** The types of message that bring a file, as wechaty-puppet numbers them, with what stands for a name that is not told. */
const KINDS: Readonly<Record<number, Pick<InboundFile, 'name' | 'type'>>> = {
  1: { name: 'file', type: 'application/octet-stream' },
  2: { name: 'voice.silk', type: 'audio/silk' },
  6: { name: 'image.jpg', type: 'image/jpeg' },
  15: { name: 'video.mp4', type: 'video/mp4' },
}

const tooLarge = (): Error =>
  new Error(`it is larger than ${MAX_FILE_BYTES / 1_000_000} MB, which is too large here`)

/** A fetch in words for a person: a puppet's own may name an address or a key. `size` as the messenger says. */
export const fetched = async (size: number, fetch: () => Promise<Uint8Array>): Promise<Uint8Array> => {
  if (size > MAX_FILE_BYTES) throw tooLarge()
  const given = new AbortController()
  const over = sleep(TIMEOUT_MS, undefined, { signal: given.signal }).catch(() => undefined)
  const bytes = await Promise.race([fetch(), over]).catch((error: unknown) =>
    error instanceof RangeError ? error : undefined,
  )
  given.abort()
  if (bytes === undefined) throw new Error('WeChat did not give it')
  if (bytes instanceof RangeError || bytes.length > MAX_FILE_BYTES) throw tooLarge()
  return bytes
}

/** The file of a message of any puppet, which tells neither its size nor, mostly, its type. Nothing is fetched before somebody asks. */
export const filesIn = (message: MessageInterface): readonly InboundFile[] => {
  const kind = KINDS[message.type()]
  if (kind === undefined) return []
  const said: unknown = message.payload?.filename
  const name = typeof said === 'string' ? said.slice(-MAX_NAME_UNITS).toWellFormed() : ''
  return [
    {
      name: name === '' ? kind.name : name,
      type: kind.type,
      size: 0,
      bytes: () => fetched(0, async () => bytesIn(await message.toFileBox(), MAX_FILE_BYTES)),
    },
  ]
}
