// @ts-check
import { visible } from '../text.js'

/** @typedef {import('../../../../src/shared/events/kept.ts').KeptEvent} KeptEvent */

/** So much of a text names an event, in characters. */
const maxUnits = 160

/** The fields that say best what an event is about, the best first, and the arguments of tools likewise. */
const ofEvents = ['notification', 'message', 'summary', 'goal', 'response', 'last_user_message', 'prompt']
const ofTools = ['command', 'file_path', 'path', 'url', 'query', 'pattern', 'description', 'code', 'text']

/** @param {unknown} value @returns {value is Readonly<Record<string, unknown>>} */
const isObject = (value) => typeof value === 'object' && value !== null && !Array.isArray(value)

/** The first line of a text that has words, as one can read it. @param {string} text */
const lineOf = (text) => {
  const line = text.trimStart().split('\n', 1)[0]?.slice(0, maxUnits).toWellFormed() ?? ''
  const shown = visible(line.trimEnd())
  const isWhole = shown.length <= maxUnits && text.trim().length <= line.length
  return isWhole ? shown : `${shown.slice(0, maxUnits - 1).toWellFormed()}…`
}

/**
 * The first of these fields that is a text with words.
 * @param {unknown} from @param {readonly string[]} fields
 */
const textIn = (from, fields) => {
  if (!isObject(from)) return undefined
  const texts = fields.map((field) => from[field])
  return texts.find((text) => typeof text === 'string' && text.trim() !== '')
}

/**
 * What an event is about, on one line: `bash · npm test`, the beginning of a message, or its own name. The
 * texts are an agent's, so they are bounded, and what is invisible in them is written out.
 * @param {KeptEvent} event
 */
export const aboutOf = ({ event, tool, payload }) => {
  const input = payload?.['tool_input']
  const other = isObject(input) ? Object.values(input).find((value) => typeof value === 'string') : undefined
  const found = tool === undefined ? textIn(payload, ofEvents) : (textIn(input, ofTools) ?? other)
  const text = typeof found === 'string' && found.trim() !== '' ? lineOf(found) : undefined
  const words = [...(tool === undefined ? [] : [visible(tool)]), ...(text === undefined ? [] : [text])]
  return words.length === 0 ? visible(event) : words.join(' · ')
}
