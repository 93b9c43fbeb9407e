import type { z } from 'zod'

type Schema = z.core.$ZodType

/**
 * Returns the schema inside optional, default and prefault wrappers. For the union of agent kinds it returns
 * the kind that the file names.
 */
const bare = (schema: Schema, value: unknown): Schema => {
  const { def } = (schema as z.core.$ZodTypes)._zod
  if (def.type === 'optional' || def.type === 'default' || def.type === 'prefault')
    return bare(def.innerType, value)
  if (def.type !== 'union') return schema
  const kind: unknown = typeof value === 'object' && value !== null ? Reflect.get(value, 'kind') : undefined
  return (
    def.options.find((option) => option._zod.propValues?.['kind']?.has(kind as string) === true) ?? schema
  )
}

/** The words that a value may be. The list is empty where it may be anything else. */
const wordsOf = (schema: Schema): readonly string[] => {
  const { def } = (schema as z.core.$ZodTypes)._zod
  return def.type === 'literal' ? def.values.filter((word) => typeof word === 'string') : []
}

/** Follows a path of a file into the schema. Returns the schema there and, in a union of kinds, all kinds. */
const follow = (
  schema: Schema,
  path: readonly PropertyKey[],
  value: unknown,
): { readonly here: Schema; readonly kinds: readonly string[] } | undefined => {
  const here = bare(schema, value)
  const { def } = (here as z.core.$ZodTypes)._zod
  const [key, ...rest] = path
  if (key === undefined) return { here, kinds: [] }
  if (def.type === 'union') {
    const kinds = def.options.flatMap((option) => [...(option._zod.propValues?.[String(key)] ?? [])])
    return { here, kinds: kinds.filter((kind) => typeof kind === 'string') }
  }
  const inner =
    def.type === 'object' ? def.shape[String(key)] : def.type === 'record' ? def.valueType : undefined
  if (inner === undefined) return undefined
  return follow(
    inner,
    rest,
    typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined,
  )
}

/**
 * Returns the names of the options at a path of a file. The list is empty where the options have no fixed
 * names.
 */
export const knownOptions = (
  schema: Schema,
  path: readonly PropertyKey[],
  value: unknown,
): readonly string[] => {
  const found = follow(schema, path, value)
  if (found === undefined) return []
  const { def } = (found.here as z.core.$ZodTypes)._zod
  return def.type === 'object' ? Object.keys(def.shape) : []
}

/** Returns the words that the value at a path of a file may be. The list is empty where it may be others. */
export const knownValues = (
  schema: Schema,
  path: readonly PropertyKey[],
  value: unknown,
): readonly string[] => {
  const found = follow(schema, path, value)
  return found === undefined ? [] : [...found.kinds, ...wordsOf(found.here)]
}
