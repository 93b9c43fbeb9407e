import fs from 'node:fs'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { ProblemError } from '../../../src/core/model/gate/problem.ts'
import { aMessage, anEntry, approveGuard, createFixture, startMs, type Fixture } from './gate-fixture.ts'
import { keepHead } from './ledger-fixture.ts'

let fixture: Fixture
beforeEach(() => {
  fixture = createFixture()
})
afterEach(() => fixture.remove())

const me = 'telegram:7'
const modeOf = (file: string): string => (fs.statSync(file).mode & 0o777).toString(8)
const actsOf = (): readonly string[] => fixture.lines().map((line) => String(JSON.parse(line).act))

test('a first start adopts owners and switch once; afterwards the ledger decides', async () => {
  expect((await fixture.open()).state()).toMatchObject({
    isOn: true,
    revision: 1,
    owners: [{ id: me, chat_id: '7' }],
  })
  const again = await fixture.open({ adopt: { owners: [{ id: 'telegram:8' }], isOn: false } })
  expect(again.state()).toMatchObject({ isOn: true, revision: 1, owners: [{ id: me }] })
  expect(again.isOwner('telegram:8')).toBe(false)
})

test("key and ledger are the gate's own, seals can be read and executed by others, whatever the umask", async () => {
  const umask = process.umask(0o077)
  let fingerprint = ''
  try {
    fingerprint = await approveGuard(await fixture.open())
  } finally {
    process.umask(umask)
  }
  const at = (name: string): string => modeOf(path.join(fixture.home, name))
  expect([at('secrets'), at('secrets/ledger.key'), at('ledger.jsonl')]).toEqual(['700', '600', '600'])
  expect(['.', 'seal', `seal/${fingerprint}`, `seal/${fingerprint}/hooks`].map(at)).toEqual([
    '755',
    '755',
    '755',
    '755',
  ])
})

test('a hook fires only when it is approved and the switch is on, and every change survives a restart', async () => {
  const gate = await fixture.open({ adopt: { owners: [{ id: me }], isOn: false } })
  const fingerprint = await approveGuard(gate)
  expect(gate.armed()).toEqual([])
  expect(gate.approvedHooks()).toHaveLength(1)
  expect(await gate.setSwitch(true, me)).toBe(true)
  expect(await gate.setSwitch(true, me)).toBe(false)
  expect(gate.armed().map((hook) => hook.fingerprint)).toEqual([fingerprint])
  const next = await fixture.open()
  expect(next.armed().map((hook) => hook.fingerprint)).toEqual([fingerprint])
  expect(await next.revoke(fingerprint, me)).toMatchObject({
    fingerprint,
    by: me,
    at: new Date(startMs).toISOString(),
  })
  expect(await next.revoke(fingerprint, me)).toBeUndefined()
  expect(next.armed()).toEqual([])
  expect((await fixture.open()).state()).toMatchObject({ revision: 4, isOn: true, approvals: new Map() })
  expect(actsOf()).toEqual(['genesis', 'approve', 'on', 'revoke'])
})

test('the armed list is the same list until something changes', async () => {
  const gate = await fixture.open()
  await approveGuard(gate)
  const armed = gate.armed()
  gate.propose(anEntry())
  gate.setProposalOrder([])
  expect(gate.armed()).toBe(armed)
  await gate.setSwitch(false, me)
  expect(gate.armed()).not.toBe(armed)
})

test('what runs is the sealed copy with the approved bytes, whatever becomes of the file', async () => {
  const gate = await fixture.open()
  await approveGuard(gate, anEntry({ command: './hooks/guard.sh --strict', cwd: 'hooks' }))
  fixture.write('hooks/guard.sh', '#!/bin/sh\necho evil\n')
  const [hook] = gate.armed()
  expect(hook).toMatchObject({
    cwd: path.join(fixture.workspace, 'hooks'),
    hookDir: path.join(fixture.workspace, 'hooks'),
  })
  expect(hook?.argv[1]?.startsWith(path.join(fixture.home, 'seal', hook.fingerprint))).toBe(true)
  expect(fs.readFileSync(hook?.argv[1] ?? '', 'utf8')).toContain('echo guard')
  expect(modeOf(hook?.argv[1] ?? '')).toBe('555')
  expect(hook?.argv[2]).toBe('--strict')
})

