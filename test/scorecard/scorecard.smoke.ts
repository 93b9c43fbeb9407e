import { expect, test } from 'vitest'
import { createShipped } from './guards.ts'
import { readFigures, worse } from './page.ts'
import { corporaHere, readRows } from './rows.ts'
import { scoreRows } from './score.ts'

/** The corpora cannot be installed, so they may be missing with `CI=true`, too. */
const corpora =
  corporaHere === undefined ? { skip: true, meta: { lacks: ['corpora in HOOKGATE_CORPORA'] } } : {}

test('no figure is worse than on the page of figures', corpora, async () => {
  const shipped = createShipped()
  try {
    const { measured } = await scoreRows(readRows(corporaHere ?? ''), shipped)
    expect(
      worse(
        readFigures().now,
        measured.map(({ score }) => score),
      ),
    ).toEqual([])
  } finally {
    await shipped.stop()
  }
})
