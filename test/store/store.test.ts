import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import * as fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Json } from '../../src/model/base/json.ts'
import { budgets } from '../../src/model/base/budgets.ts'
import type { EventRecord, OutboxItem, Prompt, RecordClass } from '../../src/model/events/record.ts'
import { openSqliteStore } from '../../src/store/sqlite/open.ts'
import type { Store } from '../../src/store/store.ts'
import { stretched } from '../stretched.ts'

let folder = ''
let path = ''
let store: Store
const logged: string[] = []
const log = (level: string, what: string): void => void logged.push(`${level}: ${what}`)

/** `most`: of each class. */
const reopen = async (most?: number): Promise<Store> => {
  await store.close()
  const bounds = ofEachClass(most ?? 0)
  store = await openSqliteStore({ path, log, ...(most === undefined ? {} : { bounds }) })
  return store
}

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'hookgate-store-'))
  path = join(folder, 'state.db')
  logged.length = 0
  store = await openSqliteStore({ path, log })
})

afterEach(async () => {
  await store.close()
  rmSync(folder, { recursive: true })
})

const classes = Object.keys(budgets.records) as readonly RecordClass[]
const ofEachClass = (most: number): Readonly<Record<RecordClass, number>> => ({
  ...budgets.records,
  ...Object.fromEntries(classes.map((name) => [name, most])),
})

const record = (event_id: string, kind: EventRecord['kind'] = 'event'): EventRecord => ({
  event_id,
  kind,
  atMs: 1,
  subject: 'pre_tool_call',
  outcome: 'allow',
})

const item = (id: string, seq = 1): OutboxItem => ({
  id,
  seq,
  channel: 'telegram',
  chat_id: '7',
  kind: 'push',
  state: 'queued',
  revision: 3,
  createdAtMs: 1_790_000_000_000,
  body: '{"text":"hello"}',
})

const prompt = (prompt_id: string, atMs = 1): Prompt => ({
  prompt_id,
  agent_id: 'main',
  channel: 'telegram',
  chat_id: '7',
  sender_id: '7',
  sender_name: 'Ann',
  text: 'hello',
  atMs,
  state: 'waiting',
})

const idsOf = async (query: Parameters<Store['records']>[0]): Promise<readonly string[]> =>
  (await store.records(query)).map(({ event_id }) => event_id)

/** What another process would see. */
const countOf = (table: string): number => {
  const other = new DatabaseSync(path, { readOnly: true })
  try {
    return Number(other.prepare(`SELECT count(*) AS n FROM ${table}`).get()?.['n'])
  } finally {
    other.close()
  }
}

/**
 * Commits in the write-ahead log: frames that name the size of the database
 * (sqlite.org/fileformat2.html#walformat).
 */
const commitsInLog = (): number => {
  const bytes = readFileSync(`${path}-wal`)
  const frameBytes = 24 + bytes.readUInt32BE(8)
  return Array.from({ length: (bytes.length - 32) / frameBytes }, (_, index) =>
    bytes.readUInt32BE(32 + index * frameBytes + 4),
  ).filter((size) => size > 0).length
}

