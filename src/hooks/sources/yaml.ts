import { isMap, isScalar, isSeq, LineCounter, parseDocument, visit, type Document, type YAMLMap } from 'yaml'
import { isTooDeep, type Json } from '../../model/base/json.ts'
import { got, messageOf, type Problem } from '../../model/gate/problem.ts'

const maxAliases = 100

/** Where in a document a value stands: keys and list indexes from the root. */
export type DocumentPath = readonly (string | number)[]

/** A whole file's data, and the line of whatever is wrong in it. */
export interface ReadDocument {
  readonly root: Json
  /** 1-based: of the value at `path`, else of the nearest that there is around it; undefined: nothing of it is there. */
  lineOf(path: DocumentPath): number | undefined
}

export interface ReadOptions {
  /** The file's name for people. */
  readonly file: string
  readonly maxChars: number
  /** The file's line on which the text begins, for a part of a file; default 1. */
  readonly firstLine?: number
}

export const mendFile = 'Mend the file; until then what was approved stays in force.'

const clause = (message: string): string =>
  message.includes('call stack')
    ? 'its brackets are nested too deep to read'
    : (message.split('\n')[0] ?? '').replace(/\.$/, '')

const parse = (text: string, lineCounter: LineCounter): Document | undefined => {
  try {
    // The package looks for duplicate keys in quadratic time; `oddity` does it in one walk. A `%YAML 1.1` line or a tag
    // such as !!timestamp must not turn a value into something that is no JSON.
    return parseDocument(text, {
      lineCounter,
      logLevel: 'error',
      prettyErrors: false,
      uniqueKeys: false,
      schema: 'core',
      resolveKnownTags: false,
    })
  } catch {
    // A parser's own stack overflow, on thousands of nested brackets.
    return undefined
  }
}

const nameOf = (key: unknown): unknown => (isScalar(key) ? String(key.value) : key)

/** What YAML allows and no file here does: a key that stands twice, of which one would be ignored, and many aliases. */
const oddity = (document: Document): { readonly offset: number; readonly why: string } | undefined => {
  let found: { readonly offset: number; readonly why: string } | undefined
  let aliases = 0
  visit(document, {
    Alias: (_, { range }) => {
      aliases += 1
      if (aliases <= maxAliases) return undefined
      found = {
        offset: range?.[0] ?? 0,
        why: `it uses more than ${maxAliases} aliases; write the values out`,
      }
      return visit.BREAK
    },
    Map: (_, { items }) => {
      const keys = new Set<unknown>()
      for (const { key } of items) {
        const name = nameOf(key)
        if (keys.has(name)) {
          found = {
            offset: isScalar(key) ? (key.range?.[0] ?? 0) : 0,
            why: `the key ${got(name)} stands twice`,
          }
          return visit.BREAK
        }
        keys.add(name)
      }
      return undefined
    },
  })
  return found
}

/** Finds lines by path. Each map is indexed once: a file with many keys and many faults is not searched anew for each. */
const lineFinder = (document: Document, lines: LineCounter, firstLine: number): ReadDocument['lineOf'] => {
  const indexes = new WeakMap<YAMLMap, ReadonlyMap<unknown, unknown>>()
  const indexOf = (map: YAMLMap): ReadonlyMap<unknown, unknown> => {
    const known = indexes.get(map) ?? new Map(map.items.map(({ key, value }) => [nameOf(key), value]))
    indexes.set(map, known)
    return known
  }
  return (path) => {
    let node: unknown = document.contents
    let line: number | undefined
    for (const step of path) {
      node = isMap(node)
        ? indexOf(node).get(String(step))
        : isSeq(node)
          ? node.items[Number(step)]
          : undefined
      const range: unknown =
        typeof node === 'object' && node !== null && 'range' in node ? node.range : undefined
      if (!Array.isArray(range) || typeof range[0] !== 'number') break
      line = lines.linePos(range[0]).line + firstLine - 1
    }
    return line
  }
}

/**
 * Reads YAML that somebody else may have written: bounded in size, depth and aliases, each key once. What it gives is
 * JSON; `on` and `yes` stay strings. An empty document is null. Never throws.
 */
export const readYaml = (
  text: string,
  { file, maxChars, firstLine = 1 }: ReadOptions,
): ReadDocument | { readonly problem: Problem } => {
  const broken = (
    code: string,
    message: string,
    rest: Partial<Problem> = {},
  ): { readonly problem: Problem } => ({
    problem: { code: `yaml.${code}`, file, message, fix: mendFile, ...rest },
  })
  if (text.length > maxChars)
    return broken('size', `Expected a file of at most ${maxChars} characters, got ${text.length}.`)
  const lines = new LineCounter()
  const document = parse(text, lines)
  if (document === undefined)
    return broken('syntax', 'Expected YAML, but its brackets are nested too deep to read.')
  const error = document.errors[0]
  const flaw = error === undefined ? oddity(document) : { offset: error.pos[0], why: clause(error.message) }
  if (flaw !== undefined) {
    const { line, col } = lines.linePos(flaw.offset)
    return broken('syntax', `Expected YAML, but ${flaw.why}.`, { line: line + firstLine - 1, column: col })
  }
  let root: Json
  try {
    root = document.toJS({ maxAliasCount: maxAliases })
  } catch (cause) {
    return broken('alias', `Expected aliases that can be written out, but ${clause(messageOf(cause))}.`, {
      fix: 'Write the values out instead of using aliases.',
    })
  }
  if (isTooDeep(root)) return broken('syntax', 'Expected YAML, but its brackets are nested too deep to read.')
  return { root, lineOf: lineFinder(document, lines, firstLine) }
}
