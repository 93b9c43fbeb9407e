import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createRecords } from '../../src/compose/records.ts'
import { openHistory, type History } from '../../src/history/history.ts'
import type { EventRecord } from '../../src/core/model/events/record.ts'
import { abstain } from '../../src/core/model/hooks/answer.ts'
import type { RecordedHook } from '../../src/core/model/hooks/verdict.ts'
import type { Store } from '../../src/store/store.ts'
import { eventOf } from '../handlers/armed.ts'
import { openStoreHere } from '../store/here.ts'
import { record } from '../store/samples.ts'

const log = (): void => undefined
let folder: string
let store: Store
let history: History
let nowMs: number
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'hookgate-records-'))
  store = await openStoreHere({ path: join(folder, 'state.db'), log })
  nowMs = 10
  history = open('history.db')
})
afterEach(async () => {
  await history.stop()
  await store.close()
  rmSync(folder, { recursive: true })
})

const open = (file: string): History =>
  openHistory({
    path: join(folder, file),
    keptMs: 1e15,
    maxBytes: 1e9,
    withPayload: true,
    now: () => nowMs,
    log,
  })
/** An event that so many hooks and shadows did not match. */
const keep = (
  event_id: string,
  missed: number,
  shadows = 0,
  agent_id = 'main',
  hooks: readonly RecordedHook[] = [],
): void => {
  const payload = {
    ...eventOf('pre_tool_call', { tool_name: 'bash', tool_input: { command: `ls ${event_id}` } }),
    event_id,
    agent_id,
  }
  const nothing = { isConsent: false, contexts: [], notes: [], warnings: [], hooks }
  const silent = hooks.length + missed + shadows === 0 ? undefined : { missed, shadows }
  history.keep(payload, { ...nothing, verdict: 'allow', payload, revision: 7 }, 3, silent)
}
const read = (...query: Parameters<ReturnType<typeof createRecords>>): Promise<readonly EventRecord[]> =>
  createRecords(store, history, () => nowMs)(...query)
const ids = async (...query: Parameters<typeof read>): Promise<readonly string[]> =>
  (await read(...query)).map(({ event_id }) => event_id)

test('an event of which no hook said anything is found as if it had a record, among those that have one', async () => {
  keep('missed', 2, 1)
  keep('no hook', 0)
  store.addRecord({ ...record('stopped'), atMs: 9, outcome: 'block' })
  store.addRecord({ ...record('fired'), atMs: 12 })
  expect(await ids({ limit: 9 })).toEqual(['fired', 'missed', 'stopped'])
  expect(await ids({ limit: 1 })).toEqual(['fired'])
  expect(await ids({ limit: 9, ofClass: 'rest', kinds: ['event'] })).toEqual(['fired', 'missed'])
  expect(await ids({ limit: 9, ofClass: 'blocked' })).toEqual(['stopped'])
  expect(await ids({ limit: 9, kinds: ['push'] })).toEqual([])
  expect(await read({ limit: 5, eventId: 'missed' })).toMatchObject([
    {
      kind: 'event',
      subject: 'pre_tool_call',
      outcome: 'allow',
      tool_name: 'bash',
      argument: 'ls missed',
      hooks: [],
      missed: 2,
      shadows: 1,
      revision: 7,
      durationMs: 3,
    },
  ])
  expect(await read({ limit: 5, eventId: 'no hook' })).toMatchObject([{ hooks: [], missed: 0 }])
})

test('what shadows and a question left of an event stands before what the history has of it', async () => {
  keep('e1', 1)
  store.addRecord(record('e1', 'shadow'))
  keep('e2', 1)
  store.addRecord(record('e2'))
  const kinds = async (eventId: string): Promise<readonly string[]> =>
    (await read({ limit: 5, eventId })).map(({ kind }) => kind)
  expect(await kinds('e1')).toEqual(['shadow', 'event'])
  expect(await kinds('e2')).toEqual(['event'])
})

test('an agent gets its own last event with its hooks, and none that shadows alone got', async () => {
  keep('one', 1)
  const hook = {
    fingerprint: 'f',
    label: 'guard',
    fired: true,
    why: 'matched',
    durationMs: 2,
    answer: abstain,
  }
  keep('two', 0, 0, 'main', [hook])
  keep('of shadows', 0, 1)
  keep('of another', 1, 0, 'helper')
  for (const agent of [undefined, 'main'])
    expect(await read({ limit: 9, eventId: 'two' }, agent)).toMatchObject([
      { outcome: 'allow', missed: 0, hooks: [hook] },
    ])
  expect(await ids({ limit: 9 }, 'main')).toEqual(['two'])
  expect(await ids({ limit: 9, eventId: 'one' }, 'main')).toEqual(['one'])
  expect(await ids({ limit: 9, eventId: 'of another' }, 'main')).toEqual([])
})

test('a history that cannot be read hides no record, and says what is missing', async () => {
  await history.stop()
  history = open('no/such/folder.db')
  store.addRecord(record('fired'))
  const [failure, ...others] = await read({ limit: 9 })
  expect(failure).toMatchObject({ kind: 'trouble', subject: 'history', outcome: 'failed' })
  expect(failure?.reason).toMatch(
    /^Events of which no hook said anything are missing here\. The history of events cannot be read/,
  )
  expect(others.map(({ event_id }) => event_id)).toEqual(['fired'])
})

test('where none is kept there are the records', async () => {
  store.addRecord(record('fired'))
  const bare = createRecords(store, undefined, () => nowMs)
  expect(await bare({ limit: 9 })).toEqual([record('fired')])
})
