import fs from 'node:fs'
import path from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { catalogue } from '../../../src/proposals/catalogue.ts'
import { failsHow, type ListedHook } from '../../../src/shared/gate/catalogue.ts'
import { proseText } from '../../../src/core/model/chat/prose.ts'
import type { Prepared } from '../../../src/core/model/approval/approved.ts'
import { sha256 } from '../../../src/core/model/approval/canonical.ts'
import { anEntry, approveGuard, createFixture, type Fixture, type FixtureGate } from './gate-fixture.ts'

const me = 'telegram:7'
let fixture: Fixture
let gate: FixtureGate
beforeEach(async () => {
  fixture = createFixture()
  gate = await fixture.open()
})
afterEach(() => fixture.remove())

const failsText = (row: ListedHook): string | undefined => {
  const words = failsHow(row)
  return words === undefined ? undefined : proseText(words)
}

const armed = (): readonly string[] => gate.armed().map(({ entry }) => entry.onError)

test("an owner's choice makes the live hook block when it fails; the entry and its fingerprint stay", async () => {
  const { fingerprint } = gate.propose(anEntry())
  expect(await gate.approve(anEntry(), me, fingerprint, 'closed')).toMatchObject({
    ok: true,
    isNew: true,
    approval: { fingerprint, failsClosed: true, entry: { onError: 'warn' } },
  })
  expect(armed()).toEqual(['block'])
  expect(await gate.approve(anEntry(), me, fingerprint, 'closed')).toMatchObject({ isNew: false })
  gate = await fixture.open()
  expect(armed()).toEqual(['block'])
  expect(
    catalogue([{ kind: 'entry', entry: anEntry() }], [...gate.state().approvals.values()], gate.propose).map(
      failsText,
    ),
  ).toEqual(['blocks (your choice)'])
})

test('approved again without the choice, it ends', async () => {
  await gate.approve(anEntry(), me, undefined, 'closed')
  expect(await gate.approve(anEntry(), me)).toMatchObject({ ok: true, isNew: true })
  expect(armed()).toEqual(['warn'])
  expect([...gate.state().approvals.values()].map(({ failsClosed }) => failsClosed)).toEqual([undefined])
  expect((await fixture.open()).armed().map(({ entry }) => entry.onError)).toEqual(['warn'])
})

test("a changed file's row says what holds now and what would", async () => {
  await gate.approve(anEntry(), me, undefined, 'closed')
  fixture.write('hooks/guard.sh', '#!/bin/sh\necho other\n')
  const rows = catalogue(
    [{ kind: 'entry', entry: anEntry() }],
    [...gate.state().approvals.values()],
    gate.propose,
  )
  expect(rows.map((row) => [row.status, failsText(row)])).toEqual([
    ['changed', 'goes on and tells you (blocks now, your choice)'],
  ])
  const gone = catalogue([], [...gate.state().approvals.values()], gate.propose)
  expect(gone.map((row) => [row.status, failsText(row)])).toEqual([['gone', 'blocks (your choice)']])
})

test('hooks stand in the order of the files, whichever of them fail closed', async () => {
  const two = anEntry({ event: 'on_stop' })
  gate.setProposalOrder([two, anEntry()])
  await gate.approve(anEntry(), me)
  await gate.approve(two, me, undefined, 'closed')
  expect(gate.armed().map(({ entry }) => entry.event)).toEqual(['on_stop', 'pre_tool_call'])
})

test('what an older hookgate wrote has no such choice, and only the choice itself is one', async () => {
  await approveGuard(gate)
  expect(fixture.lines().join('\n')).not.toContain('failsClosed')
  expect(armed()).toEqual(['warn'])
})

