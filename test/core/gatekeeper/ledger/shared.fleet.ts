import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterEach, describe, expect, test } from 'vitest'
import type { Gatekeeper } from '../../../../src/core/gatekeeper/gatekeeper.ts'
import { formatAll } from '../../../../src/core/gatekeeper/ledger/place.ts'
import { followLedger } from '../../../../src/core/gatekeeper/ledger/follow.ts'
import type { SharedLines } from '../../../../src/core/model/gate/shared.ts'
import { openPostgresLines } from '../../../../src/store/postgres/ledger-lines.ts'
import { useDatabase } from '../../../store/postgres-server.ts'
import { startRelay } from '../../../store/relay.ts'
import { anEntry, approveGuard, createFixture, type Fixture } from '../gate-fixture.ts'

const me = 'telegram:7'

const database = useDatabase()
/** The folders of the gates, each with its own fixture. */
let fixtures: Fixture[] = []
let opened: SharedLines[] = []
afterEach(async () => {
  for (const lines of opened) await lines.stop()
  for (const fixture of fixtures) fixture.remove()
  ;[opened, fixtures] = [[], []]
})

const linesAt = async (at = database.url(), deadlineMs = 10_000): Promise<SharedLines> => {
  const lines = await openPostgresLines({ url: at, deadlineMs })
  opened.push(lines)
  return lines
}
const keyOf = ({ home }: Fixture): string => join(home, 'secrets', 'ledger.key')
/** A folder of one more gate. It has the key of the first one, as its operator copied it. */
const folder = (keyFrom?: Fixture): Fixture => {
  const fixture = createFixture()
  fixtures.push(fixture)
  if (keyFrom !== undefined) {
    mkdirSync(dirname(keyOf(fixture)), { recursive: true })
    copyFileSync(keyOf(keyFrom), keyOf(fixture))
  }
  return fixture
}
const openIn = async (fixture: Fixture, at = database.url()): Promise<Gatekeeper> =>
  fixture.open({ lines: await linesAt(at) })
const rows = database.run
/** As somebody with the rights of the tables' owner can: the trigger is out of the way. */
const behindTheTrigger = (sql: string): Promise<unknown> =>
  rows(
    `ALTER TABLE hookgate.ledger_line DISABLE TRIGGER ALL; ${sql}; ALTER TABLE hookgate.ledger_line ENABLE TRIGGER ALL`,
  )

