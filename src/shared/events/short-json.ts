import { unitsOf } from '../../core/model/base/yield-if-large.ts'
import type { Json, JsonObject } from '../../core/model/base/json.ts'

/** A larger value is cut, in characters. */
const wholeUnits = 64 * 1024
const maxString = 2000
const maxMembers = 100
const maxDepth = 8

/** The value with the beginning of long texts and lists. Nothing of it costs more than a part of a second. */
const cut = (value: Json, depth: number): Json => {
  if (typeof value === 'string')
    return value.length <= maxString
      ? value
      : `${value.slice(0, maxString).toWellFormed()}… (${value.length} characters)`
  if (typeof value !== 'object' || value === null) return value
  if (depth === 0) return '…'
  if (Array.isArray(value)) return value.slice(0, maxMembers).map((inner) => cut(inner, depth - 1))
  const members = Object.entries(value).slice(0, maxMembers)
  return Object.fromEntries(
    members.map(([name, inner]) => [name.slice(0, maxString), cut(inner, depth - 1)] as const),
  )
}

/** A small value as it is. Of a large one, its beginning as JSON. */
export interface ShortJson {
  readonly json: JsonObject | string
  /** Its size, in characters. */
  readonly units: number
  readonly isCut: boolean
}

/** Cuts long texts and lists where the value is large. */
export const shortJson = (value: JsonObject): ShortJson => {
  const units = unitsOf(value, wholeUnits)
  if (units <= wholeUnits) return { json: value, units, isCut: false }
  const text = JSON.stringify(cut(value, maxDepth))
  const json = text.length <= 4 * wholeUnits ? text : '{}'
  return { json, units: json.length, isCut: true }
}
