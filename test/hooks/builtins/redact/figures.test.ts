import { describe, expect, test } from 'vitest'
import { measureOrdinary, measureRecall } from './figures.ts'

/** What is not found: an address has no length that is known, and scripts without ASCII are in UTF-16 like any bytes. */
const isKnownMiss = (kind: string, disguise: string): boolean =>
  (kind === 'database address' && disguise === 'letters apart') || (/Japanese|Korean|Chinese/.test(kind) && disguise === 'base64 of UTF-16')

describe('of the corpus', async () => {
  const cells = await measureRecall(3)

  test.each([...new Set(cells.map(({ disguise }) => disguise))])('every kind of secret is found and goes whole under this disguise: %s', (name) => {
    const missed = cells.filter(({ kind, disguise, found, tried }) => disguise === name && found < tried && !isKnownMiss(kind, disguise))
    expect(missed).toEqual([])
  })

  test('hardly any secret takes a word of the text around it along', () => {
    const [tried, tookMore] = cells.reduce(([tried, tookMore], cell) => [tried + cell.tried, tookMore + cell.tookMore], [0, 0])
    expect(tookMore / tried).toBeLessThan(0.005)
  })

  test('at most one ordinary text in a thousand has something that is taken for a secret', async () => {
    const rows = await measureOrdinary(30)
    const texts = rows.reduce((sum, row) => sum + row.texts, 0)
    expect({ wrong: rows.flatMap(({ wrong }) => wrong).slice(0, Math.ceil(texts / 1000)), texts }).toEqual({ wrong: rows.flatMap(({ wrong }) => wrong), texts })
  })
})
