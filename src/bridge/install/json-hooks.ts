import type { Node } from 'jsonc-parser'
import { isObject, type Json, type JsonObject } from '../../core/model/base/json.ts'
import { mark } from './command.ts'
import { commaAt, readJsonc, valueOf } from './jsonc.ts'

/** The change of a hooks file. All text that hookgate did not write stays unchanged, comments included. */
export interface HooksEdit {
  /**
   * Maps the name of an event to the one entry of hookgate in its list. Entries of hookgate at other events
   * are removed.
   */
  readonly wanted: ReadonlyMap<string, JsonObject>
  isOurs(item: Json): boolean
}

/** The nesting depths in a file, for the indent of new text. */
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

/** Appends a piece to an object or list. A comment after the last piece stays in its place. */
const appended = (text: string, parent: Node, depth: number, piece: string): string => {
  const last = parent.children?.at(-1)
  const lastEnd = last === undefined ? undefined : endOf(last)
  const eol = text.includes('\r\n') ? '\r\n' : '\n'
  const indent = indentOf(text)
  const close = endOf(parent) - 1
  const head = text.slice(0, close).trimEnd()
  const behind = `${eol}${indent.repeat(depth + 1)}${piece}${eol}${indent.repeat(depth)}`
  const whole = head + behind + text.slice(close)
  return lastEnd === undefined || commaAt(text, lastEnd) !== undefined
    ? whole
    : replaced(whole, lastEnd, lastEnd, ',')
}

/**
 * Removes one piece of an object or list, its comma, and the lines that held nothing else. Comments beside it
 * stay.
 */
const removed = (text: string, parent: Node, index: number): string => {
  const [before, one] = [parent.children?.[index - 1], parent.children?.[index]]
  if (one === undefined) return text
  const behind = commaAt(text, endOf(one))
  const comma = behind ?? (before === undefined ? undefined : commaAt(text, endOf(before)))
  const less = comma !== undefined && comma < one.offset ? 1 : 0
  const rest = comma === undefined ? text : replaced(text, comma, comma + 1, '')
  const [start, end] = [one.offset - less, endOf(one) - less]
  const line = /\r?\n[ \t]*$/.exec(rest.slice(0, start))?.[0].length ?? 0
  const isAlone = line > 0 && /^[ \t]*\r?\n/.test(rest.slice(end))
  const left = replaced(rest, isAlone ? start - line : start, end, '')
  const close = endOf(parent) - (text.length - left.length)
  return left.slice(parent.offset + 1, close - 1).trim() === ''
    ? replaced(left, parent.offset + 1, close - 1, '')
    : left
}

interface Member {
  readonly key: string
  readonly value: Node
}

/** Returns the members of an object in their order. */
const membersOf = (parent: Node): readonly Member[] =>
  (parent.children ?? []).flatMap(({ children: [name, value] = [] }) => {
    const key: unknown = name?.value
    return typeof key === 'string' && value !== undefined ? [{ key, value }] : []
  })

/** When a key occurs twice, the last one counts. */
const memberOf = (members: readonly Member[], key: string): Node | undefined =>
  members.findLast((member) => member.key === key)?.value

/** Returns the text with an object `hooks`, which is added where it is missing. */
const withHooks = (text: string): string => {
  const root = readJsonc(text)
  if (root.type !== 'object') throw new Error('it is not a JSON object')
  const hooks = memberOf(membersOf(root), 'hooks')
  if (hooks === undefined) return appended(text, root, rootDepth, '"hooks": {}')
  if (hooks.type !== 'object') throw new Error('its "hooks" is not an object')
  return text
}

const hooksIn = (text: string): Node | undefined => {
  const root = readJsonc(text)
  const hooks = root.type === 'object' ? memberOf(membersOf(root), 'hooks') : undefined
  return hooks?.type === 'object' ? hooks : undefined
}

/** Makes one change towards the wanted entries. Returns the same text when there is nothing to change. */
const step = (text: string, { wanted, isOurs }: HooksEdit): string => {
  const hooks = hooksIn(text)
  if (hooks === undefined) return text
  const members = membersOf(hooks)
  for (const [index, { key: event, value: list }] of members.entries()) {
    const entry = wanted.get(event)
    if (list.type !== 'array') {
      if (entry === undefined) continue
      throw new Error(`its "hooks.${event}" is not a list`)
    }
    const items = list.children ?? []
    const ours = items.findIndex((item) => isOurs(valueOf(item)))
    const item = items[ours]
    const duplicate = items.findIndex((other, at) => at > ours && isOurs(valueOf(other)))
    if (item !== undefined && duplicate > ours) return removed(text, list, duplicate)
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

/** Each step parses the whole text once. A usual file needs about twenty steps, one for each event. */
const maxSteps = 64

/** Applies the edit. Keeps a byte order mark. Throws an Error that says why a text cannot be edited. */
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

/**
 * True for an entry with only handlers of hookgate. An entry with a handler of the person is left unchanged.
 */
export const isOurs = (client: string) => {
  const ending = mark(client)
  const url = new RegExp(String.raw`^http://127\.0\.0\.1:\d+/bridge/${client}/`)
  const isHandler = (value: Json): boolean =>
    isObject(value) &&
    Object.values(value).some((word) => typeof word === 'string' && (ending.test(word) || url.test(word)))
  return (item: Json): boolean => {
    const inner: Json = isObject(item) ? (item['hooks'] ?? null) : null
    return Array.isArray(inner) ? inner.length > 0 && inner.every(isHandler) : isHandler(item)
  }
}
