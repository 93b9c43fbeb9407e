import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openHistory, type History, type HistoryOptions } from '../../src/history/history.ts'
import type { Payload } from '../../src/core/model/events/payload.ts'
import type { EventRecord } from '../../src/core/model/events/record.ts'
import type { RecordedHook, Verdict } from '../../src/core/model/hooks/verdict.ts'
import { eventOf } from '../handlers/armed.ts'
import { until } from '../../src/attack/gate/until.ts'
import { measureProcessor } from '../processor-time.ts'

const dayMs = 24 * 60 * 60_000
let folder: string
let nowMs: number
let logged: string[]
const open: History[] = []

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'hookgate-history-'))
  nowMs = Date.now()
  logged = []
})
afterEach(async () => {
  for (const history of open.splice(0)) await history.stop()
  rmSync(folder, { recursive: true, force: true })
})

const file = (): string => join(folder, 'history.db')
const start = (options: Partial<HistoryOptions> = {}): History => {
  const history = openHistory({
    path: file(),
    keptMs: 7 * dayMs,
    maxBytes: 50_000_000,
    withPayload: true,
    now: () => nowMs,
    log: (level, what, fields) => logged.push(`${level} ${what} ${JSON.stringify(fields ?? {})}`),
    ...options,
  })
  open.push(history)
  return history
}

const trace = (name: string, more: Partial<RecordedHook> = {}): RecordedHook => ({
  fingerprint: name.repeat(4),
  label: `./${name}.sh`,
  fired: true,
  why: 'matched',
  durationMs: 10,
  answer: { kind: 'abstain', notes: [] },
  ...more,
})
const missed = trace('m', { fired: false, why: 'did not match' })
const blocks = trace('b', { answer: { kind: 'block', reason: 'no', notes: [] } })

const toolCall = (id: string, command = 'ls'): Payload => ({
  ...eventOf('pre_tool_call', { tool_name: 'bash', tool_input: { command } }),
  event_id: id,
})
const verdictOf = (
  payload: Payload,
  hooks: readonly RecordedHook[] = [],
  more: Partial<Verdict> = {},
): Verdict => ({
  verdict: 'allow',
  isConsent: false,
  payload,
  contexts: [],
  notes: [],
  warnings: [],
  hooks,
  revision: 1,
  ...more,
})
const keep = (
  history: History,
  id: string,
  hooks: readonly RecordedHook[],
  more: Partial<Verdict> = {},
): void => {
  const payload = toolCall(id)
  history.keep(payload, verdictOf(payload, hooks, more), 12)
}
const all = { sinceMs: 0 }

test('what hooks did is counted, with the time that they took and the last event that one blocked', async () => {
  const history = start()
  for (let at = 0; at < 100; at += 1) keep(history, `e${at}`, [trace('a', { durationMs: at + 1 }), missed])
  keep(history, 'stopped', [trace('a', { durationMs: 1 }), blocks], {
    verdict: 'block',
    by: './b.sh',
    reason: 'no',
  })
  keep(
    history,
    'asked',
    [trace('a', { durationMs: 1, answer: { kind: 'ask', reason: 'look', notes: [] } })],
    {
      verdict: 'ask',
    },
  )
  const { hooks, timeline, ...rest } = await history.stats(all)
  expect(timeline.ends.allowed.reduce((sum, count) => sum + count, 0)).toBe(100)
  expect(rest).toEqual({
    sinceMs: nowMs,
    agents: ['a'],
    events: [{ name: 'pre_tool_call', ends: { allowed: 100, changed: 0, failed: 0, asked: 1, blocked: 1 } }],
    verdicts: { allow: 100, ask: 1, block: 1 },
    changed: 0,
    missed: 0,
  })
  expect(hooks).toEqual([
    {
      fingerprint: 'aaaa',
      label: './a.sh',
      event: 'pre_tool_call',
      deeds: { passed: 101, wrote: 0, asked: 1, blocked: 0, failed: 0 },
      p50Ms: 50,
      p95Ms: 95,
    },
    {
      fingerprint: 'bbbb',
      label: './b.sh',
      event: 'pre_tool_call',
      deeds: { passed: 0, wrote: 0, asked: 0, blocked: 1, failed: 0 },
      p50Ms: 10,
      p95Ms: 10,
      lastBlocked: 'stopped',
    },
  ])
  const own = await history.stats({ ...all, fingerprint: 'bbbb' })
  expect(own.verdicts).toEqual({ allow: 0, ask: 0, block: 1 })
  expect(own.hooks.map(({ label }) => label)).toEqual(['./b.sh'])
})