describe('one gate', () => {
  test('finds again what it wrote, line for line signed with the key of its folder', async () => {
    const fixture = folder()
    const gate = await openIn(fixture)
    const fingerprint = await approveGuard(gate)
    await gate.setSwitch(false, me)
    await gate.addOwner({ id: 'telegram:8', chat_id: '8', name: 'Ben 🦊 "\\ \u0000' }, me)
    expect(await rows('SELECT generation, revision FROM hookgate.ledger')).toEqual([
      { generation: '1', revision: '4' },
    ])
    const again = await openIn(fixture)
    expect(again.state()).toEqual(gate.state())
    expect([...again.state().approvals.keys()]).toEqual([fingerprint])
    expect(fixture.lockdowns).toEqual([])
  })

  test('a line is never changed or removed', async () => {
    await openIn(folder())
    for (const sql of [
      "UPDATE hookgate.ledger_line SET line = 'x'",
      'DELETE FROM hookgate.ledger_line',
      'TRUNCATE hookgate.ledger_line',
    ])
      await expect(rows(sql)).rejects.toThrow('never changed or removed')
  })

  test('needs no right to change a line', async () => {
    await openIn(folder())
    const role = `hookgate_role_${process.pid}`
    await rows(`CREATE ROLE ${role} LOGIN PASSWORD 'secret';
      GRANT USAGE ON SCHEMA hookgate TO ${role};
      GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA hookgate TO ${role};
      REVOKE INSERT, UPDATE, DELETE ON hookgate.ledger, hookgate.ledger_line FROM ${role};
      GRANT EXECUTE ON FUNCTION hookgate.write_ledger TO ${role}`)
    const as = Object.assign(new URL(database.url()), { username: role, password: 'secret' }).href
    try {
      const fixture = folder(fixtures[0])
      const gate = await openIn(fixture, as)
      expect(await gate.setSwitch(false, me)).toBe(true)
    } finally {
      for (const lines of opened) await lines.stop()
      await rows(`DROP OWNED BY ${role}; DROP ROLE ${role}`)
    }
  })

  test('an answer that was lost is looked for, and the act counts once', async () => {
    const relay = await startRelay(database.url())
    const fixture = folder()
    const gate = await openIn(fixture, relay.through(database.url()))
    // The server commits, and nobody hears of it.
    await rows(`CREATE FUNCTION slow() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_sleep(0.6); RETURN NULL; END $$;
      CREATE CONSTRAINT TRIGGER slow AFTER UPDATE ON hookgate.ledger DEFERRABLE INITIALLY DEFERRED
        FOR EACH ROW EXECUTE FUNCTION slow()`)
    const switching = gate.setSwitch(false, me)
    await delay(300)
    relay.cut()
    await delay(100)
    relay.restore()
    await switching.catch(() => undefined)
    await rows('DROP TRIGGER slow ON hookgate.ledger')
    const isWritten = (await rows('SELECT n FROM hookgate.ledger_line WHERE n = 2')).length === 1
    expect(isWritten).toBe(true)
    // The gate looks before it decides anew: hooks are off, so this turns them on.
    expect(await gate.setSwitch(true, me)).toBe(isWritten)
    expect((await openIn(fixture)).state().revision).toBe(isWritten ? 3 : 1)
    await relay.stop()
  })

  test('a beginning that was lost is not taken for the one of another gate that starts with the same lines', async () => {
    const relay = await startRelay(database.url())
    const [mine, other] = [await linesAt(relay.through(database.url()), 400), await linesAt()]
    relay.silence()
    const first = { act: 'genesis', by: me, data: { owners: [] } } as const
    const linesOf = (what: string): readonly string[] => {
      const { text } = formatAll(
        [first, { act: 'on', by: me, data: { what } }],
        0,
        undefined,
        0,
        Buffer.alloc(32),
      )
      return text.trimEnd().split('\n')
    }
    const begun = mine.begin(undefined, linesOf('mine'))
    expect(await other.begin(undefined, linesOf('theirs'))).toBe('written')
    await delay(200)
    relay.restore()
    expect(await begun).toBe('moved')
    await relay.stop()
  })

  test('a server that is away is a refusal with words, and nothing has changed', async () => {
    const relay = await startRelay(database.url())
    const fixture = folder()
    const gate = await openIn(fixture, relay.through(database.url()))
    relay.cut()
    await expect(gate.setSwitch(false, me)).rejects.toThrow(/Expected .*database/)
    expect(gate.state()).toMatchObject({ isOn: true, revision: 1 })
    relay.restore()
    expect(await gate.setSwitch(false, me)).toBe(true)
    await relay.stop()
  })
})

