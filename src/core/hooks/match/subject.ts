import { isObject, type Json } from '../../model/base/json.ts'
import type { Payload } from '../../model/events/payload.ts'

const isScalar = (value: Json): value is string | number | bigint | boolean => typeof value !== 'object'

/** Keys count as text too, because a tool's argument may hide important text in a key. */
const collect = (value: Json | undefined, lines: string[]): void => {
  if (value === undefined || value === null) return
  if (isScalar(value)) lines.push(String(value))
  else if (Array.isArray(value)) {
    // An empty list adds no line. Otherwise `\z` in a pattern would not find the end of the text before it.
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

/**
 * The text that a matcher searches: every text of these fields, each on its own line. A list of scalars is
 * one line.
 */
export const subjectOf = (payload: Payload, fields: readonly string[]): string =>
  textOf(fields.map((field) => payload[field]))

/**
 * The text at a dotted path such as `tool_input.command`. A list gives the text of each item. Empty when
 * nothing is there.
 */
export const subjectAt = (payload: Payload, path: string): string => {
  let values: readonly Json[] = [payload]
  for (const key of path.split('.')) {
    values = values
      .flat()
      .flatMap((value) => (isObject(value) && Object.hasOwn(value, key) ? [value[key] ?? null] : []))
  }
  return textOf(values)
}
