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

/**
 * Returns the names of the options at a path of a file. The list is empty where the options have no fixed
 * names.
 */
export const knownOptions = (
  schema: Schema,
  path: readonly PropertyKey[],
  value: unknown,
): readonly string[] => {
  const here = bare(schema, value)
  const { def } = (here as z.core.$ZodTypes)._zod
  const [key, ...rest] = path
  if (key === undefined) return def.type === 'object' ? Object.keys(def.shape) : []
  const inner =
    def.type === 'object' ? def.shape[String(key)] : def.type === 'record' ? def.valueType : undefined
  return inner === undefined
    ? []
    : knownOptions(
        inner,
        rest,
        typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined,
      )
}
