import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import postgres from 'postgres'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { openSqliteStore } from '../../src/store/sqlite/open.ts'
import { openPostgresStore } from '../../src/store/postgres/open.ts'
import { takeLease } from '../../src/store/postgres/lease.ts'
import { prepareDatabase } from '../../src/store/postgres/prepare.ts'
import type { Store } from '../../src/store/store.ts'
import { TABLES } from '../../src/store/whole.ts'
import { cli, startProgram, until, type Program } from '../e2e/program.ts'
import { arm, openPhone, ownedEnv, put, token, type Chat } from '../e2e/rig.ts'
import { startBotApi, type BotApi } from '../fixtures/bot-api/server.ts'
import { approveGuard, createFixture, type Fixture } from '../core/gatekeeper/gate-fixture.ts'
import { useDatabase } from '../store/postgres-server.ts'
import { classes, item, ofClasses, prompt, record, seenKey } from '../store/samples.ts'

const me = 'telegram:7'
const guard = '#!/bin/sh\necho \'{"decision": "block", "reason": "the guard said no"}\'\n'
const database = useDatabase()

/** A folder of a gate, as its operator names it. */
type Folder = Pick<Fixture, 'root' | 'home' | 'workspace'>
const envOf = ({ root, home, workspace }: Folder): Record<string, string> => ({
  PATH: process.env['PATH'] ?? '',
  HOME: root,
  HOOKGATE_HOME: home,
  HOOKGATE_WORKSPACE: workspace,
})
const migrate = (
  folder: Folder,
  way: '--to' | '--from',
  address = database.url(),
  env: Record<string, string> = {},
) => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [cli, 'migrate', way, address], {
    encoding: 'utf8',
    env: { ...envOf(folder), ...env },
  })
  return { status, stdout, stderr }
}
const copyKey = (from: string, to: string): void => {
  mkdirSync(join(to, 'secrets'), { recursive: true, mode: 0o700 })
  copyFileSync(join(from, 'secrets', 'ledger.key'), join(to, 'secrets', 'ledger.key'))
}
const schemas = (): Promise<readonly unknown[]> =>
  database.run("SELECT 1 FROM pg_namespace WHERE nspname = 'hookgate'")

describe('a gate that works', () => {
  let api: BotApi
  let phone: Chat
  let programs: Program[] = []
  beforeEach(async () => {
    api = await startBotApi({ token })
    phone = openPhone(api)
  })
  afterEach(async () => {
    for (const program of programs) await program.remove()
    programs = []
    await api.stop()
  })
  const started = (program: Program): Program => {
    programs.push(program)
    return program
  }
  const folderOf = ({ home, gate, workspace }: Program): Folder => ({ root: home, home: gate, workspace })
  const blocks = async (): Promise<void> => {
    await phone.ask('!echo forbidden', /I did not run bash/)
    await phone.ask('!echo fine', /^fine/)
  }

  test('is carried into a database and back: its owner, its switch and its approved hook work on both', async () => {
    const first = started(await startProgram(ownedEnv(api)))
    await put(first, 'guard.sh', guard)
    await arm(first, phone, [{ event: 'pre_tool_call', command: './guard.sh', matcher: 'forbidden' }])
    await blocks()

    const running = migrate(folderOf(first), '--to')
    expect(running).toMatchObject({
      status: 1,
      stdout: '',
      stderr: expect.stringMatching(/another hookgate uses/),
    })
    expect(await schemas()).toEqual([])
    await first.stop()
    const there = migrate(folderOf(first), '--to')
    expect(there).toMatchObject({ status: 0, stderr: '' })
    expect(there.stdout).toMatch(/ledger: \d+ lines, each verified, head [0-9a-f]{12}\n/)
    expect(there.stdout).toContain('1 approval in force with 1 sealed file\n')
    expect(there.stdout).toContain('Set HOOKGATE_DATABASE to that address')
    expect(there.stdout).not.toContain('p%40ss')

    // The script of the workspace is another one now, so only the sealed one can block.
    await put(first, 'guard.sh', '#!/bin/sh\nexit 0\n')
    const second = started(await first.again({ HOOKGATE_DATABASE: database.url() }))
    await blocks()
    await phone.ask('/hooks off', /Hooks are OFF/)
    await phone.ask('/hooks on', /Hooks are ON/)
    expect(migrate(folderOf(second), '--from')).toMatchObject({
      status: 1,
      stderr: expect.stringMatching(/another hookgate uses/),
    })
    await second.stop()

    const third = started(
      await startProgram(ownedEnv(api), undefined, {
        prepare: (home) => {
          const folder = { root: home, home: join(home, '.hookgate'), workspace: join(home, 'hookgate') }
          copyKey(second.gate, folder.home)
          cpSync(second.workspace, folder.workspace, { recursive: true })
          expect(migrate(folder, '--from')).toMatchObject({
            status: 0,
            stderr: '',
            stdout: expect.stringContaining('1 approval in force with 1 sealed file\n'),
          })
        },
      }),
    )
    await blocks()
    await phone.ask('/whoami', /an owner/)
    await third.stop()

    // The folder of before knows newer lines than its own file has, so nothing that was revoked comes back.
    const stale = started(await second.again({ HOOKGATE_DATABASE: '' }))
    expect(stale.output()).toContain('LOCKDOWN')
  }, 150_000)
})

