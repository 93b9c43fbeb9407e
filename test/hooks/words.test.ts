import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { compilePattern } from '../../src/hooks/pattern.ts'
import { createScreen } from '../../src/hooks/screen.ts'
import { maxWordChars, wordsOf } from '../../src/hooks/words.ts'

// Few characters, so that random texts do match random patterns; with the two that fold to ASCII letters from afar.
const letter = fc.constantFrom('a', 'b', 'k', 's', 'K', 'é')
const atom = fc.oneof(
  { weight: 6, arbitrary: letter },
  fc.constantFrom('.', '\\b', '^', '$', '[ab]', '[^k]', '[]a]', '[\\]a]', '[[:alpha:]]', '\\w', '\\S', '\\.', '\\-', '\\x61', '\\Qa.b\\E', '\\n', '{', ' ', '(?i)', '(?-i)', '(?s)', '\\pL', '\u{1F600}'),
)
const quantifier = fc.constantFrom('', '', '', '', '', '*', '+', '?', '*?', '{0}', '{2}', '{0,2}', '{1,}', '{,2}')
const { pattern } = fc.letrec<{ pattern: string; sequence: string; piece: string }>((tie) => ({
  pattern: fc.array(tie('sequence'), { minLength: 1, maxLength: 3 }).map((branches) => branches.join('|')),
  sequence: fc.array(tie('piece'), { maxLength: 6 }).map((pieces) => pieces.join('')),
  piece: fc.tuple(fc.oneof({ depthSize: 'small' }, atom, tie('pattern').chain((inner) => fc.constantFrom(`(${inner})`, `(?:${inner})`, `(?i:${inner})`, `(?P<name>${inner})`))), quantifier).map((parts) => parts.join('')),
}))
const text = fc.array(fc.constantFrom('a', 'b', 'k', 's', 'K', 'S', 'ſ', '\u212A', 'é', '.', '-', ' ', '\n', '{', ']', '\u{1F600}', 'a.b'), { maxLength: 14 }).map((chars) => chars.join(''))

const screens = (source: string, subject: string): boolean => {
  const words = wordsOf(source)
  return words !== undefined && createScreen([words])(subject).size === 0
}

describe('the words of a pattern', () => {
  test('a text that a pattern matches is never screened out', () => {
    fc.assert(fc.property(pattern, fc.array(text, { minLength: 12, maxLength: 12 }), (source, subjects) => {
      const compiled = compilePattern(source)
      fc.pre(!('wrong' in compiled) && compiled.kind === 'linear')
      for (const subject of subjects) expect(compiled.test(subject) && screens(source, subject), JSON.stringify([source, subject, wordsOf(source)])).toBe(false)
    }), { numRuns: 1500 })
  })

  test.each([
    ['rm -rf|dd if=|mkfs', ['rm -rf', 'dd if=', 'mkfs']],
    ['rm\\s+-rf', ['-rf']],
    ['(?i)DROP table', ['drop table']],
    ['\\bsudo\\b', ['sudo']],
    ['(foo|bar)+x?', ['foo', 'bar']],
    ['a\\.b\\|c', ['a.b|c']],
    ['https?://evil', ['://evil']],
    ['a much longer run of letters', ['a much longer run'.slice(0, maxWordChars)]],
  ])('of %j are %j', (source, words) => expect(wordsOf(source)).toEqual(words))

  test.each(['', 'a|', 'foo|.*', '(foo)?', '[abc]', '\\x41bcd', '\\Qabc\\E', '[[:alpha:]]bcd', '(abc', 'abc)', 'aa(?s)*', 'é', 'k'])('of %j nothing is said', (source) => expect(wordsOf(source)).toBeUndefined())

  test('letters that another alphabet folds to ASCII ones count as these', () => {
    expect(screens('(?i)ask', 'a\u017F\u212A')).toBe(false)
    expect(screens('(?i)ask', 'a\u017Fx')).toBe(true)
  })

  test('words that begin and end within one another are all found', () => {
    const screen = createScreen([['she'], ['he'], ['hers', 'xyz'], ['zzz']])
    expect([...screen('uSHErs')].toSorted((a, b) => a - b)).toEqual([0, 1, 2])
    expect([...screen('sshh')]).toEqual([])
  })

  test('a long hostile text costs one step a character, however many words there are', () => {
    const screen = createScreen(Array.from({ length: 1000 }, (_, index) => ['a'.repeat(1 + (index % 11)) + 'b']))
    const startedAtMs = performance.now()
    screen('a'.repeat(1_000_000))
    expect(performance.now() - startedAtMs).toBeLessThan(500)
  })
})
