import type { JsonObject } from '../model/json.ts'
import { fixed, joinProse, prose, whole, type Prose } from '../model/prose.ts'
import { exactLines } from './exact.ts'
import { oneLine, plural, shorten } from './words.ts'

/** What a phone shows of all arguments without scrolling far. */
const maxUnits = 600
const leastUnits = 100
/** Of one argument. */
const [maxLines, tailLines] = [12, 4]
/** Each on a line of its own; the others follow as one. */
const maxNamed = 6
const maxNameUnits = 40
/** Of what a few messages show: a row, in code points, and how many rows. */
const row = /.{1,250}/gsu
const [maxRows, tailRows] = [60, 15]
/** Of each end, in UTF-16 units: more than all rows can hold. */
const maxLookedAt = 60 * 250 * 2

const textOf = (value: JsonObject[string]): string => (typeof value === 'string' ? value : JSON.stringify(value))

/** Both ends of what is longer, and how much is missing in between. */
const ends = (text: string, max: number): { readonly head: string; readonly missing: Prose; readonly tail?: string } => {
  const lines = text.split('\n')
  if (text.length <= max && lines.length <= maxLines) return { head: text, missing: [] }
  const head = lines.slice(0, maxLines - tailLines).join('\n').slice(0, Math.ceil(max * 0.7))
  const tail = lines.slice(-tailLines).join('\n').slice(-Math.min(Math.floor(max * 0.3), text.length - head.length))
  return { head, missing: fixed(`… ${plural(text.length - head.length - tail.length, 'character')} not shown …`), tail }
}

/** What a tool gets, to the letter: an answer binds it, so a notice shortens none of it. */
const exact = (text: string): Prose => whole(exactLines(text).join('\n'))
/** Behind a mark, so that no line of it passes for one of ours. */
const marked = (lines: readonly string[]): readonly Prose[] => lines.map((line) => prose`  │ ${whole(line)}`)

interface Shown {
  readonly line: Prose
  readonly isWhole: boolean
}

const argument = (name: Prose, text: string, max: number): Shown => {
  const { head, missing, tail } = ends(text, max)
  const isWhole = tail === undefined
  if (!text.includes('\n')) return { line: prose`${name}: ${exact(head)}${missing}${tail === undefined ? [] : exact(tail)}`, isWhole }
  return { line: joinProse([prose`${name}:`, ...marked(exactLines(head)), ...(isWhole ? [] : [prose`  ${missing}`, ...marked(exactLines(tail))])], '\n'), isWhole }
}

/** What a tool is called with, as a person can judge it on a phone: nothing of it is left out without saying how much. */
export const argumentLines = (input: JsonObject): { readonly lines: readonly Prose[]; readonly isWhole: boolean } => {
  const all = Object.entries(input)
  const named = all.length > maxNamed ? all.slice(0, maxNamed - 1) : all
  const rest = all.slice(named.length)
  const max = Math.max(leastUnits, Math.floor(maxUnits / Math.min(all.length, maxNamed)))
  const shown = [
    ...named.map(([name, value]) => argument(prose`${shorten(name, maxNameUnits)}`, textOf(value), max)),
    ...(rest.length === 0 ? [] : [argument(fixed(`${rest.length} more`), JSON.stringify(Object.fromEntries(rest)), max)]),
  ]
  return {
    lines: all.length === 0 ? [fixed('without arguments')] : shown.map(({ line }) => line),
    isWhole: shown.every((one) => one.isWhole) && named.every(([name]) => name.length <= maxNameUnits),
  }
}

/** All that a few messages can show of it, row by row. */
export const wholeArguments = (input: JsonObject): readonly Prose[] => {
  const text = Object.entries(input).map(([name, value]) => `${name}: ${textOf(value)}`).join('\n')
  const rowsOf = (part: string): readonly string[] => exactLines(part).flatMap((line) => (line === '' ? [''] : line.match(row) ?? [line]))
  // Of what is much longer than what can be shown, only both ends are looked at.
  const isShort = text.length <= 2 * maxLookedAt
  const rows = isShort ? rowsOf(text) : [...rowsOf(text.slice(0, maxLookedAt)), ...rowsOf(text.slice(-maxLookedAt))]
  if (isShort && rows.length <= maxRows) return marked(rows)
  const [head, tail] = [rows.slice(0, maxRows - tailRows), rows.slice(-tailRows)]
  const unseen = rows.slice(maxRows - tailRows, -tailRows).reduce((sum, { length }) => sum + length, 0)
  const missing = unseen + (isShort ? 0 : text.length - 2 * maxLookedAt)
  return [...marked(head), fixed(`  … ${plural(missing, 'character')} not shown …`), ...marked(tail)]
}

/** The same on one line, to know it again by. */
export const argumentsBrief = (input: JsonObject): Prose => {
  const [only, ...more] = Object.values(input)
  const text = more.length === 0 && typeof only === 'string' ? only : JSON.stringify(input)
  return prose`${shorten(oneLine(text), 120)}`
}
