import { expect, test } from 'vitest'
import type { FaultKind } from './plan.ts'
import { runLaws } from './run-laws.ts'

// With these seeds the planted faults of test/laws are seen.
test.each<[what: string, count: number, seed: number, kinds: readonly FaultKind[] | 'all']>([
  ['with faults', 5, 14, 'all'],
  ['whose nodes go away', 1, 14, ['node', 'kill']],
  ['on a database that is put back', 5, 4, ['putBack']],
  ['on a database that is put back while the gates that wait stand still', 8, 42, ['putBack', 'stopStandby']],
  ['on a database in which somebody forges', 8, 1, ['forge']],
])(
  'a few simulated histories of a fleet %s break no law',
  async (_, count, seed, kinds) => {
    expect(await runLaws(count, seed, kinds)).toMatch(new RegExp(`^${count} histories, \\d{5,} steps\n$`))
  },
  120_000,
)

test('equal seeds take equal steps', async () => {
  expect(await runLaws(1, 8)).toBe(await runLaws(1, 8))
}, 120_000)
