import type { Json } from '../../../core/model/base/json.ts'
import { got } from '../../../core/model/gate/problem.ts'
import {
  invalid,
  nativeIn,
  proposeForeign,
  searched,
  type ForeignHook,
  type ForeignPorts,
  type ReadForeign,
} from './foreign.ts'
import { takeOptions } from '../options.ts'
import type { ProposedHook } from '../../../shared/gate/catalogue.ts'
import { maxForeignHooks, tooMany, unreadable, wrongFile } from '../source.ts'

/** This module reads the `[[hooks]]` tables of Kimi's config.toml. It ignores the rest of the file. */
const maxChars = 1024 * 1024

interface Table {
  readonly line: number
  readonly values: Readonly<Record<string, Json>>
  /** The first line of the table that could not be read. */
  readonly flaw?: string
}

/** Reads one TOML value of a kind that a hook can have: a text on one line, a number, true or false. */
const valueOf = (text: string): Json | undefined => {
  const [, basic, literal, number, flag] =
    /^(?:"((?:[^"\\]|\\.)*)"|'([^']*)'|([+-]?[\d_]+(?:\.[\d_]+)?)|(true|false))\s*(?:#.*)?$/.exec(text) ?? []
  if (literal !== undefined) return literal
  if (number !== undefined) return Number(number.replaceAll('_', ''))
  if (flag !== undefined) return flag === 'true'
  if (basic === undefined) return undefined
  try {
    return JSON.parse(`"${basic}"`) as Json
  } catch {
    return undefined
  }
}

/** Reads a multi-line text, from its three quotes to the next three. Each line of it is looked at once. */
const multiline = (
  lines: readonly string[],
  at: number,
  first: string,
): { readonly value: string; readonly end: number } | undefined => {
  const quotes = first.slice(0, 3)
  const parts: string[] = []
  let end = at
  for (let line: string | undefined = first.slice(3); ; line = lines[++end]) {
    if (line === undefined) return undefined
    const close = line.indexOf(quotes)
    parts.push(close < 0 ? line : line.slice(0, close))
    if (close >= 0) break
  }
  const text = parts.join('\n').replace(/^\n/, '')
  if (quotes === "'''") return { value: text, end }
  try {
    return {
      value: JSON.parse(`"${text.replaceAll('\n', '\\n').replaceAll(/(?<!\\)"/g, '\\"')}"`) as string,
      end,
    }
  } catch {
    return undefined
  }
}

const tablesIn = (text: string): readonly Table[] => {
  const lines = text.replace(/^\uFEFF/, '').split(/\r?\n/)
  const tables: { line: number; values: Record<string, Json>; flaw?: string }[] = []
  let open: (typeof tables)[number] | undefined
  for (let at = 0; at < lines.length; at++) {
    const line = (lines[at] ?? '').trim()
    if (line === '' || line.startsWith('#')) continue
    if (line.startsWith('[')) {
      open = /^\[\[\s*hooks\s*\]\]\s*(?:#.*)?$/.test(line) ? { line: at + 1, values: {} } : undefined
      if (open !== undefined) tables.push(open)
      continue
    }
    const [, key, rest = ''] = /^([\w-]{1,60})\s*=\s*(.*)$/.exec(line) ?? []
    const long = rest.startsWith('"""') || rest.startsWith("'''") ? multiline(lines, at, rest) : undefined
    if (long !== undefined) at = long.end
    if (open === undefined) continue
    const value = long?.value ?? valueOf(rest)
    if (key === undefined || value === undefined)
      open.flaw ??= `Expected "key = value" on line ${at + 1}, got ${got(line.slice(0, 80))}.`
    else open.values[key] = value
  }
  return tables
}

const hookOf = (
  { line, values, flaw: broken }: Table,
  place: string,
  ports: ForeignPorts,
): ForeignHook | ProposedHook => {
  // Kimi's tools had other names before the file moved to ~/.kimi-code.
  const dialect = /(?:^|\/)\.kimi\//.test(place) ? 'kimi-cli' : 'kimi'
  const options = takeOptions(values)
  const { event = '(no event)', command = '' } = options.words('event', 'command')
  const [pattern, timeoutMs] = [options.matcher(), options.seconds('timeout')]
  const stated = { event, command, origin: place, line }
  const flaw = broken ?? options.flaw()
  if (flaw !== undefined) return invalid(stated, 'source.option', flaw)
  return {
    ...stated,
    dialect,
    shell: ports.dialects[dialect].shell,
    matcher: searched(nativeIn(ports, dialect, event), pattern),
    timeoutMs,
    remarks: options.unknownRemarks(),
  }
}

export const readKimi: ReadForeign = (place, ports) => {
  const file = ports.read(place)
  if ('why' in file) return unreadable(place, file.why)
  if (file.text.length > maxChars)
    return wrongFile(
      place,
      'size',
      `Expected a file of at most ${maxChars} characters, got ${file.text.length}.`,
    )
  const tables = tablesIn(file.text)
  if (tables.length > maxForeignHooks) return tooMany(place, tables.length)
  return { proposed: tables.map((table) => proposeForeign(hookOf(table, place, ports), ports)) }
}
