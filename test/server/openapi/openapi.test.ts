import { Validator } from '@seriousme/openapi-schema-validator'
import { readFileSync, writeFileSync } from 'node:fs'
import { request as httpRequest } from 'node:http'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import type { Json, JsonObject } from '../../../src/core/model/base/json.ts'
import { EVENT_NAMES, fieldsOf } from '../../../src/core/model/events/event.ts'
import { eventFields } from '../../../src/server/fields.ts'
import { startPlane, type Plane } from '../../plane.ts'
import { describeInterface } from './describe.ts'

const file = new URL('../../../config/agent.openapi.json', import.meta.url)
const described = describeInterface()

test('the description for machines says what the interface checks', () => {
  const text = `${JSON.stringify(described, null, 2)}\n`
  if (process.env['UPDATE'] === '1') writeFileSync(file, text)
  else expect(readFileSync(file, 'utf8'), 'the description is old: run this test with UPDATE=1').toBe(text)
})

test('a validator of OpenAPI takes it', async () => {
  const { valid, errors } = await new Validator().validate(structuredClone(described))
  expect(errors).toBeUndefined()
  expect(valid).toBe(true)
})

// Linters of OpenAPI refuse a description that is silent about it.
test('it says that no request carries a secret', () => {
  expect(described['security']).toEqual([])
})

const schemas = (described as { components: { schemas: Record<string, JsonObject> } }).components.schemas
const checks = (name: string, value: unknown): void => {
  z.fromJSONSchema(schemas[name] as Parameters<typeof z.fromJSONSchema>[0]).parse(value)
}

describe('a gate answers as the description says', () => {
  let plane: Plane
  beforeAll(async () => {
    plane = await startPlane()
  })
  afterAll(() => plane.stop())

  const post = (path: string, body: JsonObject) =>
    new Promise<{ readonly status: number | undefined; readonly body: Json }>((resolve, reject) => {
      const socketPath = join(plane.home, 'run', 'main.sock')
      const sent = httpRequest({ socketPath, path, method: 'POST', agent: false }, (response) => {
        let text = ''
        response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
        response.on('end', () => resolve({ status: response.statusCode, body: JSON.parse(text) as Json }))
      })
      sent.on('error', reject)
      sent.end(JSON.stringify(body))
    })

  test.each(EVENT_NAMES)('%s: takes what is described, and refuses what is not', async (event) => {
    const path = `/v1/events/${event}`
    const { channel: _, chat_id: __, ...fields } = fieldsOf(event)
    const whole: JsonObject = { ...fields, session_id: `session of ${event}`, cwd: plane.workspace }
    checks(event, whole)
    const taken = await post(path, whole)
    expect(taken).toMatchObject({ status: 200 })
    checks('Verdict', taken.body)
    for (const { name, type, isRequired } of eventFields(event)) {
      const { [name]: ___, ...without } = whole
      const wrong = { ...whole, [name]: type === 'string' ? 7 : 'seven' }
      for (const body of isRequired ? [without, wrong] : [wrong]) {
        expect(() => checks(event, body)).toThrow()
        const refused = await post(path, body)
        expect(refused).toMatchObject({ status: 400 })
        checks('Refusal', refused.body)
      }
    }
  })

  test('a push: takes what is described, and refuses what is not', async () => {
    await plane.ask('hello', () => true)
    const chat = { channel: 'memory', chat_id: 'owner' }
    const marks = [{ type: 'bold', offset: 0, length: 2 }]
    const whole: JsonObject = { ...chat, text: 'hi there', marks, parts: [], files: [], push_id: 'p1' }
    checks('Push', whole)
    const taken = await post('/v1/push', whole)
    expect(taken).toMatchObject({ status: 200 })
    checks('PushReply', taken.body)
    const wrongs: readonly JsonObject[] = [
      { ...whole, channel: '' },
      { ...whole, push_id: 'x'.repeat(257) },
      { ...whole, type: 'poem' },
      { ...whole, marks: [{ type: 'loud', offset: 0, length: 1 }] },
      { ...whole, marks: [{ type: 'bold', offset: '0', length: 1 }] },
      { ...whole, parts: [{ field: 'x'.repeat(41), text: '' }] },
      { ...whole, files: [{ name: 'a' }] },
      { ...whole, files: [{ name: 'a', base64: 'aGVsbG8K', type: 'text' }] },
      { ...whole, parts: Array.from({ length: 1001 }, () => ({ field: 'link.0', text: '' })) },
      { channel: 'memory', text: 'hi' },
    ]
    for (const body of wrongs) {
      expect(() => checks('Push', body), JSON.stringify(body).slice(0, 200)).toThrow()
      const refused = await post('/v1/push', body)
      expect(refused).toMatchObject({ status: 400 })
      checks('Refusal', refused.body)
    }
  })
})
