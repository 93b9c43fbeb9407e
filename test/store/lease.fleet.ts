import { setTimeout as delay } from 'node:timers/promises'
import { afterEach, expect, test } from 'vitest'
import type { SharedLines } from '../../src/core/model/gate/shared.ts'
import { openPostgresLines } from '../../src/store/postgres/ledger-lines.ts'
import { takeLease, type Lease, type LeaseTerm } from '../../src/store/postgres/lease.ts'
import { openPostgresStore } from '../../src/store/postgres/open.ts'
import { openSharedFiles } from '../../src/store/postgres/shared-files.ts'
import type { Store } from '../../src/store/store.ts'
import { until } from '../until.ts'
import { useDatabase } from './postgres-server.ts'
import { startRelay } from './relay.ts'
import { item } from './samples.ts'

const database = useDatabase()
let ends: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const end of ends.toReversed()) await end()
  ends = []
})

interface Taking {
  readonly at?: string
  readonly lengthMs?: number
  readonly renewMs?: number
  readonly waits?: (holder: string) => void
}
const take = async (
  holder: string,
  { at = database.url(), waits = () => undefined, ...times }: Taking = {},
): Promise<Lease> => {
  const lease = await takeLease({ url: at, name: 'gate', holder, waits, log: () => undefined, ...times })
  ends.push(lease.release)
  return lease
}
/** A gate that is not heard of again: it renews nothing. */
const silent = { lengthMs: 300, renewMs: 60_000 }

const openStore = async (term: LeaseTerm): Promise<Store> => {
  const store = await openPostgresStore({ url: database.url(), term, log: () => undefined })
  ends.push(store.close)
  return store
}
const openLines = async (term: LeaseTerm): Promise<SharedLines> => {
  const lines = await openPostgresLines({ url: database.url(), term, deadlineMs: 10_000 })
  ends.push(lines.stop)
  return lines
}

const epochNow = async (): Promise<number> =>
  Number((await database.run('SELECT epoch FROM hookgate.lease'))[0]?.['epoch'])

test('a database that was put back gives no epoch twice', async () => {
  const [first, again] = [await take('the first', silent), await take('the second', silent)]
  await database.run(`UPDATE hookgate.lease SET epoch = ${first.term.epoch}, until = '-infinity'`)
  const third = await take('the third')
  expect(third.term.epoch).toBeGreaterThan(again.term.epoch)
})

test('one gate holds the lease, and another one waits until it is released', async () => {
  const first = await take('the first')
  const told: string[] = []
  const second = take('the second', { waits: (holder) => told.push(holder) })
  await until('the second to wait', () => told.length > 0)
  await delay(2500)
  expect(told).toEqual(['the first'])
  expect(first.isHeld()).toBe(true)
  await first.release()
  expect(first.isHeld()).toBe(false)
  const { term, isHeld } = await second
  expect(term.epoch).toBeGreaterThan(first.term.epoch)
  expect(isHeld()).toBe(true)
})

test('of two gates that start at once, one holds the lease', async () => {
  const waiting: string[] = []
  const both = ['one', 'two'].map((holder) => take(holder, { waits: () => waiting.push(holder) }))
  const first = await Promise.race(both)
  await until('the other one to wait', () => waiting.length === 1)
  await first.release()
  const epochs = (await Promise.all(both)).map(({ term }) => term.epoch)
  expect(new Set(epochs).size).toBe(2)
})

test('a lease that is renewed is kept for longer than its length', async () => {
  const lease = await take('the first', { lengthMs: 1000, renewMs: 200 })
  const other: string[] = []
  void take('the second', { waits: (holder) => other.push(holder) })
  for (let look = 0; look < 25; look++) {
    await delay(100)
    expect(lease.isHeld()).toBe(true)
  }
  expect(other).toEqual(['the first'])
  await lease.release()
  await until('the second', async () => (await epochNow()) > lease.term.epoch)
})

test('after another gate took over, the older one can neither read, write nor append', async () => {
  const older = await take('the older', silent)
  const store = await openStore(older.term)
  const lines = await openLines(older.term)
  const files = openSharedFiles({ url: database.url(), deadlineMs: 10_000, term: older.term })
  ends.push(files.stop)
  await store.putOutbox(item('kept'))
  const line = `{"n":1,"prev":"${'0'.repeat(64)}","mac":"${'0'.repeat(64)}"}`
  expect(await lines.begin(undefined, [line])).toBe('written')
  await delay(400)
  expect(older.isHeld()).toBe(false)

  const newer = await take('the newer')
  const taken = { problem: { code: 'store.lease' } }
  await expect(store.putOutbox(item('late'))).rejects.toMatchObject(taken)
  await expect(store.setOutbox('kept', { state: 'sending' })).rejects.toMatchObject(taken)
  await expect(store.outbox()).rejects.toMatchObject(taken)
  await expect(lines.append({ generation: 1, revision: 1, head: 'head' }, ['another'])).rejects.toMatchObject(
    taken,
  )
  await expect(files.put([{ sha256: 'aa', content: Buffer.from('x') }])).rejects.toMatchObject(taken)

  const successor = await openStore(newer.term)
  expect((await successor.outbox()).map(({ id, state }) => [id, state])).toEqual([['kept', 'queued']])
  expect(await database.run('SELECT line FROM hookgate.ledger_line')).toEqual([{ line }])
  expect(await database.run('SELECT * FROM hookgate.sealed_file')).toEqual([])
})

test('a gate whose lease another one took is told once, and never holds it again', async () => {
  const older = await take('the older', { lengthMs: 300, renewMs: 1500 })
  let lost = 0
  older.onLost(() => (lost += 1))
  await delay(400)
  await take('the newer')
  await until('the older one to learn it', () => lost === 1)
  expect(older.isHeld()).toBe(false)
  await delay(2000)
  expect(lost).toBe(1)
  expect(older.isHeld()).toBe(false)
})

test('a gate without its database does not hold the lease, and goes on when nobody took it', async () => {
  const relay = await startRelay(database.url())
  ends.push(relay.stop)
  const lease = await take('the first', { at: relay.through(database.url()), lengthMs: 600, renewMs: 200 })
  let lost = 0
  let regained = 0
  lease.onLost(() => (lost += 1))
  lease.onRegained(() => (regained += 1))
  relay.silence()
  await until('the lease to end', () => !lease.isHeld())
  relay.cut()
  await delay(500)
  expect(lease.isHeld()).toBe(false)
  relay.restore()
  await until('the lease to be held again', lease.isHeld)
  expect([lost, regained]).toEqual([0, 1])
  expect(await epochNow()).toBe(lease.term.epoch)
})
