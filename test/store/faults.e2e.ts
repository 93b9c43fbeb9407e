import { spawn } from 'node:child_process'
import diagnosticsChannel from 'node:diagnostics_channel'
import { once } from 'node:events'
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  closeSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import type { Worker } from 'node:worker_threads'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { budgets } from '../../src/shared/base/budgets.ts'
import type { OutboxItem } from '../../src/core/model/events/record.ts'
import { openSqliteStore } from '../../src/store/sqlite/open.ts'
import type { Store } from '../../src/store/store.ts'
import { createThread } from '../../src/store/sqlite/thread.ts'

let folder = ''
let path = ''
let stores: Store[] = []
let threads: Worker[] = []
const logged: string[] = []

const open = async (at = path): Promise<Store> => {
  const store = await openSqliteStore({
    path: at,
    log: (level, what) => void logged.push(`${level}: ${what}`),
  })
  stores.push(store)
  return store
}

const seeThread = (message: unknown): void => void threads.push((message as { worker: Worker }).worker)

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'hookgate-store-'))
  path = join(folder, 'state.db')
  diagnosticsChannel.subscribe('worker_threads', seeThread)
})

afterEach(async () => {
  diagnosticsChannel.unsubscribe('worker_threads', seeThread)
  for (const store of stores) await store.close()
  stores = []
  threads = []
  logged.length = 0
  chmodSync(folder, 0o700)
  rmSync(folder, { recursive: true })
})

const item = (id: string, body = ''): OutboxItem => ({
  id,
  seq: 1,
  channel: 'telegram',
  chat_id: '7',
  kind: 'push',
  state: 'queued',
  revision: 1,
  createdAtMs: 0,
  body,
})

const idsOf = async (store: Store): Promise<readonly string[]> => (await store.outbox()).map(({ id }) => id)

const makeFull = async (): Promise<void> => {
  const store = await open()
  await Promise.all(
    Array.from({ length: 300 }, async (_, index) => store.putOutbox(item(`i${index}`, 'x'.repeat(500)))),
  )
  await store.close()
}

const overwrite = (offset: number, bytes: Buffer): void => {
  const file = openSync(path, 'r+')
  writeSync(file, bytes, 0, bytes.length, offset)
  closeSync(file)
}

describe('a damaged file', () => {
  const damages: Readonly<Record<string, () => void>> = {
    'that is no database': () =>
      writeFileSync(
        path,
        'this is not a database, and it is longer than a header of one hundred bytes. '.repeat(20),
      ),
    'with a damaged header': () => overwrite(0, Buffer.alloc(100, 0xff)),
    'with damage in its middle': () => overwrite(4096 * 3, Buffer.alloc(4096 * 8, 0xa5)),
    'that was cut off': () => writeFileSync(path, readFileSync(path).subarray(0, 4096 * 5 + 100)),
    'with the tables of another program': () => {
      rmSync(path)
      const other = new DatabaseSync(path)
      other.exec('CREATE TABLE outbox (whatever TEXT)')
      other.close()
    },
  }

  it.each(Object.entries(damages))('%s is moved aside whole, told, and replaced', async (_, damage) => {
    await makeFull()
    damage()
    const before = readFileSync(path)
    const store = await open()
    const aside = readdirSync(folder).filter((name) => /^state\.db\.damaged-[\dTZ.-]+$/.test(name))
    expect(aside).toHaveLength(1)
    expect(statSync(join(folder, aside[0] ?? '')).size).toBe(before.length)
    expect(store.recovered).toContain(join(folder, aside[0] ?? ''))
    expect(logged).toEqual([
      'error: the store was damaged: its file was moved aside and a new one was started',
    ])
    expect(await store.outbox()).toEqual([])
    await store.putOutbox(item('new'))
    await store.close()
    const again = await open()
    expect(again.recovered).toBeUndefined()
    expect(await idsOf(again)).toEqual(['new'])
  })

  it('is not what a whole file is taken for', async () => {
    await makeFull()
    const store = await open()
    expect(store.recovered).toBeUndefined()
    expect(await store.outbox()).toHaveLength(300)
  })
})

