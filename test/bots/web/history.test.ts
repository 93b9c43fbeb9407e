import { afterEach, beforeEach, expect, test } from 'vitest'
import type { EventsFilter, EventsFound, HistoryStats } from '../../../src/shared/events/kept.ts'
import { logIn, post, startScripted, type Reply } from './scripted-web.ts'

const startMs = 1_750_000_000_000
const stats: HistoryStats = {
  verdicts: { allow: 0, ask: 0, block: 0 },
  changed: 0,
  timeline: {
    startMs,
    stepMs: 60_000,
    ends: { allowed: [], changed: [], failed: [], asked: [], blocked: [] },
  },
  events: [],
  agents: [],
  hooks: [],
  missed: 0,
}

const eventsFrom = (first: number, count: number, text = ''): EventsFound['events'] =>
  Array.from({ length: count }, (_, at) => ({
    id: `event ${first + at}`,
    atMs: startMs,
    event: 'pre_tool_call',
    agent: 'main',
    session: 's',
    verdict: 'allow',
    durationMs: 1,
    payload: { text },
    hooks: [],
  }))

let isOwner: boolean
let asked: EventsFilter[]
let answer: (before: number) => EventsFound
let made: Awaited<ReturnType<typeof startScripted>>
let ask: (path: string, body: object) => Promise<Reply>
beforeEach(async () => {
  isOwner = true
  asked = []
  answer = () => ({ events: [] })
  made = await startScripted(0, startMs, {
    ports: {
      isOwner: () => isOwner,
      history: {
        events: (query) => {
          asked.push(query)
          return Promise.resolve(answer(query.before ?? 0))
        },
        stats: (filter) => {
          asked.push(filter)
          return Promise.resolve(stats)
        },
      },
    },
  })
  const session = await logIn(made)
  ask = (path, body) => post(made.web.url(), path, body, session)
})
afterEach(() => made.web.stop())

const paths = ['/api/history', '/api/history/stats', '/api/history/export']
const linesOf = ({ text }: Reply): readonly object[] =>
  text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as object)

test.each(paths)('%s is for a session of an owner alone, with a bounded filter', async (path) => {
  const filter = {
    agent: 'main',
    event: 'on_stop',
    verdict: 'block',
    end: 'blocked',
    hook: 'f'.repeat(64),
    deed: 'shadow blocked',
    text: '字'.repeat(200),
    until_ms: 9,
  }
  expect((await ask(path, { ...filter, last_ms: 1000 })).status).toBe(200)
  const { hook: fingerprint, until_ms: untilMs, ...rest } = filter
  expect(asked).toMatchObject([{ ...rest, fingerprint, untilMs, sinceMs: made.now() - 1000 }])
  for (const wrong of [
    { verdict: 'x' },
    { end: 'allow' },
    { deed: 'shadow' },
    { text: 'y'.repeat(201) },
    { agent: 'y'.repeat(201) },
    { since_ms: -1 },
    { last_ms: 1.5 },
    { before: 0 },
    { limit: 9 },
    [],
  ])
    expect((await ask(path, wrong)).status, JSON.stringify(wrong)).toBe(400)
  expect((await ask(path, { text: 'y'.repeat(5000) })).status).toBe(413)
  expect((await post(made.web.url(), path, {}, () => ({}))).status).toBe(401)
  isOwner = false
  expect((await ask(path, {})).status).toBe(404)
  expect(asked).toHaveLength(1)
})

test('a page of events has at most 50, and the next one begins where it ended', async () => {
  answer = () => ({ events: eventsFrom(0, 1), next: 7 })
  expect(JSON.parse((await ask('/api/history', {})).text)).toMatchObject({ next: 7 })
  await ask('/api/history', { before: 7 })
  expect(asked).toEqual([
    { sinceMs: 0, limit: 50 },
    { sinceMs: 0, limit: 50, before: 7 },
  ])
})

test('an export has a line for each event that the filter finds, also behind a page without any', async () => {
  answer = (before) =>
    before === 0
      ? { events: eventsFrom(0, 2), next: 2 }
      : before === 2
        ? { events: [], next: 1 }
        : { events: eventsFrom(2, 1) }
  const reply = await ask('/api/history/export', {})
  expect(reply.headers['content-type']).toBe('application/x-ndjson; charset=utf-8')
  expect(reply.headers['content-disposition']).toContain('hookgate-history.jsonl')
  expect(linesOf(reply)).toMatchObject(
    [0, 1, 2].map((at) => ({ id: `event ${at}`, at: new Date(startMs).toISOString() })),
  )
})

test.each([
  ['ten thousand events', '', 10_000],
  ['32 million characters', 'x'.repeat(100_000), 334],
])('an export ends after %s, and its last line says so', async (_, text, most) => {
  answer = (before) => ({ events: eventsFrom(before, 200, text), next: before + 200 })
  const lines = linesOf(await ask('/api/history/export', {}))
  expect(lines).toHaveLength(most + 1)
  expect(lines.at(-1)).toEqual({
    more: 'There are older events. On the machine, "hookgate history" writes all of them.',
  })
})

test('an export ends where its person is no owner any more', async () => {
  answer = (before) => {
    if (before >= 400) isOwner = false
    return { events: eventsFrom(before, 200), next: before + 200 }
  }
  expect(linesOf(await ask('/api/history/export', {}))).toHaveLength(600)
})