test('what a hook changed counts as a change, and a failure as one', async () => {
  const history = start()
  const before = toolCall('x', 'rm a')
  const after = { ...before, tool_input: { command: 'rm -i a' } }
  history.keep(before, verdictOf(after, [trace('w', { rewrote: 'silently' })]), 1)
  history.keep(before, verdictOf(before, [trace('f', { answer: { kind: 'fault', notes: [] } })]), 1)
  const { changed, hooks } = await history.stats(all)
  expect(changed).toBe(1)
  expect(hooks.map(({ label, deeds }) => [label, deeds.wrote, deeds.failed])).toEqual([
    ['./f.sh', 0, 1],
    ['./w.sh', 1, 0],
  ])
})

test('what a shadow would have done is kept with its event, and apart from what decided', async () => {
  const history = start()
  for (const id of ['one', 'two', 'three']) keep(history, id, [trace('a')])
  const shadow = (id: string, kind: 'abstain' | 'block'): EventRecord => ({
    event_id: id,
    atMs: nowMs,
    kind: 'shadow',
    subject: 'pre_tool_call',
    outcome: 'would block',
    hooks: [trace('a', { isShadow: true, answer: { kind, notes: [] } }), missed],
  })
  history.keepShadows(shadow('two', 'block'))
  history.keepShadows(shadow('three', 'abstain'))
  // An event that is not there, and a record without an answer, add nothing.
  history.keepShadows(shadow('nobody', 'block'))
  history.keepShadows({ ...shadow('one', 'block'), hooks: [missed] })
  const { hooks, verdicts } = await history.stats(all)
  expect(verdicts).toEqual({ allow: 3, ask: 0, block: 0 })
  expect(hooks).toMatchObject([
    {
      deeds: { passed: 3, blocked: 0 },
      shadow: { deeds: { passed: 1, wrote: 0, asked: 0, blocked: 1, failed: 0 }, lastBlocked: 'two' },
    },
  ])
  const { events } = await history.events({ ...all, limit: 10, deed: 'shadow blocked' })
  expect(events.map(({ id }) => id)).toEqual(['two'])
  expect(events[0]?.hooks.map(({ deed, isShadow = false }) => [deed, isShadow])).toEqual([
    ['passed', false],
    ['blocked', true],
  ])
})

test('events outlive the gate, and only its own user can read the file', async () => {
  const first = start()
  keep(first, 'one', [])
  await first.stop()
  for (const name of readdirSync(folder)) expect(statSync(join(folder, name)).mode & 0o077, name).toBe(0)
  expect((await start().stats(all)).verdicts.allow).toBe(1)
})

test('its thread ends when there is no work, and starts again with the next event', async () => {
  const history = start({ restAfterMs: 1 })
  keep(history, 'one', [])
  expect((await history.stats(all)).verdicts.allow).toBe(1)
  await until('the end of the thread', () => !readdirSync(folder).includes('history.db-wal'))
  keep(history, 'two', [])
  expect((await history.stats(all)).verdicts.allow).toBe(2)
})

test('what is older than the days of gate.yaml is gone after the next event', async () => {
  const history = start()
  nowMs = Date.now() - 8 * dayMs
  keep(history, 'old', [blocks])
  await history.stats(all)
  nowMs = Date.now()
  keep(history, 'new', [])
  const { verdicts, hooks } = await history.stats(all)
  expect([verdicts.allow + verdicts.block, hooks.length]).toEqual([1, 0])
})