describe('the event history', () => {
  it('comes back whole, newest first, up to the limit', async () => {
    const full: EventRecord = {
      ...record('e2', 'push'),
      reason: 'why',
      chat_id: '7',
      hooks: [
        {
          fingerprint: 'f',
          label: 'x.sh',
          fired: true,
          why: 'matched',
          answer: { kind: 'block', reason: 'no', notes: ['n'] },
        },
      ],
    }
    for (const each of [record('e1'), full, record('e3')]) store.addRecord(each)
    expect(await store.records({ limit: 2 })).toEqual([record('e3'), full])
    expect(await idsOf({ limit: -1 })).toEqual([])
  })

  it('is found by event and by kind', async () => {
    for (const each of [record('a'), record('b', 'gate'), record('a', 'push'), record('b', 'trouble')])
      store.addRecord(each)
    expect((await store.records({ limit: 9, eventId: 'a' })).map(({ kind }) => kind)).toEqual([
      'push',
      'event',
    ])
    expect((await store.records({ limit: 9, kinds: ['gate', 'push'] })).map(({ kind }) => kind)).toEqual([
      'push',
      'gate',
    ])
    expect(await idsOf({ limit: 9, eventId: 'a', kinds: ['gate'] })).toEqual([])
    expect(await idsOf({ limit: 9, kinds: [] })).toEqual([])
  })

  it('reaches the disk without being asked for', async () => {
    store.addRecord(record('e1'))
    await vi.waitFor(() => expect(countOf('record')).toBe(1), { timeout: 5000, interval: 5 })
  })

  it('is stored by close', async () => {
    store.addRecord(record('e1'))
    await reopen()
    expect(await idsOf({ limit: 9 })).toEqual(['e1'])
  })

  it('keeps the newest records only, also when it may keep fewer than before', async () => {
    for (let i = 0; i < 30; i++) store.addRecord(record(`e${i}`))
    await reopen(5)
    store.addRecord(record('e30'))
    expect(await idsOf({ limit: 99 })).toEqual(['e30', 'e29', 'e28', 'e27', 'e26'])
    for (let i = 31; i < 50; i++) store.addRecord(record(`e${i}`))
    await reopen(5)
    expect(await idsOf({ limit: 99 })).toEqual(['e49', 'e48', 'e47', 'e46', 'e45'])
  })

  const trace = { fingerprint: 'f', label: 'x.sh', fired: true, why: 'matched' }
  const fault = { kind: 'fault', fault: { kind: 'timeout', detail: 'late' }, notes: [] } as const
  /** One of each class, by the name of the class. */
  const ofClasses: Readonly<Record<RecordClass, Partial<EventRecord>>> = {
    acts: { kind: 'gate', subject: '/hooks approve', outcome: 'done' },
    alarms: { kind: 'alarm', subject: 'ledger', outcome: 'told' },
    logins: { kind: 'alarm', subject: 'login', outcome: 'told' },
    blocked: { outcome: 'block' },
    faults: { hooks: [{ ...trace, answer: fault }] },
    refused: { kind: 'refusal', outcome: 'refused' },
    rest: {},
  }
  const others = (name: RecordClass): readonly RecordClass[] => classes.filter((other) => other !== name)

  it.each(classes)('a flood of %s takes the room of no other class', async (flood) => {
    await reopen(5)
    for (const name of others(flood)) store.addRecord({ ...record(name), ...ofClasses[name] })
    for (let i = 0; i < 200; i++) store.addRecord({ ...record(`flood ${i}`), ...ofClasses[flood] })
    const left = await idsOf({ limit: 99 })
    expect(left.toReversed()).toEqual([
      ...others(flood),
      ...[195, 196, 197, 198, 199].map((i) => `flood ${i}`),
    ])
    for (const name of others(flood)) expect(await idsOf({ limit: 9, ofClass: name })).toEqual([name])
    expect(await idsOf({ limit: 2, ofClass: flood })).toEqual(['flood 199', 'flood 198'])
    expect([countOf('record'), countOf('record_class')]).toEqual([11, 11])
  })

  it('has classes by what a record is to its owner', async () => {
    const blocked = [
      { outcome: 'ask' },
      { kind: 'push', outcome: 'withheld' },
      { kind: 'push', outcome: 'held' },
      { kind: 'question', outcome: 'denied' },
      { kind: 'notice', outcome: 'block', hooks: [{ ...trace, answer: fault }] },
    ] as const
    const faults = [
      { kind: 'push', outcome: 'failed' },
      { kind: 'notice', outcome: 'unknown' },
      { kind: 'trouble' },
    ] as const
    const rest = [
      { kind: 'push', outcome: 'delivered' },
      { kind: 'question', outcome: 'allowed' },
      { kind: 'notice' },
    ] as const
    for (const each of [...blocked, ...faults, ...rest]) store.addRecord({ ...record('e'), ...each })
    const kept = (of: RecordClass): Promise<number> =>
      store.records({ limit: 99, ofClass: of }).then(({ length }) => length)
    expect(await Promise.all((['blocked', 'faults', 'rest'] as const).map(kept))).toEqual([5, 3, 3])
  })

  it('of an older hookgate stays, each record in its class, also after that one wrote once more', async () => {
    const older = (write: (db: DatabaseSync) => void): void => {
      const db = new DatabaseSync(path)
      db.exec('BEGIN')
      write(db)
      db.exec('COMMIT')
      db.close()
    }
    const add = (db: DatabaseSync, { event_id, kind, ...more }: EventRecord): unknown =>
      db
        .prepare('INSERT INTO record (event_id, kind, json) VALUES (?, ?, ?)')
        .run(event_id, kind, JSON.stringify({ event_id, kind, ...more }))
    await store.close()
    rmSync(path)
    older((db) => {
      db.exec(
        'CREATE TABLE record (row INTEGER PRIMARY KEY, event_id TEXT NOT NULL, kind TEXT NOT NULL, json TEXT NOT NULL)',
      )
      for (const name of classes) add(db, { ...record(name), ...ofClasses[name] })
      for (let i = 0; i < 100; i++) add(db, record(`rest ${i}`))
      db.exec("INSERT INTO record (event_id, kind, json) VALUES ('torn', 'event', '{')")
      db.exec("DELETE FROM record WHERE event_id = 'torn'")
    })
    store = await openSqliteStore({ path, log, bounds: ofEachClass(5) })
    expect(logged).toEqual([])
    for (const name of others('rest')) expect(await idsOf({ limit: 9, ofClass: name })).toEqual([name])
    expect(await idsOf({ limit: 999 })).toHaveLength(107)
    for (const id of ['a', 'b']) store.addRecord(record(id))
    expect((await idsOf({ limit: 99 })).toReversed()).toEqual([
      ...others('rest'),
      'rest 97',
      'rest 98',
      'rest 99',
      'a',
      'b',
    ])
    await store.close()
    older((db) => {
      db.exec("DELETE FROM record WHERE event_id IN ('alarms', 'rest 97')")
      add(db, { ...record('blocked once more'), ...ofClasses.blocked })
    })
    await reopen(5)
    expect(await idsOf({ limit: 9, ofClass: 'blocked' })).toEqual(['blocked once more', 'blocked'])
    expect(await idsOf({ limit: 9, ofClass: 'alarms' })).toEqual([])
    expect(countOf('record')).toBe(countOf('record_class'))
  })

  it('shortens what a hook answered at any length or depth, and keeps that it answered', async () => {
    let deep: Json = 1
    for (let i = 0; i < 100_000; i++) deep = [deep]
    const trace = { fingerprint: 'f', label: 'x.sh', fired: true, why: 'matched' }
    store.addRecord({
      ...record('long'),
      hooks: [{ ...trace, answer: { kind: 'block', reason: 'r'.repeat(1e6), notes: [] } }],
    })
    store.addRecord({
      ...record('deep'),
      hooks: [{ ...trace, answer: { kind: 'allow', rewrite: { tool_input: deep }, notes: [] } }],
    })
    const [second, first] = await store.records({ limit: 9 })
    expect(second?.hooks?.[0]).toMatchObject({ ...trace, answer: { kind: 'allow' } })
    expect(first?.hooks?.[0]).toMatchObject({
      ...trace,
      answer: { kind: 'block', reason: expect.stringMatching(/^r+…$/) },
    })
    expect(JSON.stringify(first).length).toBeLessThan(2000)
  })
})

