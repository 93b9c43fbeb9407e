import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { keptFiles } from '../../../src/handlers/evidence/kept-files.ts'
import { createEvidenceMemory } from '../../../src/handlers/evidence/memory.ts'
import type { PastHook } from '../../../src/handlers/evidence/past.ts'
import { askPast, trialMs, type AskingPlace, type TrialPorts } from '../../../src/handlers/evidence/trial.ts'
import type { EventsQuery, KeptEvent } from '../../../src/shared/events/kept.ts'
import type { Evidence, PastAnswer, HypotheticalEffect } from '../../../src/shared/hooks/evidence.ts'

const event = (nth: number, more: Partial<KeptEvent> = {}): KeptEvent => ({
  id: `e${nth}`,
  atMs: nth,
  event: 'pre_tool_call',
  agent: 'main',
  session: 's',
  tool: 'bash',
  verdict: 'allow',
  durationMs: 1,
  payload: { event: 'pre_tool_call', event_id: `e${nth}`, tool_input: { command: `echo ${nth}` } },
  hooks: [],
  ...more,
})

const answer = (would: HypotheticalEffect, durationMs = 1, what: unknown = null): PastAnswer => ({
  would,
  durationMs,
  effect: JSON.stringify([would, what]),
  why: 'because',
})

/** Events as the history gives them, the newest first. */
const pagesOf =
  (all: readonly KeptEvent[], asked: EventsQuery[] = []): TrialPorts['events'] =>
  (query) => {
    asked.push(query)
    const from = query.before ?? 0
    const events = all.slice(from, from + query.limit)
    const next = from + events.length
    return Promise.resolve(next < all.length ? { events, next } : { events })
  }

const run = (
  all: readonly KeptEvent[],
  ask: PastHook | readonly AskingPlace[],
  more: Partial<TrialPorts> = {},
): Promise<Evidence> =>
  askPast({
    events: pagesOf(all),
    event: 'pre_tool_call',
    scope: { maxEvents: 100, sinceMs: 0 },
    fingerprint: 'new',
    places: typeof ask === 'function' ? [{ ask }] : ask,
    ended: () => undefined,
    progress: () => undefined,
    now: () => 7,
    elapsedMs: () => 0,
    ...more,
  })

const nth = ({ event_id }: { readonly event_id: string }): number => Number(event_id.slice(1))
const all = Array.from({ length: 50 }, (_, index) => event(index))

test('a trial counts what each answer would have done, and how long half and 95 percent of them took', async () => {
  const kinds = ['block', 'rewrite', 'ask', 'fail', 'pass'] as const
  const found = await run(all, (payload) =>
    Promise.resolve(
      nth(payload) % 2 === 0 ? undefined : answer(kinds[nth(payload) % 5] ?? 'pass', nth(payload)),
    ),
  )
  expect(found).toMatchObject({
    fingerprint: 'new',
    events: 50,
    matched: 25,
    counts: { block: 5, rewrite: 5, ask: 5, fail: 5, pass: 5 },
    p50Ms: 25,
    p95Ms: 47,
    unkept: 0,
    different: 0,
  })
  expect(found.cases[0]).toEqual({
    id: 'e1',
    event: 'pre_tool_call',
    atMs: 1,
    agent: 'main',
    about: 'bash echo 1',
    would: 'rewrite',
    why: 'because',
    was: 'allow',
  })
  expect(found.failures).toEqual([{ why: 'because', count: 5 }])
  expect(found.cases.map(({ would }) => would)).not.toContain('fail')
  expect(found.cases).toHaveLength(15)
  expect((await run(all, () => Promise.resolve(answer('block')))).cases).toHaveLength(20)
})

test('each failure is counted once with its words, the most frequent first, and no flood of them is kept', async () => {
  const failing = (why: (n: number) => string): Promise<Evidence> =>
    run(all, (payload) => Promise.resolve({ ...answer('fail'), why: why(nth(payload)) }))
  expect((await failing((n) => (n % 5 === 0 ? 'late' : 'no jq'))).failures).toEqual([
    { why: 'no jq', count: 40 },
    { why: 'late', count: 10 },
  ])
  const many = await failing(String)
  expect(many.failures).toHaveLength(21)
  expect(many.failures[0]).toEqual({ why: '', count: 30 })
})

test('it asks about no more events than wanted, and reads few at once', async () => {
  const asked: EventsQuery[] = []
  const scope = { maxEvents: 30, sinceMs: 3 }
  const found = await run(all, () => Promise.resolve(answer('pass')), { events: pagesOf(all, asked), scope })
  expect(found.events).toBe(30)
  expect(asked).toEqual([
    { sinceMs: 3, event: 'pre_tool_call', limit: 20 },
    { sinceMs: 3, event: 'pre_tool_call', limit: 10, before: 20 },
  ])
})

