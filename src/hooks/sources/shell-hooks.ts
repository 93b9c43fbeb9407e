import { LineCounter, parseDocument, type Document } from 'yaml'
import type { Entry } from '../../model/entry.ts'
import { isObject, type Json } from '../../model/json.ts'
import { got, type Problem } from '../../model/problem.ts'
import { readEntry } from '../entry.ts'

const maxHooks = 10_000

/** One place in a source: a hook that could be read, or one that could not, with what it said of itself. */
export type Proposed =
  | { readonly kind: 'entry'; readonly entry: Entry }
  | { readonly kind: 'invalid'; readonly event: string; readonly command: string; readonly problem: Problem }

/** What a source proposes. A `problem` means that the file as a whole cannot be read, and nothing in it counts. */
export interface Source {
  readonly proposed: readonly Proposed[]
  readonly problem?: Problem
}

const string = (value: Json | undefined, otherwise: string): string => (typeof value === 'string' && value !== '' ? value.slice(0, 300) : otherwise)

const parse = (text: string, lineCounter: LineCounter): Document | undefined => {
  try {
    return parseDocument(text, { lineCounter, logLevel: 'error', prettyErrors: false })
  } catch {
    // A parser's own stack overflow, on thousands of nested brackets.
    return undefined
  }
}

/** Reads `shell_hooks.yaml`. An invalid entry never hides the good ones. `file` is its name for people. */
export const readShellHooks = (text: string, file: string): Source => {
  const lines = new LineCounter()
  const document = parse(text, lines)
  if (document === undefined) {
    return { proposed: [], problem: { code: 'yaml.syntax', file, message: 'Expected YAML of a reasonable depth, got brackets nested too deep to read.', fix: 'Mend the file; until then what was approved stays in force.' } }
  }
  const broken = document.errors[0]
  if (broken !== undefined) {
    const { line, col } = lines.linePos(broken.pos[0])
    return { proposed: [], problem: { code: 'yaml.syntax', file, line, column: col, message: `Expected YAML, but ${broken.message.split('\n')[0]}.`, fix: 'Mend the file; until then what was approved stays in force.' } }
  }
  let root: Json
  try {
    root = document.toJS({ maxAliasCount: 100 })
  } catch (error) {
    return { proposed: [], problem: { code: 'yaml.alias', file, message: `Expected YAML of a reasonable size, but ${error instanceof Error ? error.message : 'it could not be read'}.`, fix: 'Write the values out instead of using aliases.' } }
  }
  if (root === null) return { proposed: [] }
  const hooks = isObject(root) ? root['hooks'] : undefined
  const isEmpty = isObject(root) && (hooks === undefined || hooks === null)
  if (isEmpty) return { proposed: [] }
  if (!Array.isArray(hooks) || hooks.length > maxHooks) {
    return { proposed: [], problem: { code: 'yaml.hooks', file, line: 1, message: `Expected "hooks" to be a list of at most ${maxHooks} hooks, got ${got(hooks ?? root)}.`, fix: 'Write "hooks:" and under it one "- event: …" for each hook.' } }
  }

  const lineOf = (path: readonly (string | number)[]): number | undefined => {
    for (let length = path.length; length > 0; length--) {
      const node: unknown = document.getIn(path.slice(0, length), true)
      const range: unknown = typeof node === 'object' && node !== null && 'range' in node ? node.range : undefined
      if (Array.isArray(range) && typeof range[0] === 'number') return lines.linePos(range[0]).line
    }
    return undefined
  }

  return {
    proposed: hooks.map((raw: Json, index): Proposed => {
      const read = readEntry(raw, `hooks[${index}]`, file)
      if ('entry' in read) return { kind: 'entry', entry: read.entry }
      const line = lineOf(['hooks', index, ...read.path])
      const said = isObject(raw) ? raw : {}
      return {
        kind: 'invalid',
        event: string(said['event'], `hooks[${index}]`),
        command: string(said['command'], '(no command)'),
        problem: { ...read.problem, file, ...(line === undefined ? {} : { line }) },
      }
    }),
  }
}
