import { setTimeout as sleep } from 'node:timers/promises'
import type { Delivery } from '../../src/core/model/chat/channel.ts'
import type { OutgoingMessage } from '../../src/core/model/chat/push.ts'
import { MAX_FILE_BYTES } from './ilink/media.ts'
import { outcomeOf } from './outcome.ts'
import type { PuppetGuard } from './puppet-guard.ts'

/**
 * The longest text of one message, in UTF-16 units. WeChat's bot interface cuts off or refuses a longer text.
 */
export const MAX_UNITS = 2000
/** The wait before a send is repeated that certainly sent nothing. */
export const RETRY_AFTER_MS = 5000
const TEXT_TIMEOUT_MS = 30_000
/** This is longer than the limits of the parts: 60 s for the upload and 15 s for each of two calls. */
const FILE_TIMEOUT_MS = 95_000
const TIMED_OUT = Symbol('timed out')

/** Says why WeChat cannot show a message completely as one message. Undefined when it can. */
export const flawOf = ({ text, parts, files, target }: OutgoingMessage): string | undefined => {
  const [file, ...more] = files
  if (
    more.length > 0 ||
    (file !== undefined && text !== '') ||
    target !== undefined ||
    parts.some(({ field }) => file === undefined || field !== 'file.0.name')
  )
    return 'Expected one text or one file in a message, got more. Send them one by one.'
  if (text.length > MAX_UNITS)
    return `Expected a message of at most ${MAX_UNITS} UTF-16 units, got ${text.length}. Split it.`
  if (file === undefined || (file.size > 0 && file.size <= MAX_FILE_BYTES)) return undefined
  return `Expected a file of 1 byte to ${MAX_FILE_BYTES / 1_000_000} MB, got ${file.size} bytes. Send ${file.size === 0 ? 'a file that is not empty' : 'a smaller file'}.`
}

/**
 * Sends one text or one file. Never rejects. It never repeats a send; the dispatcher does that after a
 * `retry`.
 */
export const deliverNow = async (
  { sendText, sendFile }: PuppetGuard,
  { chat_id: chatId, text, files: [file] }: OutgoingMessage,
  timeoutMs = file === undefined ? TEXT_TIMEOUT_MS : FILE_TIMEOUT_MS,
): Promise<Delivery> => {
  const timer = new AbortController()
  try {
    const sending =
      file === undefined
        ? sendText(chatId, text)
        : sendFile(chatId, { name: file.name, bytes: new Uint8Array(await file.arrayBuffer()) })
    // Promise.race also handles a rejection that happens after the race has ended.
    const first = await Promise.race([sending, sleep(timeoutMs, TIMED_OUT, { signal: timer.signal })])
    if (first !== TIMED_OUT) return { kind: 'delivered' }
    return { kind: 'unknown', why: `WeChat gave no answer within ${timeoutMs / 1000} s.` }
  } catch (error) {
    return outcomeOf(error, RETRY_AFTER_MS)
  } finally {
    timer.abort()
  }
}
