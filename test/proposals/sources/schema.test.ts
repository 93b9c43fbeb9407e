import { readFileSync, writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { entryShape } from '../../../src/proposals/entry/entry-shape.ts'
import { shellHooksJsonSchema } from '../../../src/proposals/sources/schema.ts'
import { SYSTEM_NAMES } from '../../../src/proposals/sources/systems.ts'
import { HANDLER_TYPES } from '../../../src/core/model/hooks/entry.ts'
import { EVENT_NAMES } from '../../../src/core/model/events/event.ts'

const file = new URL('../../../config/context/references/shell_hooks.schema.json', import.meta.url)

test('the schema file says what the readers check', () => {
  const text = `${JSON.stringify(shellHooksJsonSchema(), null, 2)}\n`
  if (process.env['UPDATE'] === '1') writeFileSync(file, text)
  else expect(readFileSync(file, 'utf8'), 'the schema is old: run this test with UPDATE=1').toBe(text)
})

test('it knows every option, event, type and system, and each type what it cannot do without', () => {
  const schema = shellHooksJsonSchema()
  expect(schema).toMatchObject({
    properties: {
      hooks: {
        items: {
          properties: Object.fromEntries(
            Object.entries(entryShape).map(([option, { description = 'nothing' }]) => [
              option,
              { description: expect.stringContaining(`. Expected: ${description}.`) },
            ]),
          ),
          required: ['event'],
          additionalProperties: false,
        },
      },
      sources: {
        items: {
          properties: Object.fromEntries(SYSTEM_NAMES.map((name) => [name, { type: 'string' }])),
          additionalProperties: false,
          maxProperties: 1,
        },
      },
    },
    additionalProperties: false,
  })
  const subjects = { command: 'command', process: 'command', http: 'url', builtin: 'command', llm: 'prompt' }
  const rules: readonly (readonly [object, object])[] = [
    ...HANDLER_TYPES.map(
      (type) => [{ properties: { type: { const: type } } }, { required: [subjects[type]] }] as const,
    ),
    [{ properties: { dialect: { const: 'native' } } }, { properties: { event: { enum: EVENT_NAMES } } }],
  ]
  for (const [index, [condition, consequence]] of rules.entries()) {
    expect(schema).toHaveProperty(
      ['properties', 'hooks', 'items', 'allOf', index, 'anyOf'],
      [{ not: expect.objectContaining(condition) }, expect.objectContaining(consequence)],
    )
  }
})
