import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { hasRoundedNumber, transformed } from '../../../src/dialects/responsibleai/transform.ts'
import type { Json } from '../../../src/core/model/base/json.ts'

const target = { a: { 'b-c': [1, { d: 2 }] }, e: null, constructor: 'x' }

describe('a transform replaces one place of the target', () => {
  test.each<[string, Json]>([
    ['$target', 9],
    ['$target.e', { ...target, e: 9 }],
    ['$target.constructor', { ...target, constructor: 9 }],
    ['$target.a["b-c"][1].d', { ...target, a: { 'b-c': [1, { d: 9 }] } }],
    ['$policy_target["a"].b-c[0]', { ...target, a: { 'b-c': [9, { d: 2 }] } }],
  ])('%s', (path, value) => {
    const before = structuredClone(target)
    expect(transformed(target, path, 9)).toEqual({ value })
    expect(target).toEqual(before)
  })

  test.each(['target.e', '$context.e', '$targets.e', '$target_e', ''])('%s is not in the target', (path) =>
    expect(transformed(target, path, 9)).toHaveProperty('reason', 'host_error:transform_target_forbidden'),
  )

  test.each([
    '$target.f',
    '$target.e.f',
    '$target.a[0]',
    '$target.a.b-c[2]',
    '$target.a.b-c.length',
    '$target.__proto__',
    '$target.toString',
    '$target..e',
    '$target.e ',
    "$target['e']",
    '$target[*]',
    '$target.',
    '$target[1e0]',
    `$target${'.e'.repeat(5000)}`,
  ])('%s is no place of it', (path) =>
    expect(transformed(target, path, 9)).toHaveProperty('reason', 'host_error:transform_invalid'),
  )

  test('whatever the target and the path, nothing is thrown and the target stays', () => {
    const part = fc.oneof(
      fc.constantFrom('.a', '[0]', '["a"]', '.__proto__', '.constructor', '[', ']', '"', '$target'),
      fc.string({ maxLength: 5 }),
    )
    fc.assert(
      fc.property(fc.jsonValue(), fc.array(part), (json, parts) => {
        const before = JSON.stringify(json)
        const after = transformed(json as Json, `$target${parts.join('')}`, 9)
        expect(JSON.stringify(json)).toBe(before)
        expect('value' in after || after.wrong.length > 0).toBe(true)
      }),
    )
  })
})

test('an integer that JSON readers round is found, however deep', () => {
  const deep = (value: Json): Json => ({ a: [{ b: [value] }] })
  expect([2 ** 53, -(2 ** 53), 1e300].map((value) => hasRoundedNumber(deep(value)))).toEqual([
    true,
    true,
    true,
  ])
  expect([2 ** 53 - 1, 0.5, '9007199254740993', null].map((value) => hasRoundedNumber(deep(value)))).toEqual([
    false,
    false,
    false,
    false,
  ])
})
