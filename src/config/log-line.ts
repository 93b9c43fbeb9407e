import type { ChannelPorts } from '../core/model/chat/channel.ts'

type Log = ChannelPorts['log']
type Fields = Parameters<Log>[2]

/** The levels that are written, by the numbers of Bunyan, which collectors of logs know. */
const written = { warn: 40, error: 50 }
export type WrittenLevel = keyof typeof written

/** The values of these fields would let their readers in. */
const secret = new Set(['token', 'login', 'code'])
const safe = <T>(key: string, value: T): T | string => (secret.has(key) ? '[Redacted]' : value)

/**
 * These characters start a terminal command, change the direction of text or begin a new line. JSON itself
 * escapes the other control characters.
 */
const obeyed = /[\x00-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069]/g

const escaped = (text: string): string =>
  text.replaceAll(obeyed, (sign) => String.raw`\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`)

/**
 * A line of the log, as JSON. A terminal shows text of an agent, a file or a stranger in it, and does not
 * execute it.
 */
export const logLine = (level: WrittenLevel, what: string, fields: Fields, atMs: number): string =>
  `${escaped(JSON.stringify({ level: written[level], time: atMs, ...fields, msg: what }, safe))}\n`

/** The same as a sentence for the person at a terminal: `21:51:03 ⚠ A pairing failed (why: wrong).` */
export const logSentence = (level: WrittenLevel, what: string, fields: Fields, atMs: number): string => {
  const more = Object.entries(fields ?? {}).map(([name, value]) => `${name}: ${safe(name, value)}`)
  const sentence = what.charAt(0).toUpperCase() + what.slice(1).replace(/[.!]$/, '')
  const clock = new Date(atMs).toTimeString().slice(0, 8)
  const words = `${clock} ${level === 'error' ? '✗' : '⚠'} ${sentence}`
  return `${escaped(`${words}${more.length === 0 ? '' : ` (${more.join(', ')})`}`)}.\n`
}

/** Writes warnings and errors to stderr. */
export const logToStderr = (): Log => {
  // Whoever reads stderr may go, and the gate stays.
  process.stderr.on('error', () => undefined)
  const render = process.stderr.isTTY ? logSentence : logLine
  return (level, what, fields) => {
    if (level === 'warn' || level === 'error') process.stderr.write(render(level, what, fields, Date.now()))
  }
}

/**
 * Holds what is logged during the start, so that it stands under the banner of a terminal, where a person
 * looks. `release` writes it, and what comes later is written at once.
 */
export const createHeldLog = (log: Log): { readonly log: Log; release(): void } => {
  let held: Parameters<Log>[] | undefined = []
  return {
    log: (...line) => {
      if (held === undefined) log(...line)
      else held.push(line)
    },
    release: () => {
      const lines = held ?? []
      held = undefined
      for (const line of lines) log(...line)
    },
  }
}
