import fs from 'node:fs'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Gatekeeper } from '../../../../src/core/gatekeeper/gatekeeper.ts'
import { ProblemError } from '../../../../src/core/model/gate/problem.ts'
import { aMessage, anEntry, approveGuard, createFixture, type Fixture } from '../gate-fixture.ts'
import { keepHead, keyOf, me } from '../ledger-fixture.ts'
import { formatLine, noLine } from '../../../../src/core/gatekeeper/ledger/lines.ts'

let fixture: Fixture
beforeEach(() => {
  fixture = createFixture()
})
afterEach(() => fixture.remove())

const at = (name: string): string => path.join(fixture.home, name)
/** The same bytes under the same name, but another file. */
const swap = (name: string): void => {
  fs.copyFileSync(at(name), at('copy'))
  fs.renameSync(at('copy'), at(name))
}
const swapFolder = (): void => {
  const aside = path.join(fixture.root, 'aside')
  fs.renameSync(fixture.home, aside)
  fs.cpSync(aside, fixture.home, { recursive: true })
}

const changes: readonly (readonly [string, (gate: Gatekeeper, live: string) => unknown])[] = [
  ['approving', async (gate) => await gate.approve(anEntry({ args: ['x'] }), me)],
  ['revoking', (gate, live) => gate.revoke(live, me)],
  ['off', (gate) => gate.setSwitch(false, me)],
  ['off for a while', (gate) => gate.setSwitch(false, me, 1000)],
  ['a new owner', (gate) => gate.addOwner({ id: 'telegram:8' }, me)],
  ["an owner's other chat", (gate) => gate.addOwner({ id: me, chat_id: '70' }, me)],
  ["an owner's end", (gate) => gate.removeOwner('web:owner', me)],
  ['pairing', (gate) => gate.pairing.pair(gate.pairing.mint(), aMessage({ sender_id: '66' }))],
]
const replacements: readonly (readonly [string, () => void, string])[] = [
  ['the file was replaced by its own copy', () => swap('ledger.jsonl'), 'the file was replaced'],
  ['the whole folder was replaced by its own copy', swapFolder, 'the file was replaced'],
  [
    'the folder is gone',
    () => fs.renameSync(fixture.home, path.join(fixture.root, 'aside')),
    'the file is missing or was replaced',
  ],
  [
    'the key was replaced',
    () => fs.writeFileSync(at('secrets/ledger.key'), Buffer.alloc(32)),
    'its key was replaced',
  ],
  ['the key is gone', () => fs.rmSync(at('secrets/ledger.key')), 'its key is missing'],
  [
    'one bit in the middle was flipped in place',
    () => {
      const bytes = fs.readFileSync(fixture.ledger)
      bytes[40] = (bytes[40] ?? 0) ^ 1
      fs.writeFileSync(fixture.ledger, bytes)
    },
    'another program changed the file',
  ],
]

describe.each(replacements)('when %s', (_, replace, why) => {
  test.each(changes)(
    '%s is refused, nothing of it is in force, and the gate doubts itself',
    async (_, change) => {
      const gate = await fixture.open({
        adopt: { owners: [{ id: me, chat_id: '7' }, { id: 'web:owner' }], isOn: true },
      })
      const live = await approveGuard(gate)
      const before = gate.state()
      replace()
      const there = fs.existsSync(fixture.ledger) ? fs.readFileSync(fixture.ledger) : undefined
      let answer: unknown
      try {
        answer = await change(gate, live)
      } catch (error) {
        answer = error
      }
      const isRefused =
        answer instanceof ProblemError ||
        (typeof answer === 'object' && answer !== null && 'ok' in answer && !answer.ok)
      expect(isRefused).toBe(true)
      expect(gate.state()).toMatchObject({
        lockdown: `the ledger is damaged: ${why}`,
        revision: 2,
        isOn: true,
        owners: before.owners,
      })
      expect([...gate.state().approvals.keys()]).toEqual([live])
      expect(gate.armed()).toEqual([])
      if (there !== undefined) expect(fs.readFileSync(fixture.ledger)).toEqual(there)
    },
  )
})

test('what moves the file and leaves its bytes alone stops no change', async () => {
  const gate = await fixture.open()
  fs.chmodSync(fixture.ledger, 0o640)
  fs.linkSync(fixture.ledger, at('backup'))
  expect(await gate.setSwitch(false, me)).toBe(true)
  expect((await fixture.open()).state()).toMatchObject({ isOn: false, revision: 2 })
})

