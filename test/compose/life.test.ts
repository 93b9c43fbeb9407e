import { expect, test } from 'vitest'
import { createLife } from '../../src/compose/ground.ts'

test('a gate is starting until the last part has started, and stopping before the first part ends', async () => {
  const life = createLife()
  const phases: string[] = []
  life.onStop(() => void phases.push(`first ${life.phase()}`))
  expect(life.phase()).toBe('starting')
  life.started(() => void phases.push(`last ${life.phase()}`))
  expect(life.phase()).toBe('started')
  await life.stop()
  expect(phases).toEqual(['last stopping', 'first stopping'])
})

test('a gate that is stopped while it starts does not count as started any more', async () => {
  const life = createLife()
  await life.stop()
  life.started()
  expect(life.phase()).toBe('stopping')
})
