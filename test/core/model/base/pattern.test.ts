import { expect, test } from 'vitest'
import {
  compilePattern,
  maxProgramSize,
  type LinearPattern,
} from '../../../../src/core/model/base/pattern.ts'

const linear = (source: string): LinearPattern => {
  const pattern = compilePattern(source)
  if ('wrong' in pattern || pattern.kind !== 'linear')
    throw new Error(`Expected "${source}" to be linear, got ${JSON.stringify(pattern)}.`)
  return pattern
}

test.each([
  ['rm -rf|mkfs', 'sudo rm -rf /', true],
  ['rm -rf', 'RM -RF', false],
  ['(?i)rm -rf', 'RM -RF', true],
  ['^rm', 'bash\ncommand\nrm x', true],
  ['x$', 'echo x\nmore', true],
  ['^rm', 'echo rm', false],
  ['\\Arm', 'bash\nrm', false],
  ['a.b', 'a\nb', false],
  ['(?s)a.b', 'a\nb', true],
  ['\\pL+', 'é', true],
  ['', 'anything', true],
])('%j in %j', (source, text, isHit) => expect(linear(source).test(text)).toBe(isHit))

test.each([
  ['a(', 'missing closing )'],
  ['[z', 'missing closing ]'],
  ['*', 'missing argument to repetition operator'],
  ['(?=a', 'Unterminated group'],
  ['a{1000}', `it is too costly (1002 instructions; at most ${maxProgramSize}): use smaller repeat counts`],
  ['((a{100}){100}){100}', 'it is too costly (1000000 instructions'],
  ['a'.repeat(1001), 'it has 1001 characters; at most 1000 are allowed'],
  // What RegExp would read otherwise than RE2 is refused, not misread.
  ['(?!x)\\pL', 'Invalid property name'],
  ['(?!x)[[:alpha:]]', 'Lone quantifier brackets'],
  ['(?!x)\\Qa', 'Invalid escape'],
])('%j is refused in one clause', (source, wrong) => {
  const refused = compilePattern(source)
  expect('wrong' in refused && refused.wrong).toContain(wrong)
  expect('wrong' in refused && refused.wrong).not.toMatch(/\n|error parsing|regular expression:/)
})

test.each([
  ['a(?!b)', 'a(?!b)', 'mu'],
  ['(a)\\1', '(a)\\1', 'mu'],
  ['(?<=x)y', '(?<=x)y', 'mu'],
  ['(?i)key(?!s)', 'key(?!s)', 'mui'],
  ['(?is)key.(?!s)', 'key.(?!s)', 'muis'],
])('%j needs backtracking', (source, rest, flags) =>
  expect(compilePattern(source)).toEqual({ kind: 'backtracking', source: rest, flags }),
)
