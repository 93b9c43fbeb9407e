import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { fixed, joinProse, prose, proseText } from '../../../src/model/chat/prose.ts'

describe('prose', () => {
  test('the template is fixed, every string in it is a quote, and numbers and prose are what they are', () => {
    expect(prose`Approved ${'./x.sh'} for ${3} events${fixed('.')}`).toEqual([
      { fixed: 'Approved ' },
      { quoted: './x.sh' },
      { fixed: ' for ' },
      { fixed: '3' },
      { fixed: ' events' },
      { fixed: '.' },
    ])
    expect(prose`${'only'}`).toEqual([{ quoted: 'only' }])
    expect(prose`${prose`a ${'b'}`} c`).toEqual([{ fixed: 'a ' }, { quoted: 'b' }, { fixed: ' c' }])
    expect(prose``).toEqual([])
    expect(prose`${''}`).toEqual([{ quoted: '' }])
  })

  test('whatever is interpolated stays a quote and reads as it came', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (one, two) => {
        const text = joinProse([prose`[${one}]`, prose`<${two}>`], '\n')
        expect(proseText(text)).toBe(`[${one}]\n<${two}>`)
        expect(text.flatMap((span) => ('quoted' in span ? [span.quoted] : []))).toEqual([one, two])
      }),
    )
  })

  test('joined, only what stands between is added', () => {
    expect(joinProse([], ', ')).toEqual([])
    expect(joinProse([fixed('a')], ', ')).toEqual([{ fixed: 'a' }])
    expect(proseText(joinProse([fixed('a'), fixed('b'), fixed('')], ', '))).toBe('a, b, ')
  })
})
