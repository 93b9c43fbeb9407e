import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openHistoryDatabase, type HistoryDatabase } from '../../src/history/database.ts'
import { createTimeline } from '../../src/history/timeline.ts'
import type { EventEnd, EventsFilter, EventsFound, HistoryStats } from '../../src/shared/events/kept.ts'
import { fill } from './filled.ts'

const hourMs = 60 * 60_000
let folder: string
let database: HistoryDatabase
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'hookgate-history-'))
  database = openHistoryDatabase(
    { path: join(folder, 'history.db'), keptMs: 1e15, maxBytes: 1e9 },
    () => undefined,
  )
})
afterEach(() => {
  database.close()
  rmSync(folder, { recursive: true, force: true })
})

const statsOf = async (filter: Partial<EventsFilter> = {}): Promise<Omit<HistoryStats, 'missed'>> =>
  (await database.answer({ about: 'stats', query: { sinceMs: 0, ...filter } })) as Omit<
    HistoryStats,
    'missed'
  >

const eventsOf = async (filter: Partial<EventsFilter> = {}): Promise<EventsFound['events']> =>
  ((await database.answer({ about: 'events', query: { sinceMs: 0, limit: 5000, ...filter } })) as EventsFound)
    .events

const ends: readonly EventEnd[] = ['allowed', 'changed', 'failed', 'asked', 'blocked']

const sum = (counts: readonly number[]): number => counts.reduce((all, count) => all + count, 0)

test('a statistic and a search agree about every filter, and each event is in one step of the time', async () => {
  fill(database, { events: 3000, untilMs: Date.now() })
  const everything = await eventsOf()
  expect(everything).toHaveLength(3000)
  const [first] = everything
  const changer = everything
    .flatMap(({ hooks }) => hooks)
    .find(({ deed, isShadow }) => deed === 'wrote' && isShadow !== true)
  const fingerprint = changer?.fingerprint ?? ''
  const filters: readonly Partial<EventsFilter>[] = [
    {},
    { agent: 'agent 1' },
    { event: 'pre_tool_call' },
    { verdict: 'block' },
    ...ends.map((end) => ({ end })),
    { end: 'failed', agent: 'agent 1', text: 'ls' },
    { deed: 'failed' },
    { deed: 'shadow blocked' },
    { fingerprint },
    { fingerprint, deed: 'wrote' },
    { text: 'LS 29' },
    { agent: 'agent 2', text: 'ls 2' },
    { sinceMs: (first?.atMs ?? 0) - hourMs },
    { untilMs: (first?.atMs ?? 0) - hourMs },
    { agent: 'nobody' },
  ]
  for (const filter of filters) {
    const what = JSON.stringify(filter)
    const found = await eventsOf(filter)
    const { verdicts, timeline, events, changed, hooks } = await statsOf(filter)
    expect(found.length, what).toBeGreaterThan(filter.agent === 'nobody' ? -1 : 0)
    expect(verdicts.allow + verdicts.ask + verdicts.block, what).toBe(found.length)
    expect(sum(Object.values(timeline.ends).flat()), what).toBe(found.length)
    expect(sum(events.flatMap(({ ends }) => Object.values(ends))), what).toBe(found.length)
    expect(sum(timeline.ends.blocked), what).toBe(verdicts.block)
    if (filter.end !== undefined) expect(sum(timeline.ends[filter.end]), what).toBe(found.length)
    expect(changed, what).toBe(found.filter((event) => event.changed !== undefined).length)
    const asked = found.flatMap((event) =>
      event.hooks.filter((hook) => (filter.fingerprint ?? hook.fingerprint) === hook.fingerprint),
    )
    const counted = hooks.flatMap(({ deeds, shadow }) => [
      ...Object.values(deeds),
      ...Object.values(shadow?.deeds ?? {}),
    ])
    expect(sum(counted), what).toBe(asked.length)
  }
})

test('the times of a hook are those that half and 95 percent of its answers took at most', async () => {
  fill(database, { events: 2000, untilMs: Date.now() })
  const found = await eventsOf()
  for (const { fingerprint, p50Ms, p95Ms } of (await statsOf()).hooks) {
    const times = found
      .flatMap(({ hooks }) => hooks.filter((hook) => hook.fingerprint === fingerprint))
      .map(({ durationMs = 0 }) => durationMs)
      .toSorted((a, b) => a - b)
    expect([p50Ms, p95Ms]).toEqual([
      times[Math.floor(times.length / 2)],
      times[Math.floor(times.length * 0.95)],
    ])
  }
})

test('a text is searched in the newest events, and the statistic says that there are older ones', async () => {
  fill(database, { events: 7600, untilMs: Date.now() })
  const { isPart, verdicts } = await statsOf({ text: 'ls' })
  expect([isPart, verdicts.allow + verdicts.ask + verdicts.block]).toEqual([true, 5000])
  expect((await statsOf()).isPart).toBeUndefined()
})

test.each([
  ['one minute', 60_000],
  ['a week', 7 * 24 * hourMs],
  ['a thousand years', 365_000 * 24 * hourMs],
  ['no time at all', 0],
  ['a clock that was set back', -24 * hourMs],
])('a timeline has a bounded number of steps: %s', (_, spanMs) => {
  const untilMs = Date.now()
  const timeline = createTimeline(untilMs - spanMs, untilMs)
  const times = [0, untilMs - spanMs, untilMs, 2 * untilMs, Number.MAX_SAFE_INTEGER]
  for (const end of ends) for (const atMs of times) timeline.add(atMs, end)
  const { stepMs, ends: counted } = timeline.counted()
  expect(stepMs).toBeGreaterThanOrEqual(60_000)
  for (const end of ends) {
    expect(counted[end].length).toBeGreaterThan(0)
    expect(counted[end].length).toBeLessThanOrEqual(61)
    expect(sum(counted[end])).toBe(times.length)
  }
})