describe('the outbox', () => {
  it('comes back by seq and survives a restart', async () => {
    await Promise.all([
      store.putOutbox(item('b', 2)),
      store.putOutbox(item('c', 3)),
      store.putOutbox(item('a', 1)),
    ])
    await reopen()
    expect(await store.outbox()).toEqual([item('a', 1), item('b', 2), item('c', 3)])
  })

  it('changes only what it is told to change', async () => {
    await store.putOutbox(item('a'))
    await store.setOutbox('a', { state: 'sending' })
    expect(await store.outbox()).toEqual([{ ...item('a'), state: 'sending' }])
    await store.setOutbox('a', { revision: 0, body: '' })
    expect(await store.outbox()).toEqual([{ ...item('a'), state: 'sending', revision: 0, body: '' }])
  })

  it('does nothing to an item that is gone', async () => {
    await store.putOutbox(item('a'))
    await store.removeOutbox('a')
    await store.setOutbox('a', { state: 'held' })
    expect(await store.outbox()).toEqual([])
  })

  it('commits together what is written together', async () => {
    await store.putOutbox(item('first'))
    const before = commitsInLog()
    await Promise.all(
      Array.from({ length: 64 }, async (_, index) => store.putOutbox(item(`i${index}`, index))),
    )
    expect(commitsInLog() - before).toBe(1)
    expect(countOf('outbox')).toBe(65)
  })

  it('keeps what became of an item in the commit that takes it away, and of the last ten thousand', async () => {
    await store.putOutbox(item('a'))
    const before = commitsInLog()
    await store.removeOutbox('a', { outcome: 'delivered' })
    expect(commitsInLog() - before).toBe(1)
    await reopen()
    expect([await store.outbox(), await store.ended()]).toEqual([[], [{ id: 'a', outcome: 'delivered' }]])
    await Promise.all(
      Array.from({ length: 10_000 }, async (_, index) =>
        store.removeOutbox(`i${index}`, { outcome: 'failed', reason: 'gone\0' }),
      ),
    )
    const ended = await store.ended()
    expect([ended.length, ended[0], ended.at(-1)?.id]).toEqual([
      10_000,
      { id: 'i0', outcome: 'failed', reason: 'gone\0' },
      'i9999',
    ])
  })

  it('leaves nothing of a text in the file once the item is gone', async () => {
    const needle = 'a-needle-that-nothing-else-holds'
    for (const [id, body] of [
      ['short', needle],
      ['long', needle.repeat(2000)],
    ] as const)
      await store.putOutbox({ ...item(id), body })
    await reopen()
    expect(readFileSync(path).includes(needle)).toBe(true)
    for (const id of ['short', 'long']) await store.removeOutbox(id, { outcome: 'delivered' })
    await store.close()
    expect(readFileSync(path).includes(needle)).toBe(false)
  })

  it('leaves nothing of it in the log either, once it is asked nothing for a moment', async () => {
    const needle = 'a-needle-that-nothing-else-holds'
    await store.putOutbox({ ...item('short'), body: needle })
    await store.removeOutbox('short', { outcome: 'delivered' })
    expect(readFileSync(`${path}-wal`).includes(needle)).toBe(true)
    await vi.waitFor(() => expect(statSync(`${path}-wal`).size).toBe(0), { timeout: 10_000 })
    expect(readFileSync(path).includes(needle)).toBe(false)
    expect(await store.ended()).toEqual([{ id: 'short', outcome: 'delivered' }])
  })

  it('does not wait for a reader of the file to do so', async () => {
    const other = new DatabaseSync(path)
    try {
      await store.putOutbox(item('a'))
      other.exec('BEGIN')
      expect(other.prepare('SELECT count(*) AS n FROM outbox').get()).toEqual({ n: 1 })
      await store.removeOutbox('a')
      await new Promise((resolve) => void setTimeout(resolve, 1500))
      const before = performance.now()
      await store.putOutbox(item('b'))
      expect(performance.now() - before).toBeLessThan(stretched(2000))
      expect(other.prepare('SELECT count(*) AS n FROM outbox').get()).toEqual({ n: 1 })
    } finally {
      other.close()
    }
  })

  it('rejects an item that does not fit, and keeps those that were written with it', async () => {
    const results = await Promise.allSettled([
      store.putOutbox(item('a')),
      store.putOutbox(item('b', Number.NaN)),
      store.putOutbox(item('c')),
    ])
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
    expect((await store.outbox()).map(({ id }) => id)).toEqual(['a', 'c'])
  })
})

