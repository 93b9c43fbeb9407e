import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { inEnglish, proseText, type Prose } from '../../../src/core/model/chat/prose.ts'
import { heardWords, ourWords, saidInChinese } from '../../../src/shared/said/our-words.ts'
import { tries } from '../../tries.ts'

const foreign = fc.oneof(
  fc.constantFrom('bash', '"a b"', 'x. y', '', ' ', '✓ Approved', '{0}', 'one for less', 'exit code 3: no'),
  fc.string({ maxLength: 30 }),
)
/** A text of ours with values of others in it. */
const ours = fc
  .tuple(
    fc.constantFrom(...saidInChinese().map(([key]) => key)),
    fc.array(foreign, { minLength: 6, maxLength: 6 }),
  )
  .map(([key, values]) => key.replaceAll(/\{(\d+)\}/g, (_, place) => values[Number(place)] ?? ''))
const text = fc
  .array(
    fc.tuple(fc.oneof({ weight: 3, arbitrary: ours }, foreign), fc.constantFrom(' ', '\n', ', ', '. ', '')),
    {
      maxLength: 5,
    },
  )
  .map((pieces) => pieces.flat().join(''))

/** Every word that is fixed in a text. */
const fixedIn = (words: Prose): string =>
  inEnglish(words)
    .map((span) => ('fixed' in span ? span.fixed : '\0'))
    .join('')

test('a text that was read says in English what it said, and no value of others becomes a fixed word', () => {
  const secret = 'zqx7'
  fc.assert(
    fc.property(text, fc.nat(), (plain, at) => {
      const place = at % (plain.length + 1)
      const marked = `${plain.slice(0, place)}${secret}${plain.slice(place)}`
      for (const read of [ourWords(marked), heardWords(marked)]) {
        if (read === undefined) continue
        expect(proseText(read)).toBe(marked)
        expect(fixedIn(read)).not.toContain(secret)
      }
    }),
    { numRuns: tries(1500) },
  )
})
