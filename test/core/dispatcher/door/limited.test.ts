import { afterEach, expect, test } from 'vitest'
import { fixed } from '../../../../src/core/model/chat/prose.ts'
import { blocks, createRig, main, until, untilPaused, type Rig, type RigOptions } from '../rig.ts'

const rigs: Rig[] = []
const begin = async (options: RigOptions): Promise<Rig> => {
  const rig = await createRig(options)
  rigs.push(rig)
  return rig
}
afterEach(async () => {
  for (const rig of rigs.splice(0)) await rig.stop()
})
const other = { chat_id: 'other' }
const states = async ({ store }: Rig): Promise<string> =>
  (await store.outbox()).map(({ state }) => state).join()

test('pushes wait for their turn, in order, and a notice passes them at once', async () => {
  const rig = await begin({ limits: [{ of: 'chat', sends: 1, withinMs: 60_000 }] })
  const { push, dispatcher, texts, pass } = rig
  for (const text of ['one', 'two', 'three']) void push(text)
  const arrived = ['one']
  await until('the first', async () => (await states(rig)) === 'queued,queued')
  await dispatcher.notify(main, fixed('Hooks are OFF.'))
  arrived.push('🛡 Hooks are OFF.')
  await until('the notice', () => texts().length === 2)
  for (const next of ['two', 'three']) {
    pass(30_000)
    await states(rig)
    expect(texts()).toEqual(arrived)
    pass(30_001)
    arrived.push(next)
    await until(next, () => texts().length === arrived.length)
  }
  expect(texts()).toEqual(['one', '🛡 Hooks are OFF.', 'two', 'three'])
})

test('an owner is answered at once in a chat at its limit, and told of what hooks withhold there', async () => {
  const { push, dispatcher, approve, on, texts } = await begin({
    limits: [
      { of: 'all', sends: 1, withinMs: 60_000 },
      { of: 'chat', sends: 1, withinMs: 60_000 },
    ],
  })
  await push('one')
  void push('two')
  for (const words of ['Hooks are OFF.', 'Hooks are ON.']) await dispatcher.notify(main, fixed(words))
  await approve('on_outbound_message', blocks('no secrets'), { matcher: { pattern: 'secret' } })
  await on()
  expect(await push('a secret', other)).toMatchObject({ outcome: 'withheld' })
  await until('word of it', () => texts().length === 4)
  expect(texts().slice(0, 3)).toEqual(['one', '🛡 Hooks are OFF.', '🛡 Hooks are ON.'])
})

test('a chat at its limit delays no other', async () => {
  const rig = await begin({ limits: [{ of: 'chat', sends: 1, withinMs: 60_000 }] })
  expect(await rig.push('one')).toMatchObject({ outcome: 'delivered' })
  void rig.push('two')
  await until('the second to wait', async () => (await states(rig)) === 'queued')
  expect(await rig.push('elsewhere', other)).toMatchObject({ outcome: 'delivered' })
  expect(rig.texts()).toEqual(['one'])
})

test('a hook that was approved and switched on while a limit made a push wait is asked before it leaves', async () => {
  const rig = await begin({ limits: [{ of: 'chat', sends: 1, withinMs: 5000 }] })
  const { push, approve, on, texts, pass } = rig
  expect(await push('one', other)).toMatchObject({ outcome: 'delivered' })
  const said = push('a secret', other)
  await approve('on_outbound_message', blocks('no secrets'), { matcher: { pattern: 'secret' } })
  await on()
  const after = push('harmless', other)
  expect(await said).toMatchObject({ outcome: 'withheld', reason: 'no secrets' })
  expect(texts('other')).toEqual(['one'])
  pass(5001)
  expect(await after).toMatchObject({ outcome: 'delivered' })
  expect(texts('other')).toEqual(['one', 'harmless'])
})

test('what waits for its turn is kept as waiting: after a crash it leaves, once', async () => {
  const rig = await begin({ limits: [{ of: 'chat', sends: 1, withinMs: 60_000 }] })
  await rig.push('one', other)
  void rig.push('two', other)
  await until('the second to wait', async () => (await states(rig)) === 'queued')
  await rig.restart()
  await until('the second', () => rig.texts('other').includes('two'))
  expect(rig.texts('other')).toEqual(['one', 'two'])
})

test('each part of a long push takes its turn, and a notice passes between them', async () => {
  const rig = await begin({ maxUnits: 30, limits: [{ of: 'chat', sends: 1, withinMs: 60_000 }] })
  const { push, dispatcher, texts, pass } = rig
  void push('a'.repeat(75), { push_id: 'long' })
  await until('the first part', () => texts().length === 1)
  await dispatcher.notify(main, fixed('here'))
  for (const arrived of [2, 3, 4]) {
    await until(`${arrived} messages`, () => texts().length === arrived)
    await states(rig)
    pass(60_001)
  }
  expect(await push('', { push_id: 'long' })).toMatchObject({ outcome: 'delivered' })
  expect(texts()).toEqual(['a'.repeat(30), '🛡 here', 'a'.repeat(30), 'a'.repeat(15)])
})

test('a messenger that asks two chats to wait is left alone by all, and then everything arrives', async () => {
  const rig = await begin({})
  const { push, memory, texts, pass } = rig
  for (let count = 0; count < 2; count++)
    memory.fail({ kind: 'retry', afterMs: 5000, why: 'too many', isLimit: true })
  const said = [push('one', { chat_id: 'a' }), push('two', { chat_id: 'b' })]
  await untilPaused(rig)
  said.push(push('three', { chat_id: 'c' }))
  await until('the third to wait', async () => (await states(rig)) === 'queued,queued,queued')
  expect(texts('c')).toEqual([])
  pass(5000)
  await Promise.all(said)
  expect(['a', 'b', 'c'].flatMap((chat) => texts(chat))).toEqual(['one', 'two', 'three'])
})

test('a messenger that asks one chat to wait goes on in the others, and what waits is told with why', async () => {
  const { push, memory, dispatcher } = await begin({})
  memory.fail({ kind: 'retry', afterMs: 60_000, why: 'too many', isLimit: true })
  void push('one', { chat_id: 'a' })
  await until('it to be refused', () => memory.isHealed())
  expect(await push('two', { chat_id: 'b' })).toMatchObject({ outcome: 'delivered' })
  expect(dispatcher.waiting()).toEqual([
    { channel: 'memory', chat_id: 'a', count: 1, sinceMs: expect.any(Number), why: 'too many' },
  ])
})
