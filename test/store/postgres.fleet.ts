import {
  chmodSync,
  chownSync,
  cpSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
  type Stats,
} from 'node:fs'
import { join } from 'node:path'
import { inspect } from 'node:util'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { ProblemError, type Problem } from '../../src/core/model/gate/problem.ts'
import { MIGRATIONS } from '../../src/store/postgres/migrations.ts'
import { openPostgresStore } from '../../src/store/postgres/open.ts'
import type { Store } from '../../src/store/store.ts'
import { storeContract } from './contract.ts'
import { embedded, startServer, withDatabase, type TestServer } from './postgres-server.ts'
import { startRelay, type Relay } from './relay.ts'
import { item, ofEachClass, record } from './samples.ts'

let server: TestServer
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.stop())

describe('the contract', () => {
  storeContract(async () => {
    const url = await server.database()
    return {
      open: (options) => openPostgresStore({ url, ...options }),
      remove: () => server.drop(url),
    }
  })
})

let url = ''
let stores: Store[] = []
const logged: unknown[] = []
const log = (...words: readonly unknown[]): void => void logged.push(words)

beforeEach(async () => {
  url = await server.database()
})
afterEach(async () => {
  for (const store of stores) await store.close()
  stores = []
  logged.length = 0
  await server.drop(url)
})

const open = async (at = url, deadlineMs = 10_000): Promise<Store> => {
  const store = await openPostgresStore({ url: at, log, deadlineMs })
  stores.push(store)
  return store
}

/** The problem with which the opening is refused. Neither it nor the log says the password. */
const refusal = async (at: string): Promise<Problem> => {
  const error = await open(at).catch((error: unknown) => error)
  if (!(error instanceof ProblemError)) throw new Error(`Expected a problem, got ${inspect(error)}.`)
  const password = new URL(url).password
  for (const secret of [password, decodeURIComponent(password), 'wrong-secret'])
    expect(inspect([error, logged], { depth: 9, showHidden: true })).not.toContain(secret)
  return error.problem
}

const withUser = (user: string, password: string, at = url): string =>
  Object.assign(new URL(at), { username: user, password }).href
const name = (): string => new URL(url).pathname.slice(1)
const host = (): string => new URL(url).host
/** Gives a folder and everything in it to the owner of another one, with the mode that the server wants. */
const giveTo = ({ uid, gid }: Stats, folder: string): void => {
  chmodSync(folder, 0o700)
  for (const each of ['.', ...readdirSync(folder, { recursive: true }).map(String)])
    chownSync(join(folder, each), uid, gid)
}
const versions = () => server.run(url, 'SELECT version FROM hookgate.hookgate_schema ORDER BY version')

describe('the schema', () => {
  it('is made once by replicas that start together, and a start later changes nothing', async () => {
    await Promise.all([open(), open(), open(), open()])
    expect(await versions()).toEqual(MIGRATIONS.map((_, index) => ({ version: index + 1 })))
    await open()
    expect(await versions()).toHaveLength(MIGRATIONS.length)
  })

  it('of a newer hookgate is refused with words, and is not changed', async () => {
    await (await open()).setFact('a', '1')
    await server.run(url, 'INSERT INTO hookgate.hookgate_schema VALUES (99)')
    expect(await refusal(url)).toEqual({
      code: 'store.newer',
      message: `Expected the schema of the database "${name()}" at ${host()} to have version ${MIGRATIONS.length} or an older one, got version 99. A newer hookgate has changed it.`,
      fix: 'Update this hookgate to the version of the other replicas.',
    })
    expect(await server.run(url, 'SELECT key FROM hookgate.fact')).toEqual([{ key: 'a' }])
  })

  it('is all that is touched in a database of another program', async () => {
    await server.run(url, 'CREATE TABLE outbox (whatever text); CREATE TABLE fact (a int)')
    await (await open()).putOutbox(item('a'))
    const tables = `SELECT table_schema || '.' || table_name AS name FROM information_schema.tables
      WHERE table_schema NOT IN ('pg_catalog', 'information_schema', 'hookgate') ORDER BY 1`
    expect(await server.run(url, tables)).toEqual([{ name: 'public.fact' }, { name: 'public.outbox' }])
    expect(await server.run(url, 'SELECT * FROM outbox')).toEqual([])
  })

  it('of another program with the same name is refused, and is not changed', async () => {
    await server.run(url, 'CREATE SCHEMA hookgate; CREATE TABLE hookgate.theirs (a int)')
    expect(await refusal(url)).toMatchObject({
      code: 'store.foreign',
      message: `Expected the schema "hookgate" in the database "${name()}" at ${host()} to be empty or hookgate's own, got tables of another program.`,
    })
    expect(
      await server.run(url, "SELECT relname FROM pg_class WHERE relnamespace = 'hookgate'::regnamespace"),
    ).toEqual([{ relname: 'theirs' }])
  })
})

