import { visit } from 'jsonc-parser'
import { isTooDeep, type Json } from '../../core/model/base/json.ts'
import { got, messageOf, type Problem } from '../../core/model/gate/problem.ts'
import { correctFileFix, type DocumentPath, type ReadDocument, type ReadOptions } from './yaml.ts'

/** One value of a JSON text: the line where it begins, and the values in it by name or index. */
interface JsonNode {
  readonly line: number
  readonly inner: Map<string | number, JsonNode>
  readonly isList: boolean
}

/**
 * Walks a valid JSON text. Returns the line of each value, or the first key that occurs twice in one object.
 */
const places = (text: string): JsonNode | { readonly key: string; readonly line: number } => {
  const root: JsonNode = { line: 1, inner: new Map(), isList: false }
  const open: JsonNode[] = [root]
  const top = (): JsonNode => open.at(-1) ?? root
  /** The key of the next value of an object. At the root, which is no object, it is the empty string. */
  let key = ''
  let twice: { readonly key: string; readonly line: number } | undefined
  const add = (line: number, isList: boolean): JsonNode => {
    const place: JsonNode = { line: line + 1, inner: new Map(), isList }
    top().inner.set(top().isList ? top().inner.size : key, place)
    return place
  }
  const close = (): void => void open.pop()
  visit(text, {
    onObjectBegin: (_offset, _length, line) => void open.push(add(line, false)),
    onArrayBegin: (_offset, _length, line) => void open.push(add(line, true)),
    onObjectProperty: (name, _offset, _length, line) => {
      if (top().inner.has(name)) twice ??= { key: name, line: line + 1 }
      key = name
    },
    onLiteralValue: (_value, _offset, _length, line) => void add(line, false),
    onObjectEnd: close,
    onArrayEnd: close,
  })
  return twice ?? root.inner.get('') ?? root
}

const lineFinder =
  (root: JsonNode) =>
  (path: DocumentPath): number => {
    let { line, inner } = root
    for (const step of path) ({ line, inner } = inner.get(step) ?? { line, inner: new Map() })
    return line
  }

/**
 * Reads JSON from an untrusted author. Size and depth are bounded, and each key may occur once. A byte order
 * mark is ignored. Never throws.
 */
export const readJson = (
  text: string,
  { file, maxChars }: Omit<ReadOptions, 'firstLine'>,
): ReadDocument | { readonly problem: Problem } => {
  const broken = (code: string, message: string, line?: number): { readonly problem: Problem } => ({
    problem: { code: `json.${code}`, file, message, fix: correctFileFix, line },
  })
  if (text.length > maxChars)
    return broken('size', `Expected a file of at most ${maxChars} characters, got ${text.length}.`)
  const plain = text.replace(/^\uFEFF/, '')
  let root: Json
  try {
    root = JSON.parse(plain) as Json
  } catch (error) {
    // The engine's message quotes the text with its line breaks.
    const why = messageOf(error).replaceAll(/\s+/g, ' ').slice(0, 160)
    const at = /\(line (\d+) column \d+\)/.exec(why)?.[1]
    return broken('syntax', `Expected JSON, but it has: ${why}.`, at === undefined ? undefined : Number(at))
  }
  if (isTooDeep(root)) return broken('syntax', 'Expected JSON, but its brackets are nested too deep to read.')
  const found = places(plain)
  if ('key' in found)
    return broken('syntax', `Expected JSON, but the key ${got(found.key)} occurs twice.`, found.line)
  return { root, lineOf: lineFinder(found) }
}
