import { isObject, type Json } from '../../model/base/json.ts'
import type { Payload } from '../../model/events/payload.ts'

const isScalar = (value: Json): value is string | number | boolean =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'

/** Keys count as text too: a tool's argument may hide what matters in a key. */
const collect = (value: Json | undefined, lines: string[]): void => {
  if (value === undefined || value === null) return
  if (isScalar(value)) lines.push(String(value))
  else if (Array.isArray(value)) {
    // One of nothing is no line: `\z` in a pattern would not find the end of the words before it.
    if (value.length === 0) return
    if (value.every(isScalar)) lines.push(value.join(' '))
    else for (const inner of value) collect(inner, lines)
  } else if (isObject(value)) {
    for (const [key, inner] of Object.entries(value)) {
      lines.push(key)
      collect(inner, lines)
    }
  }
}

const textOf = (values: readonly (Json | undefined)[]): string => {
  const lines: string[] = []
  for (const value of values) collect(value, lines)
  return lines.join('\n')
}

/** What a matcher searches: every text of these fields, each on a line of its own; a list of words is one line. */
export const subjectOf = (payload: Payload, fields: readonly string[]): string =>
  textOf(fields.map((field) => payload[field]))

/** The text at a dotted path such as `tool_input.command`; in a list, that of each item. Empty when there is nothing. */
export const subjectAt = (payload: Payload, path: string): string => {
  let values: readonly Json[] = [payload]
  for (const key of path.split('.')) {
    values = values
      .flat()
      .flatMap((value) => (isObject(value) && Object.hasOwn(value, key) ? [value[key] ?? null] : []))
  }
  return textOf(values)
}
