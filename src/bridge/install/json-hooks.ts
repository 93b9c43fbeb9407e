import { isObject, type Json, type JsonObject } from '../../model/json.ts'
import { readJsonc, type Spot } from './jsonc.ts'

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
  return JSON.stringify(value, null, indent).split('\n').join(`${eol}${indent.repeat(depth)}`)
}

const replaced = (text: string, from: number, to: number, piece: string): string => text.slice(0, from) + piece + text.slice(to)

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

/** Without what stands from `start` to `end`, and without the comma that it leaves behind. */
const removed = (text: string, box: Spot, index: number): string => {
  const parts = box.members?.map(({ start, spot }) => ({ start, end: spot.end })) ?? box.items ?? []
  const [before, one, after] = [parts[index - 1], parts[index], parts[index + 1]]
  if (one === undefined) return text
  if (after !== undefined) return replaced(text, one.start, after.start, '')
  if (before !== undefined) return replaced(text, before.end, one.end, '')
  return replaced(text, box.start + 1, box.end - 1, '')
}

const memberOf = (box: Spot, key: string): Spot | undefined => box.members?.findLast((member) => member.key === key)?.spot

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
    if (entry === undefined && spot !== undefined) return list.items.length === 1 ? removed(text, hooks, index) : removed(text, list, ours)
    if (entry !== undefined && spot === undefined && memberOf(hooks, event) === list) return appended(text, list, printed(entry, list.depth + 1, text))
    if (entry !== undefined && spot !== undefined && JSON.stringify(spot.value) !== JSON.stringify(entry)) return replaced(text, spot.start, spot.end, printed(entry, spot.depth, text))
  }
  for (const [event, entry] of wanted) {
    if (memberOf(hooks, event) === undefined) return appended(text, hooks, `${JSON.stringify(event)}: ${printed([entry], hooks.depth + 1, text)}`)
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
