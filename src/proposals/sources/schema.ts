import { z } from 'zod'
import { HANDLER_TYPES } from '../../core/model/hooks/entry.ts'
import { EVENT_NAMES } from '../../core/model/events/event.ts'
import type { Json, JsonObject } from '../../core/model/base/json.ts'
import { belongsTo, entrySchema, isOption, subjectOption } from '../entry/entry-shape.ts'
import { maxHooks, maxPlaceChars, maxSources } from './shell-hooks.ts'
import { SYSTEM_NAMES } from './systems.ts'

/** A schema that demands the consequence when the condition holds. */
const when = (condition: JsonObject, consequence: JsonObject): JsonObject => ({
  anyOf: [{ not: condition }, consequence],
})

/** The rules of the reader's checks that the shape does not express: the options that each type has. */
const ofTypes: readonly Json[] = HANDLER_TYPES.map((type) => {
  const strays = Object.keys(belongsTo).filter(
    (option) => isOption(option) && belongsTo[option]?.includes(type) === false,
  )
  const isType: JsonObject = { properties: { type: { const: type } } }
  // An entry without a type is a command.
  return when(type === 'command' ? isType : { ...isType, required: ['type'] }, {
    required: [subjectOption[type]],
    properties: Object.fromEntries(strays.map((option) => [option, false])),
  })
})

const ofDialects = when(
  { properties: { dialect: { const: 'native' } } },
  { properties: { event: { enum: [...EVENT_NAMES] } } },
)

/**
 * The JSON schema of `shell_hooks.yaml` for editors. The reader may still refuse an entry that passes it,
 * because the schema does not check regular expressions.
 */
export const shellHooksJsonSchema = (): Json => {
  const { $schema: dialect, ...entry } = z.toJSONSchema(entrySchema, {
    io: 'input',
    target: 'draft-7',
    override: ({ jsonSchema }) => {
      const { does, description } = jsonSchema
      if (typeof does !== 'string') return
      jsonSchema.description = `${does} Expected: ${description ?? 'something else'}.`
      delete jsonSchema['does']
    },
  }) as JsonObject
  return {
    $schema: dialect ?? '',
    title: 'Proposals for hookgate: config/shell_hooks.yaml',
    type: ['object', 'null'],
    properties: {
      hooks: {
        type: ['array', 'null'],
        maxItems: maxHooks,
        description: 'The list of proposed hooks. A hook does not fire until an owner approves it.',
        items: { ...entry, allOf: [...ofTypes, ofDialects] },
      },
      sources: {
        type: ['array', 'null'],
        maxItems: maxSources,
        description:
          'Files and folders of other systems, which are read in their own form. Each hook in them needs approval too.',
        items: {
          type: 'object',
          properties: Object.fromEntries(
            SYSTEM_NAMES.map((name) => [
              name,
              {
                type: 'string',
                minLength: 1,
                maxLength: maxPlaceChars,
                description: 'a path, relative to the workspace or absolute',
              },
            ]),
          ),
          additionalProperties: false,
          minProperties: 1,
          maxProperties: 1,
        },
      },
    },
    additionalProperties: false,
  }
}