describe('two gates', () => {
  const pair = async (): Promise<readonly [Gatekeeper, Gatekeeper]> => {
    const first = folder()
    const one = await openIn(first)
    return [one, await openIn(folder(first))]
  }

  test('a change meets what the other gate changed, and is decided anew', async () => {
    const [one, other] = await pair()
    await one.setSwitch(false, me)
    expect(other.state().isOn).toBe(true)
    // It was decided for hooks that are on. They are off already, so nothing is written.
    expect(await other.setSwitch(false, me)).toBe(false)
    expect(other.state()).toEqual(one.state())
    await one.addOwner({ id: 'telegram:8' }, me)
    await one.removeOwner(me, 'telegram:8')
    expect(await other.removeOwner('telegram:8', me)).toMatchObject({ ok: false })
    expect(other.state()).toEqual(one.state())
  })

  test('many changes at once make one ledger, each of them once', async () => {
    const [one, other] = await pair()
    const ids = Array.from({ length: 12 }, (_, index) => `telegram:${100 + index}`)
    const added = await Promise.all(ids.map((id, at) => (at % 2 === 0 ? one : other).addOwner({ id }, me)))
    expect(added).toEqual(ids.map(() => true))
    await one.addOwner({ id: 'telegram:200' }, me)
    await other.addOwner({ id: 'telegram:201' }, me)
    await one.setSwitch(false, me)
    expect(await other.setSwitch(false, me)).toBe(false)
    expect(other.state()).toEqual(one.state())
    expect(
      one
        .state()
        .owners.map(({ id }) => id)
        .toSorted(),
    ).toEqual([...ids, 'telegram:200', 'telegram:201', me].toSorted())
    expect(await rows('SELECT count(*)::int AS lines FROM hookgate.ledger_line')).toEqual([{ lines: 16 }])
  })

  test('a revoke of one is never undone by an approval of the other', async () => {
    const [one, other] = await pair()
    const fingerprint = await approveGuard(one)
    expect((await other.revoke(fingerprint, me))?.fingerprint).toBe(fingerprint)
    expect(one.state().approvals.size).toBe(1)
    await one.setSwitch(false, me)
    expect(one.state().approvals.size).toBe(0)
  })

  test('both know a shadow, and a promotion by both at once counts once', async () => {
    const [one, other] = await pair()
    const shadow = await one.approve(anEntry(), me, undefined, 'shadow')
    const fingerprint = shadow.ok ? shadow.approval.fingerprint : ''
    const isShadow = (gate: Gatekeeper): unknown => gate.state().approvals.get(fingerprint)?.isShadow
    await other.setSwitch(false, me)
    expect(isShadow(other)).toBe(true)
    const promoted = await Promise.all([one, other].map((gate) => gate.promote(fingerprint, me)))
    expect(promoted.every(({ ok }) => ok)).toBe(true)
    expect(promoted.filter((done) => done.ok && done.isNew)).toHaveLength(1)
    expect([one, other].map(isShadow)).toEqual([undefined, undefined])
    expect(fixtures.flatMap(({ lockdowns }) => lockdowns)).toEqual([])
  })

  test('two that start at once on an empty database begin one ledger', async () => {
    const starts = await Promise.allSettled([openIn(folder()), openIn(folder())])
    expect(starts.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    expect(await rows('SELECT generation, revision FROM hookgate.ledger')).toEqual([
      { generation: '1', revision: '1' },
    ])
  })

  test('a gate without the key, or with another one, does not start, and says where the key belongs', async () => {
    await openIn(folder())
    await expect(openIn(folder())).rejects.toThrow(/Expected the key of the ledger in .*ledger\.key/)
    const other = folder()
    mkdirSync(dirname(keyOf(other)), { recursive: true })
    writeFileSync(keyOf(other), Buffer.alloc(32, 7))
    await expect(openIn(other)).rejects.toThrow('got the key of another one')
  })
})

describe('a gate that waits', () => {
  const putBack = `DELETE FROM hookgate.ledger_line WHERE n = 3;
    UPDATE hookgate.ledger SET revision = 2, head =
      (SELECT encode(sha256(convert_to(line, 'UTF8')), 'hex') FROM hookgate.ledger_line WHERE n = 2)`

  test('knows of a revoke that the database has lost when it takes over', async () => {
    const first = folder()
    const gate = await openIn(first)
    const fingerprint = await approveGuard(gate)
    const second = folder(first)
    const look = followLedger(second.home, await linesAt())
    expect((await look()).why).toBeUndefined()
    await gate.revoke(fingerprint, me)
    expect((await look()).why).toBeUndefined()
    await behindTheTrigger(putBack)
    expect((await look()).why).toMatch(/should have 3 lines and has 2/)
    const next = await openIn(second)
    expect(next.state().lockdown).toMatch(/should have 3 lines and has 2/)
    expect(next.armed()).toEqual([])
  })

  test('takes the ledger that an owner began anew, and not one that was copied to look like it', async () => {
    const first = folder()
    const gate = await openIn(first)
    await approveGuard(gate)
    await gate.setSwitch(true, me)
    const second = folder(first)
    const look = followLedger(second.home, await linesAt())
    expect((await look()).why).toBeUndefined()
    gate.lockDown('a test')
    expect(await gate.recover(me)).toMatchObject({ ok: true })
    expect((await look()).why).toBeUndefined()
    await rows(`INSERT INTO hookgate.ledger_line
        SELECT 3, n, line FROM hookgate.ledger_line WHERE generation = 1 AND n <= 2;
      UPDATE hookgate.ledger SET generation = 3, revision = 2, head =
        (SELECT encode(sha256(convert_to(line, 'UTF8')), 'hex') FROM hookgate.ledger_line WHERE generation = 1 AND n = 2)`)
    expect((await look()).why).toMatch(/no owner began ledger 3/)
    // Neither a gate that has seen less, nor one that has seen nothing, takes it.
    for (const fixture of [second, folder(first)])
      expect((await openIn(fixture)).state().lockdown).toMatch(/no owner began ledger 3/)
  })

  test('says at once that it has not the key', async () => {
    await openIn(folder())
    const look = followLedger(folder().home, await linesAt())
    await expect(look()).rejects.toThrow(/Expected the key of the ledger in .*ledger\.key/)
  })
})

describe('a database that somebody changed', () => {
  const story = async (): Promise<{ readonly fixture: Fixture; readonly gate: Gatekeeper }> => {
    const fixture = folder()
    const gate = await openIn(fixture)
    const fingerprint = await approveGuard(gate)
    await gate.revoke(fingerprint, me)
    return { fixture, gate }
  }

  /** Each change, and what a running gate and a fresh start say of it. */
  const changes: readonly (readonly [what: string, sql: string, words: RegExp])[] = [
    [
      'put back to before the last line',
      `DELETE FROM hookgate.ledger_line WHERE n = 3;
       UPDATE hookgate.ledger SET revision = 2, head =
         (SELECT encode(sha256(convert_to(line, 'UTF8')), 'hex') FROM hookgate.ledger_line WHERE n = 2)`,
      /3 lines/,
    ],
    [
      'a line that somebody with the password forged',
      `INSERT INTO hookgate.ledger_line SELECT generation, 4, replace(line, '"n":3', '"n":4') FROM hookgate.ledger_line WHERE n = 3;
       UPDATE hookgate.ledger SET revision = 4`,
      /line 4/,
    ],
    [
      'a line changed',
      `UPDATE hookgate.ledger_line SET line = replace(line, 'revoke', 'revokf') WHERE n = 3`,
      /line 3/,
    ],
    ['a head that is no line', 'UPDATE hookgate.ledger SET revision = 9', /line 9/],
  ]
  test.each(changes)('%s: lockdown after a start', async (_, sql, words) => {
    const { fixture } = await story()
    await behindTheTrigger(sql)
    const again = await openIn(fixture)
    expect(again.state().lockdown).toMatch(words)
    expect(again.armed()).toEqual([])
  })

  test.each([
    ['put back', changes[0]?.[1], /3 lines or more/],
    ['forged', changes[1]?.[1], /line 4/],
  ])(
    'a running gate notices before its next change that it was %s, and writes nothing',
    async (_, sql = '', words) => {
      const { fixture, gate } = await story()
      await behindTheTrigger(sql)
      const before = await rows('SELECT * FROM hookgate.ledger_line ORDER BY n')
      await expect(gate.setSwitch(false, me)).rejects.toThrow(words)
      expect(gate.state().lockdown).toMatch(words)
      expect(fixture.lockdowns).toHaveLength(1)
      expect(await rows('SELECT * FROM hookgate.ledger_line ORDER BY n')).toEqual(before)
    },
  )

  test('an owner recovers: a new ledger begins, the old lines stay, and the next start is sound', async () => {
    const { fixture } = await story()
    await behindTheTrigger(changes[1]?.[1] ?? '')
    const gate = await openIn(fixture)
    expect(gate.state().lockdown).toBeDefined()
    expect(await gate.recover(me)).toMatchObject({ ok: true, kept: 'generation 1 in the database' })
    expect(gate.state()).toMatchObject({ revision: 1, isOn: false })
    expect(gate.state().lockdown).toBeUndefined()
    await gate.setSwitch(true, me)
    const again = await openIn(fixture)
    expect(again.state()).toEqual(gate.state())
    expect(
      await rows('SELECT generation, count(*)::int AS lines FROM hookgate.ledger_line GROUP BY 1 ORDER BY 1'),
    ).toEqual([
      { generation: '1', lines: 4 },
      { generation: '2', lines: 2 },
    ])
  })

  test('an owner goes on from a good line', async () => {
    const { fixture } = await story()
    await behindTheTrigger(changes[1]?.[1] ?? '')
    const gate = await openIn(fixture)
    const { good } = gate.state()
    expect(good?.lines).toBe(3)
    expect(await gate.recover(me, good?.head)).toMatchObject({ ok: true })
    expect(gate.state()).toMatchObject({ revision: 4, isOn: true })
    const again = await openIn(fixture)
    expect(again.state()).toEqual(gate.state())
    expect(await approveGuard(again, anEntry())).toBeDefined()
  })
})
