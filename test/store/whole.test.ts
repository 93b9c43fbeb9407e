import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openSqliteStore } from '../../src/store/sqlite/open.ts'
import { createStoreFile, readStoreFile } from '../../src/store/sqlite/whole.ts'
import { copyStore, type Counts } from '../../src/store/whole.ts'
import { ofClasses, prompt, record } from './samples.ts'

let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'hookgate-whole-'))
})
afterEach(() => rmSync(folder, { recursive: true }))
const from = (): string => join(folder, 'from.db')
const to = (): string => join(folder, 'to.db')
const log = (): void => undefined

const copy = async (): Promise<Counts> => {
  const store = createStoreFile(to())
  try {
    return await copyStore(readStoreFile(from()), store)
  } finally {
    store.close()
  }
}

test('a store of an older hookgate, whose prompts had no speaker, is copied like one of today', async () => {
  const db = new DatabaseSync(from())
  db.exec(`CREATE TABLE prompt (row INTEGER PRIMARY KEY, prompt_id TEXT NOT NULL UNIQUE, agent_id TEXT NOT NULL,
      channel TEXT NOT NULL, chat_id TEXT NOT NULL, sender_id TEXT NOT NULL, sender_name TEXT NOT NULL,
      text TEXT NOT NULL, atMs INTEGER NOT NULL, state TEXT NOT NULL);
    INSERT INTO prompt VALUES (1, 'p', 'main', 'telegram', '7', '7', '"Ann"', '"hello"', 1, 'waiting')`)
  db.close()
  expect(await copy()).toMatchObject({ prompt: 1, record: 0, fact: 0 })
  const store = await openSqliteStore({ path: to(), log })
  expect(await store.prompts()).toEqual([prompt('p')])
  await store.close()
})

test('a record of an older hookgate, which had no column for its class, has it in the copy', async () => {
  const stopped = { ...record('b'), ...ofClasses.blocked }
  const db = new DatabaseSync(from())
  db.exec(
    'CREATE TABLE record (row INTEGER PRIMARY KEY, event_id TEXT NOT NULL, kind TEXT NOT NULL, json TEXT NOT NULL)',
  )
  for (const each of [record('a'), stopped])
    db.prepare('INSERT INTO record (event_id, kind, json) VALUES (?, ?, ?)').run(
      each.event_id,
      each.kind,
      JSON.stringify(each),
    )
  db.close()
  expect(await copy()).toMatchObject({ record: 2 })
  const store = await openSqliteStore({ path: to(), log })
  expect(await store.records({ limit: 9, ofClass: 'blocked' })).toEqual([stopped])
  expect(await store.records({ limit: 9, ofClass: 'rest' })).toEqual([record('a')])
  await store.close()
})

test('what a gate that was killed had committed is copied', async () => {
  const open = resolve(import.meta.dirname, '../../src/store/sqlite/open.ts')
  const killed = spawnSync(process.execPath, [
    '--input-type=module',
    '--eval',
    `const { openSqliteStore } = await import(${JSON.stringify(open)})
     const store = await openSqliteStore({ path: ${JSON.stringify(from())}, log: () => undefined })
     await store.setFact('a', 'one')
     process.kill(process.pid, 'SIGKILL')`,
  ])
  expect(killed.signal).toBe('SIGKILL')
  expect(existsSync(`${from()}-wal`)).toBe(true)
  expect(await copy()).toMatchObject({ fact: 1 })
})

test('a store that is not there is empty, and a damaged one is told and stays where it is', async () => {
  expect(await copy()).toMatchObject({ record: 0, prompt: 0 })
  writeFileSync(from(), 'this is no database, and it is long enough to be read as one. '.repeat(20))
  await expect(copy()).rejects.toMatchObject({ problem: { code: 'store.open', file: from() } })
  expect(existsSync(from())).toBe(true)
})
