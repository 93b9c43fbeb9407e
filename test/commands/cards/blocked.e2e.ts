import { afterEach, beforeEach, expect, test } from 'vitest'
import { until, type Plane } from '../../plane.ts'
import { startGuarded } from './blocked-plane.ts'

let plane: Plane
beforeEach(async () => {
  plane = await startGuarded()
})
afterEach(() => plane.stop())

// The notice about the others comes after ten seconds, which is too long for the quick tier.
test('Further blocks come as one notice, and the agent tells only a reason that is new', async () => {
  const from = plane.texts().length
  await plane.ask('!echo forbidden one', (answer) => answer === 'I did not run bash.')
  await plane.ask('!echo forbidden two', (answer) => answer === 'I did not run bash.')
  await plane.ask('!echo never three', (answer) => answer === 'I did not run bash: never that')
  const more = await until(
    'the notice about the others',
    () =>
      plane
        .texts()
        .slice(from)
        .find((text) => text.includes('more steps')),
    15_000,
  )
  expect(more).toBe(
    '🛡 2 more steps of main were blocked.\n│ bash echo forbidden two · guard\n│ bash echo never three · guard\n→ /hooks log blocked',
  )
}, 40_000)
