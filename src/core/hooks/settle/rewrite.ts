import { isDeepStrictEqual } from 'node:util'
import { contractOf } from '../../model/events/event.ts'
import {
  deepFreeze,
  isObject,
  isTooDeep,
  maxJsonDepth,
  frozenCopy,
  type Json,
  type JsonObject,
} from '../../model/base/json.ts'
import type { Payload } from '../../model/events/payload.ts'
import { got } from '../../model/gate/problem.ts'

export interface Rewritten {
  /** Frozen like the original: the payload that hooks judged is the one that is delivered. */
  readonly payload: Payload
  readonly isChanged: boolean
  /** One sentence for the person about each dropped part. */
  readonly warnings: readonly string[]
  /** Set when the rewrite does not fit the event. Then no part of it was applied. */
  readonly fault?: string
}

const typeOf = (value: Json | undefined): string =>
  value === null ? 'null' : Array.isArray(value) ? 'list' : typeof value

/**
 * The expected form of a field's rewrite; undefined when the value fits. The sample in the contract gives the
 * form.
 */
const misfit = (
  field: string,
  value: Json,
  sample: Json | undefined,
  current: Json | undefined,
): string | undefined => {
  const expected = typeOf(current ?? sample)
  if (typeOf(value) !== expected) return expected === 'object' ? 'an object' : `a ${expected}`
  if (!Array.isArray(value)) return undefined
  if (field === 'parts') {
    const isText = (part: Json): boolean =>
      isObject(part) && typeof part['field'] === 'string' && typeof part['text'] === 'string'
    return value.every(isText) ? undefined : 'a list of {field, text}'
  }
  const item: Json | undefined = Array.isArray(sample) ? sample[0] : undefined
  if (item === undefined) return undefined
  return value.length > 0 && value.every((inner) => typeOf(inner) === typeOf(item))
    ? undefined
    : `a list of at least one ${typeOf(item)}`
}

/** Each warning goes to every owner, so that of thousands of dropped parts only the first ones are named. */
const maxToldOf = 5

/**
 * Rewrites only keys that the call already has: a hook may narrow a call, but it must not add an argument
 * that the agent did not pass.
 */
const patchKeys = (current: JsonObject, patch: JsonObject, warnings: string[]): JsonObject => {
  const added = Object.keys(patch).filter((key) => !Object.hasOwn(current, key))
  for (const key of added.slice(0, maxToldOf))
    warnings.push(
      `The rewrite of tool_input has the new key "${key.slice(0, 60)}"; only existing keys can be rewritten, so it was dropped.`,
    )
  return Object.fromEntries(
    Object.entries(current).map(([key, value]) => [
      key,
      Object.hasOwn(patch, key) ? (patch[key] ?? null) : value,
    ]),
  )
}

/** Replaces texts by the name of their field. A part that the message does not have is dropped. */
const patchParts = (
  current: readonly Json[],
  patch: readonly Json[],
  warnings: string[],
): readonly Json[] => {
  const texts = new Map(patch.filter(isObject).map(({ field, text }) => [field, text]))
  const fields = new Set(current.filter(isObject).map(({ field }) => field))
  const strange = [...texts.keys()].filter((field) => !fields.has(field))
  for (const field of strange.slice(0, maxToldOf))
    warnings.push(
      `The rewrite names the part ${got(field)}, which this message does not have; it was dropped.`,
    )
  return current.map((part) => {
    const text = isObject(part) ? texts.get(part['field']) : undefined
    return isObject(part) && text !== undefined ? { ...part, text } : part
  })
}

const rewriteField = (field: string, current: Json | undefined, value: Json, warnings: string[]): Json => {
  if (field === 'tool_input' && isObject(value))
    return patchKeys(isObject(current) ? current : {}, value, warnings)
  if (field === 'parts' && Array.isArray(value))
    return patchParts(Array.isArray(current) ? current : [], value, warnings)
  if (field === 'summary' && typeof current === 'string' && current !== '' && value !== current) {
    if (value !== '') warnings.push('The summary was already written by another hook; the first one stands.')
    return current
  }
  return value
}

/** Applies one hook's rewrite to a copy of the payload, or gives the reason why that is impossible. */
export const applyRewrite = (payload: Payload, rewrite: JsonObject): Rewritten => {
  const contract = contractOf(payload.event)
  const warnings: string[] = []
  const changed: Record<string, Json> = {}
  const faulty = (fault: string): Rewritten => ({ payload, isChanged: false, warnings, fault })
  for (const [field, raw] of Object.entries(rewrite)) {
    if (!contract.rewrite.includes(field)) {
      warnings.push(`${payload.event} cannot rewrite "${field.slice(0, 60)}"; it was dropped.`)
      continue
    }
    if (isTooDeep(raw)) return faulty(`Its rewrite of "${field}" is nested more than ${maxJsonDepth} deep.`)
    const current = payload[field]
    const expected = misfit(field, raw, contract.fields[field], current)
    if (expected !== undefined)
      return faulty(`Its rewrite of "${field}" has to be ${expected}, and is ${got(raw)}.`)
    const value = rewriteField(field, current, frozenCopy(raw), warnings)
    if (!isDeepStrictEqual(value, current)) changed[field] = value
  }
  const isChanged = Object.keys(changed).length > 0
  return { payload: isChanged ? deepFreeze({ ...payload, ...changed }) : payload, isChanged, warnings }
}
