import { describe, expect, test } from 'vitest'
import { createScreen } from '../../../../src/core/hooks/match/screen.ts'
import { maxWordChars, wordsOf } from '../../../../src/core/hooks/match/words.ts'
import { screens } from '../../../handlers/screens.ts'

describe('the words of a pattern', () => {
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

  test.each([
    '',
    'a|',
    'foo|.*',
    '(foo)?',
    '[abc]',
    '\\x41bcd',
    '\\Qabc\\E',
    '[[:alpha:]]bcd',
    '(abc',
    'abc)',
    'aa(?s)*',
    'é',
    'k',
  ])('of %j nothing is said', (source) => expect(wordsOf(source)).toBeUndefined())

  test('letters that another alphabet folds to ASCII ones count as these', () => {
    expect(screens('(?i)ask', 'a\u017F\u212A')).toBe(false)
    expect(screens('(?i)ask', 'a\u017Fx')).toBe(true)
  })

  test('words that begin and end within one another are all found', () => {
    const screen = createScreen([['she'], ['he'], ['hers', 'xyz'], ['zzz']])
    expect([...screen('uSHErs')].toSorted((a, b) => a - b)).toEqual([0, 1, 2])
    expect([...screen('sshh')]).toEqual([])
  })
})
