import { expect, test } from 'vitest'
import { createOwnerNews } from '../../../src/handlers/builtins/owner-news.ts'
import type { JsonObject } from '../../../src/core/model/base/json.ts'
import type { OwnerNewsItem } from '../../../src/shared/chat/owner-news.ts'
import { payloadOf } from '../../../src/core/model/events/payload.ts'
import type { EventName } from '../../../src/core/model/events/event.ts'
import type { Entry } from '../../../src/core/model/hooks/entry.ts'
import { armed } from '../armed.ts'

const bench = () => {
  const told: OwnerNewsItem[] = []
  let timers: { readonly atMs: number; readonly run: () => void }[] = []
  const state = { nowMs: 0, isLive: true }
  const news = createOwnerNews({
    isLive: () => state.isLive,
    after: (delayMs, run) => void timers.push({ atMs: state.nowMs + delayMs, run }),
  })
  news.onNews((item) => void told.push(item))
  const payload = (event: EventName, fields: JsonObject, session: string) =>
    payloadOf(
      event,
      { event_id: 'e', timestamp: '', session_id: session, agent_id: 'main', cwd: '/' },
      fields,
    )
  return {
    told,
    state,
    hear: (event: EventName, fields: JsonObject = {}, entry: Partial<Entry> = {}, session = 's') =>
      news.hear(
        armed(`tell ${event}`, { type: 'builtin', command: 'tell_owner', event, ...entry }),
        payload(event, fields, session),
      ),
    note: (event: EventName, verdict: 'allow' | 'block' = 'allow', session = 's') =>
      news.note(payload(event, {}, session), { verdict }),
    pass: (ms: number): void => {
      const endsAtMs = state.nowMs + ms
      for (;;) {
        const [next] = timers.filter(({ atMs }) => atMs <= endsAtMs).toSorted((a, b) => a.atMs - b.atMs)
        if (next === undefined) break
        timers = timers.filter((timer) => timer !== next)
        state.nowMs = next.atMs
        next.run()
      }
      state.nowMs = endsAtMs
    },
  }
}

test('The end of a turn, a question and an error are told after a moment', () => {
  const { told, hear, pass } = bench()
  hear('on_turn_end', { reason: 'normal' })
  hear('on_user_input', { prompt: 'Which one?' })
  hear('on_error', { error: { message: 'it broke', name: 'Error', stack: '' } })
  expect(told).toEqual([])
  pass(3000)
  expect(told.map(({ kind, detail, count }) => [kind, detail, count])).toEqual([
    ['ended', undefined, 1],
    ['waits', 'Which one?', 1],
    ['failed', 'it broke', 1],
  ])
})

test('Many turns within a minute are one more notice, and a flood stays one a minute', () => {
  const { told, hear, pass } = bench()
  for (let round = 0; round < 1000; round++) {
    hear('on_turn_end', { reason: 'normal' })
    pass(100)
  }
  pass(120_000)
  expect(told.map(({ count }) => count).reduce((sum, count) => sum + count, 0)).toBe(1000)
  expect(told.length).toBeLessThanOrEqual(4)
})

test('A turn that a person stopped is not told, and neither is one that on_error tells', () => {
  const { told, hear, pass } = bench()
  for (const reason of ['canceled', 'steered', 'error']) hear('on_turn_end', { reason })
  pass(10_000)
  expect(told).toEqual([])
})

test('A client without ends of turns is told by its stops, and another one is not told twice', () => {
  const { told, hear, pass } = bench()
  hear('on_stop', {}, {}, 'claude')
  pass(5000)
  expect(told).toHaveLength(1)
  hear('on_turn_end', { reason: 'normal' }, {}, 'ours')
  hear('on_stop', {}, {}, 'ours')
  pass(100_000)
  expect(told).toHaveLength(2)
})

test('A long turn is told once, and a turn that ended, waits or was replaced is not', () => {
  const { told, hear, note, pass } = bench()
  const busy = { busyMs: 600_000 }
  hear('on_user_message', { kind: 'message' }, busy)
  pass(599_000)
  expect(told).toEqual([])
  hear('on_user_message', { kind: 'steer' }, busy)
  pass(2000)
  expect(told).toMatchObject([{ kind: 'busy', minutes: 10 }])
  pass(3_600_000)
  for (const event of ['on_turn_end', 'on_stop', 'on_user_input', 'on_session_end'] as const) {
    hear('on_user_message', { kind: 'message' }, busy)
    note(event)
    pass(3_600_000)
  }
  hear('on_user_message', { kind: 'message' }, busy)
  pass(300_000)
  hear('on_user_message', { kind: 'message' }, busy)
  pass(500_000)
  expect(told).toHaveLength(1)
  // A stop that hooks refused is no end.
  note('on_stop', 'block')
  pass(200_000)
  expect(told).toHaveLength(2)
})

test('while a person is asked about a call, nobody is told that the agent is busy', () => {
  const { told, hear, note, pass } = bench()
  hear('on_user_message', { kind: 'message' }, { busyMs: 600_000 })
  pass(500_000)
  note('on_permission_request')
  pass(3_600_000)
  expect(told).toEqual([])
  note('on_permission_decision')
  pass(599_000)
  expect(told).toEqual([])
  pass(1000)
  expect(told).toMatchObject([{ kind: 'busy', minutes: 10 }])
  // A turn that ended meanwhile is not taken up again.
  hear('on_user_message', { kind: 'message' }, { busyMs: 600_000 })
  note('on_permission_request')
  note('on_turn_end')
  note('on_permission_decision')
  pass(3_600_000)
  expect(told).toHaveLength(1)
})

test('After a revoke nothing is told', () => {
  const { told, state, hear, pass } = bench()
  hear('on_turn_end', { reason: 'normal' })
  hear('on_user_message', {}, { busyMs: 60_000 })
  state.isLive = false
  pass(600_000)
  expect(told).toEqual([])
})

test('A question of eight megabytes is shortened', () => {
  const { told, hear, pass } = bench()
  hear('on_user_input', { prompt: 'x'.repeat(8_000_000) })
  pass(3000)
  expect(told[0]?.detail).toHaveLength(300)
})
