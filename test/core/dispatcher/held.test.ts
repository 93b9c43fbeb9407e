import { consentOf } from '../../consent.ts'
import { afterEach, describe, expect, test } from 'vitest'
import { patienceMs } from '../../../src/core/dispatcher/door/hold.ts'
import { timeToLiveMs } from '../../../src/core/dispatcher/door/door.ts'
import { blocks, createRig, main, me, says, until, untilPaused, type Rig } from './rig.ts'

let rig: Rig | undefined
const begin = async (): Promise<Rig> => {
  rig = await createRig()
  await rig.approve('on_outbound_message', says({ decision: 'ask', reason: 'it names a customer' }), {
    matcher: { pattern: 'customer' },
  })
  await rig.on()
  return rig
}
afterEach(async () => {
  await rig?.stop()
  rig = undefined
})
const asked = async (rig: Rig, count = 1) => {
  await until('the question', () => rig.asked.length === count)
  const held = rig.asked.at(-1)
  if (held === undefined) throw new Error('Expected a question.')
  return held
}

test('a message about which a hook asks waits, the agent is told so, and it leaves when an owner says so', async () => {
  const rig = await begin()
  expect(await rig.push('hello customer')).toMatchObject({
    outcome: 'held',
    reason: expect.stringMatching(/asks for an owner's decision: it names a customer$/),
  })
  expect(rig.texts()).toEqual([])
  expect(rig.asked).toHaveLength(1)
  const held = await asked(rig)
  expect(held).toMatchObject({
    ...main,
    agent_id: 'main',
    why: 'it names a customer',
    content: { type: 'text', text: 'hello customer' },
  })
  expect(rig.dispatcher.release(held.key, consentOf('memory:owner'))).toBe(true)
  await until('it', () => rig.texts().includes('hello customer'))
  expect(rig.dispatcher.held()).toEqual([])
  expect(await rig.store.outbox()).toEqual([])
})

test('released, it is judged once more: a hook that blocks it now has its way', async () => {
  const rig = await begin()
  await rig.push('hello customer', { push_id: 'p' })
  const { key } = await asked(rig)
  await rig.approve('on_outbound_message', blocks('not today'), { matcher: { pattern: 'hello' } })
  await until('judged again', () => rig.dispatcher.held().length === 0)
  expect(rig.dispatcher.release(key, consentOf('memory:owner'))).toBe(false)
  expect(rig.texts().filter((text) => text.includes('customer'))).toEqual([])
})

test("an owner's word counts for exactly what they were asked about", async () => {
  const rig = await begin()
  await rig.push('hello customer')
  const { key } = await asked(rig)
  await rig.approve('on_outbound_message', says({ notification: 'hello customer, here is more' }), {
    matcher: { pattern: 'hello customer$' },
    priority: 900,
  })
  const again = await asked(rig, 2)
  expect(again.content.text).toBe('hello customer, here is more')
  expect(again.key).not.toBe(key)
  expect(rig.dispatcher.release(key, consentOf('memory:owner'))).toBe(false)
  expect(rig.texts()).toEqual([])
  expect(rig.dispatcher.release(again.key, consentOf('memory:owner'))).toBe(true)
  await until('it', () => rig.texts().includes('hello customer, here is more'))
})

test("what changes between an owner's word and the send is asked about anew", async () => {
  const rig = await begin()
  rig.memory.fail({ kind: 'retry', afterMs: 5000, why: 'away' })
  await rig.push('hello customer')
  const { key } = await asked(rig)
  expect(rig.dispatcher.release(key, consentOf('memory:owner'))).toBe(true)
  await untilPaused(rig)
  await rig.approve('on_outbound_message', says({ notification: 'hello customer, here is more' }), {
    matcher: { pattern: 'hello customer$' },
    priority: 900,
  })
  rig.pass(5000)
  expect((await asked(rig, 2)).content.text).toBe('hello customer, here is more')
  expect(rig.texts()).toEqual([])
})

test('withheld by an owner it never leaves, and the agent hears of it when it asks', async () => {
  const rig = await begin()
  await rig.push('hello customer', { push_id: 'p' })
  const { key } = await asked(rig)
  expect(rig.dispatcher.withhold(key, consentOf('memory:owner'))).toBe(true)
  await until('the end', async () => (await rig.store.ended()).length === 1)
  expect(await rig.push('hello customer', { push_id: 'p' })).toMatchObject({
    outcome: 'withheld',
    reason: 'an owner withheld it',
  })
  expect(rig.texts().filter((text) => text.startsWith('hello'))).toEqual([])
})

test('what is said later in the same chat waits a minute behind it, then passes it; other chats and notices wait for nothing', async () => {
  const rig = await begin()
  await rig.push('hello customer')
  await asked(rig)
  const later = rig.push('later')
  expect(await rig.push('elsewhere', { chat_id: 'other' })).toMatchObject({ outcome: 'delivered' })
  await rig.dispatcher.notify(main, [{ fixed: 'a notice' }])
  await until('the notice', () => rig.texts().includes('🛡 a notice'))
  expect(rig.texts()).toEqual(['🛡 a notice'])
  rig.clock.aheadMs = patienceMs
  rig.dispatcher.wake()
  expect(await later).toMatchObject({ outcome: 'delivered' })
  expect(rig.texts()).toEqual(['🛡 a notice', 'later'])
  expect(rig.dispatcher.held()).toHaveLength(1)
})

test('after a day without a word it is withheld, and the agent and the owner hear why', async () => {
  const rig = await begin()
  await rig.push('hello customer', { push_id: 'p' })
  await asked(rig)
  rig.clock.aheadMs = timeToLiveMs + 1
  rig.dispatcher.wake()
  await until('the end', async () => (await rig.store.ended()).length === 1)
  expect(await rig.push('hello customer', { push_id: 'p' })).toMatchObject({
    outcome: 'withheld',
    reason: 'no owner released it within a day',
  })
})

test('a word that was given before the gate was killed has to be given anew, and is asked for', async () => {
  const rig = await begin()
  await rig.push('hello customer')
  await asked(rig)
  const again = await rig.restart()
  const held = await asked(rig, 2)
  expect(again.held()).toHaveLength(1)
  expect(rig.texts()).toEqual([])
  again.release(held.key, consentOf('memory:owner'))
  await until('it', () => rig.texts().includes('hello customer'))
})

describe('what an owner was asked about leaves by their word alone', () => {
  const cures: readonly (readonly [string, (rig: Rig) => Promise<unknown>])[] = [
    ['hooks are switched off', (rig) => rig.off()],
    ['its hook is revoked', (rig) => rig.gatekeeper.revoke(rig.gatekeeper.armed()[0]!.fingerprint, me)],
  ]
  for (const [name, cure] of cures)
    test(`though ${name}, also after a restart`, async () => {
      const rig = await begin()
      await rig.push('hello customer')
      const { key } = await asked(rig)
      await cure(rig)
      // A push that is judged after it, in the same lane, tells that the held one was judged again.
      rig.clock.aheadMs = patienceMs
      await rig.push('after it')
      expect(rig.texts()).toEqual(['after it'])
      expect(rig.dispatcher.held().map((held) => held.key)).toEqual([key])
      await rig.restart()
      await until('it to wait again', () => rig.dispatcher.held().length === 1)
      expect(rig.texts()).toEqual(['after it'])
      expect(rig.dispatcher.release(rig.dispatcher.held()[0]!.key, consentOf('memory:owner'))).toBe(true)
      await until('it', () => rig.texts().includes('hello customer'))
    })
})

test('what waits behind a held message goes by a clock that nobody can set: it leaves when its time is over, though the machine’s clock was set back', async () => {
  const rig = await begin()
  await rig.push('hello customer')
  await asked(rig)
  const { store, texts } = rig
  const said = rig.push('said later')
  await until('it to wait', async () => (await store.outbox()).length === 2)
  rig.clock.setMs = -2 * 60 * 60_000
  rig.dispatcher.wake()
  expect(texts()).toEqual([])
  rig.clock.aheadMs = patienceMs + 1
  rig.dispatcher.wake()
  expect(await said).toMatchObject({ outcome: 'delivered' })
})
