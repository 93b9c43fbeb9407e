import { isObject, type Json } from '../model/json.ts'
import type { Payload } from '../model/payload.ts'

const isScalar = (value: Json): value is string | number | boolean =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'

/** Keys count as text too: a tool's argument may hide what matters in a key. */
const collect = (value: Json | undefined, lines: string[]): void => {
  if (value === undefined || value === null) return
  if (isScalar(value)) lines.push(String(value))
  else if (Array.isArray(value)) {
    if (value.every(isScalar)) lines.push(value.join(' '))
    else for (const inner of value) collect(inner, lines)
  } else if (isObject(value)) {
    for (const [key, inner] of Object.entries(value)) {
      lines.push(key)
      collect(inner, lines)
    }
  }
}

/** What a matcher searches: every text of these fields, each on a line of its own; a list of words is one line. */
export const subjectOf = (payload: Payload, fields: readonly string[]): string => {
  const lines: string[] = []
  for (const field of fields) collect(payload[field], lines)
  return lines.join('\n')
}

/** The text at a dotted path such as `tool_input.command`; empty when there is nothing. */
export const subjectAt = (payload: Payload, path: string): string => {
  let value: Json | undefined = payload
  for (const key of path.split('.')) value = isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined
  const lines: string[] = []
  collect(value, lines)
  return lines.join('\n')
}
