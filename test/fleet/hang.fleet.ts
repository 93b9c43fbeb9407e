import { expect, test } from 'vitest'
import { until } from '../e2e/program.ts'
import { arm, put } from '../e2e/rig.ts'
import { startRelay } from '../store/relay.ts'
import { fireAt } from './socket-client.ts'
import { guard, useGates } from './use-gates.ts'

const gates = useGates()
const { database, start } = gates

const timed = async <T>(work: Promise<T>): Promise<{ readonly value: T; readonly tookMs: number }> => {
  const startMs = performance.now()
  return { value: await work, tookMs: performance.now() - startMs }
}

test('a database that hangs blocks within a second, and each command of the owner is answered truly within two', async () => {
  const relay = await startRelay(database.url())
  try {
    const first = await start(undefined, relay.through(database.url()))
    await put(first, 'guard.sh', guard)
    await arm(first, gates.phone, [{ event: 'pre_tool_call', command: './guard.sh', matcher: 'forbidden' }])
    const { gate } = first
    const verdict = async () => (await fireAt(gate, 'echo fine', 2000))?.body['verdict']
    expect(await verdict()).toBe('allow')
    relay.hold()
    const blocked = await timed(until('the gate to block', async () => (await verdict()) === 'block'))
    expect(blocked.tookMs).toBeLessThan(1000)
    for (const [words, answer] of [
      ['/whoami', /^🛡 You are telegram:7, an owner\.\nThis chat is telegram:7, private\./],
      ['/hooks', /LOCKDOWN: its database cannot be reached/],
      ['/hooks off', /^🛡 Nothing was changed\.\nLOCKDOWN: its database cannot be reached/],
      ['/hooks revoke ./guard.sh', /could not be revoked[^]*Nothing was changed\./],
      [
        '/hooks log',
        /The database did not answer, so \/hooks log was not finished\.[^]*\nLOCKDOWN: its database/,
      ],
    ] as const) {
      const { tookMs } = await timed(gates.phone.ask(words, answer))
      expect(tookMs, words).toBeLessThan(2000)
    }
    relay.restore()
    await until('the gate to allow again', async () => (await verdict()) === 'allow')
    expect(await gates.phone.ask('/hooks', /Hooks are O/)).toContain('Hooks are ON')
  } finally {
    await relay.stop()
  }
}, 90_000)

test('an act whose answer the database owes is answered in time, and its end is told when it is known', async () => {
  const relay = await startRelay(database.url())
  try {
    await start(undefined, relay.through(database.url()))
    await gates.phone.ask('/whoami', /an owner/)
    await database.run(`CREATE FUNCTION slow() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_sleep(1); RETURN NULL; END $$;
      CREATE CONSTRAINT TRIGGER slow AFTER INSERT ON hookgate.ledger_line DEFERRABLE INITIALLY DEFERRED
        FOR EACH ROW EXECUTE FUNCTION slow()`)
    const answer = timed(gates.phone.ask('/hooks on', /Nobody knows yet whether \/hooks on counted/))
    await until('the act to be on its way', async () => {
      const rows = await database.run("SELECT 1 FROM pg_stat_activity WHERE wait_event = 'PgSleep'")
      return rows.length > 0
    })
    relay.silence()
    expect((await answer).tookMs).toBeLessThan(2500)
    relay.restore()
    await gates.phone.reply(/Hooks are ON\./)
  } finally {
    await relay.stop()
  }
}, 90_000)
