import { conditionOf } from '../../../../src/handlers/condition/condition.ts'
import { afterAll, expect, test } from 'vitest'
import { createBacktracking } from '../../../../src/handlers/observers/backtracking.ts'
import { viewFor } from '../../../../src/dialects/dialects.ts'
import { planMatches } from '../../../../src/core/hooks/match/matcher.ts'
import { compilePattern } from '../../../../src/core/model/base/pattern.ts'
import { isWhole, tries } from '../../../tries.ts'
import { armed, eventOf } from '../../../handlers/armed.ts'
import { seeded } from '../../../handlers/builtins/redact/seeded.ts'

const backtracking = createBacktracking(1000)
afterAll(() => backtracking.stop())

test('many hooks together match as each would alone, over random patterns and texts', async () => {
  const chance = seeded(7)
  const atoms = [
    'ask',
    'Task',
    'rm -rf',
    'b',
    'k',
    's',
    '.',
    '[ks]',
    '[^k]',
    '\\b',
    '^',
    '$',
    '\\s',
    '(?i)',
    '(?-i)',
    '(?i:As)',
    'é',
    '\\.',
    '\\x73k',
    '(as|ka)',
    '(as|)',
    '(?:ask)?',
    '(sk){0}',
    '(sk){2}',
    '\\Qas.\\E',
    '\\Qa(',
    'a*',
    '|',
    '{',
    '[]as]',
    '[[:alpha:]]k',
  ]
  const pieces = [
    'a',
    's',
    'k',
    'ask',
    'ASK',
    'Task',
    '\u017F',
    '\u212A',
    'É',
    '\n',
    ' ',
    '.',
    'rm -rf',
    'b',
    'xyz',
    '{',
    '(',
    '\u{1F600}',
  ]
  let hits = 0
  let compared = 0
  for (let round = 0; round < tries(3000); round++) {
    const patterns = Array.from({ length: 2 + chance.below(30) }, () =>
      compilePattern(chance.joined(atoms, 1, 4)),
    ).flatMap((pattern) => ('wrong' in pattern || pattern.kind !== 'linear' ? [] : [pattern]))
    const plan = planMatches(
      patterns.map(({ source }, index) => armed(`hook-${index}`, { matcher: { pattern: source } })),
      { searchSlowly: backtracking.test, view: viewFor, conditionOf },
    )
    for (let texts = 0; texts < 4; texts++) {
      const text = chance.joined(pieces, 0, 8)
      const together = await plan.match(eventOf('on_outbound_message', { notification: text, parts: [] }))
      const alone = patterns.flatMap(({ test }, index) => (test(text) ? [index] : []))
      expect(
        [...together].toSorted((a, b) => a - b),
        JSON.stringify([patterns.map(({ source }) => source), text]),
      ).toEqual(alone)
      hits += alone.length
      compared += patterns.length
    }
  }
  if (!isWhole()) return
  expect(hits).toBeGreaterThan(compared / 20)
  expect(hits).toBeLessThan(compared * 0.9)
}, 120_000)