describe('inbound messages', () => {
  it('count once, also when they come at once and after a restart', async () => {
    const key = { channel: 'telegram', chat_id: '7', message_id: '1' }
    expect(await Promise.all([1, 2, 3].map(async (atMs) => store.firstSeen(key, atMs)))).toEqual([
      true,
      false,
      false,
    ])
    await reopen()
    expect(await store.firstSeen(key, 4)).toBe(false)
    expect(await store.firstSeen({ ...key, chat_id: '8' }, 4)).toBe(true)
    expect(await store.firstSeen({ ...key, channel: 'web' }, 4)).toBe(true)
    expect(await store.firstSeen({ ...key, message_id: '2' }, 4)).toBe(true)
  })

  it('are remembered for 30 days', async () => {
    const key = (message_id: string): Parameters<Store['firstSeen']>[0] => ({
      channel: 'telegram',
      chat_id: '7',
      message_id,
    })
    const dayMs = 24 * 60 * 60 * 1000
    await store.firstSeen(key('old'), 0)
    await store.firstSeen(key('young'), dayMs)
    await store.firstSeen(key('new'), 30 * dayMs + 1)
    expect(countOf('seen')).toBe(2)
    expect(await store.firstSeen(key('young'), 30 * dayMs + 1)).toBe(false)
  })
})

