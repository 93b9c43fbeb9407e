import fs from 'node:fs'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Gatekeeper } from '../../../src/core/gatekeeper/gatekeeper.ts'
import { aMessage, anEntry, approveGuard, createFixture, type Fixture } from './gate-fixture.ts'

let fixture: Fixture
beforeEach(() => {
  fixture = createFixture()
})
afterEach(() => fixture.remove())

const me = 'telegram:7'
/** genesis, owner_add, approve, off, on */
const build = async (): Promise<void> => {
  const gate = await fixture.open()
  await gate.addOwner({ id: 'telegram:8', chat_id: '8' }, me)
  await approveGuard(gate)
  await gate.setSwitch(false, me)
  await gate.setSwitch(true, me)
}
const put = (lines: readonly (string | undefined)[]): void =>
  fs.writeFileSync(fixture.ledger, lines.map((line) => `${line}\n`).join(''))
const expectLockdown = async (gate: Gatekeeper): Promise<void> => {
  expect(gate.state().lockdown).toBeDefined()
  expect(fixture.lockdowns).toEqual([gate.state().lockdown])
  expect(gate.armed()).toEqual([])
  expect(gate.approvedHooks()).toEqual([])
  expect(await gate.approve(anEntry(), me)).toMatchObject({ ok: false, problem: { code: 'gate.lockdown' } })
  await expect(gate.setSwitch(false, me)).rejects.toThrow('lockdown')
}

test('any line edited, dropped or swapped is lockdown; the owners of the good part still command', async () => {
  await build()
  const lines = fixture.lines()
  const [a, b, c, d, e] = lines
  const edited = lines.map((line, at) =>
    lines.map((other, index) => (index === at ? line.replace('"by":"', '"by":"x') : other)),
  )
  const cases = [
    ...edited,
    [b, c, d, e],
    [a, c, d, e],
    [a, b, d, e],
    [a, b, c, e],
    [b, a, c, d, e],
    [a, b, d, c, e],
    [a, b, c, e, d],
  ]
  for (const some of cases) {
    fixture.lockdowns.length = 0
    put(some)
    const before = fs.readFileSync(fixture.ledger)
    const gate = await fixture.open()
    await expectLockdown(gate)
    expect(gate.admits(aMessage(), 'privileged')).toEqual({ ok: true })
    // What is damaged is evidence: it is left as it is.
    expect(fs.readFileSync(fixture.ledger)).toEqual(before)
  }
})

test('in lockdown only owners of the verified part count', async () => {
  await build()
  const [a, b, ...rest] = fixture.lines()
  put([a, b?.replace('telegram:8', 'telegram:9'), ...rest])
  const gate = await fixture.open()
  expect(gate.isOwner(me)).toBe(true)
  expect(gate.isOwner('telegram:8')).toBe(false)
  expect(gate.isOwner('telegram:9')).toBe(false)
})

test.each([
  ['gone', () => fs.rmSync(path.join(fixture.home, 'secrets/ledger.key'))],
  ['another one', () => fs.writeFileSync(path.join(fixture.home, 'secrets/ledger.key'), Buffer.alloc(32))],
  ['cut', () => fs.truncateSync(path.join(fixture.home, 'secrets/ledger.key'), 31)],
])(
  'a key that is %s is lockdown, from which the owners of the environment can recover',
  async (_, damage) => {
    await build()
    damage()
    const gate = await fixture.open()
    await expectLockdown(gate)
    expect(gate.isOwner(me)).toBe(true)
    expect(await gate.recover(me)).toMatchObject({ ok: true })
    expect(fs.statSync(path.join(fixture.home, 'secrets/ledger.key'))).toMatchObject({ size: 32 })
    await approveGuard(gate)
    expect((await fixture.open()).state()).toMatchObject({ revision: 2, owners: [{ id: me }] })
  },
)

