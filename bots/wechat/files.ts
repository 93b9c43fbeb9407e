import { setTimeout as sleep } from 'node:timers/promises'
import type { MessageInterface } from 'wechaty/impls'
import type { InboundFile } from '../../src/core/model/chat/channel.ts'
import { bytesIn } from './file.ts'
import { MAX_FILE_BYTES } from './ilink/media.ts'

/** This is longer than the time limit of hookgate's own puppet. */
const TIMEOUT_MS = 65_000
const MAX_NAME_UNITS = 255

/**
 * wechaty-puppet's numbers for the types of message that hold a file. Each has a name for a file whose name
 * is unknown.
 */
const KINDS: Readonly<Record<number, Pick<InboundFile, 'name' | 'type'>>> = {
  1: { name: 'file', type: 'application/octet-stream' },
  2: { name: 'voice.silk', type: 'audio/silk' },
  6: { name: 'image.jpg', type: 'image/jpeg' },
  15: { name: 'video.mp4', type: 'video/mp4' },
}

const tooLarge = (): Error => new Error(`it is larger than ${MAX_FILE_BYTES / 1_000_000} MB`)

/**
 * Runs a download and replaces its errors by texts for a person, because a puppet's own errors may contain a
 * URL or a key. `size` is the messenger's value, in bytes.
 */
export const fetched = async (size: number, fetch: () => Promise<Uint8Array>): Promise<Uint8Array> => {
  if (size > MAX_FILE_BYTES) throw tooLarge()
  const timer = new AbortController()
  const timedOut = sleep(TIMEOUT_MS, undefined, { signal: timer.signal }).catch(() => undefined)
  const bytes = await Promise.race([fetch(), timedOut]).catch((error: unknown) =>
    error instanceof RangeError ? error : undefined,
  )
  timer.abort()
  if (bytes === undefined) throw new Error('WeChat did not send it')
  if (bytes instanceof RangeError || bytes.length > MAX_FILE_BYTES) throw tooLarge()
  return bytes
}

/**
 * The file of a message from any puppet. wechaty gives no size. Nothing is downloaded before `bytes` is
 * called.
 */
export const filesIn = (message: MessageInterface): readonly InboundFile[] => {
  const kind = KINDS[message.type()]
  if (kind === undefined) return []
  const filename: unknown = message.payload?.filename
  const name = typeof filename === 'string' ? filename.slice(-MAX_NAME_UNITS).toWellFormed() : ''
  return [
    {
      name: name === '' ? kind.name : name,
      type: kind.type,
      size: 0,
      bytes: () => fetched(0, async () => bytesIn(await message.toFileBox(), MAX_FILE_BYTES)),
    },
  ]
}
