import fs from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { backUp } from '../../../src/compose/verbs/backup/backup.ts'
import { restore } from '../../../src/compose/verbs/backup/restore.ts'
import { readHead } from '../../../src/core/gatekeeper/ledger/head.ts'
import { takeHome } from '../../../src/shared/disk/lock.ts'
import type { Gatekeeper } from '../../../src/core/gatekeeper/gatekeeper.ts'
import { openSqliteStore } from '../../../src/store/sqlite/open.ts'
import { aMessage, approveGuard, createFixture, type Fixture } from '../../core/gatekeeper/gate-fixture.ts'
import { keyOf, me } from '../../core/gatekeeper/ledger-fixture.ts'
import { prompt } from '../../store/samples.ts'

const passphrase = 'six words that nobody knows'
let fixture: Fixture
let file = ''
beforeEach(() => {
  fixture = createFixture()
  file = join(fixture.root, 'a.backup')
})
afterEach(() => fixture.remove())

const made = (more: { readonly isInDatabase?: boolean; readonly to?: string } = {}): Promise<string> =>
  backUp({
    home: fixture.home,
    isInDatabase: more.isInDatabase === true,
    file: more.to ?? file,
    passphrase,
    cost: 2 ** 14,
  })

const back = (home = fixture.home, isInDatabase = false, words = passphrase): Promise<string> =>
  restore({ home, isInDatabase, file, passphrase: words })

const codeOf = async (done: Promise<unknown>): Promise<unknown> =>
  done.then(
    () => 'none',
    (error: unknown) => (error as { problem?: { code: string } }).problem?.code ?? String(error),
  )

/** Each file of a folder with its bytes. */
const all = (folder: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    fs
      .readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .map((path) => [path, fs.readFileSync(path, 'hex')]),
  )

const openIn = (home: string): Promise<Gatekeeper> => fixture.open({ home })
const other = (): string => join(fixture.root, 'other')

test('a gate comes back in a new folder as it was: ledger, seals, settings, secrets and records', async () => {
  const gate = await fixture.open()
  const fingerprint = await approveGuard(gate)
  fs.writeFileSync(join(fixture.home, 'gate.yaml'), 'metrics: {port: 9464}\n')
  fs.writeFileSync(join(fixture.home, 'secrets', 'wechat.json'), '{}')
  fs.writeFileSync(join(fixture.home, 'secrets', 'login'), 'a login')
  const store = await openSqliteStore({ path: join(fixture.home, 'state.db'), log: () => undefined })
  await store.setFact('chats', 'one')
  const told = await made()
  await store.close()
  expect(told).toContain('ledger: 2 lines, each verified')
  expect(fs.statSync(file).mode & 0o777).toBe(0o600)
  // Nothing is left of what it took.
  expect(fs.readdirSync(fixture.home).filter((name) => name.startsWith('backing'))).toEqual([])
  expect(fs.readdirSync(fixture.root).filter((name) => name.includes('part'))).toEqual([])

  expect(await back(other())).toContain('1 approval in force')
  const restored = await openIn(other())
  expect(restored.state()).toMatchObject({ revision: 2, head: gate.state().head })
  expect(restored.state().lockdown).toBeUndefined()
  expect(restored.armed().map((hook) => hook.fingerprint)).toEqual([fingerprint])
  const read = (name: string): string => fs.readFileSync(join(other(), name), 'utf8')
  expect([read('gate.yaml'), read('secrets/wechat.json')]).toEqual(['metrics: {port: 9464}\n', '{}'])
  expect(fs.existsSync(join(other(), 'secrets/login'))).toBe(false)
  expect(fs.readdirSync(other()).toSorted()).toEqual(
    ['gate.yaml', 'ledger.jsonl', 'run', 'seal', 'secrets', 'state.db'].toSorted(),
  )
  const again = await openSqliteStore({ path: join(other(), 'state.db'), log: () => undefined })
  expect(await again.getFact('chats')).toBe('one')
  expect(JSON.parse((await again.getFact('restored')) ?? '')).toMatchObject({ revision: 2 })
  await again.close()
})

test('a backup that is older than what the folder knows is a lockdown, from which the owner recovers', async () => {
  const gate = await fixture.open()
  await approveGuard(gate)
  await made()
  await gate.revoke([...gate.state().approvals.keys()][0] ?? '', me)
  const newest = { revision: gate.state().revision, head: gate.state().head }
  const told = await back()
  expect(told).toContain('⚠ This machine knows a newer ledger (3 lines')
  expect(told).toContain('starts in LOCKDOWN')
  expect(readHead(fixture.home, keyOf(fixture.home))).toEqual(newest)
  const restored = await fixture.open()
  expect(restored.state().lockdown).toBe('the ledger is damaged: it should have 3 lines and has 2')
  expect([restored.armed(), restored.approvedHooks()]).toEqual([[], []])
  expect(restored.admits(aMessage(), 'privileged')).toEqual({ ok: true })
  expect(await restored.recover(me)).toMatchObject({ ok: true })
  expect(restored.state().approvals.size).toBe(0)
  expect((await fixture.open()).state()).toMatchObject({ revision: 1, owners: [{ id: me }] })
})