describe('prompts and facts', () => {
  it('prompts come back by time, then by order of arrival', async () => {
    await Promise.all(
      [prompt('z', 2), prompt('y', 1), prompt('b', 3), prompt('a', 3)].map(async (each) =>
        store.putPrompt(each),
      ),
    )
    await store.setPromptGiven('b')
    await reopen()
    expect((await store.prompts()).map(({ prompt_id, state }) => `${prompt_id} ${state}`)).toEqual([
      'y waiting',
      'z waiting',
      'b given',
      'a waiting',
    ])
    await store.removePrompt('z')
    expect((await store.prompts()).map(({ prompt_id }) => prompt_id)).toEqual(['y', 'b', 'a'])
  })

  it('whose words a prompt of a group is outlives a restart, and a file of an older hookgate learns to keep it', async () => {
    const member: Prompt = { ...prompt('member'), inGroup: 'member' }
    const owner: Prompt = { ...prompt('owner'), inGroup: 'owner' }
    for (const each of [prompt('private'), member, owner]) await store.putPrompt(each)
    await reopen()
    expect(await store.prompts()).toStrictEqual([prompt('private'), member, owner])
    await store.close()
    const older = new DatabaseSync(path)
    older.exec('ALTER TABLE prompt DROP COLUMN inGroup')
    older.close()
    store = await openSqliteStore({ path, log })
    expect(await store.prompts()).toStrictEqual([prompt('private'), prompt('member'), prompt('owner')])
    await store.putPrompt(member)
    expect((await store.prompts())[1]).toStrictEqual(member)
    expect(store.recovered).toBeUndefined()
  })

  it('keep any text byte for byte', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'binary', maxLength: 50 }), async (text) => {
        const sent = { ...prompt('p'), text, sender_name: text }
        await store.putPrompt(sent)
        await store.setFact('text', text)
        expect(await store.prompts()).toEqual([sent])
        expect(await store.getFact('text')).toBe(text)
      }),
      { numRuns: 200, examples: [['a\0b'], ["'; DROP TABLE prompt; --"], ['😀\u202e']] },
    )
  })

  it('a fact is the last value that was set', async () => {
    expect(await store.getFact('announced')).toBeUndefined()
    await store.setFact('announced', '1')
    await store.setFact('announced', '2')
    await reopen()
    expect(await store.getFact('announced')).toBe('2')
  })
})

describe('the file', () => {
  it('can be read by its owner alone, also when it was open to others before', async () => {
    await store.putOutbox(item('a'))
    expect([path, `${path}-wal`, `${path}-shm`].map((file) => statSync(file).mode & 0o777)).toEqual([
      0o600, 0o600, 0o600,
    ])
    await store.close()
    const loose = join(folder, 'loose.db')
    writeFileSync(loose, '', { mode: 0o644 })
    store = await openSqliteStore({ path: loose, log })
    expect(statSync(loose).mode & 0o777).toBe(0o600)
  })

  it('is one file again after close, and a closed store rejects and tells what comes late', async () => {
    await store.putOutbox(item('a'))
    await Promise.all([store.close(), store.close()])
    expect(statSync(`${path}-wal`, { throwIfNoEntry: false })).toBeUndefined()
    await expect(store.outbox()).rejects.toThrow('Expected an open store for outbox, got a closed one.')
    store.addRecord(record('late'))
    await vi.waitFor(() =>
      expect(logged).toContain('error: records of the event history were lost at shutdown'),
    )
  })
})
