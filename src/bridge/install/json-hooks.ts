import type { Node } from 'jsonc-parser'
import type { Json, JsonObject } from '../../model/base/json.ts'
import { commaAt, readJsonc, valueOf } from './jsonc.ts'

/** What a file of hooks holds after the edit, as text. Everything that is not ours stands as it stood, comments included. */
export interface HooksEdit {
  /** An event's name → the one entry of ours that its list shall hold. An entry of ours elsewhere goes. */
  readonly wanted: ReadonlyMap<string, JsonObject>
  isOurs(item: Json): boolean
}

/** How deep they stand in a file, for the indent of what is put into them. */
const rootDepth = 0
const hooksDepth = 1
const listDepth = 2

const indentOf = (text: string): string => /^[[{][^\n]*\n([ \t]+)/.exec(text)?.[1] ?? '  '

const printed = (value: Json, depth: number, text: string): string => {
  const indent = indentOf(text)
  const eol = text.includes('\r\n') ? '\r\n' : '\n'
  return JSON.stringify(value, null, indent)
    .split('\n')
    .join(`${eol}${indent.repeat(depth)}`)
}

const endOf = ({ offset, length }: Node): number => offset + length

const replaced = (text: string, from: number, to: number, piece: string): string =>
  text.slice(0, from) + piece + text.slice(to)

/** A piece more at the end of an object or list; a comment behind the last one stays where it is. */
const appended = (text: string, box: Node, depth: number, piece: string): string => {
  const last = box.children?.at(-1)
  const lastEnd = last === undefined ? undefined : endOf(last)
  const eol = text.includes('\r\n') ? '\r\n' : '\n'
  const indent = indentOf(text)
  const close = endOf(box) - 1
  const kept = text.slice(0, close).trimEnd()
  const behind = `${eol}${indent.repeat(depth + 1)}${piece}${eol}${indent.repeat(depth)}`
  const whole = kept + behind + text.slice(close)
  return lastEnd === undefined || commaAt(text, lastEnd) !== undefined
    ? whole
    : replaced(whole, lastEnd, lastEnd, ',')
}

/** Without one piece of an object or list, the comma that it leaves behind, and the lines on which it stood alone. Comments beside it stay. */
const removed = (text: string, box: Node, index: number): string => {
  const [before, one] = [box.children?.[index - 1], box.children?.[index]]
  if (one === undefined) return text
  const behind = commaAt(text, endOf(one))
  const comma = behind ?? (before === undefined ? undefined : commaAt(text, endOf(before)))
  const less = comma !== undefined && comma < one.offset ? 1 : 0
  const rest = comma === undefined ? text : replaced(text, comma, comma + 1, '')
  const [start, end] = [one.offset - less, endOf(one) - less]
  const line = /\r?\n[ \t]*$/.exec(rest.slice(0, start))?.[0].length ?? 0
  const isAlone = line > 0 && /^[ \t]*\r?\n/.test(rest.slice(end))
  const left = replaced(rest, isAlone ? start - line : start, end, '')
  const close = endOf(box) - (text.length - left.length)
  return left.slice(box.offset + 1, close - 1).trim() === ''
    ? replaced(left, box.offset + 1, close - 1, '')
    : left
}

interface Member {
  readonly key: string
  readonly value: Node
}

/** The members of an object as they stand. */
const membersOf = (box: Node): readonly Member[] =>
  (box.children ?? []).flatMap(({ children: [name, value] = [] }) => {
    const key: unknown = name?.value
    return typeof key === 'string' && value !== undefined ? [{ key, value }] : []
  })

/** Of a key that comes twice, the last counts. */
const memberOf = (members: readonly Member[], key: string): Node | undefined =>
  members.findLast((member) => member.key === key)?.value

/** The object `hooks`, made where it is missing. */
const withHooks = (text: string): string => {
  const root = readJsonc(text)
  if (root.type !== 'object') throw new Error('it holds no object')
  const hooks = memberOf(membersOf(root), 'hooks')
  if (hooks === undefined) return appended(text, root, rootDepth, '"hooks": {}')
  if (hooks.type !== 'object') throw new Error('its "hooks" is no object')
  return text
}

const hooksIn = (text: string): Node | undefined => {
  const root = readJsonc(text)
  const hooks = root.type === 'object' ? memberOf(membersOf(root), 'hooks') : undefined
  return hooks?.type === 'object' ? hooks : undefined
}

/** One step towards what is wanted; the same text when it is there. */
const step = (text: string, { wanted, isOurs }: HooksEdit): string => {
  const hooks = hooksIn(text)
  if (hooks === undefined) return text
  const members = membersOf(hooks)
  for (const [index, { key: event, value: list }] of members.entries()) {
    const entry = wanted.get(event)
    if (list.type !== 'array') {
      if (entry === undefined) continue
      throw new Error(`its "hooks.${event}" is no list`)
    }
    const items = list.children ?? []
    const ours = items.findIndex((item) => isOurs(valueOf(item)))
    const item = items[ours]
    const again = items.findIndex((other, at) => at > ours && isOurs(valueOf(other)))
    if (item !== undefined && again > ours) return removed(text, list, again)
    if (entry === undefined && item !== undefined) {
      const left = removed(text, list, ours)
      return left.startsWith('[]', list.offset) ? removed(text, hooks, index) : left
    }
    if (entry !== undefined && item === undefined && memberOf(members, event) === list)
      return appended(text, list, listDepth, printed(entry, listDepth + 1, text))
    if (entry !== undefined && item !== undefined && JSON.stringify(valueOf(item)) !== JSON.stringify(entry))
      return replaced(text, item.offset, endOf(item), printed(entry, listDepth + 1, text))
  }
  for (const [event, entry] of wanted) {
    if (memberOf(members, event) === undefined)
      return appended(
        text,
        hooks,
        hooksDepth,
        `${JSON.stringify(event)}: ${printed([entry], hooksDepth + 1, text)}`,
      )
  }
  return text
}

/** A step reads the whole text once. A file in use needs some twenty, one for each event. */
const maxSteps = 64

/** Throws an Error that says why a text cannot be edited. A byte order mark stays. */
export const editHooks = (source: string, edit: HooksEdit): string => {
  const mark = source.startsWith('\uFEFF') ? '\uFEFF' : ''
  const bare = source.slice(mark.length)
  let text = edit.wanted.size === 0 ? bare : withHooks(bare)
  for (let steps = 0; steps < maxSteps; steps++) {
    const next = step(text, edit)
    if (next === text) return mark + text
    text = next
  }
  throw new Error('it holds too many hooks of hookgate')
}
