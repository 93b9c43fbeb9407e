import * as fc from 'fast-check'

/**
 * One change of a text. A place is a share of the text's length, so that it means something in every text.
 */
type Change =
  | { readonly kind: 'insert'; readonly at: number; readonly text: string }
  | { readonly kind: 'remove'; readonly at: number; readonly to: number }
  | { readonly kind: 'repeat'; readonly at: number; readonly to: number; readonly times: number }
  | {
      readonly kind: 'wrap'
      readonly at: number
      readonly pair: readonly [string, string]
      readonly times: number
    }
  | { readonly kind: 'replace'; readonly at: number; readonly text: string }

const pairs: readonly (readonly [string, string])[] = [
  ['[', ']'],
  ['{"a":', '}'],
  ['(', ')'],
  ['"', '"'],
  ['$(', ')'],
  ['<b>', '</b>'],
  ['- ', ''],
  ['"$(', ')"'],
]

const strange = [
  '\0',
  '\uFFFD',
  '\uD800',
  '\u202E',
  '\u200B',
  '﻿',
  '\r\n',
  '\u2028',
  '__proto__',
  'constructor',
  'toString',
  '9007199254740993',
  '-0',
  '1e400',
  'NaN',
  'null',
  'true',
  '{}',
  '[]',
  '""',
  '/'.repeat(300),
  'a'.repeat(5000),
]

/** As often as it fits, so that nothing grows beyond what is tried. */
const repeated = (text: string, times: number, maxChars: number): string =>
  text.repeat(Math.min(times, Math.ceil(maxChars / Math.max(1, text.length))))

const changed = (text: string, change: Change, maxChars: number): string => {
  const at = Math.floor(change.at * text.length)
  const to = 'to' in change ? Math.floor(change.to * text.length) : at
  const [from, until] = [Math.min(at, to), Math.max(at, to)]
  switch (change.kind) {
    case 'insert':
      return text.slice(0, at) + change.text + text.slice(at)
    case 'remove':
      return text.slice(0, from) + text.slice(until)
    case 'repeat':
      return (
        text.slice(0, from) + repeated(text.slice(from, until), change.times, maxChars) + text.slice(until)
      )
    case 'replace':
      return text.slice(0, at) + change.text + text.slice(at + change.text.length)
    case 'wrap': {
      const [open, close] = change.pair
      return text.slice(0, at) + open.repeat(change.times) + text.slice(at) + close.repeat(change.times)
    }
  }
}

/** What repeats, repeats often enough that a cost which grows with the square shows itself. */
const times = fc.oneof({ weight: 3, arbitrary: fc.nat(20) }, { weight: 1, arbitrary: fc.nat(5000) })

/** Inputs that are a seed with up to eight changes, none longer than `maxChars`. */
export const inputs = (
  seeds: readonly string[],
  words: readonly string[],
  maxChars: number,
): fc.Arbitrary<string> => {
  const place = fc.double({ min: 0, max: 1, noNaN: true })
  const text = fc.oneof(
    fc.constantFrom(...(words.length === 0 ? [''] : words)),
    fc.constantFrom(...strange),
    fc.constantFrom(...seeds),
    fc.string({ unit: 'binary', maxLength: 8 }),
  )
  const change: fc.Arbitrary<Change> = fc.oneof(
    fc.record({ kind: fc.constant('insert' as const), at: place, text }),
    fc.record({ kind: fc.constant('replace' as const), at: place, text }),
    fc.record({ kind: fc.constant('remove' as const), at: place, to: place }),
    fc.record({ kind: fc.constant('repeat' as const), at: place, to: place, times }),
    fc.record({ kind: fc.constant('wrap' as const), at: place, pair: fc.constantFrom(...pairs), times }),
  )
  return fc
    .record({ seed: fc.constantFrom(...seeds), changes: fc.array(change, { maxLength: 8 }) })
    .map(({ seed, changes }) =>
      changes.reduce((now, one) => changed(now, one, maxChars).slice(0, maxChars), seed),
    )
}