describe('a thread that dies', () => {
  it('rejects everyone who waits, loses nothing that was promised, and is started again by the next call', async () => {
    const store = await open()
    await store.putOutbox(item('kept'))
    const waiting = Array.from({ length: 50 }, async (_, index) => store.putOutbox(item(`i${index}`)))
    const settled = Promise.allSettled(waiting)
    await threads[0]?.terminate()
    const results = await settled
    const kept = results.flatMap(({ status }, index) => (status === 'fulfilled' ? [`i${index}`] : []))
    expect(
      results
        .filter(({ status }) => status === 'rejected')
        .map((result) => String('reason' in result && result.reason)),
    ).toContainEqual(expect.stringMatching(/Expected the store's thread to answer, but it ended/))
    expect(await idsOf(store)).toEqual(expect.arrayContaining(['kept', ...kept]))
    expect(threads).toHaveLength(2)
    expect(store.recovered).toBeUndefined()
  })

  it('does not cost a record of the history', async () => {
    const store = await open()
    store.addRecord({ event_id: 'e1', atMs: 1, kind: 'event', subject: 's', outcome: 'allow' })
    await threads[0]?.terminate()
    expect((await store.records({ limit: 9 })).map(({ event_id }) => event_id)).toEqual(['e1'])
  })

  it('puts records back that were on their way, stores them later, and tells both', async () => {
    const store = await open()
    store.addRecord({ event_id: 'e1', atMs: 1, kind: 'event', subject: 's', outcome: 'allow' })
    const reading = store.records({ limit: 9 }).catch((error: unknown) => String(error))
    const ended = threads[0]?.terminate()
    expect(await reading).toContain('but it ended')
    await ended
    await expect.poll(() => logged).toHaveLength(2)
    expect(logged).toEqual([
      'error: the event history cannot be stored',
      'info: the event history is stored again',
    ])
    const ids = (await store.records({ limit: 9 })).map(({ event_id }) => event_id)
    expect([...new Set(ids)]).toEqual(['e1'])
  })

  it('lets close end, and leaves no thread', async () => {
    const store = await open()
    await threads[0]?.terminate()
    await store.close()
    expect(threads).toHaveLength(1)
  })

  it('rejects when it never answers', async () => {
    const options = {
      program: new URL('silent-body.ts', import.meta.url),
      database: { path, records: budgets.records },
      deadlineMs: 300,
      onRecovered: () => undefined,
    }
    const thread = createThread(options)
    await expect(Promise.all([thread.read(['outbox']), thread.read(['prompts'])])).rejects.toThrow(
      'Expected the store to answer within 300 ms, got no answer',
    )
    await expect(thread.read(['outbox'])).rejects.toThrow('got no answer')
    expect(threads).toHaveLength(2)
    await thread.stop()
    const missing = createThread({
      ...options,
      deadlineMs: 10_000,
      program: new URL('no-such-body.ts', import.meta.url),
    })
    await expect(missing.read(['outbox'])).rejects.toThrow('but it ended (Cannot find module')
  })
})

describe('a file that cannot be opened or written', () => {
  it('rejects with the cause where its folder is missing or where it is a folder', async () => {
    await expect(open(join(folder, 'none', 'state.db'))).rejects.toThrow(
      /^Expected to open the store, got "ENOENT/,
    )
    mkdirSync(path)
    await expect(open()).rejects.toThrow(/^Expected to open the store, got "EISDIR/)
  })

  it('rejects where nothing may be written, for root too', async () => {
    await expect(open('/proc/state.db')).rejects.toThrow(/^Expected to open the store, got "/)
  })
})

const program = fileURLToPath(new URL('outbox-writer.ts', import.meta.url))

describe('a process', () => {
  const promisedPath = (): string => join(folder, 'promised')
  const promisedIds = (): readonly string[] =>
    readFileSync(promisedPath(), { encoding: 'utf8', flag: 'a+' }).split('\n').slice(0, -1)

  it('killed in the middle of writing leaves every item whose promise had resolved', async () => {
    for (const lineCount of [0, 100, 200, 300, 400, 500, 1000]) {
      rmSync(promisedPath(), { force: true })
      // Large items: a commit then takes long enough that a kill often falls into one.
      const child = spawn(process.execPath, [program, path, promisedPath(), '20000'], {
        stdio: ['ignore', 'ignore', 'inherit'],
      })
      const exit = once(child, 'exit')
      await expect.poll(() => promisedIds().length, { interval: 2 }).toBeGreaterThan(lineCount)
      child.kill('SIGKILL')
      expect(await exit).toEqual([null, 'SIGKILL'])
      const store = await open()
      expect(store.recovered).toBeUndefined()
      const kept = new Set(await idsOf(store))
      expect(promisedIds().filter((id) => !kept.has(id))).toEqual([])
      await store.close()
    }
  })

  it('goes on when the disk takes no more: writes are rejected with the cause, what was stored is still read', async () => {
    // A limit on the size of a file stands in for a full disk: 1000 blocks are 0.5 or 1 MB, by shell.
    const words = [
      '-c',
      'ulimit -f 1000; exec "$0" "$@"',
      process.execPath,
      program,
      path,
      promisedPath(),
      '2000',
    ]
    const child = spawn('sh', words, { stdio: ['ignore', 'pipe', 'inherit'] })
    const exit = once(child, 'exit')
    const said = JSON.parse(await text(child.stdout)) as { why: string; readable: number }
    expect(await exit).toEqual([0, null])
    expect(said.why).toMatch(
      /Expected the store to do putOutbox, got "(disk I\/O error|database or disk is full)"/,
    )
    expect(said.readable).toBeGreaterThanOrEqual(promisedIds().length)
    const store = await open()
    const kept = new Set(await idsOf(store))
    expect(promisedIds().length).toBeGreaterThan(50)
    expect(promisedIds().filter((id) => !kept.has(id))).toEqual([])
  })
})
