import { isObject, type Json, type JsonObject } from '../../model/base/json.ts'
import { isSaid, unknownFields } from './output.ts'

/** The fields of an answer, whichever way their names are spelled. */
export interface SpelledFields {
  /** What stands under a name, null and the empty string left out; more than one value where several spellings do. */
  all(name: string): readonly Json[]
  /** The empty string stands under a name. */
  isEmptied(name: string): boolean
  /** The objects under a name. */
  objects(name: string): readonly JsonObject[]
  /** A note for each field that is none of these. */
  strange(known: readonly string[], where: string): readonly string[]
}

/** `permission_decision`, `permissionDecision` and `PermissionDecision` are one name: a deny must not fail on its spelling. */
export const plain = (name: string): string => name.replaceAll('_', '').toLowerCase()

export const fieldsOf = (...sources: readonly JsonObject[]): SpelledFields => {
  const entries = sources.flatMap((source) => Object.entries(source))
  const byName = new Map<string, Json[]>()
  for (const [key, value] of entries) {
    const values = byName.get(plain(key)) ?? []
    if (isSaid(value)) values.push(value)
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
