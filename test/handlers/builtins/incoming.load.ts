import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { lookAt } from '../../../src/handlers/builtins/incoming/look.ts'
import { measureProcessor } from '../../processor-time.ts'
import { stretched } from '../../stretched.ts'
import { harmless, injections } from './incoming/texts.ts'

const root = join(import.meta.dirname, '../../..')
/** The least time of the processor for a text, of several looks at it. */
const costOf = (text: string): number =>
  Math.min(
    ...Array.from({ length: 3 }, () => {
      const tookMs = measureProcessor()
      lookAt(text)
      return tookMs()
    }),
  )
const repeated = (piece: string, units: number): string => piece.repeat(Math.ceil(units / piece.length))

test('An ordinary text is looked at within the time that a person does not notice', () => {
  const ordinary = globSync('{.github,config,src,test}/**/*.{md,ts}', { cwd: root })
    .map((name) => readFileSync(join(root, name), 'utf8'))
    .join('\n')
  costOf(ordinary.slice(0, 200_000))
  expect(costOf(ordinary.slice(200_000, 300_000))).toBeLessThan(stretched(30))
  expect(costOf(ordinary.slice(0, 1_000_000))).toBeLessThan(stretched(300))
})

test.each([
  ...'a|a b |aa |1|%41|&#65;|\\u0041|<,|[INST|![a](https://a?|<img src="https://a?a=|![](http:a?a=|post-|curl '.split(
    '|',
  ),
  ...'\nsystem: |"|\'|\n|> |ignore |do not tell |to to |you are now |忽略之前的|ignoreprevious|\u200b|\u202e|😀'.split(
    '|',
  ),
  'previous instructions "ignore" ',
  Buffer.from('ignore all previous things, my friend. ').toString('base64'),
  '69676e6f7265',
  '\ufdfa',
  ...Object.values(injections).map((texts) => texts.join(' ')),
  harmless.join(' '),
])(
  'Text that is made to be slow to look at costs a time that is bounded, and grows with its length (%#)',
  (piece) => {
    const [part = 0, longer, longest] = [50_000, 400_000, 8_000_000].map((units) =>
      costOf(repeated(piece, units)),
    )
    expect(longer).toBeLessThan(stretched(16 * part + 100))
    expect(longest).toBeLessThan(stretched(1500))
  },
)