test('an owner may also go on from the backup, knowing what was revoked since', async () => {
  const gate = await fixture.open()
  const fingerprint = await approveGuard(gate)
  const { head } = gate.state()
  await made()
  await gate.revoke(fingerprint, me)
  expect(await back()).toContain(`/hooks recover ${head.slice(0, 12)}   goes on from the backup`)
  const restored = await fixture.open()
  expect(restored.armed()).toEqual([])
  expect(await restored.recover(me, head.slice(0, 12))).toMatchObject({ ok: true })
  expect([...restored.state().approvals.keys()]).toEqual([fingerprint])
})

test('a backup from before a recovery is not the ledger that began then, and is a lockdown', async () => {
  const gate = await fixture.open()
  await approveGuard(gate)
  await made()
  fs.appendFileSync(fixture.ledger, '{"n":9}\n{}\n')
  const damaged = await fixture.open()
  expect(await damaged.recover(me)).toMatchObject({ ok: true })
  expect(await back()).toContain('starts in LOCKDOWN')
  expect((await fixture.open()).state().lockdown).toContain('line 1 is not the one that was written')
})

test('a crash at any step of a restore of an older ledger is a lockdown, too, and never the older gate', async () => {
  const gate = await fixture.open()
  await approveGuard(gate)
  await made()
  await gate.revoke([...gate.state().approvals.keys()][0] ?? '', me)
  await back()
  // As if the power had failed before the ledger was put there, and a second restore ended it.
  fs.rmSync(fixture.ledger)
  expect((await fixture.open()).state().lockdown).toContain('missing')
  await back()
  expect((await fixture.open()).state().lockdown).toContain('should have 3 lines')
})

test('a head that was kept for a line that no ledger has any more still counts', async () => {
  const gate = await fixture.open()
  await made()
  await approveGuard(gate)
  fs.rmSync(fixture.ledger)
  expect(await back()).toContain('knows a newer ledger (2 lines')
  expect((await fixture.open()).state().lockdown).toContain('it should have 2 lines and has 1')
})

test('a newer line counts also where its head was not kept', async () => {
  const gate = await fixture.open()
  await made()
  const head = fs.readFileSync(join(fixture.home, 'secrets/ledger.head'))
  await approveGuard(gate)
  fs.writeFileSync(join(fixture.home, 'secrets/ledger.head'), head)
  expect(await back()).toContain('knows a newer ledger (2 lines')
})

test('the same ledger comes back without a lockdown, also in place of a damaged one', async () => {
  const gate = await fixture.open()
  await approveGuard(gate)
  await made()
  const [seal = ''] = fs.readdirSync(join(fixture.home, 'seal')).filter((name) => name.length === 64)
  const sealed = join(fixture.home, 'seal', seal, 'hooks/guard.sh')
  fs.chmodSync(sealed, 0o755)
  fs.writeFileSync(sealed, 'another program')
  fs.writeFileSync(fixture.ledger, 'no ledger\n')
  const told = await back()
  expect(told).not.toContain('LOCKDOWN')
  const [, aside = ''] = /(before-restore-\S+Z)\./.exec(told) ?? []
  expect(fs.readFileSync(join(fixture.home, aside, 'ledger.jsonl'), 'utf8')).toBe('no ledger\n')
  const restored = await fixture.open()
  expect(restored.state()).toMatchObject({ revision: 2 })
  expect(restored.state().lockdown).toBeUndefined()
  expect(restored.armed()).toHaveLength(1)
})

test("another gate's folder, a folder in use and a wrong passphrase are refused, and nothing changes", async () => {
  await fixture.open()
  await made()
  await fixture.open({ home: other() })
  const before = all(other())
  expect(await codeOf(back(other()))).toBe('restore.foreign')
  fs.rmSync(join(other(), 'secrets/ledger.key'))
  expect(await codeOf(back(other()))).toBe('restore.foreign')
  expect(await codeOf(back(other(), true))).toBe('restore.database')
  const { [join(other(), 'secrets/ledger.key')]: key = '', ...rest } = before
  expect(key).toHaveLength(64)
  expect(all(other())).toEqual(rest)
  // A gate that has begun nothing but its key.
  const begun = join(fixture.root, 'begun')
  fs.mkdirSync(join(begun, 'secrets'), { recursive: true })
  fs.writeFileSync(join(begun, 'secrets/ledger.key'), Buffer.alloc(32))
  expect(await codeOf(back(begun))).toBe('restore.foreign')
  const { release } = takeHome(fixture.home)
  expect(await codeOf(back())).toBe('home.locked')
  release()
  const third = join(fixture.root, 'third')
  expect(await codeOf(back(third, false, 'six words that are wrong'))).toBe('backup.passphrase')
  fs.truncateSync(file, fs.statSync(file).size - 1)
  expect(await codeOf(back(third))).toBe('backup.cut')
  expect(fs.existsSync(third)).toBe(false)
})

