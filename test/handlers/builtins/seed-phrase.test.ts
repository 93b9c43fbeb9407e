import { generateMnemonic, validateMnemonic } from '@scure/bip39'
import { wordlist as english } from '@scure/bip39/wordlists/english.js'
import { wordlist as japanese } from '@scure/bip39/wordlists/japanese.js'
import { wordlist as spanish } from '@scure/bip39/wordlists/spanish.js'
import { array, assert, constantFrom, nat, property } from 'fast-check'
import { describe, expect, test } from 'vitest'
import { findSeedPhrases, isChecksummed } from '../../../src/handlers/builtins/redact/secrets/seed-phrase.ts'
import { replaceSpans } from '../../../src/handlers/builtins/redact/span.ts'

const redacted = (text: string): string => replaceSpans(text, findSeedPhrases(text))
const strengths = [
  [12, 128],
  [15, 160],
  [18, 192],
  [21, 224],
  [24, 256],
] as const
const phrase = (strength = 128): readonly string[] => generateMnemonic(english, strength).split(' ')

test('The checksum is what @scure/bip39 says it is, for phrases of every length', () => {
  const words = constantFrom(...strengths).chain(([count]) =>
    array(nat(2047), { minLength: count, maxLength: count }),
  )
  assert(
    property(
      words,
      (indices) =>
        isChecksummed(indices) ===
        validateMnemonic(indices.map((index) => english[index]).join(' '), english),
    ),
    { numRuns: 500 },
  )
})

describe('a seed phrase', () => {
  test.each(strengths)('of %i words is found', (count, strength) => {
    const words = phrase(strength)
    expect(words).toHaveLength(count)
    expect(redacted(`It is: ${words.join(' ')}.`)).toBe('It is: [redacted: seed phrase].')
  })

  test.each([
    ['spaces', (words: readonly string[]) => words.join('   ')],
    ['line breaks', (words: readonly string[]) => words.join('\r\n')],
    ['line breaks written as \\n', (words: readonly string[]) => words.join('\\n')],
    ['commas', (words: readonly string[]) => words.join(', ')],
    ['quotes', (words: readonly string[]) => words.join('", "')],
    [
      'numbers',
      (words: readonly string[]) =>
        words
          .map((word, index) => `${index + 1}. ${word}`)
          .join('\n')
          .slice(3),
    ],
    ['capitals', (words: readonly string[]) => words.join(' ').toUpperCase()],
    ['dots', (words: readonly string[]) => words.join('. ')],
    ['slashes', (words: readonly string[]) => words.join(' / ')],
    ['emoji', (words: readonly string[]) => words.join(' 👉🏽 ')],
    ['signs of code', (words: readonly string[]) => words.join('(){} => ')],
  ])('is found with %s', (_what, write) => {
    expect(redacted(`(${write(phrase())})`)).toBe('([redacted: seed phrase])')
  })

  test('takes no words with it that stand before its label', () => {
    const said =
      'our seed phrase is: legal winner thank year wave sausage worth useful legal winner thank yellow'
    expect(redacted(said)).toBe('our seed phrase is: [redacted: seed phrase]')
  })

  test.each<[string, (word: string, index: number) => string, string]>([
    ['#1 word', (word, index) => `#${index + 1} ${word}`, '\n'],
    ['word1=', (word, index) => `word${index + 1}=${word}`, '&'],
    ['Word 1:', (word, index) => `Word ${index + 1}: ${word}`, '\n'],
    ['a name in JSON', (word, index) => `"w${index + 1}": "${word}"`, ', '],
    ['objects in JSON', (word, index) => JSON.stringify({ index, word }, null, 2), ',\n'],
    ['tags', (word) => `<word>${word}</word>`, ''],
  ])('is found with a label for each word: %s', (_what, write, seam) => {
    expect(redacted(phrase().map(write).join(seam))).toMatch(/^.{0,40}\[redacted: seed phrase\].{0,10}$/s)
  })

  test.each([
    ['Japanese', japanese],
    ['Spanish', spanish],
  ] as const)('is found in %s', (_name, list) => {
    expect(redacted(`X ${generateMnemonic(list)} X`)).toBe('X [redacted: seed phrase] X')
  })

  test('is found among further words of the list', () => {
    expect(redacted(`zoo zoo ${phrase().join(' ')} zoo`)).toContain('[redacted: seed phrase]')
  })

  test('that everybody uses as an example is found too', () => {
    expect(redacted(`${'abandon '.repeat(11)}about`)).toBe('[redacted: seed phrase]')
  })

  test('whose checksum does not hold is words', () => {
    const words = phrase()
    const wrong = english
      .map((last) => [...words.slice(0, -1), last].join(' '))
      .filter((text) => !validateMnemonic(text, english))
    expect(wrong.length).toBeGreaterThan(1900)
    expect(wrong.filter((text) => redacted(text) !== text)).toEqual([])
  })

  test('is not what a list of all the words, or a filler, happens to look like', () => {
    for (const text of [english.join('\n'), 'word '.repeat(500)]) expect(redacted(text)).toBe(text)
  })

  test('of eleven words is none', () => {
    const words = phrase().slice(1).join(' ')
    expect(redacted(words)).toBe(words)
  })
})
