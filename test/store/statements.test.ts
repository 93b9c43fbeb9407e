import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { budgets } from '../../src/shared/base/budgets.ts'
import type { Op } from '../../src/store/operations.ts'
import { stepsOf } from '../../src/store/postgres/statements.ts'

const id = fc.constantFrom('a', 'b', 'c')
const op: fc.Arbitrary<Op> = fc.oneof(
  id.map((row): Op => ['putOutbox', row, 0, 'telegram', '7', 'push', 'queued', 0, 0, '{}']),
  id.map((row): Op => ['setOutbox', row, 'sending', null, null]),
  id.map((row): Op => ['removeOutbox', row]),
  id.map((row): Op => ['addEnded', row, '{}']),
  id.map((row): Op => ['addRecord', row, 'event', 'rest', '{}']),
  id.map((row): Op => ['setPromptGiven', row]),
  fc.constant<Op>(['outbox']),
)
const placesOf = (ops: readonly Op[]): readonly number[] =>
  stepsOf(ops, budgets.records).flatMap(({ answers }) => answers)

test('each op is in one statement, and what is about one row, or reads, keeps its order', () => {
  fc.assert(
    fc.property(fc.array(op, { maxLength: 30 }), (ops) => {
      const places = placesOf(ops)
      expect(places.toSorted((a, b) => a - b)).toEqual(ops.map((_, place) => place))
      const isBound = (one: Op, other: Op): boolean =>
        one[0] === 'outbox' ||
        other[0] === 'outbox' ||
        (one[1] === other[1] && one[0] !== 'addRecord' && other[0] !== 'addRecord')
      for (const [at, place] of places.entries())
        for (const later of places.slice(at + 1))
          if (later < place) expect(isBound(ops[place] ?? ['outbox'], ops[later] ?? ['outbox'])).toBe(false)
    }),
  )
})

test('the ends of many pushes are two statements, and the bounds', () => {
  const ends = Array.from({ length: 100 }, (_, n): readonly Op[] => [
    ['addEnded', `push-${n}`, '{}'],
    ['removeOutbox', `push-${n}`],
  ]).flat()
  expect(stepsOf(ends, budgets.records)).toHaveLength(3)
})