test('a proposal is not approved by itself, tells what approving would seal, and follows the file', async () => {
  const gate = await fixture.open()
  const before = gate.propose(anEntry())
  expect(before).toMatchObject({
    unsealed: [],
    files: [{ path: 'hooks/guard.sh', bytes: 21, isExecutable: true }],
  })
  expect(gate.armed()).toEqual([])
  expect(await approveGuard(gate)).toBe(before.fingerprint)
  fixture.write('hooks/guard.sh', '#!/bin/sh\necho other\n')
  expect(gate.propose(anEntry()).fingerprint).not.toBe(before.fingerprint)
  fixture.write('hooks/guard.sh', '#!/bin/sh\necho guard\n', 0o644)
  expect(gate.propose(anEntry()).fingerprint).not.toBe(before.fingerprint)
  const file = fixture.write('hooks/guard.sh', '#!/bin/sh\necho guard\n')
  fs.utimesSync(file, 1, 1)
  expect(gate.propose(anEntry()).fingerprint).toBe(before.fingerprint)
})

test('what cannot be sealed cannot be approved, and nothing is written', async () => {
  const gate = await fixture.open()
  fs.symlinkSync('guard.sh', path.join(fixture.workspace, 'hooks/link.sh'))
  for (const options of [
    { command: './hooks/link.sh' },
    { command: './hooks' },
    { files: ['gone.json'] },
    { command: 'nowhere' },
  ]) {
    const proposal = gate.propose(anEntry(options))
    expect(proposal.fingerprint).toBeUndefined()
    expect(await gate.approve(anEntry(options), me)).toEqual({ ok: false, problem: proposal.problem })
  }
  expect(actsOf()).toEqual(['genesis'])
})

test('an approval with an expected fingerprint refuses bytes that were not shown', async () => {
  const gate = await fixture.open()
  const { fingerprint } = gate.propose(anEntry())
  fixture.write('hooks/guard.sh', '#!/bin/sh\nchanged\n')
  expect(await gate.approve(anEntry(), me, fingerprint)).toMatchObject({
    ok: false,
    problem: { code: 'approve.changed' },
  })
  expect(await gate.approve(anEntry(), me, gate.propose(anEntry()).fingerprint)).toMatchObject({
    ok: true,
    isNew: true,
  })
})

test('approving the same again changes nothing, and other bytes of one entry take the place of the old ones', async () => {
  const gate = await fixture.open()
  const first = await approveGuard(gate)
  expect(await gate.approve(anEntry({ name: 'another name' }), me)).toMatchObject({ ok: true, isNew: false })
  expect(gate.state().revision).toBe(2)
  fixture.write('hooks/guard.sh', '#!/bin/sh\nnewer\n')
  const second = await approveGuard(gate)
  expect(gate.armed().map((hook) => hook.fingerprint)).toEqual([second])
  expect(actsOf()).toEqual(['genesis', 'approve', 'approve', 'revoke'])
  expect(JSON.parse(fixture.lines()[3] ?? '').data).toEqual({ fingerprint: first })
})

test('cut between the two lines of such an approval, a start finishes it', async () => {
  const gate = await fixture.open()
  await approveGuard(gate)
  fixture.write('hooks/guard.sh', '#!/bin/sh\nnewer\n')
  const second = await approveGuard(gate)
  fs.writeFileSync(
    fixture.ledger,
    fixture
      .lines()
      .slice(0, 3)
      .map((line) => `${line}\n`)
      .join(''),
  )
  keepHead(fixture, 2)
  fs.mkdirSync(path.join(fixture.home, 'seal'), { recursive: true })
  // The old seal is there too: seals are swept only at a start.
  const next = await fixture.open()
  expect(next.state().lockdown).toBeUndefined()
  expect(next.armed().map((hook) => hook.fingerprint)).toEqual([second])
  expect(actsOf()).toEqual(['genesis', 'approve', 'approve', 'revoke'])
  expect(fs.readdirSync(path.join(fixture.home, 'seal')).toSorted()).toEqual([second, 'package.json'])
})

test('hooks stand by priority, then as the files propose them, then as they were approved', async () => {
  const gate = await fixture.open()
  const entry = (name: string, priority = 100) => anEntry({ args: [name], priority })
  for (const one of [entry('a'), entry('b'), entry('late', 1), entry('c'), entry('early', 900)])
    await approveGuard(gate, one)
  const order = (): string =>
    gate
      .armed()
      .map((hook) => hook.entry.args[0])
      .join(' ')
  expect(order()).toBe('early a b c late')
  gate.setProposalOrder([entry('c'), entry('a'), entry('early', 900)])
  expect(order()).toBe('early c a b late')
})

