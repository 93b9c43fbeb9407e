import { setTimeout as delay } from 'node:timers/promises'
import { afterEach, expect, test } from 'vitest'
import { formatAll } from '../../src/core/gatekeeper/ledger/place.ts'
import { createClient } from '../../src/store/postgres/client.ts'
import { openPostgresLines } from '../../src/store/postgres/ledger-lines.ts'
import { takeLease } from '../../src/store/postgres/lease.ts'
import { openPostgresStore } from '../../src/store/postgres/open.ts'
import { startPulse, type RunningPulse } from '../../src/store/postgres/pulse.ts'
import { until } from '../until.ts'
import { useDatabase } from './postgres-server.ts'
import { startRelay, type Relay } from './relay.ts'
import { item } from './samples.ts'

const database = useDatabase()
let ends: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const end of ends.toReversed()) await end()
  ends = []
})

const start = async (): Promise<{
  readonly relay: Relay
  readonly url: string
  readonly pulse: RunningPulse
}> => {
  const relay = await startRelay(database.url())
  const url = relay.through(database.url())
  const pulse = startPulse(() => createClient(url, 2000))
  ends.push(relay.stop, pulse.stop)
  return { relay, url, pulse }
}
/** How long the work takes, in milliseconds. */
const timeOf = async (work: Promise<unknown>): Promise<number> => {
  const startMs = performance.now()
  await work
  return performance.now() - startMs
}

test.each(['hold', 'silence', 'cut'] as const)(
  'a database that does not answer (%s) is silent after half a second, and answers again',
  async (how) => {
    const { relay, pulse } = await start()
    let answers = 0
    pulse.onAnswer(() => (answers += 1))
    await delay(500)
    expect(pulse.isAnswering()).toBe(true)
    relay[how]()
    const tookMs = await timeOf(until('the database to be silent', () => !pulse.isAnswering()))
    expect(tookMs).toBeGreaterThan(250)
    expect(tookMs).toBeLessThan(800)
    await delay(300)
    expect([pulse.isAnswering(), answers]).toEqual([false, 0])
    relay.restore()
    await until('the database to answer', pulse.isAnswering)
    expect(answers).toBe(1)
  },
)

test('a pause of the gate itself is no silence of the database', async () => {
  const { pulse } = await start()
  let silences = 0
  pulse.onSilent(() => (silences += 1))
  await delay(300)
  for (let rounds = 0; rounds < 5; rounds += 1) {
    const endMs = performance.now() + 700
    while (performance.now() < endMs);
    await delay(1)
  }
  await delay(300)
  expect([silences, pulse.isAnswering()]).toEqual([0, true])
})

test('nothing waits for a database that is silent, and all goes on when it answers', async () => {
  const { relay, url, pulse } = await start()
  const store = await openPostgresStore({ url, pulse, log: () => undefined })
  ends.push(store.close)
  await store.putOutbox(item('before'))
  relay.hold()
  const whileItHangs = expect(store.putOutbox(item('hanging'))).rejects.toMatchObject({
    problem: { code: 'store.lost' },
  })
  expect(await timeOf(whileItHangs)).toBeLessThan(900)
  const later = expect(store.putOutbox(item('later'))).rejects.toMatchObject({
    problem: { code: 'store.lost' },
  })
  expect(await timeOf(later)).toBeLessThan(100)
  relay.restore()
  await until('the database to answer', pulse.isAnswering)
  await store.putOutbox(item('after'))
  expect((await store.outbox()).map(({ id }) => id)).toContain('after')
})

test('lines that were written when the database fell silent are in the ledger once, and the gate learns it', async () => {
  const { relay, url, pulse } = await start()
  const lease = await takeLease({
    url: database.url(),
    name: 'gate',
    holder: 'this one',
    waits: () => undefined,
    log: () => undefined,
  })
  ends.push(lease.release)
  const lines = await openPostgresLines({ url, term: lease.term, deadlineMs: 10_000, pulse })
  ends.push(lines.stop)
  // The server ends the transaction only when nobody listens any more.
  await database.run(`CREATE FUNCTION slow() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_sleep(0.6); RETURN NULL; END $$;
    CREATE CONSTRAINT TRIGGER slow AFTER INSERT ON hookgate.ledger_line DEFERRABLE INITIALLY DEFERRED
      FOR EACH ROW EXECUTE FUNCTION slow()`)
  const { text } = formatAll(
    [{ act: 'genesis', by: 'a test', data: { owners: [] } }],
    0,
    undefined,
    0,
    Buffer.alloc(32),
  )
  const first = text.trimEnd()
  const begun = lines.begin(undefined, [first])
  await delay(300)
  relay.silence()
  await until('the database to be silent', () => !pulse.isAnswering())
  await expect(lines.read()).rejects.toMatchObject({ problem: { code: 'ledger.unread' } })
  relay.restore()
  expect(await begun).toBe('written')
  expect(await lines.read()).toMatchObject({ lines: [first], end: { generation: 1, revision: 1 } })
})
