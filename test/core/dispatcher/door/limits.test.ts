import { afterEach, describe, expect, test } from 'vitest'
import { limits as telegram } from '../../../../bots/telegram/write/payload.ts'
import { createLimits } from '../../../../src/core/dispatcher/door/limits.ts'
import type { Channel, Limit } from '../../../../src/core/model/chat/channel.ts'
import { fixed } from '../../../../src/core/model/chat/prose.ts'
import {
  blocks,
  createRig as createDispatcherRig,
  main,
  until,
  untilPaused,
  type Rig,
  type RigOptions,
} from '../rig.ts'

/** Limits over a clock that only the test moves. */
const createRig = (limits: readonly Limit[]) => {
  const clock = { ms: 0 }
  let timers: { readonly atMs: number; run(): void }[] = []
  const channel: Channel = {
    name: 'memory',
    maxUnits: 9,
    forms: [],
    limits,
    groupOf: (chat) => (chat.startsWith('-') ? chat.split('/', 1)[0] : undefined),
    hasButtons: false,
    start: async () => undefined,
    stop: async () => undefined,
    deliver: async () => ({ kind: 'delivered' }),
  }
  const kept = createLimits({
    channel: (name) => (name === 'memory' ? channel : undefined),
    after: (delayMs, run) => void timers.push({ atMs: clock.ms + delayMs, run }),
    elapsedMs: () => clock.ms,
  })
  const left: { readonly chat: string; readonly atMs: number }[] = []
  /** Sends `count` to a chat, one after the other, each as soon as it may. */
  const send = (chat: string, count: number, tookMs = 0): void => {
    if (count === 0) return
    const place = kept.take({ channel: 'memory', chat_id: chat }, () => send(chat, count, tookMs))
    if (place === undefined) return
    left.push({ chat, atMs: clock.ms })
    place.start()
    timers.push({
      atMs: clock.ms + tookMs,
      run: () => {
        place.end()
        send(chat, count - 1, tookMs)
      },
    })
  }
  const pass = (ms: number): void => {
    const endMs = clock.ms + ms
    for (;;) {
      const [next] = timers.toSorted((a, b) => a.atMs - b.atMs)
      if (next === undefined || next.atMs > endMs) break
      timers = timers.filter((timer) => timer !== next)
      clock.ms = Math.max(clock.ms, next.atMs)
      next.run()
    }
    clock.ms = endMs
  }
  const most = (withinMs: number, sends: readonly { readonly atMs: number }[]): number =>
    Math.max(
      ...sends.map(
        ({ atMs }) => sends.filter((other) => other.atMs >= atMs && other.atMs < atMs + withinMs).length,
      ),
    )
  return { kept, send, pass, left, clock, most, timers: () => timers.length }
}

const at = (chat: string) => ({ channel: 'memory', chat_id: chat })

test('Telegram gets one a second in a chat, twenty a minute in a group and thirty a second over all, and all that it takes', () => {
  const { send, pass, left, most } = createRig(telegram)
  for (let chat = 1; chat <= 50; chat++) send(String(chat), 40)
  send('-100', 60)
  pass(60_000)
  expect(most(1000, left)).toBe(30)
  for (const chat of ['1', '50', '-100'])
    expect(
      most(
        1000,
        left.filter((each) => each.chat === chat),
      ),
    ).toBe(1)
  expect(left.filter(({ chat }) => chat === '-100')).toHaveLength(20)
  expect(left.length).toBeGreaterThan(60 * 30 * 0.98)
})

test('the topics of a group share what the group gets', () => {
  const { send, pass, left, most } = createRig(telegram)
  for (const chat of ['-100', '-100/2', '-100/3', '-200']) send(chat, 15)
  pass(59_999)
  const ofGroup = left.filter(({ chat }) => chat.startsWith('-100'))
  expect([ofGroup.length, most(1000, ofGroup), left.length]).toEqual([20, 1, 35])
})

test('chats that wait for their share get it in turn', () => {
  const { send, pass, left } = createRig([{ of: 'all', sends: 3, withinMs: 100 }])
  for (const chat of ['a', 'b', 'c', 'd', 'e']) send(chat, 100)
  pass(5000)
  const counts = ['a', 'b', 'c', 'd', 'e'].map((chat) => left.filter((each) => each.chat === chat).length)
  expect(Math.max(...counts) - Math.min(...counts)).toBeLessThanOrEqual(1)
})

test('a send counts from its end, since the messenger may have counted it as late as that', () => {
  const { send, pass, left } = createRig([{ of: 'chat', sends: 1, withinMs: 1000 }])
  send('a', 3, 400)
  pass(10_000)
  expect(left.map(({ atMs }) => atMs)).toEqual([0, 1400, 2800])
})

test('sends that hang hold up no other chat for longer than a limit lasts', () => {
  const { send, pass, left } = createRig([{ of: 'all', sends: 2, withinMs: 1000 }])
  send('hangs', 1, 60_000)
  send('hangs too', 1, 60_000)
  send('works', 2)
  pass(1500)
  expect(left.map(({ chat, atMs }) => `${chat} ${atMs}`)).toEqual([
    'hangs 0',
    'hangs too 0',
    'works 1000',
    'works 1000',
  ])
})

test('what waits for nobody counts, and what was not tried does not', () => {
  const { kept, pass, clock } = createRig([{ of: 'chat', sends: 1, withinMs: 1000 }])
  for (let count = 0; count < 2; count++) {
    const forced = kept.force(at('a'))
    forced.start()
    forced.end()
  }
  const rung: number[] = []
  expect(kept.take(at('a'), () => rung.push(clock.ms))).toBeUndefined()
  pass(1000)
  expect(rung).toEqual([1000])
  kept.take(at('a'), () => undefined)?.end()
  expect(kept.take(at('a'), () => undefined)).toBeDefined()
})

test('room that was taken is kept until its send starts, however late, and counts from then on', () => {
  const { kept, pass, clock } = createRig([{ of: 'all', sends: 1, withinMs: 1000 }])
  const place = kept.take(at('a'), () => undefined)
  const rung: number[] = []
  expect(kept.take(at('b'), () => rung.push(clock.ms))).toBeUndefined()
  pass(5000)
  place?.start()
  pass(5000)
  expect(rung).toEqual([6000])
})

test('a messenger without limits, and one that is not there, take all at once', () => {
  const { kept, timers } = createRig([])
  for (let count = 0; count < 100; count++)
    expect([
      kept.take(at('a'), () => undefined),
      kept.take({ channel: 'none', chat_id: 'a' }, () => undefined),
    ]).not.toContain(undefined)
  expect(timers()).toBe(0)
})

describe('at the door', () => {
  const rigs: Rig[] = []
  const begin = async (options: RigOptions): Promise<Rig> => {
    const rig = await createDispatcherRig(options)
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
})
