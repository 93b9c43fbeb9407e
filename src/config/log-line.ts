import { isObject, parseJson, type Json } from '../model/base/json.ts'

/**
 * These characters start a terminal command or change the direction of text. JSON itself escapes the other
 * control characters.
 */
const obeyed = /[\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g

/**
 * Escapes a log line for a terminal. The result is JSON with the same meaning. A terminal shows text of an
 * agent, a file or a stranger, and does not execute it.
 */
export const logLine = (json: string): string =>
  json.replaceAll(obeyed, (sign) => String.raw`\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`)

/** These characters would begin a new line or start a terminal command, once the JSON around them is gone. */
const controls = /[\x00-\x1f\u2028\u2029]/g

const escaped = (text: string): string =>
  logLine(
    text.replaceAll(controls, (sign) => String.raw`\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`),
  )

const wordsOf = (value: Json): string => escaped(typeof value === 'string' ? value : JSON.stringify(value))

/** The level from which pino calls a line an error. */
const errorLevel = 50

/**
 * The log line as a sentence for the person at a terminal: `21:51:03 ⚠ A pairing failed (why: wrong).` A line
 * that is no log line stays as it is, but for what a terminal would execute.
 */
export const logSentence = (json: string): string => {
  const line = parseJson(json)
  if (!isObject(line)) return logLine(json)
  const { level, time, msg, ...fields } = line
  const words = typeof msg === 'string' ? escaped(msg) : 'hookgate logged something'
  const more = Object.entries(fields).map(([name, value]) => `${escaped(name)}: ${wordsOf(value ?? null)}`)
  const at = new Date(typeof time === 'number' ? time : NaN)
  const clock = Number.isNaN(at.getTime()) ? '' : `${at.toTimeString().slice(0, 8)} `
  const sign = typeof level === 'number' && level >= errorLevel ? '✗' : '⚠'
  const sentence = words.charAt(0).toUpperCase() + words.slice(1).replace(/[.!]$/, '')
  return `${clock}${sign} ${sentence}${more.length === 0 ? '' : ` (${more.join(', ')})`}.\n`
}
