import { expect, test } from 'vitest'
import { compilePattern, searchAll } from '../../../../src/core/model/base/pattern.ts'
import { isWhole, tries } from '../../../tries.ts'
import { seeded } from '../../../handlers/builtins/redact/seeded.ts'

test('patterns searched together give what each gives alone, over random patterns and texts', () => {
  const chance = seeded(42)
  const atoms = [
    'a',
    'b',
    'ab',
    'rm -rf',
    '.',
    '[ab]',
    '[^a]',
    '\\b',
    '^',
    '$',
    '\\d',
    '(?i)a',
    '(?i:B)',
    'é',
    '\\n',
    '\\z',
    'a?',
    'b*',
    '(a|)',
    '\\Qa.\\E',
    '\\Qa(',
    '(?P<x>a)',
    'a{2,3}',
    '(?s).',
    '-',
  ]
  const pieces = ['a', 'b', 'A', 'B', '\n', ' ', 'é', '1', '-', '.', '\u{1F600}', '\uD800', 'rm -rf', '(']
  let hits = 0
  let compared = 0
  for (let round = 0; round < tries(10_000); round++) {
    const patterns = Array.from({ length: 1 + chance.below(6) }, () =>
      compilePattern(chance.joined(atoms, 0, 3)),
    ).flatMap((pattern) => ('wrong' in pattern || pattern.kind !== 'linear' ? [] : [pattern]))
    const search = searchAll(patterns)
    for (let texts = 0; texts < 4; texts++) {
      const text = chance.joined(pieces, 0, 10)
      const alone = patterns.flatMap((pattern, index) => (pattern.test(text) ? [index] : []))
      expect(
        [...search(text)].toSorted((a, b) => a - b),
        JSON.stringify([patterns.map(({ source }) => source), text]),
      ).toEqual(alone)
      hits += alone.length
      compared += patterns.length
    }
  }
  if (!isWhole()) return
  expect(hits).toBeGreaterThan(compared / 10)
  expect(hits).toBeLessThan(compared * 0.9)
}, 120_000)
