import type { JsonObject } from '../model/json.ts'
import { fixed, joinProse, prose, type Prose } from '../model/prose.ts'
import { oneLine, plural, shorten } from './words.ts'

/** What a phone shows of all arguments without scrolling far. */
const maxUnits = 600
const leastUnits = 100
/** Of one argument. */
const [maxLines, tailLines] = [12, 4]
/** Each on a line of its own; the others follow as one. */
const maxNamed = 6

const textOf = (value: JsonObject[string]): string => (typeof value === 'string' ? value : JSON.stringify(value))

/** Both ends of what is longer, and how much is missing in between. */
const ends = (text: string, max: number): { readonly head: string; readonly missing: Prose; readonly tail?: string } => {
  const lines = text.split('\n')
  if (text.length <= max && lines.length <= maxLines) return { head: text, missing: [] }
  const head = lines.slice(0, maxLines - tailLines).join('\n').slice(0, Math.ceil(max * 0.7))
  const tail = lines.slice(-tailLines).join('\n').slice(-Math.min(Math.floor(max * 0.3), text.length - head.length))
  return { head, missing: fixed(`… ${plural(text.length - head.length - tail.length, 'character')} not shown …`), tail }
}

/** Behind a mark, so that no line of it passes for one of ours. */
const marked = (text: string): readonly Prose[] => text.split('\n').map((line) => prose`  │ ${line}`)

const argument = (name: Prose, text: string, max: number): Prose => {
  const { head, missing, tail } = ends(text, max)
  if (!text.includes('\n')) return prose`${name}: ${head}${missing}${tail ?? []}`
  return joinProse([prose`${name}:`, ...marked(head), ...(tail === undefined ? [] : [prose`  ${missing}`, ...marked(tail)])], '\n')
}

/** What a tool is called with, as a person can judge it on a phone: nothing of it is left out without saying how much. */
export const argumentLines = (input: JsonObject): readonly Prose[] => {
  const all = Object.entries(input)
  const named = all.length > maxNamed ? all.slice(0, maxNamed - 1) : all
  const rest = all.slice(named.length)
  const max = Math.max(leastUnits, Math.floor(maxUnits / Math.min(all.length, maxNamed)))
  return [
    ...named.map(([name, value]) => argument(prose`${shorten(name, 40)}`, textOf(value), max)),
    ...(rest.length === 0 ? [] : [argument(fixed(`${rest.length} more`), JSON.stringify(Object.fromEntries(rest)), max)]),
    ...(all.length === 0 ? [fixed('without arguments')] : []),
  ]
}

/** The same on one line, to know it again by. */
export const argumentsBrief = (input: JsonObject): Prose => {
  const [only, ...more] = Object.values(input)
  const text = more.length === 0 && typeof only === 'string' ? only : JSON.stringify(input)
  return prose`${shorten(oneLine(text), 120)}`
}
