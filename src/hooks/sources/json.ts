import { isTooDeep, type Json } from '../../model/base/json.ts'
import { got, messageOf, type Problem } from '../../model/gate/problem.ts'
import { mendFile, type DocumentPath, type ReadDocument, type ReadOptions } from './yaml.ts'

/** One value of a text: the line it begins on, and what is in it. */
interface JsonPlace {
  readonly line: number
  readonly inner: Map<string | number, JsonPlace>
  /** A list counts its values, an object names them. */
  readonly isList: boolean
}

interface Twice {
  readonly key: string
  readonly line: number
}

/** Walks a text that is JSON: where each value stands, or the first key that stands twice in its object. */
const places = (text: string, firstLine: number): JsonPlace | Twice => {
  let line = firstLine
  const root: JsonPlace = { line, inner: new Map(), isList: false }
  const open: JsonPlace[] = [root]
  /** The key that the next value of an object has; in the root, which is none, any. */
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
      const place: JsonPlace = { line, inner: new Map(), isList: token === '[' }
      top.inner.set(top.isList ? top.inner.size : key, place)
      if (token !== '{' && token !== '[') continue
      open.push(place)
      isKey = token === '{'
    }
  }
  return root.inner.get('') ?? root
}

const lineFinder =
  (root: JsonPlace) =>
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
 * Reads JSON that somebody else may have written: bounded in size and depth, each key once; a byte order mark is
 * passed over. Never throws.
 */
export const readJson = (
  text: string,
  { file, maxChars, firstLine = 1 }: ReadOptions,
): ReadDocument | { readonly problem: Problem } => {
  const broken = (code: string, message: string, line?: number): { readonly problem: Problem } => ({
    problem: { code: `json.${code}`, file, message, fix: mendFile, ...(line === undefined ? {} : { line }) },
  })
  if (text.length > maxChars)
    return broken('size', `Expected a file of at most ${maxChars} characters, got ${text.length}.`)
  const plain = text.replace(/^\uFEFF/, '')
  let root: Json
  try {
    root = JSON.parse(plain) as Json
  } catch (error) {
    // The engine's words quote the text, line breaks and all.
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
    return broken('syntax', `Expected JSON, but the key ${got(found.key)} stands twice.`, found.line)
  return { root, lineOf: lineFinder(found) }
}
