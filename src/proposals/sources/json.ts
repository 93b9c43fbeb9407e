import { isTooDeep, type Json } from '../../core/model/base/json.ts'
import { got, messageOf, type Problem } from '../../core/model/gate/problem.ts'
import { correctFileFix, type DocumentPath, type ReadDocument, type ReadOptions } from './yaml.ts'

/** One value of a JSON text: the line where it begins, and the values in it. */
interface JsonNode {
  readonly line: number
  readonly inner: Map<string | number, JsonNode>
  /** True for a list, whose values have indexes. The values of an object have names. */
  readonly isList: boolean
}

interface DuplicateKey {
  readonly key: string
  readonly line: number
}

/**
 * Walks a valid JSON text. Returns the line of each value, or the first key that occurs twice in one object.
 */
const places = (text: string, firstLine: number): JsonNode | DuplicateKey => {
  let line = firstLine
  const root: JsonNode = { line, inner: new Map(), isList: false }
  const open: JsonNode[] = [root]
  /** The key of the next value of an object. At the root, which is no object, it is the empty string. */
  let key: string | undefined = ''
  let isKey = false
  for (const [token] of text.matchAll(/"(?:[^"\\]|\\.)*"|[{}[\]:,\n]|[^\s"{}[\]:,]+/g)) {
    const top = open.at(-1) ?? root
    if (token === '\n') line += 1
    else if (token === '}' || token === ']') {
      open.pop()
      isKey = false
    } else if (token === ',') isKey = open.length > 1 && !top.isList
    else if (isKey && token !== ':') {
      key = String(JSON.parse(token))
      if (top.inner.has(key)) return { key, line }
      isKey = false
    } else if (token !== ':') {
      const place: JsonNode = { line, inner: new Map(), isList: token === '[' }
      top.inner.set(top.isList ? top.inner.size : key, place)
      if (token !== '{' && token !== '[') continue
      open.push(place)
      isKey = token === '{'
    }
  }
  return root.inner.get('') ?? root
}

const lineFinder =
  (root: JsonNode) =>
  (path: DocumentPath): number => {
    let place = root
    for (const step of path) {
      const inner = place.inner.get(step)
      if (inner === undefined) break
      place = inner
    }
    return place.line
  }

/**
 * Reads JSON from an untrusted author. Size and depth are bounded, and each key may occur once. A byte order
 * mark is ignored. Never throws.
 */
export const readJson = (
  text: string,
  { file, maxChars, firstLine = 1 }: ReadOptions,
): ReadDocument | { readonly problem: Problem } => {
  const broken = (code: string, message: string, line?: number): { readonly problem: Problem } => ({
    problem: {
      code: `json.${code}`,
      file,
      message,
      fix: correctFileFix,
      line,
    },
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
    return broken(
      'syntax',
      `Expected JSON, but it has: ${why}.`,
      at === undefined ? undefined : Number(at) + firstLine - 1,
    )
  }
  if (isTooDeep(root)) return broken('syntax', 'Expected JSON, but its brackets are nested too deep to read.')
  const found = places(plain, firstLine)
  if ('key' in found)
    return broken('syntax', `Expected JSON, but the key ${got(found.key)} occurs twice.`, found.line)
  return { root, lineOf: lineFinder(found) }
}
