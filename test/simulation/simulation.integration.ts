import { expect, test } from 'vitest'
import { runLaws } from './run-laws.ts'

// With this seed the planted faults of test/laws are seen.
test('a few simulated histories of a fleet with faults break no law, and equal seeds take equal steps', async () => {
  expect(await runLaws(5, 8)).toMatch(/^5 histories, \d{5,} steps\n$/)
  expect(await runLaws(1, 8)).toBe(await runLaws(1, 8))
}, 120_000)
