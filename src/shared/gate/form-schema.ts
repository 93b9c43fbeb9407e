import { isObject, type Json, type JsonObject } from '../../core/model/base/json.ts'

/**
 * The forms of elicitation: a flat JSON Schema of plain values. Sources: the Model Context Protocol of
 * 2025-11-25 and the Agent Client Protocol, both under "elicitation".
 */

const titled = (list: Json | undefined): readonly JsonObject[] | undefined =>
  Array.isArray(list)
    ? list.map((one) => ({
        label: isObject(one) ? (one['title'] ?? one['const'] ?? null) : null,
        value: isObject(one) ? (one['const'] ?? null) : null,
      }))
    : undefined

const choicesOf = ({
  enum: values,
  enumNames: names,
  oneOf,
  anyOf,
}: JsonObject): readonly JsonObject[] | undefined =>
  titled(oneOf) ??
  titled(anyOf) ??
  (Array.isArray(values)
    ? values.map((value, index) => ({
        label: (Array.isArray(names) ? names[index] : undefined) ?? value,
        value,
      }))
    : undefined)

const yesOrNo: readonly JsonObject[] = [
  { label: 'Yes', value: true },
  { label: 'No', value: false },
]

const questionOf = (name: string, schema: Json, isRequired: boolean): JsonObject => {
  const { type = 'string', title, description, items } = isObject(schema) ? schema : {}
  const isMultiple = type === 'array'
  const choices =
    type === 'boolean'
      ? yesOrNo
      : choicesOf(isMultiple && isObject(items) ? items : isObject(schema) ? schema : {})
  return {
    name,
    question: typeof description === 'string' && description !== '' ? description : (title ?? name),
    ...(typeof title === 'string' ? { header: title } : {}),
    ...(choices === undefined ? {} : { options: [...choices], allow_freeform: false }),
    ...(isMultiple ? { multiple: true } : {}),
    ...(type === 'number' || type === 'integer' ? { type } : {}),
    ...(isRequired ? {} : { required: false }),
  }
}

/** The questions of a requested schema, as `readForm` reads them. None: only a yes or a no is asked for. */
export const questionsOfSchema = (schema: Json | undefined): readonly JsonObject[] => {
  const { properties, required } = isObject(schema) ? schema : {}
  if (!isObject(properties)) return []
  const isRequired = (name: string): boolean => Array.isArray(required) && required.includes(name)
  return Object.entries(properties).map(([name, property]) => questionOf(name, property, isRequired(name)))
}
