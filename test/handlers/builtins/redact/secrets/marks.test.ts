import { expect, test } from 'vitest'
import { beginningsOf, createSearch } from '../../../../../src/handlers/builtins/redact/secrets/marks.ts'
import { further, halved } from '../../../../../src/handlers/builtins/redact/secrets/tokens.ts'

test.each([
  ['abc_', ['abc_']],
  ['a[bc]d', ['abd', 'acd']],
  ['(?<!\\w)(?:live|test)_', ['live_', 'test_']],
  ['ab(?=[^x])\\.c', ['ab.c']],
  ['a[a-z]{2}b', ['a']],
  ['ab(?:cd)?e', ['ab']],
  ['ab(?:c[a-z]|d)e', ['abc', 'abd']],
  ['abx*', ['ab']],
  ['1//0', ['1//0']],
  ['[0-2]/', ['0/', '1/', '2/']],
])('The beginnings of %s are its letters up to what can be many things', (pattern, words) => {
  expect(beginningsOf(pattern)).toEqual(words)
})

test('A pattern without a letter at its beginning is refused, because it would never be found', () => {
  expect(() => createSearch(['\\w{5}abc'])).toThrow('Expected a pattern that begins with a letter')
})

test('Each mark of the table is found where it stands, also at the end and behind other scripts', () => {
  const marks = [...halved, ...further].map(({ mark }) => mark)
  const search = createSearch(marks)
  for (const [index, mark] of marks.entries())
    for (const word of beginningsOf(mark)) {
      const at: number[] = []
      search(`код ${word}, 密码 ${word}`, (pattern, place) => {
        if (pattern === index) at.push(place)
      })
      expect(at, mark).toEqual([4, 9 + word.length])
    }
})
