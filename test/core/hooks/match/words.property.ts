import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { compilePattern } from '../../../../src/core/model/base/pattern.ts'
import { wordsOf } from '../../../../src/core/hooks/match/words.ts'
import { tries } from '../../../tries.ts'
import { screens } from '../../../handlers/screens.ts'

// Few characters, so that random texts do match random patterns; with the two that fold to ASCII letters from
// afar.
const letter = fc.constantFrom('a', 'b', 'k', 's', 'K', 'é')
const atom = fc.oneof(
  { weight: 6, arbitrary: letter },
  fc.constantFrom(
    '.',
    '\\b',
    '^',
    '$',
    '[ab]',
    '[^k]',
    '[]a]',
    '[\\]a]',
    '[[:alpha:]]',
    '\\w',
    '\\S',
    '\\.',
    '\\-',
    '\\x61',
    '\\Qa.b\\E',
    '\\n',
    '{',
    ' ',
    '(?i)',
    '(?-i)',
    '(?s)',
    '\\pL',
    '\u{1F600}',
  ),
)

const quantifier = fc.constantFrom(
  '',
  '',
  '',
  '',
  '',
  '*',
  '+',
  '?',
  '*?',
  '{0}',
  '{2}',
  '{0,2}',
  '{1,}',
  '{,2}',
)

const { pattern } = fc.letrec<{ pattern: string; sequence: string; piece: string }>((tie) => ({
  pattern: fc.array(tie('sequence'), { minLength: 1, maxLength: 3 }).map((branches) => branches.join('|')),
  sequence: fc.array(tie('piece'), { maxLength: 6 }).map((pieces) => pieces.join('')),
  piece: fc
    .tuple(
      fc.oneof(
        { depthSize: 'small' },
        atom,
        tie('pattern').chain((inner) =>
          fc.constantFrom(`(${inner})`, `(?:${inner})`, `(?i:${inner})`, `(?P<name>${inner})`),
        ),
      ),
      quantifier,
    )
    .map((parts) => parts.join('')),
}))

const text = fc
  .array(
    fc.constantFrom(
      'a',
      'b',
      'k',
      's',
      'K',
      'S',
      'ſ',
      '\u212A',
      'é',
      '.',
      '-',
      ' ',
      '\n',
      '{',
      ']',
      '\u{1F600}',
      'a.b',
    ),
    { maxLength: 14 },
  )
  .map((chars) => chars.join(''))

describe('the words of a pattern', () => {
  test('a text that a pattern matches is never screened out', () => {
    fc.assert(
      fc.property(pattern, fc.array(text, { minLength: 12, maxLength: 12 }), (source, subjects) => {
        const compiled = compilePattern(source)
        fc.pre(!('wrong' in compiled) && compiled.kind === 'linear')
        for (const subject of subjects)
          expect(
            compiled.test(subject) && screens(source, subject),
            JSON.stringify([source, subject, wordsOf(source)]),
          ).toBe(false)
      }),
      { numRuns: tries(1500) },
    )
  }, 120_000)
})
