import { isDeepStrictEqual } from 'node:util'
import type { Json, JsonObject } from '../../core/model/base/json.ts'
import { isNonNull } from './output.ts'

/** Fields of which some may be missing. */
export type OptionalFields = Readonly<Record<string, Json | undefined>>

/** Removes missing fields. Fields that are null stay. */
export const definedFields = (fields: OptionalFields): JsonObject =>
  Object.fromEntries(
    Object.entries(fields).flatMap(([key, value]) => (value === undefined ? [] : [[key, value]])),
  )

/** Removes missing fields and fields that are null. */
export const nonNullFields = (fields: OptionalFields): JsonObject =>
  Object.fromEntries(
    Object.entries(fields).flatMap(([key, value]) => (isNonNull(value) ? [[key, value]] : [])),
  )

/** Looks up a word in a table. Returns undefined for a value that is not in it, whatever its type. */
export const wordIn = (
  table: Readonly<Record<string, string>>,
  value: Json | undefined,
): string | undefined => (typeof value === 'string' && Object.hasOwn(table, value) ? table[value] : undefined)

/**
 * Returns whether hooks changed a field since the client reported it; undefined where the reported value is
 * not known.
 */
export type IsChanged = (field: string) => boolean | undefined
export const changedSince =
  (asked: JsonObject | undefined, settled: JsonObject): IsChanged =>
  (field) =>
    asked === undefined ? undefined : !isDeepStrictEqual(asked[field], settled[field])
