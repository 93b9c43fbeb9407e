import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { EventRecord, Prompt } from '../../src/core/model/events/record.ts'
import { openSqliteStore } from '../../src/store/sqlite/open.ts'
import type { Store } from '../../src/store/store.ts'
import { stretched } from '../stretched.ts'
import { storeContract } from './contract.ts'
import { classes, dayMs, item, ofClasses, ofEachClass, others, prompt, record, seenKey } from './samples.ts'

describe('the contract', () => {
  storeContract(async () => {
    const folder = mkdtempSync(join(tmpdir(), 'hookgate-store-'))
    return {
      open: (options) => openSqliteStore({ path: join(folder, 'state.db'), ...options }),
      remove: async () => rmSync(folder, { recursive: true }),
    }
  })
})

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
    expect(await idsOf({ limit: 999 })).toHaveLength(109)
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
  })

  it('of the version before stays, whose classes were in a table of their own', async () => {
    await store.close()
    rmSync(path)
    const schema = `
      CREATE TABLE IF NOT EXISTS record (row INTEGER PRIMARY KEY, event_id TEXT NOT NULL, kind TEXT NOT NULL,
        json TEXT NOT NULL);
      CREATE INDEX IF NOT EXISTS record_event ON record (event_id);
      CREATE TABLE IF NOT EXISTS record_class (class TEXT, nth INTEGER, row INTEGER NOT NULL,
        PRIMARY KEY (class, nth)) WITHOUT ROWID`
    const before = new DatabaseSync(path)
    before.exec(schema)
    for (const [at, of] of (['blocked', 'rest', 'blocked'] as const).entries()) {
      const each = { ...record(`e${at}`), ...ofClasses[of] }
      before
        .prepare('INSERT INTO record VALUES (?, ?, ?, ?)')
        .run(at, `e${at}`, each.kind, JSON.stringify(each))
      before.prepare('INSERT INTO record_class VALUES (?, ?, ?)').run(of, 90 + at, at)
    }
    before.close()
    store = await openSqliteStore({ path, log, bounds: ofEachClass(2) })
    expect(await idsOf({ limit: 9, ofClass: 'blocked' })).toEqual(['e2', 'e0'])
    store.addRecord({ ...record('e3'), ...ofClasses.blocked })
    expect(await idsOf({ limit: 9 })).toEqual(['e3', 'e2', 'e1'])
    expect(countOf("sqlite_schema WHERE name = 'record_class'")).toBe(0)
    expect(store.recovered).toBeUndefined()
    await store.close()
    // Somebody goes back to that version, and comes again.
    const again = new DatabaseSync(path)
    again.exec(`${schema}; INSERT INTO record (event_id, kind, json) VALUES ('e4', 'event', '{"event_id":"e4"}');
      INSERT INTO record_class SELECT 'rest', 1, row FROM record WHERE event_id = 'e4'`)
    const ofClass = again.prepare(
      'SELECT json FROM record_class JOIN record USING (row) WHERE class = ? ORDER BY nth DESC',
    )
    expect(ofClass.all('rest')).toEqual([{ json: '{"event_id":"e4"}' }])
    again.close()
    store = await openSqliteStore({ path, log })
    expect(await idsOf({ limit: 9 })).toEqual(['e4', 'e3', 'e2', 'e1'])
    expect(store.recovered).toBeUndefined()
  })
})

describe('the outbox', () => {
  it('commits together what is written together', async () => {
    await store.putOutbox(item('first'))
    const before = commitsInLog()
    await Promise.all(
      Array.from({ length: 64 }, async (_, index) => store.putOutbox(item(`i${index}`, index))),
    )
    expect(commitsInLog() - before).toBe(1)
    expect(countOf('outbox')).toBe(65)
  })

  it('keeps what became of an item in the commit that takes it away', async () => {
    await store.putOutbox(item('a'))
    const before = commitsInLog()
    await store.removeOutbox('a', { outcome: 'delivered' })
    expect(commitsInLog() - before).toBe(1)
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
    await expect.poll(() => statSync(`${path}-wal`).size, { timeout: 10_000 }).toBe(0)
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
})

describe('inbound messages', () => {
  it('are gone from the file after 30 days', async () => {
    await store.firstSeen(seenKey('old'), 0)
    await store.firstSeen(seenKey('young'), dayMs)
    await store.firstSeen(seenKey('new'), 30 * dayMs + 1)
    expect(countOf('seen')).toBe(2)
  })
})

describe('prompts and facts', () => {
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

  it('is one file again after close', async () => {
    await store.putOutbox(item('a'))
    await store.close()
    expect(statSync(`${path}-wal`, { throwIfNoEntry: false })).toBeUndefined()
  })
})
