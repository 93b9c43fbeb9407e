import { stringify } from 'yaml'
import { z } from 'zod'

type Schema = z.core.$ZodType

/** One option of a configuration file. */
export interface FileOption {
  /** From the top of the file, such as `channels.web.port`. */
  readonly name: string
  /** The kind of agent that has it, where not every kind does. */
  readonly kind?: string
  readonly type: string
  readonly otherwise: string
  readonly does: string | undefined
}

interface Bare {
  readonly schema: Schema
  readonly otherwise: string
  readonly does: string | undefined
}

const inYaml = (value: unknown): string =>
  stringify(value, { collectionStyle: 'flow', flowCollectionPadding: false, lineWidth: 0 }).trim()

const otherwiseOf = (value: unknown): string => {
  if (Array.isArray(value) && value.length === 0) return 'none'
  return inYaml(value) === '{}' ? '–' : `\`${inYaml(value)}\``
}

/** A schema without what wraps it, and what the wraps say. */
export const bareOf = (schema: Schema): Bare => {
  const { def } = (schema as z.core.$ZodTypes)._zod
  const does = z.globalRegistry.get(schema)?.description
  if (def.type !== 'optional' && def.type !== 'default' && def.type !== 'prefault')
    return { schema, otherwise: 'required', does }
  const inner = bareOf(def.innerType)
  const otherwise = def.type === 'optional' ? 'none' : otherwiseOf(def.defaultValue)
  return { ...inner, otherwise, does: does ?? inner.does }
}

/** What an error message says was expected there, which is the type in words. */
const typeOf = (schema: Schema): string => {
  const { type } = (schema as z.core.$ZodTypes)._zod.def
  const message = z.core.safeParse(schema, null).error?.issues[0]?.message ?? ''
  return ['object', 'record'].includes(type) && message.startsWith('Invalid input') ? 'a mapping' : message
}

const shapeOf = (schema: Schema): Readonly<Record<string, Schema>> => {
  const { def } = (schema as z.core.$ZodTypes)._zod
  return def.type === 'object' ? def.shape : {}
}

/** The options of each kind of agent; those that all kinds have are named once. */
const ofKinds = (kinds: readonly Schema[], path: string): readonly FileOption[] => {
  const shapes = kinds.map(shapeOf)
  const isShared = (key: string): boolean => shapes.every((shape) => Object.hasOwn(shape, key))
  return shapes.flatMap((shape, index) => {
    const kind = String([...(kinds[index]?._zod.propValues?.['kind'] ?? [])][0])
    return Object.entries(shape).flatMap(([key, schema]) => {
      if (isShared(key)) return index === 0 ? optionOf(schema, `${path}.${key}`) : []
      return optionOf(schema, `${path}.${key}`).map((option) => ({ ...option, kind }))
    })
  })
}

const within = (schema: Schema, path: string): readonly FileOption[] => {
  const { def } = (schema as z.core.$ZodTypes)._zod
  if (def.type === 'record') return within(bareOf(def.valueType).schema, `${path}.<name>`)
  if (def.type === 'union') return Object.hasOwn(def, 'discriminator') ? ofKinds(def.options, path) : []
  return Object.entries(shapeOf(schema)).flatMap(([key, inner]) =>
    optionOf(inner, path === '' ? key : `${path}.${key}`),
  )
}

const optionOf = (wrapped: Schema, name: string): readonly FileOption[] => {
  const { schema, otherwise, does } = bareOf(wrapped)
  return [{ name, type: typeOf(schema), otherwise, does }, ...within(schema, name)]
}

/** Every option of a file, in the order of its schema. */
export const optionsOf = (file: Schema): readonly FileOption[] => within(file, '')
