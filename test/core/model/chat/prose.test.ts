import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  fixed,
  handlesIn,
  heading,
  inEnglish,
  inLanguage,
  joinProse,
  keyOf,
  prose,
  proseText,
  whole,
} from '../../../../src/core/model/chat/prose.ts'

describe('prose', () => {
  test('the template is fixed, every string in it is a quote, and numbers and prose are what they are', () => {
    expect(inEnglish(prose`Approved ${'./x.sh'} for ${3} events${fixed('.')}`)).toEqual([
      { fixed: 'Approved ' },
      { quoted: './x.sh' },
      { fixed: ' for ' },
      { fixed: '3' },
      { fixed: ' events' },
      { fixed: '.' },
    ])
    expect(inEnglish(prose`${'only'}`)).toEqual([{ quoted: 'only' }])
    expect(inEnglish(prose`${prose`a ${'b'}`} c`)).toEqual([
      { fixed: 'a ' },
      { quoted: 'b' },
      { fixed: ' c' },
    ])
    expect(inEnglish(prose``)).toEqual([])
    expect(inEnglish(prose`${''}`)).toEqual([{ quoted: '' }])
  })

  test('whatever is interpolated stays a quote and reads as it came', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (one, two) => {
        const text = joinProse([prose`[${one}]`, prose`<${two}>`], '\n')
        expect(proseText(text)).toBe(`[${one}]\n<${two}>`)
        expect(inEnglish(text).flatMap((span) => ('quoted' in span ? [span.quoted] : []))).toEqual([one, two])
      }),
    )
  })

  test('joined, only what stands between is added', () => {
    expect(joinProse([], ', ')).toEqual([])
    expect(inEnglish(joinProse([fixed('a')], ', '))).toEqual([{ fixed: 'a' }])
    expect(proseText(joinProse([fixed('a'), fixed('b'), fixed('')], ', '))).toBe('a, b, ')
  })
})

describe('in another language', () => {
  const german = new Map([
    ['{0} wants {1}', '{1} will {0}'],
    ['a dog', 'einen Hund'],
    ['the card', 'die Karte'],
  ])
  const translate = (key: string): string | undefined => german.get(key)
  const read = (text: Parameters<typeof inLanguage>[0]): string =>
    inLanguage(text, translate)
      .map((span) => ('fixed' in span ? span.fixed : span.quoted))
      .join('')

  test('a template is one text, whose values may stand in another order, and its values are translated, too', () => {
    expect(read(prose`${'Ada'} wants ${fixed('a dog')}`)).toBe('einen Hund will Ada')
    expect(read(prose`\n ${'Ada'} wants ${fixed('a dog')}\n`)).toBe('\n einen Hund will Ada\n')
  })

  test('a quote stays a quote, whatever the language', () => {
    expect(inLanguage(prose`${'a dog'} wants ${whole('{0}')}`, translate)).toEqual([
      { quoted: '{0}', isWhole: true },
      { fixed: ' will ' },
      { quoted: 'a dog' },
    ])
  })

  test('what no catalogue has stays English', () => {
    expect(read(prose`${'Ada'} needs ${fixed('a cat')}`)).toBe('Ada needs a cat')
  })

  test('a handle stays with the text that shows what it names', () => {
    expect(read(heading('k7f2q', 'the card'))).toBe('k7f2q die Karte')
    expect(handlesIn(prose`Look: ${heading('k7f2q', 'the card')}`)).toEqual(['k7f2q'])
    expect(handlesIn(heading('', 'the card'))).toEqual([])
  })

  test('braces of ours that are no place for a value stay as they are', () => {
    expect(read(fixed('a{3} and {0}'))).toBe('a{3} and {0}')
  })

  test('the key numbers the values from 0', () => {
    expect(keyOf(['May ', ' use ', '?'])).toBe('May {0} use {1}?')
  })
})
