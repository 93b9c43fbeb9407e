import { isObject, type Json, type JsonObject } from '../../core/model/base/json.ts'
import { isNonNull, unknownFields } from './output.ts'

/** The fields of an answer, in any spelling of their names. */
export interface SpelledFields {
  /**
   * Returns the values under a name, without null and the empty string. There are several if several
   * spellings are used.
   */
  all(name: string): readonly Json[]
  /** Returns whether the value under a name is the empty string. */
  isEmptied(name: string): boolean
  /** Returns the objects under a name. */
  objects(name: string): readonly JsonObject[]
  /** Returns a note for each field that is not known. */
  strange(known: readonly string[], where: string): readonly string[]
}

/**
 * Returns the plain spelling: `permission_decision`, `permissionDecision` and `PermissionDecision` are one
 * name. A deny must not fail because of its spelling.
 */
export const plain = (name: string): string => name.replaceAll('_', '').toLowerCase()

export const fieldsOf = (...sources: readonly JsonObject[]): SpelledFields => {
  const entries = sources.flatMap((source) => Object.entries(source))
  const byName = new Map<string, Json[]>()
  for (const [key, value] of entries) {
    const values = byName.get(plain(key)) ?? []
    if (isNonNull(value)) values.push(value)
    byName.set(plain(key), values)
  }
  const all: SpelledFields['all'] = (name) => (byName.get(plain(name)) ?? []).filter((value) => value !== '')
  return {
    all,
    isEmptied: (name) => byName.get(plain(name))?.includes('') === true,
    objects: (name) => all(name).filter(isObject),
    strange: (known, where) => {
      const names = new Set(known.map(plain))
      return unknownFields(
        Object.fromEntries(entries.filter(([key]) => !names.has(plain(key)))),
        known,
        where,
      )
    },
  }
}
