import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openHistoryDatabase } from '../../src/history/database.ts'
import type { Silent } from '../../src/core/model/events/kept.ts'
import type { EventsQuery } from '../../src/shared/events/kept.ts'
import { historyFile } from '../../src/history/history.ts'
import { readHistory } from '../../src/history/read.ts'
import { rowOfEvent } from '../../src/history/row.ts'
import type { Payload } from '../../src/core/model/events/payload.ts'
import type { RecordedHook, Verdict } from '../../src/core/model/hooks/verdict.ts'
import { eventOf } from '../handlers/armed.ts'

const nowMs = Date.UTC(2026, 5, 1)
let home: string
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'hookgate-history-'))
})
afterEach(() => rmSync(home, { recursive: true, force: true }))

const trace = (name: string, kind: 'abstain' | 'block'): RecordedHook => ({
  fingerprint: name.repeat(4),
  label: name,
  fired: true,
  why: 'matched',
  durationMs: 3,
  answer: { kind, notes: [] },
})

interface Kept {
  readonly id: string
  readonly agent?: string
  readonly command?: string
  readonly hooks?: readonly RecordedHook[]
  readonly changed?: string
  readonly verdict?: Partial<Verdict>
  readonly atMs?: number
  readonly silent?: Silent
}

const keep = (...all: readonly Kept[]): void => {
  const database = openHistoryDatabase(
    { path: historyFile(home), keptMs: 1e12, maxBytes: 1e9 },
    () => undefined,
  )
  const values = all.flatMap(
    ({ id, agent = 'main', command = 'ls', hooks = [], changed, verdict, atMs = nowMs, silent }) => {
      const payload: Payload = {
        ...eventOf('pre_tool_call', { tool_name: 'bash', tool_input: { command } }),
        event_id: id,
        agent_id: agent,
      }
      const settled: Payload =
        changed === undefined ? payload : { ...payload, tool_input: { command: changed } }
      const merged: Verdict = {
        verdict: 'allow',
        isConsent: false,
        payload: settled,
        contexts: [],
        notes: [],
        warnings: [],
        hooks,
        revision: 1,
        ...verdict,
      }
      return rowOfEvent(payload, merged, {
        atMs,
        durationMs: 5,
        withPayload: true,
        silent,
      }).values
    },
  )
  database.keep(values, nowMs)
  database.close()
}

const ask = (query: Partial<EventsQuery> = {}) => {
  const reading = readHistory(home)
  if (reading === undefined) throw new Error('there is no history')
  const found = reading.events({ sinceMs: 0, limit: 100, ...query })
  reading.close()
  return found
}

const ids = (query: Partial<EventsQuery> = {}): readonly string[] => ask(query).events.map(({ id }) => id)

test('a file of an older hookgate is read, and learns how many hooks did not match', () => {
  keep({ id: 'old' })
  const older = new DatabaseSync(historyFile(home))
  for (const column of ['missed', 'shadows', 'revision'])
    older.exec(`ALTER TABLE event DROP COLUMN ${column}`)
  older.close()
  expect(ids({ id: 'old' })).toEqual(['old'])
  expect(ids({ silent: 'any' })).toEqual([])
  keep(
    { id: 'new', silent: { missed: 2, shadows: 1 } },
    { id: 'of shadows', silent: { missed: 0, shadows: 1 } },
  )
  expect(ids()).toEqual(['of shadows', 'new', 'old'])
  expect(ids({ silent: 'any' })).toEqual(['of shadows', 'new'])
  expect(ids({ silent: 'hook' })).toEqual(['new'])
  expect(ask({ id: 'new' }).events).toMatchObject([{ silent: { missed: 2, shadows: 1, revision: 1 } }])
})

test('there is no history before the first event', () => {
  expect(readHistory(home)).toBeUndefined()
})

test('an event has what it was about, what hooks changed, and what each hook did', () => {
  keep({
    id: 'one',
    command: 'rm a',
    changed: 'rm -i a',
    hooks: [trace('a', 'abstain'), trace('b', 'block')],
    verdict: { verdict: 'block', by: 'b', reason: 'no' },
  })
  expect(ask().events).toMatchObject([
    {
      id: 'one',
      atMs: nowMs,
      event: 'pre_tool_call',
      agent: 'main',
      tool: 'bash',
      verdict: 'block',
      by: 'b',
      reason: 'no',
      durationMs: 5,
      payload: { tool_input: { command: 'rm a' } },
      changed: { tool_input: { command: 'rm -i a' } },
      hooks: [
        { fingerprint: 'aaaa', label: 'a', deed: 'passed', durationMs: 3 },
        { fingerprint: 'bbbb', label: 'b', deed: 'blocked', durationMs: 3 },
      ],
    },
  ])
})

test('events are found by agent, event, hook, verdict, time and text, the newest first', () => {
  keep(
    { id: 'old', atMs: nowMs - 1000 },
    { id: 'helper', agent: 'helper', command: 'echo 100% of_it' },
    {
      id: 'blocked',
      hooks: [trace('b', 'block')],
      verdict: { verdict: 'block', by: 'b', reason: 'Not today' },
    },
    { id: 'last', command: 'ECHO it' },
  )
  expect(ids()).toEqual(['last', 'blocked', 'helper', 'old'])
  expect(ids({ sinceMs: nowMs })).toEqual(['last', 'blocked', 'helper'])
  expect(ids({ agent: 'helper' })).toEqual(['helper'])
  expect(ids({ event: 'on_stop' })).toEqual([])
  expect(ids({ verdict: 'block' })).toEqual(['blocked'])
  expect(ids({ fingerprint: 'bbbb' })).toEqual(['blocked'])
  expect(ids({ text: 'echo' })).toEqual(['last', 'helper'])
  expect(ids({ text: 'not TODAY' })).toEqual(['blocked'])
  // What means something in a pattern is only a letter here.
  expect(ids({ text: '100% of_it' })).toEqual(['helper'])
  expect(ids({ text: '1%it' })).toEqual([])
  expect(ids({ text: "'; DROP TABLE event; --" })).toEqual([])
  expect(ids({ agent: 'main', text: 'echo' })).toEqual(['last'])
})

test('page after page shows every event once, also where few fit', () => {
  keep(...Array.from({ length: 25 }, (_, at) => ({ id: `e${at}`, command: at % 5 === 0 ? 'rare' : 'often' })))
  for (const text of [undefined, 'rare']) {
    const seen: string[] = []
    let before: number | undefined
    do {
      const { events, next } = ask({
        limit: 4,
        ...(text === undefined ? {} : { text }),
        ...(before === undefined ? {} : { before }),
      })
      seen.push(...events.map(({ id }) => id))
      before = next
    } while (before !== undefined)
    expect(seen).toHaveLength(text === undefined ? 25 : 5)
    expect(new Set(seen).size).toBe(seen.length)
  }
})
