import { expect, test } from 'vitest'
import { createPauses, maxBackoffMs, maxPauseMs } from '../../src/rate-limits/pauses.ts'

const createRig = () => {
  const timers: { readonly atMs: number; run(): void }[] = []
  const over: string[] = []
  const pauses = createPauses({
    after: (atMs, run) => void timers.push({ atMs, run }),
  })
  pauses.onOpen((channel) => void over.push(channel))
  const pass = (ms: number): void => {
    for (const timer of timers.filter(({ atMs }) => atMs <= ms).toSorted((a, b) => a.atMs - b.atMs)) {
      timers.splice(timers.indexOf(timer), 1)
      timer.run()
    }
  }
  const asks = (chat_id: string, afterMs: number, channel = 'telegram'): number =>
    pauses.restMs({ channel, chat_id }, { kind: 'retry', afterMs, why: 'less', isLimit: true }, 1)
  return { pauses, pass, asks, over }
}

test('what a messenger asks for one chat holds for that one; asked for a second meanwhile, for all, until the last is over', () => {
  const { pauses, pass, asks, over } = createRig()
  expect(asks('a', 3000)).toBe(3000)
  expect(pauses.isClosed('telegram')).toBe(false)
  asks('b', 5000)
  asks('c', 9000)
  expect([pauses.isClosed('telegram'), pauses.isClosed('wechat')]).toEqual([true, false])
  pass(5000)
  expect([pauses.isClosed('telegram'), over]).toEqual([true, []])
  pass(9000)
  expect([pauses.isClosed('telegram'), over]).toEqual([false, ['telegram']])
})

test('two chats that are asked one after the other close nothing', () => {
  const { pauses, pass, asks } = createRig()
  asks('a', 1000)
  pass(1000)
  asks('b', 1000)
  asks('c', 1000, 'wechat')
  expect([pauses.isClosed('telegram'), pauses.isClosed('wechat')]).toEqual([false, false])
})

test('a messenger that cannot be reached is tried ever more rarely, never all chats at once, and never less than twice a minute', () => {
  const { pauses } = createRig()
  const rest = (tries: number): number =>
    pauses.restMs({ channel: 'x', chat_id: 'a' }, { kind: 'retry', afterMs: 2000, why: 'away' }, tries)
  expect(rest(1)).toBe(2000)
  for (const [tries, mostMs] of [
    [2, 4000],
    [3, 8000],
    [4, 16_000],
    [5, maxBackoffMs],
    [400, maxBackoffMs],
  ] as const) {
    const rests = Array.from({ length: 50 }, () => rest(tries))
    expect(Math.max(...rests)).toBeLessThanOrEqual(mostMs)
    expect(Math.min(...rests)).toBeGreaterThanOrEqual(mostMs * 0.75)
    expect(new Set(rests).size).toBeGreaterThan(1)
  }
})

test('a pause beyond an hour is cut, however long a messenger asks for', () => {
  const { asks } = createRig()
  expect(asks('a', 24 * maxPauseMs)).toBe(maxPauseMs)
})
