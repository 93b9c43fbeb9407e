import { array, assert, constantFrom, integer, nat, property, tuple } from 'fast-check'
import { expect, test } from 'vitest'
import { createBoundedMap } from '../../../../src/core/model/base/bounded-map.ts'

test('a bounded map keeps the entries that were set last, and never more than its bound', () => {
  assert(
    property(
      integer({ min: 1, max: 5 }),
      array(tuple(constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g'), nat())),
      (max, pairs) => {
        const map = createBoundedMap<string, number>(max)
        for (const [key, value] of pairs) map.set(key, value)
        const newestFirst = [...new Map(pairs.map(([key, value]) => [key, value])).keys()].toSorted(
          (one, other) => lastAt(pairs, other) - lastAt(pairs, one),
        )
        const expected = newestFirst.slice(0, max)
        expect([...map.entries()].map(([key]) => key).toSorted()).toEqual(expected.toSorted())
        for (const key of expected) expect(map.get(key)).toBe(pairs[lastAt(pairs, key)]?.[1])
      },
    ),
  )
})

test('what is taken is gone', () => {
  const map = createBoundedMap<string, number>(2)
  map.set('a', 1)
  expect(map.take('a')).toBe(1)
  expect(map.take('a')).toBeUndefined()
  expect(map.has('a')).toBe(false)
})

const lastAt = (pairs: readonly (readonly [string, number])[], key: string): number =>
  pairs.findLastIndex(([name]) => name === key)