describe('a database that cannot be used is refused with what to do', () => {
  it('where the address is no address, without repeating it', async () => {
    for (const bad of ['', 'wrong-secret', 'mysql://a:wrong-secret@b/c', 'postgres://a:wrong-secret#@b/c'])
      expect(await refusal(bad)).toMatchObject({ code: 'store.address' })
  })

  it('where no server is', async () => {
    const relay = await startRelay(url)
    const gone = relay.through(url)
    await relay.stop()
    expect(await refusal(gone)).toMatchObject({
      code: 'store.unreachable',
      message: `Expected a PostgreSQL server at ${new URL(gone).host}, got no connection (ECONNREFUSED).`,
    })
    expect(await refusal('postgres://a:wrong-secret@hookgate.invalid/x')).toMatchObject({
      code: 'store.unreachable',
      message: expect.stringMatching(
        /^Expected a PostgreSQL server at hookgate\.invalid:5432, got no connection/,
      ),
    })
  })

  it('where the password is wrong, or the database is missing', async () => {
    expect(await refusal(withUser('postgres', 'wrong-secret'))).toMatchObject({
      code: 'store.login',
      message: `Expected the server at ${host()} to let the user "postgres" in, got "password authentication failed for user "postgres"".`,
    })
    expect(await refusal(withDatabase(url, 'no_such'))).toMatchObject({
      code: 'store.database',
      message: `Expected the database "no_such" at ${host()}, got "database "no_such" does not exist".`,
    })
  })

  it('where the user has not the rights', async () => {
    const role = `${name()}_weak`
    const weak = withUser(role, 'wrong-secret')
    await server.run(url, `CREATE ROLE ${role} LOGIN PASSWORD 'wrong-secret'`)
    try {
      expect(await refusal(weak)).toMatchObject({
        code: 'store.rights',
        message: `Expected the user "${role}" to have all rights on the schema "hookgate" in the database "${name()}" at ${host()}, got "permission denied for database ${name()}".`,
        fix: expect.stringContaining(`CREATE SCHEMA "hookgate" AUTHORIZATION "${role}"`),
      })
      await open()
      expect(await refusal(weak)).toMatchObject({ code: 'store.rights' })
      await server.run(
        url,
        `GRANT USAGE ON SCHEMA hookgate TO ${role}; GRANT SELECT ON ALL TABLES IN SCHEMA hookgate TO ${role};
         GRANT ALL ON hookgate.outbox TO ${role}`,
      )
      const { message } = await refusal(weak)
      expect(message).toContain('got "no such rights on ended, fact,')
      expect(message).not.toContain('outbox')
      for (const store of stores.splice(0)) await store.close()
      await server.run(url, `DROP SCHEMA hookgate CASCADE; CREATE SCHEMA hookgate AUTHORIZATION ${role}`)
      await (await open(weak)).setFact('a', '1')
    } finally {
      for (const store of stores.splice(0)) await store.close()
      await server.run(url, `DROP OWNED BY ${role} CASCADE; DROP ROLE ${role}`)
    }
  })

  it('where changes are not taken, or the texts of people cannot be kept', async () => {
    await server.run(url, `ALTER DATABASE ${name()} SET default_transaction_read_only = on`)
    expect(await refusal(url)).toMatchObject({
      code: 'store.readonly',
      message: `Expected a server that takes changes for the database "${name()}" at ${host()}, got a server that is read-only.`,
    })
    const latin = await server.database("TEMPLATE template0 ENCODING 'LATIN1' LOCALE 'C'")
    expect(await refusal(latin)).toMatchObject({ code: 'store.unfit' })
    await server.drop(latin)
  })

  it('where the server is a standby', async (context) => {
    if (server.folder === undefined) return context.skip()
    await open()
    await server.run(url, 'CHECKPOINT')
    const folder = `${server.folder}-standby`
    cpSync(server.folder, folder, { recursive: true })
    rmSync(join(folder, 'postmaster.pid'))
    writeFileSync(join(folder, 'standby.signal'), '')
    giveTo(statSync(server.folder), folder)
    const standby = await embedded(folder)
    // Its start never counts as one for the package, because a standby says other words when it is ready.
    standby.server.start().catch(() => undefined)
    try {
      const there = withDatabase(standby.url, name())
      await expect.poll(() => server.run(there, 'SELECT 1')).toBeDefined()
      expect(await refusal(there)).toMatchObject({ code: 'store.readonly' })
    } finally {
      await standby.server.stop()
      rmSync(folder, { recursive: true })
    }
  })
})

