import { setTimeout as sleep } from 'node:timers/promises'
import type { Delivery } from '../../src/model/channel.ts'
import type { Parcel } from '../../src/model/push.ts'
import { MAX_FILE_BYTES } from './ilink/media.ts'
import { outcomeOf } from './outcome.ts'
import type { PuppetGuard } from './puppet-guard.ts'

/** A limit of WeChat's bot interface, which cuts off or refuses what is longer. */
export const MAX_UNITS = 2000
/** What could not be sent is tried again so much later, in milliseconds. */
export const RETRY_AFTER_MS = 5000
const TEXT_TIMEOUT_MS = 30_000
/** More than what ends a send of its own: 60 s for the way up and 15 s for each of two calls. */
const FILE_TIMEOUT_MS = 95_000
const TIMED_OUT = Symbol('timed out')

/** Why a parcel is nothing that WeChat shows whole as one message, or undefined. */
export const flawOf = ({ text, parts, files, target }: Parcel): string | undefined => {
  const [file, ...more] = files
  if (
    more.length > 0 ||
    (file !== undefined && text !== '') ||
    target !== undefined ||
    parts.some(({ field }) => file === undefined || field !== 'file.0.name')
  )
    return 'Expected one text or one file, got more in one message. Send them one by one.'
  if (text.length > MAX_UNITS)
    return `Expected a message of at most ${MAX_UNITS} units, got ${text.length}. Split it.`
  if (file === undefined || (file.size > 0 && file.size <= MAX_FILE_BYTES)) return undefined
  return `Expected a file of 1 byte to ${MAX_FILE_BYTES / 1_000_000} MB, got ${file.size} bytes. Send ${file.size === 0 ? 'one with something in it' : 'a smaller one'}.`
}

/** Sends one text or one file. Never rejects, and repeats nothing: the dispatcher does, after a `retry`. */
export const sendParcel = async (
  { sendText, sendFile }: PuppetGuard,
  { chat_id: chatId, text, files: [file] }: Parcel,
  timeoutMs = file === undefined ? TEXT_TIMEOUT_MS : FILE_TIMEOUT_MS,
): Promise<Delivery> => {
  const given = new AbortController()
  try {
    const sending =
      file === undefined
        ? sendText(chatId, text)
        : sendFile(chatId, { name: file.name, bytes: new Uint8Array(await file.arrayBuffer()) })
    // The race also hears a rejection that comes after its end.
    const first = await Promise.race([sending, sleep(timeoutMs, TIMED_OUT, { signal: given.signal })])
    if (first !== TIMED_OUT) return { kind: 'delivered' }
    return { kind: 'unknown', why: `WeChat gave no answer within ${timeoutMs / 1000} s.` }
  } catch (error) {
    return outcomeOf(error, RETRY_AFTER_MS)
  } finally {
    given.abort()
  }
}