test('the oldest events leave a full file for the newest, and the file stays about as large as it may', async () => {
  const maxBytes = 1_000_000
  const history = start({ maxBytes })
  const text = 'x'.repeat(2000)
  for (let round = 0; round < 20; round += 1) {
    for (let at = 0; at < 200; at += 1) {
      const payload = toolCall(`${round}.${at}`, text)
      history.keep(payload, verdictOf(payload, [trace('a')]), 1)
    }
    await history.stats(all)
  }
  const { verdicts, hooks, missed: lost } = await history.stats(all)
  expect(lost).toBe(0)
  expect(verdicts.allow).toBeGreaterThan(200)
  expect(verdicts.allow).toBeLessThan(600)
  expect(hooks[0]?.deeds.passed).toBe(verdicts.allow)
  await history.stop()
  expect(statSync(file()).size).toBeLessThan(2 * maxBytes)
})

test('a payload of ten million characters is cut, at once, and without payloads nothing of it is there', async () => {
  const history = start()
  const large = toolCall('large', 'secret '.repeat(1_500_000))
  const tookMs = measureProcessor()
  history.keep(large, verdictOf(large), 1)
  expect(tookMs()).toBeLessThan(50)
  await history.stop()
  expect(statSync(file()).size).toBeLessThan(200_000)
  expect(readFileSync(file(), 'latin1')).toContain('secret secret')
  rmSync(file())
  const bare = start({ withPayload: false })
  bare.keep(large, verdictOf({ ...large, tool_input: { command: 'secret' } }, [trace('a')]), 1)
  expect(await bare.stats(all)).toMatchObject({ changed: 1, verdicts: { allow: 1 } })
  await bare.stop()
  expect(readFileSync(file(), 'latin1')).not.toContain('secret')
})

test('a clock that is set back loses no event, and the newest stays the first', async () => {
  const history = start()
  for (const id of ['one', 'two', 'three']) {
    keep(history, id, [])
    nowMs -= 3600_000
  }
  const { events } = await history.events({ sinceMs: 0, limit: 9 })
  expect(events.map(({ id }) => id)).toEqual(['three', 'two', 'one'])
  expect((await history.stats(all)).verdicts.allow).toBe(3)
})

test('a push is kept without the pushes before it, which are events of their own', async () => {
  const history = start()
  const push = eventOf('on_outbound_message', { notification: 'the newest', recent: ['an earlier one'] })
  history.keep(push, verdictOf(push), 1)
  const { events } = await history.events({ sinceMs: 0, limit: 1 })
  expect(events[0]?.payload).toMatchObject({ notification: 'the newest', recent: [] })
})

test('events that come faster than the disk takes them are counted, and no caller waits', async () => {
  const history = start()
  const payload = toolCall('flood', 'y'.repeat(50_000))
  for (let at = 0; at < 1000; at += 1) history.keep(payload, verdictOf(payload), 1)
  const { verdicts, missed: lost } = await history.stats(all)
  expect(verdicts.allow + lost).toBe(1000)
  expect(lost).toBeGreaterThan(500)
  expect(logged.filter((line) => line.includes('events are missing in the history'))).toHaveLength(1)
})

test('a damaged file is moved aside, and a new one begins', async () => {
  writeFileSync(file(), 'this is no database '.repeat(500))
  const history = start()
  keep(history, 'one', [])
  expect((await history.stats(all)).verdicts.allow).toBe(1)
  expect(readdirSync(folder)).toContain('history.db.damaged')
  expect(logged.join()).toContain('the history was damaged')
})

test('where the file cannot be written events are counted as missing, and a question is answered with an error', async () => {
  const history = start({ path: join(folder, 'no', 'such', 'folder.db') })
  keep(history, 'one', [])
  await expect(history.stats(all)).rejects.toThrow('The history of events cannot be read')
  await until('the loss to be told', () => logged.length > 0)
  expect(logged[0]).toContain('events are missing in the history')
  const payload = toolCall('two')
  // So the event gets a record.
  expect(history.keep(payload, verdictOf(payload), 1, { missed: 1, shadows: 0 })).toBe(false)
})