describe('a server that goes away', () => {
  let relay: Relay
  beforeEach(async () => {
    relay = await startRelay(url)
  })
  afterEach(async () => {
    for (const store of stores.splice(0)) await store.close()
    await relay.stop()
  })

  it('costs the calls that wait, each with a problem, and the next call connects again', async () => {
    const store = await open(relay.through(url))
    await store.putOutbox(item('kept'))
    const waiting = Array.from({ length: 500 }, (_, index) => store.putOutbox(item(`i${index}`)))
    const settled = Promise.allSettled(waiting)
    await new Promise((resolve) => void setTimeout(resolve, 5))
    relay.cut()
    const results = await settled
    const reasons = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []))
    expect(reasons.length).toBeGreaterThan(0)
    for (const reason of reasons) expect(reason).toBeInstanceOf(ProblemError)
    expect(String(reasons[0])).toMatch(
      /Expected an answer of the database server at .+ but the connection ended/,
    )
    const before = performance.now()
    await expect(store.outbox()).rejects.toThrow(ProblemError)
    expect(performance.now() - before).toBeLessThan(5000)
    relay.restore()
    const ids = new Set((await store.outbox()).map(({ id }) => id))
    const promised = results.flatMap(({ status }, index) => (status === 'fulfilled' ? [`i${index}`] : []))
    expect(['kept', ...promised].filter((id) => !ids.has(id))).toEqual([])
  })

  it('at any moment of a request never ends the process', async () => {
    const store = await open(relay.through(url))
    for (let round = 0; round < 60; round++) {
      relay.restore()
      const some = Promise.allSettled(Array.from({ length: 40 }, (_, i) => store.putOutbox(item(`i${i}`))))
      await new Promise((resolve) => void setTimeout(resolve, round / 4))
      relay.cut()
      await some
    }
    relay.restore()
    // A call that meets the connection of the last round before its end is heard is rejected.
    await expect.poll(() => store.putOutbox(item('last')).then(() => 'put')).toBe('put')
  })

  it('costs no record of the history, and both is told once', async () => {
    const store = await open(relay.through(url))
    relay.cut()
    store.addRecord(record('e1'))
    await expect.poll(() => logged).toHaveLength(1)
    relay.restore()
    await expect.poll(() => logged).toHaveLength(2)
    expect(logged.map((words) => (words as string[])[1])).toEqual([
      'the event history cannot be stored',
      'the event history is stored again',
    ])
    expect((await store.records({ limit: 9 })).map(({ event_id }) => event_id)).toEqual(['e1'])
    expect(inspect(logged, { depth: 9 })).not.toContain(new URL(url).password)
  })

  it('and says nothing costs a bounded time', async () => {
    const store = await open(relay.through(url), 500)
    await store.putOutbox(item('kept'))
    relay.silence()
    const before = performance.now()
    const results = await Promise.allSettled([store.outbox(), store.putOutbox(item('a')), store.prompts()])
    expect(performance.now() - before).toBeLessThan(5000)
    for (const result of results)
      expect(String('reason' in result && result.reason)).toContain(
        'Expected the store to answer within 500 ms, got no answer.',
      )
    relay.restore()
    expect((await store.outbox()).map(({ id }) => id)).toContain('kept')
  })

  it('leaves no lock of a lost replica behind', async () => {
    const lost = await open(relay.through(url), 1000)
    const store = await open(url)
    relay.silence()
    const gone = Promise.allSettled(Array.from({ length: 50 }, (_, i) => lost.putOutbox(item(`i${i}`))))
    for (let i = 0; i < 50; i++) await store.putOutbox(item(`i${i}`))
    await gone
    expect(await store.outbox()).toHaveLength(50)
  })
})

describe('two replicas', () => {
  it('that lock the same rows in opposite orders both succeed', async () => {
    const [a, b] = [await open(), await open()]
    for (let round = 0; round < 5; round++) {
      const writes = (store: Store, order: readonly number[]) =>
        order.flatMap((id) => [
          store.setFact(`fact ${id}`, String(round)),
          store.firstSeen({ channel: 'web', chat_id: '7', message_id: `${round} ${id}` }, 1),
        ])
      const ids = Array.from({ length: 40 }, (_, index) => index)
      await Promise.all([...writes(a, ids), ...writes(b, ids.toReversed())])
    }
    expect(await b.getFact('fact 39')).toBe('4')
  })

  it('bound the history together', async () => {
    const bounds = ofEachClass(20)
    stores = await Promise.all([1, 2].map(() => openPostgresStore({ url, log, bounds })))
    for (let i = 0; i < 100; i++) for (const store of stores) store.addRecord(record(`e${i}`))
    await Promise.all(stores.map((store) => store.records({ limit: 1 })))
    expect(await stores[0]?.records({ limit: 99 })).toHaveLength(20)
  })
})
