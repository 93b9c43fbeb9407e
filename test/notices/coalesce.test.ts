import { expect, test } from 'vitest'
import { createBurst } from '../../src/notices/coalesce.ts'
import { blocks, createRig, until } from '../core/dispatcher/rig.ts'

test('of a kind so many are told a minute, the rest as one when it ends, and then anew', () => {
  const ends: (() => void)[] = []
  const told: string[] = []
  const burst = createBurst(2, (_, run) => void ends.push(run))
  const say = (key: string): void =>
    burst(
      key,
      () => told.push(key),
      (left) => told.push(`${key} ${left} more`),
    )
  for (const key of ['a', 'a', 'a', 'a', 'b']) say(key)
  expect(told).toEqual(['a', 'a', 'b'])
  for (const end of ends.splice(0)) end()
  expect(told).toEqual(['a', 'a', 'b', 'a 2 more'])
  say('a')
  expect(told.slice(4)).toEqual(['a'])
})

test('a hundred pushes that a hook withholds are a hundred records, and three notices before one for the rest', async () => {
  const rig = await createRig()
  try {
    await rig.approve('on_outbound_message', blocks('no'), { name: 'guard' })
    await rig.on()
    const results = await Promise.all(Array.from({ length: 100 }, (_, index) => rig.push(`secret ${index}`)))
    expect(results.every((result) => 'outcome' in result && result.outcome === 'withheld')).toBe(true)
    await until(
      'the records',
      async () => (await rig.store.records({ limit: 200, kinds: ['push'] })).length === 100,
    )
    await until('an empty outbox', async () => (await rig.store.outbox()).length === 0)
    expect(rig.texts().filter((text) => text.includes('Blocked: '))).toHaveLength(3)
  } finally {
    await rig.stop()
  }
}, 60_000)

test('what is told once in a while is told again when that is over, though the machine’s clock was set back', async () => {
  const rig = await createRig()
  try {
    await rig.approve('on_stop', 'exit 9', { name: 'broken' })
    await rig.approve('on_stop', `echo '{"systemMessage": "a note"}'`, { name: 'talker' })
    await rig.on()
    const notes = (): number => rig.texts().filter((text) => text.includes('a note')).length
    const faults = (): number =>
      rig.texts().filter((text) => text.includes('broken') || text.includes('exit')).length
    const stop = () => rig.fire('on_stop', { response: 'x', tool_names: [], stop_hook_active: false })
    await stop()
    await until('the first to be told', () => faults() === 1 && notes() === 1)
    rig.clock.setMs = -2 * 60 * 60_000
    await stop()
    expect([faults(), notes()]).toEqual([1, 1])
    rig.clock.aheadMs = 60 * 60_000
    await stop()
    await until('both to be told again', () => faults() === 2 && notes() === 2)
  } finally {
    await rig.stop()
  }
})
