import { isObject, type Json, type JsonObject } from '../../model/json.ts'
import { commaAt, readJsonc, type Spot } from './jsonc.ts'

/** What a file of hooks holds after the edit, as text. Everything that is not ours stands as it stood, comments included. */
export interface HooksEdit {
  /** An event's name → the one entry of ours that its list shall hold. An entry of ours elsewhere goes. */
  readonly wanted: ReadonlyMap<string, JsonObject>
  isOurs(item: Json): boolean
}

const indentOf = (text: string): string => /^[[{][^\n]*\n([ \t]+)/.exec(text)?.[1] ?? '  '

const printed = (value: Json, depth: number, text: string): string => {
  const indent = indentOf(text)
  const eol = text.includes('\r\n') ? '\r\n' : '\n'
  return JSON.stringify(value, null, indent)
    .split('\n')
    .join(`${eol}${indent.repeat(depth)}`)
}

const replaced = (text: string, from: number, to: number, piece: string): string =>
  text.slice(0, from) + piece + text.slice(to)

/** A piece more at the end of an object or list; a comment behind the last one stays where it is. */
const appended = (text: string, box: Spot, piece: string): string => {
  const inside = box.members?.map(({ spot }) => spot) ?? box.items ?? []
  const last = inside.at(-1)
  const eol = text.includes('\r\n') ? '\r\n' : '\n'
  const indent = indentOf(text)
  const close = box.end - 1
  const kept = text.slice(0, close).trimEnd()
  const behind = `${eol}${indent.repeat(box.depth + 1)}${piece}${eol}${indent.repeat(box.depth)}`
  const whole = kept + behind + text.slice(close)
  return last === undefined || box.hasLastComma === true ? whole : replaced(whole, last.end, last.end, ',')
}

/** Without one piece of an object or list, the comma that it leaves behind, and the lines on which it stood alone. Comments beside it stay. */
const removed = (text: string, box: Spot, index: number): string => {
  const parts = box.members?.map(({ start, spot }) => ({ start, end: spot.end })) ?? box.items ?? []
  const [before, one] = [parts[index - 1], parts[index]]
  if (one === undefined) return text
  const behind = commaAt(text, one.end)
  const comma = behind ?? (before === undefined ? undefined : commaAt(text, before.end))
  const less = comma !== undefined && comma < one.start ? 1 : 0
  const rest = comma === undefined ? text : replaced(text, comma, comma + 1, '')
  const [start, end] = [one.start - less, one.end - less]
  const line = /\r?\n[ \t]*$/.exec(rest.slice(0, start))?.[0].length ?? 0
  const isAlone = line > 0 && /^[ \t]*\r?\n/.test(rest.slice(end))
  const left = replaced(rest, isAlone ? start - line : start, end, '')
  const close = box.end - (text.length - left.length)
  return left.slice(box.start + 1, close - 1).trim() === ''
    ? replaced(left, box.start + 1, close - 1, '')
    : left
}

const memberOf = (box: Spot, key: string): Spot | undefined =>
  box.members?.findLast((member) => member.key === key)?.spot

/** The object `hooks`, made where it is missing. */
const withHooks = (text: string): string => {
  const root = readJsonc(text)
  if (root.members === undefined) throw new Error('it holds no object')
  const hooks = memberOf(root, 'hooks')
  if (hooks === undefined) return appended(text, root, '"hooks": {}')
  if (hooks.members === undefined) throw new Error('its "hooks" is no object')
  return text
}

const hooksIn = (text: string): Spot => memberOf(readJsonc(text), 'hooks') ?? readJsonc('{}')

/** One step towards what is wanted; the same text when it is there. */
const step = (text: string, { wanted, isOurs }: HooksEdit): string => {
  const hooks = hooksIn(text)
  for (const [index, { key: event, spot: list }] of (hooks.members ?? []).entries()) {
    const entry = wanted.get(event)
    if (list.items === undefined) {
      if (entry === undefined) continue
      throw new Error(`its "hooks.${event}" is no list`)
    }
    const ours = list.items.findIndex(({ value }) => isOurs(value))
    const spot = list.items[ours]
    const again = list.items.findIndex(({ value }, at) => at > ours && isOurs(value))
    if (spot !== undefined && again > ours) return removed(text, list, again)
    if (entry === undefined && spot !== undefined) {
      const left = removed(text, list, ours)
      return left.slice(list.start, list.start + 2) === '[]' ? removed(text, hooks, index) : left
    }
    if (entry !== undefined && spot === undefined && memberOf(hooks, event) === list)
      return appended(text, list, printed(entry, list.depth + 1, text))
    if (entry !== undefined && spot !== undefined && JSON.stringify(spot.value) !== JSON.stringify(entry))
      return replaced(text, spot.start, spot.end, printed(entry, spot.depth, text))
  }
  for (const [event, entry] of wanted) {
    if (memberOf(hooks, event) === undefined)
      return appended(text, hooks, `${JSON.stringify(event)}: ${printed([entry], hooks.depth + 1, text)}`)
  }
  return text
}

/** Throws an Error that says why a text cannot be edited. A byte order mark stays. */
export const editHooks = (source: string, edit: HooksEdit): string => {
  const mark = source.startsWith('\uFEFF') ? '\uFEFF' : ''
  const bare = source.slice(mark.length)
  let text = edit.wanted.size === 0 && !isObject(hooksIn(bare).value) ? bare : withHooks(bare)
  for (let next = step(text, edit); next !== text; next = step(text, edit)) text = next
  return mark + text
}
