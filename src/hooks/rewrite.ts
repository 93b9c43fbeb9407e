import { isDeepStrictEqual } from 'node:util'
import { contractOf } from '../model/event.ts'
import { isObject, wellFormed, type Json, type JsonObject } from '../model/json.ts'
import type { Payload } from '../model/payload.ts'
import { got } from '../model/problem.ts'

export interface Rewritten {
  readonly payload: Payload
  readonly isChanged: boolean
  /** What was dropped, for the person. */
  readonly warnings: readonly string[]
  /** The rewrite does not fit the event: nothing of it was taken over. */
  readonly fault?: string
}

const typeOf = (value: Json | undefined): string =>
  value === null ? 'null' : Array.isArray(value) ? 'list' : typeof value

/** Only keys that the call already has: a hook may narrow what runs, never smuggle in an argument that nobody asked for. */
const patchKeys = (current: JsonObject, patch: JsonObject, warnings: string[]): JsonObject => {
  for (const key of Object.keys(patch)) {
    if (!Object.hasOwn(current, key)) warnings.push(`The rewrite of tool_input has the new key "${key.slice(0, 60)}"; only existing keys can be rewritten, so it was dropped.`)
  }
  return Object.fromEntries(
    Object.entries(current).map(([key, value]) => [key, Object.hasOwn(patch, key) ? (patch[key] ?? null) : value]),
  )
}

/** Texts are replaced by their field's name; a part that the message does not have is dropped. */
const patchParts = (current: readonly Json[], patch: readonly Json[], warnings: string[]): readonly Json[] | undefined => {
  const texts = new Map<string, string>()
  for (const part of patch) {
    if (!isObject(part) || typeof part['field'] !== 'string' || typeof part['text'] !== 'string') return undefined
    texts.set(part['field'], part['text'])
  }
  const known = current.filter(isObject)
  for (const field of texts.keys()) {
    if (!known.some((part) => part['field'] === field)) warnings.push(`The rewrite names the part "${field.slice(0, 60)}", which this message does not have; it was dropped.`)
  }
  return known.map((part) => {
    const text = typeof part['field'] === 'string' ? texts.get(part['field']) : undefined
    return text === undefined ? part : { ...part, text }
  })
}

/** The field's new value, or undefined when the rewrite is not of the field's shape. */
const rewriteField = (field: string, current: Json | undefined, value: Json, warnings: string[]): Json | undefined => {
  if (field === 'tool_input' && isObject(value)) return patchKeys(isObject(current) ? current : {}, value, warnings)
  if (field === 'parts' && Array.isArray(value)) return patchParts(Array.isArray(current) ? current : [], value, warnings)
  return value
}

/** Puts one hook's rewrite into the payload, or says why it cannot be. */
export const applyRewrite = (payload: Payload, rewrite: JsonObject): Rewritten => {
  const contract = contractOf(payload.event)
  const warnings: string[] = []
  const changed: Record<string, Json> = {}
  for (const [field, raw] of Object.entries(rewrite)) {
    if (!contract.rewrite.includes(field)) {
      warnings.push(`${payload.event} cannot rewrite "${field}"; it was dropped.`)
      continue
    }
    const current = payload[field]
    const expected = typeOf(current ?? contract.fields[field])
    if (typeOf(raw) !== expected) {
      return { payload, isChanged: false, warnings, fault: `Expected the rewrite of "${field}" to be a ${expected}, got ${got(raw)}.` }
    }
    const value = rewriteField(field, current, wellFormed(raw), warnings)
    if (value === undefined) {
      return { payload, isChanged: false, warnings, fault: `Expected the rewrite of "${field}" to be a list of {field, text}, got ${got(raw)}.` }
    }
    if (!isDeepStrictEqual(value, current)) changed[field] = value
  }
  const isChanged = Object.keys(changed).length > 0
  return { payload: isChanged ? { ...payload, ...changed } : payload, isChanged, warnings }
}
