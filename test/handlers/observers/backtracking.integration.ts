import { afterEach, expect, test } from 'vitest'
import { createBacktracking, type Backtracking } from '../../../src/handlers/observers/backtracking.ts'
import type { BacktrackingPattern } from '../../../src/core/model/base/pattern.ts'
import { stretched } from '../../stretched.ts'

let backtracking: Backtracking
const start = (limitMs?: number): Backtracking => (backtracking = createBacktracking(limitMs))
afterEach(() => backtracking.stop())

const pattern = (source: string, flags = 'mu'): BacktrackingPattern => ({
  kind: 'backtracking',
  source,
  flags,
})

/** About 2 to the power of 40 steps. */
const hostile = `${'a'.repeat(40)}!`
const greedy = pattern('(?=a)(a+)+$')

test('it says whether a pattern is found, with its flags', async () => {
  const { test: search } = start(2000)
  expect(await search(pattern('key(?!s)'), 'a key')).toBe(true)
  expect(await search(pattern('key(?!s)'), 'keys')).toBe(false)
  expect(await search(pattern('key(?!s)'), 'KEY')).toBe(false)
  expect(await search(pattern('key(?!s)', 'mui'), 'KEY')).toBe(true)
  expect(await search(pattern('^b(?!s)'), 'a\nb')).toBe(true)
})

test('what does not finish is killed after its limit and counts as a match, while the loop stays free', async () => {
  const { test: search } = start(1000)
  await search(pattern('(?=a)'), 'warm')
  let ticks = 0
  const ticking = setInterval(() => (ticks += 1), 5)
  const startedAtMs = performance.now()
  expect(await search(greedy, hostile)).toBe(true)
  const tookMs = performance.now() - startedAtMs
  clearInterval(ticking)
  expect(tookMs).toBeGreaterThan(950)
  expect(tookMs).toBeLessThan(stretched(5000))
  expect(ticks).toBeGreaterThan(8)
})

test('after a kill the next ones are answered truly, those that waited too', async () => {
  const { test: search } = start(300)
  const answers = await Promise.all([
    search(greedy, hostile),
    search(pattern('key(?!s)'), 'keys'),
    search(pattern('key(?!s)'), 'key'),
  ])
  expect(answers).toEqual([true, false, true])
  expect(await search(pattern('key(?!s)'), 'keys')).toBe(false)
})

test("the start of the thread is not the pattern's time", async () => {
  // A start takes longer than this limit; several tries, since a busy machine may also hold up the pattern.
  const answers: boolean[] = []
  for (let tries = 0; tries < 5; tries++) {
    answers.push(await start(10).test(pattern('key(?!s)'), 'keys'))
    await backtracking.stop()
  }
  expect(answers).toContain(false)
})

test('nobody waits long behind patterns that do not finish', async () => {
  const { test: search } = start()
  const startedAtMs = performance.now()
  const answers = await Promise.all(Array.from({ length: 50 }, () => search(greedy, hostile)))
  expect(answers.every(Boolean)).toBe(true)
  expect(performance.now() - startedAtMs).toBeLessThan(stretched(4000))
})

test('a pattern that the engine gives up on counts as a match', async () => {
  const { test: search } = start(2000)
  expect(await search(pattern('('), 'x')).toBe(true)
  expect(await search(pattern('key(?!s)'), 'keys')).toBe(false)
})
