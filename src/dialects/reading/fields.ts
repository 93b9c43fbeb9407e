import { isDeepStrictEqual } from 'node:util'
import { isObject, type Json, type JsonObject } from '../../model/base/json.ts'
import { got } from '../../model/gate/problem.ts'
import { isSaid } from './output.ts'

/** Fields of which some may not be there. */
export type Loose = Readonly<Record<string, Json | undefined>>

/** Those that are there; null is. */
export const present = (fields: Loose): JsonObject =>
  Object.fromEntries(
    Object.entries(fields).flatMap(([key, value]) => (value === undefined ? [] : [[key, value]])),
  )

/** Those that say something; null does not. */
export const kept = (fields: Loose): JsonObject =>
  Object.fromEntries(Object.entries(fields).flatMap(([key, value]) => (isSaid(value) ? [[key, value]] : [])))

/** A word in a table of words; undefined for what is not in it, whatever it is. */
export const wordIn = (
  table: Readonly<Record<string, string>>,
  value: Json | undefined,
): string | undefined => (typeof value === 'string' && Object.hasOwn(table, value) ? table[value] : undefined)

/** Whether hooks changed a field of what was asked about; undefined where that is not known. */
export type IsChanged = (field: string) => boolean | undefined
export const changedSince =
  (asked: JsonObject | undefined, settled: JsonObject): IsChanged =>
  (field) =>
    asked === undefined ? undefined : !isDeepStrictEqual(asked[field], settled[field])

/** What is wrong with a reported tool call, before it is translated: one that cannot be read must not pass a gate unseen. */
export const callFlaw = ({ tool_name: name, tool_input: input }: JsonObject): string | undefined => {
  if (typeof name !== 'string' || name === '') return `Expected "tool_name" to be a name, got ${got(name)}.`
  return !isSaid(input) || isObject(input)
    ? undefined
    : `Expected "tool_input" to be an object, got ${got(input)}.`
}
