import { expect, test } from 'vitest'
import { jsonFacts, maxJsonTokens } from '../../../../src/core/model/base/json-tokens.ts'
import { measureProcessor } from '../../../processor-time.ts'
import { stretched } from '../../../stretched.ts'

test.each<[unknown, number]>([
  [1, 0],
  ['a "text", with {signs}: [\\] and \\"', 1],
  ['ends in a backslash \\', 1],
  [['\\', '\\\\', '\\"'], 6],
  [{ a: 1, b: [2, 3], '中:{"': { c: null } }, 14],
])(
  '%j has as many texts, commas, colons and brackets that open as stand outside of texts',
  (value, count) => {
    expect(jsonFacts(JSON.stringify(value), count).tokens).toBe(count)
    expect(jsonFacts(JSON.stringify(value), Math.max(0, count - 1)).tokens).toBe(count)
    // It stops at the first one that is too many.
    expect(jsonFacts(JSON.stringify(value), 0).tokens).toBe(Math.min(count, 1))
  },
)

test.each(['', '"', '"\\', '"a\\"', '\\', '[[[[', 'no JSON at all'])('%j has an end', (text) => {
  expect(jsonFacts(text, 10).tokens).toBeLessThanOrEqual(10)
})

test.each<[string, string]>([
  ['one long text', JSON.stringify('word '.repeat(1_600_000))],
  ['escapes', JSON.stringify('"'.repeat(4_000_000))],
  ['blanks', ' '.repeat(8_000_000)],
  ['digits', '9'.repeat(8_000_000)],
  ['backslashes', `"${'\\\\'.repeat(4_000_000)}"`],
  ['names', JSON.stringify(Object.fromEntries(Array.from({ length: 400_000 }, (_, at) => [at, at])))],
])('8 MB of %s cost a moment', (_, text) => {
  const tookMs = measureProcessor()
  jsonFacts(text, maxJsonTokens)
  expect(tookMs()).toBeLessThan(stretched(1000))
})
