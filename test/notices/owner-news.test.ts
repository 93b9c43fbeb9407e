import { expect, test } from 'vitest'
import { createOwnerNews } from '../../src/notices/owner-news.ts'
import { quietMinutesLeft } from '../../src/notices/quiet-hours.ts'
import { proseText } from '../../src/core/model/chat/prose.ts'

const [ann, bob] = ['telegram:7', 'web:owner']
const chats = { [ann]: { channel: 'telegram', chat_id: '7' }, [bob]: { channel: 'web', chat_id: 'main' } }

const bench = (nowMs: number) => {
  const told: string[] = []
  const timers: { readonly delayMs: number; readonly run: () => void }[] = []
  const clock = { nowMs }
  const tell = createOwnerNews({
    owners: () => Object.entries(chats).map(([id, chat]) => ({ id, chat })),
    tellOwner: ({ chat_id }, text) => void told.push(`${chat_id}: ${proseText(text)}`),
    after: (delayMs, run) => void timers.push({ delayMs, run }),
    now: () => clock.nowMs,
    tz: 'Europe/Berlin',
  })
  return { told, timers, clock, tell }
}
const at = (hour: number): number => Date.UTC(2030, 0, 1, hour)

test.each([
  ['22:00-07:00', 23 * 60, 8 * 60],
  ['22:00-07:00', 3 * 60, 4 * 60],
  ['22:00-07:00', 7 * 60, 0],
  ['22:00-07:00', 12 * 60, 0],
  ['09:00-17:30', 9 * 60, 8 * 60 + 30],
  ['09:00-17:30', 8 * 60 + 59, 0],
  ['09:00-09:00', 9 * 60, 0],
  [undefined, 0, 0],
])('the hours %s have, at minute %i, %i minutes left', (hours, minute, left) => {
  expect(quietMinutesLeft(hours, minute)).toBe(left)
})

test('Each owner is told, but not in the chat where the person sees it', () => {
  const { told, tell } = bench(at(12))
  tell({ kind: 'ended', agent_id: 'main', count: 1, address: chats[bob] ?? { channel: '', chat_id: '' } })
  expect(told).toEqual(['7: main has finished its turn.'])
  tell({
    kind: 'busy',
    agent_id: 'main',
    count: 1,
    minutes: 10,
    address: { channel: 'web', chat_id: 'main' },
  })
  expect(told.slice(1)).toEqual([
    '7: main has been busy for 10 minutes.',
    'main: main has been busy for 10 minutes.',
  ])
})

test('In the quiet hours of an owner nothing comes, and afterwards one notice', () => {
  // In Berlin it is an hour later.
  const { told, timers, clock, tell } = bench(at(22))
  const quiet = { [ann]: '22:00-07:00' }
  tell({ kind: 'ended', agent_id: 'main', count: 1, quiet })
  tell({ kind: 'ended', agent_id: 'main', count: 2, quiet })
  tell({ kind: 'waits', agent_id: 'main', count: 1, detail: 'Which one?', quiet })
  expect(told).toEqual([
    'main: main has finished its turn.',
    'main: main has finished 2 turns.',
    'main: main waits for you: Which one?',
  ])
  expect(timers.map(({ delayMs }) => delayMs)).toEqual([8 * 60 * 60_000])
  // The clock was put back meanwhile, so the hours are not over.
  timers.shift()?.run()
  expect(told).toHaveLength(3)
  clock.nowMs += 9 * 60 * 60_000
  timers.shift()?.run()
  expect(told.slice(3)).toEqual([
    '7: In your quiet hours:\n│ main has finished 3 turns.\n│ main waits for you: Which one?\n→ /hooks log',
  ])
  tell({ kind: 'failed', agent_id: 'main', count: 1, quiet })
  expect(told.at(-2)).toBe('7: main failed.')
})
