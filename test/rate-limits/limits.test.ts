import { expect, test } from 'vitest'
import { limits as telegram } from '../../bots/telegram/write/payload.ts'
import { createLimits } from '../../src/rate-limits/limits.ts'
import type { Channel, Limit } from '../../src/core/model/chat/channel.ts'

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
