import { readFileSync, writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { gateSchema } from '../../src/config/schema.ts'

const file = new URL('../../config/gate.schema.json', import.meta.url)

test('the schema of gate.yaml for editors says what the gate checks', () => {
  const { $schema, ...schema } = z.toJSONSchema(gateSchema, { io: 'input', target: 'draft-7' })
  const whole = { $schema, title: 'Settings of hookgate: gate.yaml', ...schema, type: ['object', 'null'] }
  const text = `${JSON.stringify(whole, null, 2)}\n`
  if (process.env['UPDATE'] === '1') writeFileSync(file, text)
  else expect(readFileSync(file, 'utf8'), 'the schema is old: run this test with UPDATE=1').toBe(text)
  expect(JSON.parse(text)).toMatchObject({
    properties: Object.fromEntries(
      Object.keys(gateSchema.shape).map((name) => [name, { description: expect.any(String) }]),
    ),
    additionalProperties: false,
  })
})