test('damage in the last piece is found before anything changes', async () => {
  const gate = await fixture.open()
  fs.writeFileSync(join(fixture.home, 'secrets/large'), Buffer.alloc(200_000))
  await made()
  await approveGuard(gate)
  const before = all(fixture.home)
  const bytes = fs.readFileSync(file)
  const place = bytes.length - 60
  bytes[place] = (bytes[place] ?? 0) ^ 1
  fs.writeFileSync(file, bytes)
  expect(await codeOf(back())).toBe('backup.damaged')
  expect(all(fixture.home)).toEqual(before)
})

test('an existing file is never replaced, and a folder without a gate has no backup', async () => {
  await fixture.open()
  fs.writeFileSync(file, 'mine')
  expect(await codeOf(made())).toBe('backup.exists')
  expect(fs.readFileSync(file, 'utf8')).toBe('mine')
  expect(await codeOf(made({ to: join(fixture.root, 'nowhere', 'a') }))).toBe('backup.write')
  expect(await codeOf(backUp({ home: other(), isInDatabase: false, file: `${file}2`, passphrase }))).toBe(
    'backup.home',
  )
  expect(fs.existsSync(other())).toBe(false)
})

test('a ledger that cannot be verified, and a seal with other bytes, are not backed up', async () => {
  const gate = await fixture.open()
  await approveGuard(gate)
  const [seal = ''] = fs.readdirSync(join(fixture.home, 'seal')).filter((name) => name.length === 64)
  const sealed = join(fixture.home, 'seal', seal, 'hooks/guard.sh')
  fs.chmodSync(sealed, 0o755)
  const bytes = fs.readFileSync(sealed)
  fs.writeFileSync(sealed, 'another program')
  expect(await codeOf(made())).toBe('move.unsound')
  fs.writeFileSync(sealed, bytes)
  fs.appendFileSync(fixture.ledger, '{"n":9}\n{}\n')
  expect(await codeOf(made())).toBe('move.unsound')
  expect(fs.existsSync(file)).toBe(false)
})

test('what waited is left out and told, because it may have had its turn since', async () => {
  await fixture.open()
  const store = await openSqliteStore({ path: join(fixture.home, 'state.db'), log: () => undefined })
  await store.putPrompt(prompt('p'))
  await made()
  expect(await store.prompts()).toHaveLength(1)
  await store.close()
  expect(await back(other())).toContain('left out: what waited then (1 in all')
  const again = await openSqliteStore({ path: join(other(), 'state.db'), log: () => undefined })
  expect(await again.prompts()).toEqual([])
  await again.close()
})

test('with a database the folder comes back with its key and the newest head, and the rest is told', async () => {
  const gate = await fixture.open()
  await approveGuard(gate)
  // What a gate with a database has in its folder.
  for (const name of ['ledger.jsonl', 'seal']) fs.rmSync(join(fixture.home, name), { recursive: true })
  expect(await made({ isInDatabase: true })).toContain('NOT in it')
  expect(await back(other(), true)).toContain('Put the database back as well')
  const { revision, head } = gate.state()
  expect(readHead(other(), keyOf(other()))).toEqual({ revision, head })
  expect(fs.existsSync(join(other(), 'ledger.jsonl'))).toBe(false)
})

test('a history that is being written is copied as it is at one moment', async () => {
  await fixture.open()
  const db = new DatabaseSync(join(fixture.home, 'history.db'))
  db.exec(
    'PRAGMA journal_mode = WAL; CREATE TABLE t (x); INSERT INTO t VALUES (1); BEGIN; INSERT INTO t VALUES (2)',
  )
  await made()
  db.exec('COMMIT')
  db.close()
  await back(other())
  const copy = new DatabaseSync(join(other(), 'history.db'), { readOnly: true })
  expect(copy.prepare('SELECT x FROM t').all()).toEqual([{ x: 1 }])
  copy.close()
})

test('side files of the database that was there are not mixed with the one that comes back', async () => {
  await fixture.open()
  const store = await openSqliteStore({ path: join(fixture.home, 'state.db'), log: () => undefined })
  await store.setFact('chats', 'before')
  await made()
  await store.setFact('chats', 'after')
  const wal = fs.readFileSync(join(fixture.home, 'state.db-wal'))
  await store.close()
  fs.writeFileSync(join(fixture.home, 'state.db-wal'), wal)
  await back()
  const again = await openSqliteStore({ path: join(fixture.home, 'state.db'), log: () => undefined })
  expect(await again.getFact('chats')).toBe('before')
  await again.close()
})