describe('while an approval is written', () => {
  const count = 40
  const large = anEntry({ files: Array.from({ length: count }, (_, at) => `data/${at}.txt`) })
  /** A version whose seal takes so many writes that other acts come between. */
  const version = (words: string): void => {
    for (const name of large.files) fixture.write(name, words)
  }
  const sealNames = (): readonly string[] =>
    fs.readdirSync(path.join(fixture.home, 'seal')).filter((name) => name !== 'package.json')
  const isInFresh = (name: string): boolean =>
    sealNames().some(
      (folder) => folder.startsWith('.new-') && fs.existsSync(path.join(fixture.home, 'seal', folder, name)),
    )
  /** Resolves when the seal of an approval is half written. */
  const halfWritten = async (): Promise<void> => {
    while (!isInFresh('data/10.txt')) await turn()
  }
  beforeEach(() => version('one'))

  test('the gate goes on between its files, an off is carried out at once, and the approval changes no switch', async () => {
    const approving = gate.approve(large, me)
    await halfWritten()
    expect(isInFresh(`data/${count - 1}.txt`)).toBe(false)
    expect(await gate.setSwitch(false, me)).toBe(true)
    expect(gate.state()).toMatchObject({ isOn: false })
    expect(await approving).toMatchObject({ ok: true, isNew: true })
    expect(gate.state()).toMatchObject({ isOn: false })
    expect(gate.armed()).toEqual([])
    expect(gate.approvedHooks()).toHaveLength(1)
    expect((await fixture.open()).state()).toMatchObject({ isOn: false, revision: 3 })
  })

  test('a revoke of the hook ends its approval at once, and the new version is not approved afterwards', async () => {
    const first = await approveGuard(gate, large)
    version('two')
    const approving = gate.approve(large, me)
    await halfWritten()
    expect(await gate.revoke(first, me)).toMatchObject({ fingerprint: first })
    expect(gate.armed()).toEqual([])
    expect(await approving).toMatchObject({
      ok: false,
      problem: { code: 'approve.stopped', message: expect.stringContaining('a revoke of the hook') },
    })
    expect([gate.armed(), (await fixture.open()).armed()]).toEqual([[], []])
    expect(sealNames()).toEqual([])
  })

  test('a revoke of another hook stops nothing', async () => {
    const other = await approveGuard(gate)
    const approving = gate.approve(large, me)
    await halfWritten()
    await gate.revoke(other, me)
    expect(await approving).toMatchObject({ ok: true })
  })

  test('a lockdown stops it, also one that an owner has ended meanwhile', async () => {
    const approving = gate.approve(large, me)
    await halfWritten()
    gate.lockDown('a test')
    expect(await gate.recover(me)).toMatchObject({ ok: true })
    expect(await approving).toMatchObject({
      ok: false,
      problem: { code: 'approve.stopped', message: expect.stringContaining('a lockdown') },
    })
    expect([gate.state().approvals.size, (await fixture.open()).state().approvals.size]).toEqual([0, 0])
  })

  test('the removal of the owner who approved stops it', async () => {
    await gate.addOwner({ id: 'telegram:8', chat_id: '8' }, me)
    const approving = gate.approve(large, 'telegram:8')
    await halfWritten()
    expect(await gate.removeOwner('telegram:8', me)).toEqual({ ok: true })
    expect(await approving).toMatchObject({
      ok: false,
      problem: { code: 'approve.stopped', message: expect.stringContaining('the removal of its owner') },
    })
    expect(gate.state().approvals.size).toBe(0)
  })

  test('another approval waits for it, and each is written once, in the order of the owners', async () => {
    const first = gate.approve(large, me)
    const again = gate.approve(large, me)
    const other = gate.approve(anEntry(), me)
    await halfWritten()
    expect(gate.state().approvals.size).toBe(0)
    expect(await Promise.all([first, again, other])).toMatchObject([
      { ok: true, isNew: true },
      { ok: true, isNew: false },
      { ok: true, isNew: true },
    ])
    expect([...gate.state().approvals.values()].map(({ entry }) => entry.files.length)).toEqual([count, 0])
    expect([...(await fixture.open()).state().approvals.keys()]).toEqual([...gate.state().approvals.keys()])
    expect(sealNames()).toHaveLength(2)
  })

  test('a change of a file during the writing does not reach the seal', async () => {
    const approving = gate.approve(large, me)
    await halfWritten()
    version('changed')
    const done = await approving
    const [sealed] = sealNames()
    expect(done).toMatchObject({ ok: true, approval: { fingerprint: sealed } })
    const bytes = large.files.map((name) =>
      fs.readFileSync(path.join(fixture.home, 'seal', sealed ?? '', name), 'utf8'),
    )
    expect(new Set(bytes)).toEqual(new Set(['one']))
  })

  test('a gate that dies leaves no approval, and the next start removes the half-written seal', async () => {
    const approving = gate.approve(large, me)
    await halfWritten()
    const home = path.join(fixture.root, 'as-it-died')
    fs.cpSync(fixture.home, home, { recursive: true })
    await approving
    const next = await fixture.open({ home })
    expect(next.state()).toMatchObject({ revision: 1 })
    expect(next.state().lockdown).toBeUndefined()
    expect([next.state().approvals.size, next.armed()]).toEqual([0, []])
    expect(fs.readdirSync(path.join(home, 'seal'))).toEqual(['package.json'])
    expect(await next.approve(large, me)).toMatchObject({ ok: true, isNew: true })
  })
})

describe('a reader of programs that lies about what it read', () => {
  const evil = Buffer.from('#!/bin/sh\necho evil\n')
  const other = { bytes: evil.length, sha256: sha256(evil) }
  test.each<[string, (honest: Prepared) => Prepared]>([
    [
      'of other bytes, under the fingerprint that was shown',
      ({ record, contents }) => ({ record, contents: contents.map((file) => ({ ...file, content: evil })) }),
    ],
    [
      'of other bytes and their digests, under the fingerprint that was shown',
      ({ record, contents }) => ({
        record: { ...record, files: record.files.map((file) => ({ ...file, ...other })) },
        contents: contents.map((file) => ({ ...file, ...other, content: evil })),
      }),
    ],
    ['of a file that is missing among the bytes', ({ record }) => ({ record, contents: [] })],
    [
      'of one more watched file than the fingerprint names',
      ({ record, contents }) => ({
        record: { ...record, watched: [{ path: 'x', sha256: other.sha256, bytes: 1 }] },
        contents,
      }),
    ],
  ])('%s: nothing is approved', async (_, lie) => {
    const { prepare, propose } = gate
    const lying = await fixture.open({
      prepare: async (entry) => {
        const honest = prepare(entry)
        return 'problem' in honest ? honest : lie(honest)
      },
    })
    const { fingerprint } = propose(anEntry())
    expect(await lying.approve(anEntry(), me, fingerprint)).toMatchObject({
      ok: false,
      problem: { code: 'approve.forged' },
    })
    expect(lying.armed()).toEqual([])
  })

  test('of what happens when the hook fails, or whether it decides: the owner alone says that', async () => {
    const { prepare, propose } = gate
    const chosen = { failsClosed: true, failsOpen: true, isShadow: true } as const
    const lying = await fixture.open({
      prepare: async (entry) => {
        const honest = prepare(entry)
        return 'problem' in honest ? honest : { ...honest, record: { ...honest.record, ...chosen } }
      },
    })
    const { fingerprint } = propose(anEntry())
    const approved = await lying.approve(anEntry(), me, fingerprint)
    if (!approved.ok) throw new Error(approved.problem.message)
    expect(Object.keys(approved.approval).filter((key) => key in chosen)).toEqual([])
  })
})