describe('what is carried', () => {
  let fixtures: Fixture[] = []
  let stores: Store[] = []
  afterEach(async () => {
    for (const store of stores) await store.close()
    for (const fixture of fixtures) fixture.remove()
    ;[fixtures, stores] = [[], []]
  })
  const folder = (): Fixture => {
    const fixture = createFixture()
    fixtures.push(fixture)
    return fixture
  }
  const log = (): void => undefined
  const openFile = async ({ home }: Fixture): Promise<Store> => {
    const store = await openSqliteStore({ path: join(home, 'state.db'), log })
    stores.push(store)
    return store
  }
  const openDatabase = async (): Promise<Store> => {
    const store = await openPostgresStore({ url: database.url(), log })
    stores.push(store)
    return store
  }
  /** A folder with a ledger, an approved hook, and something in each table. */
  const filled = async (): Promise<Fixture> => {
    const fixture = folder()
    const gate = await fixture.open()
    await approveGuard(gate)
    await gate.addOwner({ id: 'telegram:8', chat_id: '8', name: 'Ben 🦊 "\\ \u0000' }, me)
    await gate.setSwitch(false, me)
    const store = await openFile(fixture)
    for (const [index, name] of classes.entries())
      for (let count = 0; count < 120; count++)
        store.addRecord({ ...record(`${name}-${count}-${index}`), ...ofClasses[name] })
    await store.putOutbox(item('second', 2))
    await store.putOutbox({ ...item('first', 1), state: 'sending', body: '{"text":"世界"}' })
    await store.putPrompt({ ...prompt('p1', 5), text: 'a\u0000b', inGroup: 'member' })
    await store.putPrompt({ ...prompt('p2', 3), state: 'given' })
    await store.putQuestion({ key: 'q', call: '{"a":1}', state: '{}' })
    await store.removeOutbox('gone', { outcome: 'delivered', channel: 'telegram', chat_id: '7' } as never)
    await store.firstSeen(seenKey('m1'), 1_790_000_000_000)
    await store.firstSeen(seenKey('m2'), 1_790_000_000_001)
    await store.setFact('a', 'one\u0000')
    await store.setFact('b', 'two')
    await store.close()
    return fixture
  }
  /** Everything that a store gives. */
  const contentOf = async (store: Store): Promise<unknown> => ({
    records: await store.records({ limit: 10_000 }),
    acts: await store.records({ limit: 10_000, ofClass: 'acts' }),
    outbox: await store.outbox(),
    prompts: await store.prompts(),
    questions: await store.questions(),
    ended: await store.ended(),
    seen: await Promise.all(['m1', 'm2', 'm3'].map((id) => store.hasSeen(seenKey(id)))),
    facts: await Promise.all(['a', 'b', 'c'].map((key) => store.getFact(key))),
  })
  const ledgerOf = async (): Promise<string> =>
    (await database.run('SELECT line FROM hookgate.ledger_line ORDER BY n'))
      .map(({ line }) => `${String(line)}\n`)
      .join('')
  const rowsInAll = async (): Promise<number> => {
    const names = ['ledger', 'ledger_line', 'sealed_file', 'lease', ...TABLES.map(({ name }) => name)]
    const [row] = await database.run(
      `SELECT ${names.map((name) => `(SELECT count(*) FROM hookgate.${name})`).join(' + ')} AS rows`,
    )
    return Number(row?.['rows'])
  }
  const isUnused = ({ home }: Fixture): boolean =>
    ['ledger.jsonl', 'state.db', 'moving'].every((name) => !existsSync(join(home, name))) &&
    !existsSync(join(home, 'secrets', 'ledger.head')) &&
    readdirSync(join(home, 'seal')).every((name) => name === 'package.json')

  test('every line of the ledger byte for byte, and every row of the store, both ways', async () => {
    const from = await filled()
    const content = await contentOf(await openFile(from))
    await stores.at(-1)?.close()
    // A password in the environment is seen by nobody who lists the processes.
    const address = new URL(database.url())
    const PGPASSWORD = decodeURIComponent(address.password)
    address.password = ''
    const done = migrate(from, '--to', address.href, { PGPASSWORD })
    expect(done).toMatchObject({ status: 0, stderr: '' })
    expect(done.stdout).toContain(`  ${120 * classes.length} records\n`)
    expect(done.stdout).toContain(
      '  2 unsent messages\n  2 prompts\n  1 question\n  1 outcome\n  2 seen messages\n  2 facts\n',
    )
    expect(await ledgerOf()).toBe(readFileSync(from.ledger, 'utf8'))
    expect(await contentOf(await openDatabase())).toEqual(content)

    const to = folder()
    copyKey(from.home, to.home)
    expect(migrate(to, '--from')).toMatchObject({ status: 0, stderr: '' })
    expect(readFileSync(to.ledger, 'utf8')).toBe(readFileSync(from.ledger, 'utf8'))
    expect(await contentOf(await openFile(to))).toEqual(content)
    expect(existsSync(join(to.home, 'moving'))).toBe(false)
    const gate = await to.open()
    expect(gate.state()).toMatchObject({ isOn: false, revision: 4 })
    expect(gate.state().owners.map(({ id }) => id)).toEqual([me, 'telegram:8'])
    expect(gate.approvedHooks()).toHaveLength(1)
    expect(to.lockdowns).toEqual([])
  })

  test('nothing into a database where a gate works or has worked, and nothing of a damaged or empty folder', async () => {
    const from = await filled()
    const { release } = await takeLease({
      url: database.url(),
      name: 'gate',
      holder: 'the gate that works',
      waits: log,
      log,
    })
    expect(migrate(from, '--to')).toMatchObject({
      status: 1,
      stderr: expect.stringMatching(/got one that does \(the gate that works\)/),
    })
    expect(migrate(folder(), '--from')).toMatchObject({
      status: 1,
      stderr: expect.stringMatching(/\(the gate that works\)/),
    })
    await release()
    await database.run("INSERT INTO hookgate.fact VALUES ('a', '1')")
    expect(migrate(from, '--to')).toMatchObject({
      status: 1,
      stderr: expect.stringMatching(/one where a gate has worked\. .*DROP SCHEMA/),
    })
    await database.run('DELETE FROM hookgate.fact')
    expect(migrate(folder(), '--to')).toMatchObject({
      status: 1,
      stderr: expect.stringMatching(/Expected a ledger in \S+, got none/),
    })
    writeFileSync(from.ledger, readFileSync(from.ledger, 'utf8').replace('"act":"off"', '"act":"on"'))
    expect(migrate(from, '--to')).toMatchObject({
      status: 1,
      stderr: expect.stringMatching(/line 4 has a wrong signature/),
    })
    expect(await rowsInAll()).toBe(1)
    expect(migrate(from, '--to', 'postgres://someone:secret@127.0.0.1:9/none')).toMatchObject({ status: 1 })
    expect(migrate(from, '--to', 'mysql://someone:secret@127.0.0.1')).toMatchObject({
      status: 1,
      stderr: expect.stringMatching(/^(?!.*secret).*Expected/),
    })
  })

  test('nothing into a folder with a ledger, without the key, with another key, or of an empty database', async () => {
    const to = folder()
    copyKey((await filled()).home, to.home)
    expect(migrate(to, '--from')).toMatchObject({
      status: 1,
      stderr: expect.stringMatching(/Expected a ledger in the database, got none/),
    })
    expect(await schemas()).toEqual([])
    const from = await filled()
    expect(migrate(from, '--to')).toMatchObject({ status: 0 })
    expect(migrate(from, '--from')).toMatchObject({
      status: 1,
      stderr: expect.stringMatching(/got ledger\.jsonl and state\.db in/),
    })
    expect(migrate(to, '--from')).toMatchObject({
      status: 1,
      stderr: expect.stringMatching(/got the key of another one/),
    })
    const keyless = folder()
    expect(migrate(keyless, '--from')).toMatchObject({
      status: 1,
      stderr: expect.stringMatching(/ledger\.key, but its key is missing/),
    })
    await database.run("UPDATE hookgate.sealed_file SET content = 'other'")
    copyKey(from.home, keyless.home)
    expect(migrate(keyless, '--from')).toMatchObject({
      status: 1,
      stderr: expect.stringMatching(/has other bytes in the database/),
    })
    expect([to, keyless].map(isUnused)).toEqual([true, true])
  })

  /** Begins a migration that waits for a lock of the test in its middle, and kills it there. */
  const interrupted = async (fixture: Fixture, way: '--to' | '--from', lock: string): Promise<void> => {
    const holder = postgres(database.url(), { max: 1, onnotice: () => undefined })
    await holder.unsafe(`BEGIN; LOCK TABLE hookgate.fact IN ${lock} MODE`)
    const child = spawn(process.execPath, [cli, 'migrate', way, database.url()], { env: envOf(fixture) })
    await until(
      'the migration to wait in its middle',
      async () =>
        (
          await database.run(
            "SELECT 1 FROM pg_stat_activity WHERE application_name = 'hookgate' AND wait_event_type = 'Lock' AND datname = current_database()",
          )
        ).length > 0,
    )
    child.kill('SIGKILL')
    await once(child, 'exit')
    await holder.unsafe('ROLLBACK')
    await holder.end()
    await until(
      'the connections to end',
      async () =>
        (
          await database.run(
            "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'hookgate'",
          )
        ).length === 0,
    )
  }

  test('a migration that is killed in its middle has changed nothing, and the next one does it all', async () => {
    const from = await filled()
    await prepareDatabase(database.url())
    // Others may read the facts, so the migration begins, and cannot write them.
    await interrupted(from, '--to', 'SHARE')
    expect(await rowsInAll()).toBe(0)
    expect(migrate(from, '--to')).toMatchObject({ status: 0, stderr: '' })

    const to = folder()
    copyKey(from.home, to.home)
    await interrupted(to, '--from', 'ACCESS EXCLUSIVE')
    expect(readdirSync(join(to.home, 'moving')).toSorted()).toEqual(
      expect.arrayContaining(['ledger.jsonl', 'seal', 'state.db']),
    )
    expect(existsSync(to.ledger)).toBe(false)
    // As if it had been killed a moment later, when the store was in its place and the ledger was not.
    writeFileSync(join(to.home, 'state.db'), 'half')
    expect(migrate(to, '--from')).toMatchObject({ status: 0, stderr: '' })
    expect((await to.open()).state()).toMatchObject({ revision: 4 })
    expect(to.lockdowns).toEqual([])
  })
})
