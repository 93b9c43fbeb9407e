import { isScalar, LineCounter, parseDocument, visit, type Document } from 'yaml'
import { isObject, type Json } from '../../model/json.ts'
import { nearest } from '../../model/nearest.ts'
import { got, type Problem } from '../../model/problem.ts'
import { readEntry } from '../entry.ts'
import type { Proposed, Source } from './source.ts'

/** An agent can write this file, and the gate does nothing else while it reads it: about a second for the worst of this size. */
const maxChars = 128 * 1024
const maxHooks = 1000
const maxAliases = 100
/** Options beside "hooks" that are listed as invalid. */
const maxStrangers = 5

const string = (value: Json | undefined, otherwise: string): string => (typeof value === 'string' && value !== '' ? value.slice(0, 300) : otherwise)

const mend = 'Mend the file; until then what was approved stays in force.'
const broken = (code: string, file: string, message: string, rest: Partial<Problem> = {}): Source =>
  ({ proposed: [], problem: { code, file, message, fix: mend, ...rest } })

const parse = (text: string, lineCounter: LineCounter): Document | undefined => {
  try {
    // The package looks for duplicate keys in quadratic time; `oddity` does it in one walk.
    return parseDocument(text, { lineCounter, logLevel: 'error', prettyErrors: false, uniqueKeys: false })
  } catch {
    // A parser's own stack overflow, on thousands of nested brackets.
    return undefined
  }
}

const clause = (message: string): string =>
  message.includes('call stack') ? 'its brackets are nested too deep to read' : (message.split('\n')[0] ?? '').replace(/\.$/, '')

/** What YAML allows and this file does not: a key that stands twice, of which one would be ignored, and many aliases. */
const oddity = (document: Document): { readonly offset: number; readonly why: string } | undefined => {
  let found: { readonly offset: number; readonly why: string } | undefined
  let aliases = 0
  visit(document, {
    Alias: (_, { range }) => {
      aliases += 1
      if (aliases <= maxAliases) return undefined
      found = { offset: range?.[0] ?? 0, why: `it uses more than ${maxAliases} aliases; write the values out` }
      return visit.BREAK
    },
    Map: (_, { items }) => {
      const keys = new Set<unknown>()
      for (const { key } of items) {
        const name = isScalar(key) ? String(key.value) : key
        if (keys.has(name)) {
          found = { offset: isScalar(key) ? (key.range?.[0] ?? 0) : 0, why: `the key ${got(name)} stands twice` }
          return visit.BREAK
        }
        keys.add(name)
      }
      return undefined
    },
  })
  return found
}

/** Reads `shell_hooks.yaml`. An invalid entry never hides the good ones. `file` is its name for people. */
export const readShellHooks = (text: string, file: string): Source => {
  if (text.length > maxChars) return broken('yaml.size', file, `Expected a file of at most ${maxChars} characters, got ${text.length}.`)
  const lines = new LineCounter()
  const document = parse(text, lines)
  if (document === undefined) return broken('yaml.syntax', file, 'Expected YAML of a reasonable depth, got brackets nested too deep to read.')
  const error = document.errors[0]
  const flaw = error === undefined ? oddity(document) : { offset: error.pos[0], why: clause(error.message) }
  if (flaw !== undefined) {
    const { line, col } = lines.linePos(flaw.offset)
    return broken('yaml.syntax', file, `Expected YAML, but ${flaw.why}.`, { line, column: col })
  }
  let root: Json
  try {
    root = document.toJS({ maxAliasCount: maxAliases })
  } catch (cause) {
    return broken('yaml.alias', file, `Expected aliases that can be written out, but ${cause instanceof Error ? clause(cause.message) : 'these cannot'}.`, { fix: 'Write the values out instead of using aliases.' })
  }
  if (root === null) return { proposed: [] }
  const hooks = isObject(root) ? (root['hooks'] ?? []) : undefined
  const fix = 'Write "hooks:" and under it one "- event: …" for each hook.'
  if (!isObject(root) || !Array.isArray(hooks)) return broken('yaml.hooks', file, `Expected "hooks" to be a list of hooks, got ${got(hooks ?? root)}.`, { line: 1, fix })
  if (hooks.length > maxHooks) return broken('yaml.hooks', file, `Expected at most ${maxHooks} hooks, got ${hooks.length}.`)

  const lineOf = (path: readonly (string | number)[]): number | undefined => {
    for (let length = path.length; length > 0; length--) {
      const node: unknown = document.getIn(path.slice(0, length), true)
      const range: unknown = typeof node === 'object' && node !== null && 'range' in node ? node.range : undefined
      if (Array.isArray(range) && typeof range[0] === 'number') return lines.linePos(range[0]).line
    }
    return undefined
  }

  const invalid = (path: readonly (string | number)[], event: string, command: string, problem: Problem): Proposed => {
    const line = lineOf(path)
    return { kind: 'invalid', event, command, problem: { ...problem, file, ...(line === undefined ? {} : { line }) } }
  }
  const strangers = Object.keys(root).filter((key) => key !== 'hooks').slice(0, maxStrangers)
  return {
    proposed: [
      ...hooks.map((raw: Json, index): Proposed => {
        const read = readEntry(raw, `hooks[${index}]`, file)
        if ('entry' in read) return { kind: 'entry', entry: read.entry }
        const said = isObject(raw) ? raw : {}
        return invalid(['hooks', index, ...read.path], string(said['event'], `hooks[${index}]`), string(said['command'], '(no command)'), read.problem)
      }),
      ...strangers.map((key): Proposed => {
        const fix = key === 'sources' ? 'Other systems\' files are read by a later version.' : nearest(key.slice(0, 40), ['hooks']) === undefined ? 'Remove it.' : 'Did you mean "hooks"?'
        return invalid([key], key.slice(0, 60), '(no command)', { code: 'yaml.unknown', message: `Expected "hooks" and nothing beside it, got "${key.slice(0, 60)}".`, fix })
      }),
    ],
  }
}
