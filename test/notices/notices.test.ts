import { afterEach, describe, expect, test } from 'vitest'
import { fixed } from '../../src/core/model/chat/prose.ts'
import { ABOUTS, ALARMS } from '../../src/notices/notices.ts'
import { blocks, createRig, main, says, until, untilPaused, type Rig } from '../core/dispatcher/rig.ts'

let rig: Rig | undefined
const begin = async (): Promise<Rig> => (rig = await createRig())
afterEach(async () => {
  await rig?.stop()
  rig = undefined
})

describe('what nobody asked for', () => {
  test('the same warning is told once in ten minutes, then with how often it came again', async () => {
    const rig = await begin()
    for (let count = 0; count < 3; count++) rig.notices.tellOwners(fixed('It is late.'), 'late')
    rig.clock.aheadMs = 11 * 60_000
    rig.notices.tellOwners(fixed('It is late.'), 'late')
    await until('both', () => rig.texts().length === 2)
    expect(rig.texts()).toEqual(['🛡 It is late.', '🛡 It is late. (and 2 more times since the last notice)'])
  })

  test('a flood of it does not stand before the answer to a command', async () => {
    const rig = await begin()
    await rig.approve('on_outbound_message', blocks('no'), {
      name: 'wall',
      matcher: { field: 'type', pattern: 'text' },
    })
    await rig.on()
    rig.memory.fail({ kind: 'retry', afterMs: 5000, why: 'wait' })
    await Promise.all(Array.from({ length: 60 }, (_, index) => rig.push(`bad ${index}`)))
    await untilPaused(rig)
    await rig.dispatcher.notify(main, fixed('Hooks are OFF.'))
    rig.pass(5000)
    await until('the answer', () => rig.texts().includes('🛡 Hooks are OFF.'))
    expect(rig.texts().indexOf('🛡 Hooks are OFF.')).toBeLessThanOrEqual(20)
  })

  test('a flood of one kind stands before no other, and what is not told was not made', async () => {
    const rig = await begin()
    let made = 0
    for (let count = 0; count < 60; count++)
      rig.notices.tellOwners(() => (made++, fixed(`Line ${count} cannot be read.`)), undefined, 'files')
    rig.notices.tellOwners(fixed('A hook waits for you.'), undefined, 'proposals')
    rig.notices.tellOwners(fixed('A guard failed.'))
    await until(
      'the other kinds',
      () => rig.texts().includes('🛡 A hook waits for you.') && rig.texts().includes('🛡 A guard failed.'),
    )
    expect(made).toBe(20)
  })

  test('no flood of anything else hides an alarm, not even one of another alarm, and each is recorded', async () => {
    const rig = await begin()
    for (const about of ABOUTS) {
      for (let count = 0; count < 60; count++)
        rig.notices.tellOwners(fixed(`${about} ${count}`), undefined, about)
    }
    for (let count = 0; count < 60; count++) rig.notices.alarm('login', fixed(`login ${count}`))
    for (const about of ALARMS.slice(1)) rig.notices.alarm(about, fixed(`alarm of ${about}`))
    const told = ALARMS.slice(1).map((about) => `🛡 alarm of ${about}`)
    await until('all alarms', () => told.every((text) => rig.texts().includes(text)))
    expect(rig.texts().filter((text) => text.startsWith('🛡 login'))).toHaveLength(20)
    expect(await rig.store.records({ limit: 99, ofClass: 'logins' })).toHaveLength(60)
    const recorded = await rig.store.records({ limit: 99, ofClass: 'alarms' })
    expect(recorded.map(({ subject, reason }) => `${subject}: ${reason}`).toReversed()).toEqual(
      ALARMS.slice(1).map((about) => `${about}: alarm of ${about}`),
    )
  })

  test('notes of hooks go to the chat of the session, else to the owners, and faults to the owners', async () => {
    const rig = await begin()
    await rig.approve('pre_tool_call', says({ systemMessage: 'careful with that' }), { name: 'noter' })
    await rig.approve('pre_tool_call', 'exit 1', { name: 'broken' })
    await rig.on()
    await rig.fire(
      'pre_tool_call',
      { tool_name: 'bash', tool_input: {} },
      { address: { channel: 'memory', chat_id: 'work' } },
    )
    expect(await until('the note', () => rig.texts('work')[0])).toBe(
      '🛡 Note on pre_tool_call: careful with that',
    )
    expect(await until('the warning', () => rig.texts()[0])).toMatch(/^🛡 ⚠ broken failed \(exit\): /)
    await rig.fire('pre_tool_call', { tool_name: 'bash', tool_input: {} })
    expect(await until('the note', () => rig.texts()[1])).toBe('🛡 Note on pre_tool_call: careful with that')
  })
})