test("the environment forces on until an owner says off, and an owner's on makes it last", async () => {
  const off = { owners: [{ id: me }], isOn: false }
  const first = await fixture.open({ adopt: off, isForcedOn: true })
  expect(first.state()).toMatchObject({ isOn: true, isForcedOn: true, revision: 1 })
  expect(await first.setSwitch(false, me)).toBe(true)
  expect(first.state()).toMatchObject({ isOn: false, isForcedOn: false, revision: 2 })
  expect(await first.setSwitch(false, me)).toBe(false)
  expect((await fixture.open()).state().isOn).toBe(false)
  const second = await fixture.open({ isForcedOn: true })
  expect(await second.setSwitch(true, me)).toBe(true)
  expect(second.state()).toMatchObject({ isOn: true, isForcedOn: false })
  expect((await fixture.open()).state().isOn).toBe(true)
})

test("owners come by pairing or an owner's word, go by an owner's word, and the last one stays", async () => {
  const gate = await fixture.open({ adopt: { owners: [], isOn: false } })
  expect(gate.admits(aMessage(), 'owner')).toEqual({ ok: false, code: 'not_owner' })
  expect(await gate.pairing.pair(gate.pairing.mint(), aMessage())).toEqual({ ok: true })
  expect(gate.admits(aMessage(), 'privileged')).toEqual({ ok: true })
  expect(await gate.removeOwner(me, me)).toMatchObject({ ok: false, problem: { code: 'owner.last' } })
  expect(await gate.addOwner({ id: 'web:owner' }, me)).toBe(true)
  expect(await gate.addOwner({ id: 'web:owner' }, me)).toBe(false)
  expect(await gate.removeOwner(me, 'web:owner')).toEqual({ ok: true })
  expect(await gate.removeOwner(me, 'web:owner')).toMatchObject({ ok: false })
  expect((await fixture.open()).state().owners).toEqual([
    { id: 'web:owner', by: me, at: new Date(startMs).toISOString() },
  ])
  await expect(gate.addOwner({ id: 'nobody' }, me)).rejects.toThrow(ProblemError)
  await expect(fixture.open({ adopt: { owners: [{ id: '7' }], isOn: false } })).rejects.toThrow(
    'is no id of a person',
  )
})

test('listeners hear each change with the new state, and one that fails stops nobody', async () => {
  const gate = await fixture.open()
  const heard: number[] = []
  gate.onChange(() => {
    throw new Error('mine')
  })
  const stop = gate.onChange((state) => void heard.push(state.revision))
  await gate.setSwitch(false, me)
  await approveGuard(gate)
  stop()
  await gate.setSwitch(true, me)
  expect(heard).toEqual([2, 3])
})

test('approving and revoking use up what handles showed, and the handles stay', async () => {
  const gate = await fixture.open()
  const fingerprint = gate.propose(anEntry()).fingerprint ?? ''
  const shown = { owner: me, chat: '7', fingerprint, shows: 'all' }
  const handle = gate.handles.mint(shown)
  for (const change of [() => approveGuard(gate), () => gate.revoke(fingerprint, me)]) {
    expect(gate.handles.mint(shown)).toBe(handle)
    gate.handles.shown([handle], false)
    expect(gate.handles.resolve({ ...shown, handle })).toEqual({ fingerprint, shows: 'all' })
    await change()
    expect(gate.handles.resolve({ ...shown, handle })).toEqual({ fingerprint })
  }
})

test("moving the gate's folder and the workspace moves the sealed paths with them", async () => {
  await approveGuard(await fixture.open())
  const home = path.join(fixture.root, 'moved')
  fs.renameSync(fixture.home, home)
  const workspace = path.join(fixture.root, 'elsewhere')
  fs.mkdirSync(workspace)
  const [hook] = (await fixture.open({ home, workspace })).armed()
  expect(hook?.argv[1]?.startsWith(home)).toBe(true)
  expect(hook?.hookDir).toBe(path.join(workspace, 'hooks'))
  expect(hook?.checkSeal()).toBeUndefined()
})

test('an entry that no later start could read is refused before it is written', async () => {
  const gate = await fixture.open()
  for (const odd of [{ timeoutMs: Number.NaN }, { odd: true }]) {
    const answer = await gate.approve({ ...anEntry(), ...odd }, me)
    expect(answer).toMatchObject({ ok: false, problem: { code: 'ledger.act' } })
  }
  expect((await fixture.open()).state()).toMatchObject({ revision: 1 })
})

test('a folder that cannot be written is a clear problem', async () => {
  const blocked = path.join(fixture.root, 'file')
  fs.writeFileSync(blocked, '')
  await expect(fixture.open({ home: path.join(blocked, 'home') })).rejects.toThrow(
    /^Expected ".*" to be a folder that hookgate can write, got an error \(ENOTDIR\)\.$/,
  )
})
