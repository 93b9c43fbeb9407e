import { isMap, isScalar, isSeq, LineCounter, parseDocument, visit, type Document, type YAMLMap } from 'yaml'
import { isTooDeep, type Json } from '../../core/model/base/json.ts'
import { got, messageOf, type Problem } from '../../core/model/gate/problem.ts'

const maxAliases = 100

/** The path of a value in a document: the keys and list indexes from the root. */
export type DocumentPath = readonly (string | number)[]

/** The data of a whole file, and a function that finds the line of a value. */
export interface ReadDocument {
  readonly root: Json
  /**
   * The 1-based line of the value at `path`, or else of the nearest value around it. It is undefined when no
   * part of the path exists.
   */
  lineOf(path: DocumentPath): number | undefined
}

export interface ReadOptions {
  /** The name of the file in messages. */
  readonly file: string
  readonly maxChars: number
  /** The line of the file on which the text begins, when it is only a part of the file. The default is 1. */
  readonly firstLine?: number
}

export const correctFileFix = 'Correct the file. Approved hooks stay in force.'

const clause = (message: string): string =>
  message.includes('call stack')
    ? 'its brackets are nested too deep to read'
    : (message.split('\n')[0] ?? '').replace(/\.$/, '')

/**
 * The package searches duplicate keys in quadratic time, so `restrictionFlaw` does it in one pass. A `%YAML
 * 1.1` line or a tag such as !!timestamp must not produce a value that JSON does not have.
 */
export const yamlOptions = {
  logLevel: 'error',
  prettyErrors: false,
  uniqueKeys: false,
  schema: 'core',
  resolveKnownTags: false,
} as const

const parse = (text: string, lineCounter: LineCounter): Document | undefined => {
  try {
    return parseDocument(text, { ...yamlOptions, lineCounter })
  } catch {
    // The parser overflows its stack on thousands of nested brackets.
    return undefined
  }
}

const nameOf = (key: unknown): unknown => (isScalar(key) ? String(key.value) : key)

/**
 * Finds valid YAML that is not accepted here: a duplicate key, of which one would be ignored, or too many
 * aliases.
 */
const restrictionFlaw = (
  document: Document,
): { readonly offset: number; readonly why: string } | undefined => {
  let found: { readonly offset: number; readonly why: string } | undefined
  let aliases = 0
  visit(document, {
    Alias: (_, { range }) => {
      aliases += 1
      if (aliases <= maxAliases) return undefined
      found = {
        offset: range?.[0] ?? 0,
        why: `it uses more than ${maxAliases} aliases. Write the values out`,
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
            why: `the key ${got(name)} occurs twice`,
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

/**
 * Finds lines by path. Each map is indexed once, so that a large file with many faults is not searched again
 * for each.
 */
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
 * Reads YAML from an untrusted author. Size, depth and aliases are bounded, and each key may occur once. The
 * result is JSON: `on` and `yes` stay strings, and an empty document is null. Never throws.
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
    problem: { code: `yaml.${code}`, file, message, fix: correctFileFix, ...rest },
  })
  if (text.length > maxChars)
    return broken('size', `Expected a file of at most ${maxChars} characters, got ${text.length}.`)
  const lines = new LineCounter()
  const document = parse(text, lines)
  if (document === undefined)
    return broken('syntax', 'Expected YAML, but its brackets are nested too deep to read.')
  const error = document.errors[0]
  const flaw =
    error === undefined ? restrictionFlaw(document) : { offset: error.pos[0], why: clause(error.message) }
  if (flaw !== undefined) {
    const { line, col } = lines.linePos(flaw.offset)
    return broken('syntax', `Expected YAML, but ${flaw.why}.`, { line: line + firstLine - 1, column: col })
  }
  let root: Json
  try {
    root = document.toJS({ maxAliasCount: maxAliases })
  } catch (cause) {
    return broken(
      'alias',
      `Expected aliases that can be replaced by their values, but ${clause(messageOf(cause))}.`,
      {
        fix: 'Write the values out instead of using aliases.',
      },
    )
  }
  if (isTooDeep(root)) return broken('syntax', 'Expected YAML, but its brackets are nested too deep to read.')
  return { root, lineOf: lineFinder(document, lines, firstLine) }
}
