import { describe, expect, test } from 'vitest'
import { isWhole, step, tries } from '../../../tries.ts'
import { measureFileRecall, measureOrdinary, measureOrdinaryFiles, measureRecall } from './figures.ts'

/**
 * What is not found: an address has no length that is known, and scripts without ASCII are in UTF-16 and
 * UTF-32 like any bytes.
 */
const isKnownMiss = (kind: string, disguise: string): boolean =>
  (kind === 'database address' && disguise === 'letters apart') ||
  (/Japanese|Korean|Chinese/.test(kind) && /UTF-(?:16|32)/.test(disguise))

/** Letters without ASCII in UTF-16 are in a picture, and without a mark, like any bytes. */
const isKnownMissInFile = (kind: string, container: string): boolean =>
  /UTF-16.* without|EXIF in UTF-16/.test(container) && /Japanese|Korean|Chinese|Spanish|French/.test(kind)

test('Every kind of secret is found in every container', async () => {
  const cells = await measureFileRecall(1, step())
  const missed = cells.filter(
    ({ kind, disguise, found, tried }) => found < tried && !isKnownMissInFile(kind, disguise),
  )
  expect(missed).toEqual([])
}, 120_000)

test('Nothing in ordinary files is taken for a secret, and all of them can be judged', async () => {
  expect((await measureOrdinaryFiles(1, step())).flatMap(({ wrong }) => wrong)).toEqual([])
}, 120_000)

describe('of the corpus', async () => {
  const cells = await measureRecall(isWhole() ? 3 : 1)

  test.each([...new Set(cells.map(({ disguise }) => disguise))])(
    'every kind of secret is found and goes whole under this disguise: %s',
    (name) => {
      const missed = cells.filter(
        ({ kind, disguise, found, tried }) =>
          disguise === name && found < tried && !isKnownMiss(kind, disguise),
      )
      expect(missed).toEqual([])
    },
  )

  test('hardly any secret takes a word of the text around it along', () => {
    const [tried, tookMore] = cells.reduce(
      ([tried, tookMore], cell) => [tried + cell.tried, tookMore + cell.tookMore],
      [0, 0],
    )
    expect(tookMore / tried).toBeLessThan(0.005)
  })

  test('at most one ordinary text in a thousand has something that is taken for a secret', async () => {
    const rows = await measureOrdinary(tries(120))
    const texts = rows.reduce((sum, row) => sum + row.texts, 0)
    expect({ wrong: rows.flatMap(({ wrong }) => wrong).slice(0, Math.ceil(texts / 1000)), texts }).toEqual({
      wrong: rows.flatMap(({ wrong }) => wrong),
      texts,
    })
  }, 120_000)
})
