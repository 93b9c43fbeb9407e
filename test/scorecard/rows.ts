import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { isObject, parseJson } from '../../src/core/model/base/json.ts'
import { got } from '../../src/core/model/gate/problem.ts'

const expectations = ['stop', 'pass', 'find', 'clean'] as const

/** One case of a corpus: what a guard is asked about, and what it should say. */
export interface Row {
  readonly id: string
  readonly source: string
  readonly category: string
  /** A command, or a whole script, is for the guard of commands. A text is for the scanners. */
  readonly kind: 'command' | 'text'
  readonly content: string
  /** `stop`: block or ask. `pass`: neither. `find`: something is found. `clean`: nothing is found. */
  readonly expect: (typeof expectations)[number]
  /** What has to be found. Empty where the row does not say it. */
  readonly values: readonly { readonly type?: string; readonly value: string }[]
}

const maxFileBytes = 64 * 1024 * 1024
const shape =
  '{"id", "source", "category", "command" or "text", "expect": "stop", "pass", "find" or "clean", "values"?}'

const readValues = (values: unknown): Row['values'] =>
  (Array.isArray(values) ? values : []).flatMap((one) => {
    if (typeof one === 'string') return [{ value: one }]
    if (!isObject(one) || typeof one['value'] !== 'string') return []
    const { type, value } = one
    return [{ ...(typeof type === 'string' ? { type } : {}), value }]
  })

const readRow = (line: string): Row | undefined => {
  const row = parseJson(line)
  if (!isObject(row)) return undefined
  const { id, source, category, expect } = row
  const kind = typeof row['command'] === 'string' ? 'command' : 'text'
  const content = row[kind]
  const expected = expectations.find((one) => one === expect)
  return typeof id === 'string' &&
    typeof source === 'string' &&
    typeof category === 'string' &&
    typeof content === 'string' &&
    expected !== undefined
    ? { id, source, category, kind, content, expect: expected, values: readValues(row['values']) }
    : undefined
}

/** The rows of all JSON lines in a folder. Throws with the file and the line that is no row. */
export const readRows = (folder: string): readonly Row[] => {
  const names = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.jsonl')) : []
  if (names.length === 0) throw new Error(`Expected a folder with *.jsonl files, got ${got(folder)}.`)
  return names.toSorted().flatMap((name) => {
    const file = join(folder, name)
    const { size } = statSync(file)
    if (size > maxFileBytes)
      throw new Error(`Expected ${name} to have at most ${maxFileBytes} bytes, got ${size}.`)
    return readFileSync(file, 'utf8')
      .split('\n')
      .flatMap((line, index) => {
        if (line.trim() === '') return []
        const row = readRow(line)
        if (row === undefined) throw new Error(`Expected line ${index + 1} of ${name} to be ${shape}.`)
        return [row]
      })
  })
}

/** The folder of corpora of this machine, if it has one. */
export const corporaHere = [
  process.env['HOOKGATE_CORPORA'],
  resolve(import.meta.dirname, '../../../shared/corpora'),
].find((folder) => folder !== undefined && existsSync(folder))
