import { spawnSync } from 'node:child_process'
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Gatekeeper } from '../../../src/core/gatekeeper/gatekeeper.ts'
import type { SharedLines } from '../../../src/core/model/gate/shared.ts'
import { openPostgresLines } from '../../../src/store/postgres/ledger-lines.ts'
import { takeLease } from '../../../src/store/postgres/lease.ts'
import { cli } from '../../e2e/program.ts'
import { useDatabase } from '../../store/postgres-server.ts'
import { createFixture, type Fixture } from '../../core/gatekeeper/gate-fixture.ts'

const me = 'telegram:7'
const database = useDatabase()
let fixture: Fixture
let other: Fixture
let lines: SharedLines | undefined
beforeEach(() => {
  fixture = createFixture()
  other = createFixture()
})
afterEach(async () => {
  await lines?.stop()
  lines = undefined
  for (const one of [fixture, other]) one.remove()
})

const audit = ({ root, home, workspace }: Fixture, at = database.url()) => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [cli, 'audit', 'verify'], {
    encoding: 'utf8',
    env: {
      PATH: process.env['PATH'],
      HOME: root,
      HOOKGATE_HOME: home,
      HOOKGATE_WORKSPACE: workspace,
      HOOKGATE_DATABASE: at,
    },
  })
  return { status, stdout: stdout.replace(/head [0-9a-f]{12}/, 'head HEAD'), stderr }
}

const openGateLedger = async (): Promise<Gatekeeper> => {
  lines = await openPostgresLines({ url: database.url(), deadlineMs: 10_000 })
  return fixture.open({ lines })
}

const copyKey = (): void => {
  const file = join('secrets', 'ledger.key')
  mkdirSync(join(other.home, 'secrets'), { recursive: true })
  copyFileSync(join(fixture.home, file), join(other.home, file))
}

const headIn = ({ home }: Fixture): string => readFileSync(join(home, 'secrets', 'ledger.head'), 'utf8')

test('a ledger in a database is verified with the key, also while a gate works and from a folder that is new to it', async () => {
  const gate = await openGateLedger()
  await gate.setSwitch(false, me)
  const { release } = await takeLease({
    url: database.url(),
    name: 'gate',
    holder: 'a gate that works',
    waits: () => undefined,
    log: () => undefined,
  })
  try {
    const before = headIn(fixture)
    const good = {
      status: 0,
      stderr: '',
      stdout: `The ledger is good: 2 lines, each signed and chained to the line before it.
revision 2 · head HEAD
Hooks are OFF · 0 approvals · 1 owner: telegram:7
Last change: off by telegram:7, 2026-01-02T03:04:05.000Z
No messenger can pin a checkpoint, so a rollback of the folder would go unnoticed.
`,
    }
    expect(audit(fixture)).toEqual(good)
    expect(headIn(fixture)).toBe(before)
    copyKey()
    expect(audit(other)).toEqual(good)
    expect(readdirSync(join(other.home, 'secrets'))).toEqual(['ledger.key'])
    expect(await database.run('SELECT holder FROM hookgate.lease')).toEqual([{ holder: 'a gate that works' }])
  } finally {
    await release()
  }
})

test('a database that was put back behind the head of this folder is damage, and so is a changed line', async () => {
  const gate = await openGateLedger()
  await gate.setSwitch(false, me)
  const behindTheTrigger = (sql: string): Promise<unknown> =>
    database.run(
      `ALTER TABLE hookgate.ledger_line DISABLE TRIGGER ALL; ${sql}; ALTER TABLE hookgate.ledger_line ENABLE TRIGGER ALL`,
    )
  const [last] = await database.run('SELECT line FROM hookgate.ledger_line WHERE n = 2')
  const [{ head } = {}] = await database.run(
    "SELECT encode(sha256(convert_to(line, 'UTF8')), 'hex') AS head FROM hookgate.ledger_line WHERE n = 1",
  )
  await behindTheTrigger(
    `DELETE FROM hookgate.ledger_line WHERE n = 2; UPDATE hookgate.ledger SET revision = 1, head = '${String(head)}'`,
  )
  expect(audit(fixture)).toMatchObject({
    status: 3,
    stdout: expect.stringMatching(/^DAMAGED: the ledger is damaged: it should have 2 lines and has 1\.\n/),
  })
  const changed = String(last?.['line']).replace('"act":"off"', '"act":"on"')
  await behindTheTrigger(
    `INSERT INTO hookgate.ledger_line VALUES (1, 2, '${changed}'); UPDATE hookgate.ledger SET revision = 2`,
  )
  expect(audit(fixture)).toMatchObject({
    status: 3,
    stdout: expect.stringMatching(/^DAMAGED: the ledger is damaged: line 2 has a wrong signature\.\n/),
  })
})

test('a database without a ledger, and one that is away, are 2, and nothing is made there', async () => {
  expect(audit(fixture)).toEqual({
    status: 2,
    stderr: '',
    stdout: 'There is no ledger in the database yet. "hookgate start" begins one.\n',
  })
  expect(await database.run("SELECT 1 FROM pg_namespace WHERE nspname = 'hookgate'")).toEqual([])
  expect(audit(fixture, 'postgres://someone:secret@127.0.0.1:9/none')).toEqual({
    status: 2,
    stdout: '',
    stderr:
      'Expected a PostgreSQL server at 127.0.0.1:9, got no connection (ECONNREFUSED). Check that the server runs, and that this machine reaches its host and port.\n',
  })
  await openGateLedger()
  rmSync(join(fixture.home, 'secrets/ledger.key'))
  expect(audit(fixture)).toMatchObject({
    status: 2,
    stdout: `Nothing in ${fixture.home} can be verified: the ledger cannot be verified: its key is missing.\n`,
  })
})

test('a user who may only read the ledger can verify it', async () => {
  const gate = await openGateLedger()
  await gate.setSwitch(false, me)
  const role = `reader_${process.pid}`
  await database.run(
    `CREATE USER ${role} PASSWORD 'read'; GRANT USAGE ON SCHEMA hookgate TO ${role};
     GRANT SELECT ON hookgate.hookgate_schema, hookgate.ledger, hookgate.ledger_line TO ${role}`,
  )
  try {
    const address = Object.assign(new URL(database.url()), { username: role, password: 'read' })
    expect(audit(fixture, address.href)).toMatchObject({ status: 0, stderr: '' })
  } finally {
    await database.run(`DROP OWNED BY ${role}; DROP USER ${role}`)
  }
})