test.each([
  ['a directory', () => fs.mkdirSync(fixture.ledger)],
  ['a link', () => fs.symlinkSync('/etc/hostname', fixture.ledger)],
])('a ledger that is %s is lockdown, and recovers', async (_, put) => {
  await build()
  fs.rmSync(fixture.ledger)
  put()
  const gate = await fixture.open()
  await expectLockdown(gate)
  expect(await gate.recover(me)).toMatchObject({ ok: true })
  expect((await fixture.open()).state().lockdown).toBeUndefined()
})

test.each([
  ['longer', () => fs.appendFileSync(fixture.ledger, 'x')],
  ['shorter', () => put(fixture.lines().slice(0, -1))],
  ['gone', () => fs.rmSync(fixture.ledger)],
  [
    'another at its end',
    () =>
      fs.writeFileSync(fixture.ledger, fs.readFileSync(fixture.ledger, 'utf8').replace(/.{3}\n$/, '000\n')),
  ],
])(
  'a ledger that became %s behind the gate is lockdown at the next act, which is not written',
  async (_, damage) => {
    await build()
    const gate = await fixture.open()
    damage()
    await expect(gate.setSwitch(false, me)).rejects.toThrow('The ledger is not as hookgate last')
    await expectLockdown(gate)
    expect(gate.state()).toMatchObject({ isOn: true, revision: 5 })
  },
)

test('an approval that meets such a ledger is refused and in force nowhere', async () => {
  const gate = await fixture.open()
  fs.appendFileSync(fixture.ledger, 'x')
  expect(await gate.approve(anEntry(), me)).toMatchObject({ ok: false, problem: { code: 'ledger.damaged' } })
  expect(gate.state().approvals.size).toBe(0)
})

test('recover keeps the damaged ledger aside and begins anew: the verified owners, nothing approved, off', async () => {
  await build()
  const [a, b, c, ...rest] = fixture.lines()
  put([a, b, c?.replace('guard', 'gu4rd'), ...rest])
  const damaged = fs.readFileSync(fixture.ledger)
  const gate = await fixture.open({ isForcedOn: true })
  const answer = await gate.recover('telegram:8')
  const kept = answer.ok ? (answer.kept ?? '') : ''
  expect(kept).toMatch(/^ledger\.damaged-.*\.jsonl$/)
  expect(fs.readFileSync(path.join(fixture.home, kept))).toEqual(damaged)
  const expected = {
    isOn: false,
    isForcedOn: false,
    revision: 1,
    owners: [
      { id: me, chat_id: '7' },
      { id: 'telegram:8', chat_id: '8' },
    ],
  }
  expect(gate.state()).toMatchObject(expected)
  expect(gate.state().lockdown).toBeUndefined()
  expect(gate.state().approvals.size).toBe(0)
  const next = await fixture.open()
  expect(next.state()).toMatchObject(expected)
  expect(JSON.parse(fixture.lines()[0] ?? '')).toMatchObject({ act: 'recover', by: 'telegram:8' })
  await approveGuard(next)
  await next.setSwitch(true, me)
  expect(next.armed()).toHaveLength(1)
})

test('a sound gate has nothing to recover', async () => {
  await build()
  const before = fs.readFileSync(fixture.ledger)
  expect(await (await fixture.open()).recover(me)).toMatchObject({
    ok: false,
    problem: { code: 'gate.sound' },
  })
  expect(fs.readFileSync(fixture.ledger)).toEqual(before)
})

test('lockdown from outside is told once, holds everything, and a listener hears it', async () => {
  await build()
  const gate = await fixture.open()
  const heard: (string | undefined)[] = []
  gate.onChange((state) => void heard.push(state.lockdown))
  gate.lockDown('the door was forced')
  gate.lockDown('again')
  expect(heard).toEqual(['the door was forced'])
  await expectLockdown(gate)
})

test('in lockdown no code pairs anybody', async () => {
  await build()
  const gate = await fixture.open()
  const code = gate.pairing.mint()
  gate.lockDown('doubt')
  expect(await gate.pairing.pair(code, aMessage({ sender_id: '66' }))).toEqual({
    ok: false,
    why: 'not_written',
  })
  expect(gate.isOwner('telegram:66')).toBe(false)
})
