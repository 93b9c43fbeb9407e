import { expect, test } from 'vitest'
import { readJson } from '../../../src/proposals/sources/json.ts'
import { formatProblem } from '../../../src/shared/base/problem.ts'

const read = (text: string) => readJson(text, { file: 'x.json', maxChars: 10_000 })
const wrong = (text: string): string => {
  const document = read(text)
  return 'problem' in document ? formatProblem(document.problem) : 'no problem'
}

test('a line is that of the value, or of the nearest around it', () => {
  const document = read(
    '\uFEFF{\n "a": [1,\n  {"b": "x\\"\\n{",\n   "c": [], "d": -1.5e3},\n  true],\n "e": {}\n}',
  )
  if ('problem' in document) throw new Error(document.problem.message)
  const { root, lineOf } = document
  expect(root).toEqual({ a: [1, { b: 'x"\n{', c: [], d: -1500 }, true], e: {} })
  expect([
    lineOf([]),
    lineOf(['a']),
    lineOf(['a', 1, 'b']),
    lineOf(['a', 1, 'd']),
    lineOf(['a', 2]),
    lineOf(['e', 'none']),
    lineOf(['none']),
  ]).toEqual([1, 2, 3, 4, 5, 6, 1])
})

test.each([
  ['{"a": 1,\n"a": 2}', 'x.json:2: Expected JSON, but the key "a" (string) occurs twice.'],
  ['{"a": 1,\n"\\u0061": 2}', 'x.json:2: Expected JSON, but the key "a" (string) occurs twice.'],
  [
    '{"x": [{"a": {}, "b": [],\n "a": null}]}',
    'x.json:2: Expected JSON, but the key "a" (string) occurs twice.',
  ],
  ['{"__proto__": 1, "__proto__": 2}', 'the key "__proto__" (string) occurs twice'],
  ['{"a": 1,}', 'Expected JSON, but it has: '],
  ['', 'Expected JSON, but it has: '],
  ['{"a": NaN}', 'Expected JSON, but it has: '],
  [`${'['.repeat(66)}${']'.repeat(66)}`, 'nested too deep'],
  [' '.repeat(10_001), 'at most 10000 characters'],
])('%j is none', (text, why) => expect(wrong(text)).toContain(why))

test.each([
  '{"a": {"b": 1}, "c": {"b": 1}}',
  '[{"a": 1}, {"a": 1}]',
  '{"a": "a", "b": ["a", "b"]}',
  '{"": 1, " ": 2}',
  '"x"',
  'null',
  '{"a": "\\\\", "b": "\\\\\\""}',
])('%j is', (text) => expect(wrong(text)).toBe('no problem'))
