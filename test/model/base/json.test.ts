import { expect, test } from 'vitest'
import { wellFormed } from '../../../src/model/base/json.ts'
import { measureProcessor } from '../../processor-time.ts'
import { stretched } from '../../stretched.ts'

test('Names that are one once they are well-formed stay apart, however many there are', () => {
  expect(wellFormed({ '\ud800': 1, '\ud801': 2, '\ufffd2': 3, a: ['\udc00'] })).toEqual({
    '\ufffd': 1,
    '\ufffd2': 2,
    '\ufffd22': 3,
    a: ['\ufffd'],
  })
  const many = Object.fromEntries(
    Array.from({ length: 30_000 }, (_, at) => [
      Array.from({ length: 6 }, (_, digit) =>
        String.fromCharCode(0xd800 + (Math.floor(at / 8 ** digit) % 8)),
      ).join(''),
      at,
    ]),
  )
  const tookMs = measureProcessor()
  expect(Object.values(Object(wellFormed(many)))).toHaveLength(30_000)
  expect(tookMs()).toBeLessThan(stretched(5000))
})
