import { expect, test } from 'vitest'
import { parseJson, readJson, frozenCopy } from '../../../../src/core/model/base/json.ts'
import { parseUnambiguous } from '../../../../src/shared/base/unambiguous.ts'
import { measureProcessor } from '../../../processor-time.ts'
import { stretched } from '../../../stretched.ts'

const messageOf = (read: () => unknown): string => {
  try {
    read()
  } catch (error) {
    return error instanceof Error ? error.message : 'no error'
  }
  return 'it was read'
}

test.each([
  '1234567890123456789',
  '-9007199254740993',
  '9007199254740992',
  '115792089237316195423570985008687907853269984665640564039457584007913129639935',
  '[{"id":18446744073709551615,"n":1},18446744073709551614]',
  '[0.1,1.5,-0.25,3,123456789.12345678]',
  '9007199254740991',
])('%s is written again as it was read', (text) => {
  expect(JSON.stringify(readJson(text))).toBe(text)
  expect(JSON.stringify(structuredClone(readJson(text)))).toBe(text)
})

test.each([
  ['1E3', 1000],
  ['1.0', 1],
  ['-0.0', -0],
  ['0.10000000000000001', 0.1],
  ['2.2250738585072014e-308', 2.2250738585072014e-308],
  ['1e22', 1e22],
])('%s is the number that every program reads', (text, value) => expect(readJson(text)).toBe(value))

test.each([
  '1e400',
  '-1e400',
  '1e-400',
  '9007199254740993.0',
  '1.234567890123456789012',
  '9'.repeat(101),
  `1.${'0'.repeat(200)}`,
])('%s is no number that programs read alike', (text) =>
  expect(messageOf(() => readJson(`{"a":[${text}]}`))).toBe(
    `Expected only numbers that every program reads alike, got ${text.slice(0, 80)}.`,
  ),
)

test.each([
  ['{"command":"rm -rf /","command":"ls"}', 'command'],
  ['{"command":"rm -rf /","c\\u006fmmand":"ls"}', 'command'],
  ['[{"a":{"b":[{"c":1,"d":2,"c" : 1}]}}]', 'c'],
  ['{"__proto__":{},"__proto__":1}', '__proto__'],
  ['{"":1,"a":{"":2},"":3}', ''],
  ['{"a\\"":1,"a\\"":2}', 'a"'],
])('%s has a name twice', (text, name) => {
  expect(messageOf(() => readJson(text))).toBe(
    `Expected each name once in an object, got ${JSON.stringify(name)} twice.`,
  )
  expect([parseJson(text), parseUnambiguous(text)]).toEqual([undefined, undefined])
})

test.each(['{"a":{"a":1},"b":[{"a":1},{"a":":,"}]}', '{"a":"\\\\","b":"a\\":"}', '"a:b"', '[]', 'null'])(
  '%s has each name once',
  (text) => expect(readJson(text)).toEqual(JSON.parse(text)),
)

test.each(['', '{', '{"a":1,"a":2', '01234567890123456789', '"a', '1e400x', '{"a" "a":1}'])(
  '%j is not JSON',
  (text) => {
    expect(() => readJson(text)).toThrow(SyntaxError)
    expect(parseJson(text)).toBeUndefined()
  },
)

test('An own "__proto__" is copied as any other name, with what is in it', () => {
  const copy = frozenCopy(readJson('{"__proto__":{"a":"\\ud800"},"b":1}'))
  expect(JSON.stringify(copy)).toBe('{"__proto__":{"a":"\ufffd"},"b":1}')
  expect(Object(copy).a).toBeUndefined()
})

test('Names that are one once they are well-formed stay apart, however many there are', () => {
  expect(frozenCopy({ '\ud800': 1, '\ud801': 2, '\ufffd2': 3, a: ['\udc00'] })).toEqual({
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
  expect(Object.values(Object(frozenCopy(many)))).toHaveLength(30_000)
  expect(tookMs()).toBeLessThan(stretched(5000))
})
