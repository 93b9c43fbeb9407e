import { expect, test } from 'vitest'
import { runLaws } from './run-laws.ts'
import { simulate } from './run.ts'

test('200 simulated histories of a fleet with faults break no law', async () => {
  const seed = Date.now() % 2 ** 31
  // One process for each of two processors.
  for (const said of await Promise.all([runLaws(100, seed), runLaws(100, seed + 1)]))
    expect(said).toMatch(/^100 histories, \d+ steps\n$/)
}, 300_000)

test('1000 nodes and 10 000 chats keep the laws while the gate is killed', async () => {
  const { violations, history } = await simulate({
    seed: 18,
    gates: 2,
    nodes: 1000,
    chats: 10_000,
    forMs: 20_000,
    pushEveryMs: 5,
    eventEveryMs: 20,
    actEveryMs: 1000,
    faults: [{ kind: 'kill', atMs: 6000, forMs: 3000, on: 0 }],
  })
  expect(violations).toEqual([])
  expect(history.arrivals.length).toBeGreaterThan(1000)
}, 120_000)