test('a change whose head cannot be kept is taken back whole', async () => {
  const gate = await fixture.open()
  fs.mkdirSync(at('secrets/ledger.head.new/x'), { recursive: true })
  await expect(gate.setSwitch(false, me)).rejects.toThrow('The ledger cannot be written')
  expect(gate.state()).toMatchObject({ isOn: true, revision: 1 })
  expect(gate.state().lockdown).toBeUndefined()
  expect(fixture.lines()).toHaveLength(1)
  fs.rmSync(at('secrets/ledger.head.new'), { recursive: true })
  expect(await gate.setSwitch(false, me)).toBe(true)
  expect((await fixture.open()).state()).toMatchObject({ isOn: false, revision: 2 })
})

test('a ledger from before heads were kept opens and gets its head; later the head cannot just be taken away', async () => {
  await fixture.open()
  const genesis = { act: 'genesis', by: 'adoption', data: { owners: [{ id: me }], isOn: true } } as const
  fs.writeFileSync(
    fixture.ledger,
    `${formatLine(1, '2026-01-02T03:04:05.000Z', genesis, noLine, keyOf(fixture.home))}\n`,
  )
  keepHead(fixture, 0)
  expect((await fixture.open()).state()).toMatchObject({ revision: 1, isOn: true })
  expect(fixture.lockdowns).toEqual([])
  expect(fs.existsSync(at('secrets/ledger.head'))).toBe(true)
  fs.truncateSync(fixture.ledger, 0)
  expect((await fixture.open()).state().lockdown).toBe('the ledger is damaged: the file is missing or empty')
})

describe('a beginning that a crash cut off', () => {
  test.each(['before anything was kept', 'with its key', 'with its key and the new file'])(
    '%s is a first start',
    async (when) => {
      await fixture.open()
      keepHead(fixture, 0)
      if (when.endsWith('file')) fs.renameSync(fixture.ledger, at('ledger.new'))
      else fs.rmSync(fixture.ledger)
      if (when.startsWith('before')) fs.rmSync(at('secrets/ledger.key'))
      expect((await fixture.open()).state()).toMatchObject({ revision: 1, isOn: true })
      expect(fixture.lockdowns).toEqual([])
    },
  )

  test('with its head is finished', async () => {
    await fixture.open()
    fs.renameSync(fixture.ledger, at('ledger.new'))
    expect(
      (await fixture.open({ adopt: { owners: [{ id: 'telegram:66' }], isOn: false } })).state(),
    ).toMatchObject({
      revision: 1,
      isOn: true,
      owners: [{ id: me }],
    })
    expect(fs.existsSync(at('ledger.new'))).toBe(false)
  })

  test('of a recover with its head is finished, and without it the old one stands, in doubt', async () => {
    const gate = await fixture.open()
    await approveGuard(gate)
    const old = fs.readFileSync(fixture.ledger)
    fs.copyFileSync(at('secrets/ledger.head'), at('old.head'))
    gate.lockDown('a test')
    await gate.recover(me)
    fs.renameSync(fixture.ledger, at('ledger.new'))
    fs.writeFileSync(fixture.ledger, old)
    expect((await fixture.open()).state()).toMatchObject({ revision: 1, isOn: false, approvals: new Map() })
    fs.renameSync(fixture.ledger, at('ledger.new'))
    fs.writeFileSync(fixture.ledger, old)
    fs.copyFileSync(at('old.head'), at('secrets/ledger.head'))
    expect((await fixture.open()).state()).toMatchObject({ revision: 2, isOn: true })
  })

  test('a new file that another key signed, or that the head does not name, takes no place', async () => {
    await (await fixture.open()).setSwitch(false, me)
    const lines = fixture.lines()
    fs.writeFileSync(at('ledger.new'), `${lines[0] ?? ''}\n`)
    expect((await fixture.open()).state()).toMatchObject({ revision: 2, isOn: false })
    fs.writeFileSync(at('ledger.new'), fs.readFileSync(fixture.ledger, 'utf8').replace('"off"', '"on"'))
    expect((await fixture.open()).state()).toMatchObject({ revision: 2, isOn: false })
  })
})