test('an event whose payload is missing or cut is counted and not asked about', async () => {
  const { payload: _, ...bare } = event(1)
  const heard: number[] = []
  const found = await run([event(0), bare, event(2, { isCut: true })], (payload) => {
    heard.push(nth(payload))
    return Promise.resolve(answer('block'))
  })
  expect(heard).toEqual([0])
  expect(found).toMatchObject({ events: 3, unkept: 2, matched: 1 })
})

test('its time is bounded for all events together, and what comes later counts nothing', async () => {
  expect([1, 100, 200, 1000].map(trialMs)).toEqual([60_000, 60_000, 120_000, 300_000])
  let nowMs = 0
  const remaining: number[] = []
  const found = await run(
    all,
    (_, remainingMs) => {
      remaining.push(remainingMs)
      nowMs += 25_000
      return Promise.resolve(answer('block'))
    },
    { elapsedMs: () => nowMs },
  )
  expect(remaining).toEqual([60_000, 35_000, 10_000])
  expect(found).toMatchObject({ events: 2, matched: 2, end: 'time' })
})

test('an answer that comes after the end of the trial counts nothing', async () => {
  let end: 'stopped' | undefined
  const found = await run(
    all,
    (payload) => {
      if (nth(payload) === 2) end = 'stopped'
      return Promise.resolve(answer('block'))
    },
    { ended: () => end },
  )
  expect(found).toMatchObject({ events: 2, counts: { block: 2 }, end: 'stopped' })
})

test('two versions are compared by what they do to an event, not by their words', async () => {
  const before: PastHook = (payload) =>
    Promise.resolve(nth(payload) < 2 ? undefined : { ...answer('rewrite', 1, 'x'), why: 'another reason' })
  const now: PastHook = (payload) =>
    Promise.resolve(
      nth(payload) === 0
        ? answer('block')
        : nth(payload) === 1
          ? answer('pass')
          : answer('rewrite', 1, nth(payload) === 3 ? 'y' : 'x'),
    )
  const found = await run(all.slice(0, 5), [{ ask: now, askSealed: before }], { sealed: 'old' })
  expect(found).toMatchObject({ sealed: 'old', different: 2 })
  expect(found.differences.map(({ id, would, sealed }) => [id, would, sealed])).toEqual([
    ['e0', 'block', 'pass'],
    ['e3', 'rewrite', 'rewrite'],
  ])
})

test('each place asks about one event at a time, and none waits for another', async () => {
  const asked: [place: number, event: number][] = []
  const first = Promise.withResolvers<void>()
  const place = (at: number): AskingPlace => ({
    ask: async (payload) => {
      asked.push([at, nth(payload)])
      if (nth(payload) === 4) first.resolve()
      if (at === 0) await first.promise
      return answer('block')
    },
  })
  const told: number[] = []
  const found = await run(all.slice(0, 5), [place(0), place(1)], {
    progress: (soFar) => void told.push(soFar().events),
  })
  expect(asked).toEqual([
    [0, 0],
    [1, 1],
    [1, 2],
    [1, 3],
    [1, 4],
  ])
  expect(found).toMatchObject({ events: 5, matched: 5, counts: { block: 5 } })
  expect(told).toHaveLength(5)
  expect(told.at(-1)).toBe(5)
})

test('of a trial that ends, no place counts an answer that comes later', async () => {
  let end: 'stopped' | undefined
  const first = Promise.withResolvers<void>()
  const found = await run(
    all,
    [
      { ask: () => first.promise.then(() => answer('block')) },
      {
        ask: (payload) => {
          if (nth(payload) === 3) {
            end = 'stopped'
            first.resolve()
          }
          return Promise.resolve(answer('pass'))
        },
      },
    ],
    { ended: () => end },
  )
  expect(found).toMatchObject({ events: 2, counts: { block: 0, pass: 2 }, end: 'stopped' })
})

test('the memory has evidence of exactly the bytes that were asked and compared', async () => {
  const memory = createEvidenceMemory()
  const found = await run(all, () => Promise.resolve(answer('pass')))
  memory.remember(found)
  expect(memory.of('new', undefined)).toBe(found)
  expect(memory.of('new', 'old')).toBeUndefined()
  expect(memory.of('other', undefined)).toBeUndefined()
})

test('of the files of past pushes, only those that the gate still keeps are shown', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'hookgate-files-'))
  await writeFile(join(folder, 'kept'), 'bytes')
  const files = ['kept', 'gone', '../secret'].map((name) => ({ name, path: `${folder}/${name}` }))
  const pushes = [
    event(0, { payload: { files } }),
    event(1, { payload: { files: ['x', { path: '/etc/passwd' }] } }),
  ]
  const scope = { maxEvents: 10, sinceMs: 0 }
  const found = await keptFiles(pagesOf(pushes), 'on_outbound_message', scope, folder)
  const ofOthers = await keptFiles(pagesOf(pushes), 'pre_tool_call', scope, folder)
  await rm(folder, { recursive: true })
  expect(found).toEqual([join(folder, 'kept')])
  expect(ofOthers).toEqual([])
})
