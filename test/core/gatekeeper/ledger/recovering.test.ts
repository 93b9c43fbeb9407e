import fs from 'node:fs'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Gatekeeper } from '../../../../src/core/gatekeeper/gatekeeper.ts'
import type { Receipt } from '../../../../src/core/gatekeeper/gate-state.ts'
import { surveyLedger } from '../../../../src/core/gatekeeper/ledger/read.ts'
import { anEntry, approveGuard, createFixture, type Fixture } from '../gate-fixture.ts'
import { me, writeStory, type Story } from '../ledger-fixture.ts'

let fixture: Fixture
let story: Story
beforeEach(async () => {
  fixture = createFixture()
  story = await writeStory(fixture)
})
afterEach(() => fixture.remove())

const headOf = (line: number): string => {
  const survey = surveyLedger(fixture.home)
  return survey.kind === 'read' ? (survey.found.heads[line - 1] ?? '') : ''
}
const edit = (line: number, from: string, to: string): void => {
  const lines = fixture.lines().map((text, index) => (index === line - 1 ? text.replace(from, to) : text))
  fs.writeFileSync(fixture.ledger, lines.map((text) => `${text}\n`).join(''))
}
const receiptOf = async (gate: Gatekeeper, head: string | undefined): Promise<Receipt> => {
  const done = await gate.recover(me, head)
  if (!done.ok || done.receipt === undefined) throw new Error(JSON.stringify(done))
  return done.receipt
}
const argsOf = (entries: Receipt['lost']): readonly string[] => entries.map(({ args }) => args.join(' '))
const live = (gate: Gatekeeper): readonly string[] => [...gate.state().approvals.keys()]

test('an owner goes on from the good part: its approvals and switch stand, the act is in the ledger, the damaged one is kept whole', async () => {
  edit(9, '"act"', '"ac1"')
  const damaged = fs.readFileSync(fixture.ledger)
  const gate = await fixture.open()
  expect(gate.state().good).toEqual({ lines: 8, head: headOf(8).slice(0, 12) })
  const done = await gate.recover('telegram:8', gate.state().good?.head)
  const kept = done.ok ? (done.kept ?? '') : ''
  expect(fs.readFileSync(path.join(fixture.home, kept))).toEqual(damaged)
  expect(gate.state()).toMatchObject({ isOn: true, revision: 9 })
  expect(gate.state().lockdown).toBeUndefined()
  expect(live(gate)).toEqual([story.standing])
  expect(gate.armed()).toHaveLength(1)
  const next = await fixture.open()
  expect(next.state()).toMatchObject({ isOn: true, revision: 9, owners: gate.state().owners })
  expect(live(next)).toEqual([story.standing])
  expect(JSON.parse(fixture.lines()[8] ?? '')).toMatchObject({
    n: 9,
    act: 'resume',
    by: 'telegram:8',
    data: { kept, why: 'the ledger is damaged: line 9 is not a ledger entry' },
  })
  expect(await next.setSwitch(false, me)).toBe(true)
})

describe('what was revoked behind the head stays revoked', () => {
  test('when the rest verifies: an earlier head was chosen', async () => {
    const gate = await fixture.open()
    gate.lockDown('a test')
    const receipt = await receiptOf(gate, headOf(4))
    expect(receipt).toMatchObject({ lines: 4, unread: 0, lost: [], broken: [] })
    expect(argsOf(receipt.revoked)).toEqual(['--old'])
    expect(live(gate)).toEqual([story.standing])
    expect(live(await fixture.open())).toEqual([story.standing])
  })

  test.each([
    ['signed, behind the damage', 5, '"by":"', '"by":"x'],
    ['in the damaged line itself', 7, '"by":"', '"by":"x'],
    ['in a line whose signature is damaged', 7, '"mac":"', '"mac":"x'],
  ])('when it stands %s', async (_, line, from, to) => {
    edit(line, from, to)
    const gate = await fixture.open()
    expect(gate.state().good?.lines).toBe(line - 1)
    expect(live(gate)).toContain(story.revoked)
    expect(gate.armed()).toEqual([])
    const receipt = await receiptOf(gate, gate.state().good?.head)
    expect(argsOf(receipt.revoked)).toEqual(['--old'])
    expect(receipt.unread).toBe(1)
    expect(live(gate)).toEqual([story.standing])
    expect(live(await fixture.open())).toEqual([story.standing])
  })

  test('when only the running gate knows it: the file was put back to an older one under it', async () => {
    const gate = await fixture.open()
    fs.writeFileSync(
      fixture.ledger,
      fixture
        .lines()
        .slice(0, 4)
        .map((text) => `${text}\n`)
        .join(''),
    )
    await expect(gate.setSwitch(false, me)).rejects.toThrow('another program changed the file')
    expect(gate.state().good?.lines).toBe(4)
    const receipt = await receiptOf(gate, gate.state().good?.head)
    expect(receipt).toMatchObject({ lines: 4, unread: 0 })
    expect(argsOf(receipt.revoked)).toEqual(['--old'])
    expect(live(gate)).toEqual([story.standing])
    // Whoever was an owner then is one now; whoever was removed since is not.
    expect(gate.state().owners.map(({ id }) => id)).toEqual([me, 'telegram:8'])
  })
})

test('a guard that was approved behind the head is named, and is not approved', async () => {
  const gate = await fixture.open()
  fixture.write('hooks/guard.sh', '#!/bin/sh\necho newer\n')
  const newer = await approveGuard(gate)
  edit(10, '"prev"', '"prve"')
  const next = await fixture.open()
  expect(live(next)).toEqual([story.standing])
  const receipt = await receiptOf(next, next.state().good?.head)
  // Its line is damaged; the revoke of the older bytes behind it is signed: then neither stands, and both are
  // said.
  expect(receipt).toMatchObject({ lines: 9, unread: 1 })
  expect(argsOf(receipt.revoked)).toEqual([''])
  expect(live(next)).toEqual([])
  expect(live(await fixture.open())).not.toContain(newer)
})

test('signed approvals behind the damage are named as lost', async () => {
  const gate = await fixture.open()
  await approveGuard(gate, anEntry({ args: ['--late'] }))
  edit(8, '"by":"', '"by":"x')
  const next = await fixture.open()
  expect(argsOf((await receiptOf(next, next.state().good?.head)).lost)).toEqual(['--late'])
  expect(live(next)).toEqual([story.standing])
})

test('a hook whose sealed bytes were changed is revoked and named, and the others go on', async () => {
  const gate = await fixture.open()
  const other = await approveGuard(gate, anEntry({ args: ['--other'] }))
  const file = path.join(fixture.home, 'seal', story.standing, 'hooks/guard.sh')
  fs.chmodSync(file, 0o755)
  fs.writeFileSync(file, '#!/bin/sh\necho evil\n')
  expect(gate.armed()[0]?.checkSeal()).toContain('tampered')
  const receipt = await receiptOf(gate, gate.state().good?.head)
  expect(argsOf(receipt.broken)).toEqual([''])
  expect(live(gate)).toEqual([other])
  expect(gate.armed().map(({ checkSeal }) => checkSeal())).toEqual([undefined])
})

test('a removed owner whose removal stands in the damaged line commands nothing', async () => {
  edit(9, '"mac":"', '"mac":"x')
  expect((await fixture.open()).isOwner('telegram:9')).toBe(false)
})

describe('a head that is refused', () => {
  test.each(['', 'abc', '0123456', 'g'.repeat(12), '0'.repeat(65), '0'.repeat(12), '../../etc'])(
    '%j',
    async (typed) => {
      const gate = await fixture.open()
      gate.lockDown('a test')
      const before = fs.readdirSync(fixture.home)
      expect(await gate.recover(me, typed)).toMatchObject({ ok: false, problem: { code: 'recover.head' } })
      expect(gate.state().lockdown).toBe('a test')
      expect(fs.readdirSync(fixture.home)).toEqual(before)
    },
  )

  test('the head of a damaged line, and of one behind it', async () => {
    const heads = [headOf(6), headOf(8)]
    edit(6, '"by":"', '"by":"x')
    for (const head of heads)
      expect(await (await fixture.open()).recover(me, head)).toMatchObject({ ok: false })
  })

  test('any head, when key and ledger were replaced under the running gate', async () => {
    const gate = await fixture.open()
    const evil = createFixture()
    await evil.open()
    await approveGuard(await evil.open())
    for (const name of ['ledger.jsonl', 'secrets/ledger.key', 'secrets/ledger.head'])
      fs.copyFileSync(path.join(evil.home, name), path.join(fixture.home, name))
    await expect(gate.setSwitch(false, me)).rejects.toThrow('its key was replaced')
    expect(gate.state().good).toBeUndefined()
    expect(await gate.recover(me, headOf(2))).toMatchObject({ ok: false })
    // Begun anew, the foreign key is not taken over.
    const foreign = fs.readFileSync(path.join(fixture.home, 'secrets/ledger.key'))
    expect(await gate.recover(me)).toMatchObject({ ok: true })
    expect(fs.readFileSync(path.join(fixture.home, 'secrets/ledger.key'))).not.toEqual(foreign)
    expect((await fixture.open()).state()).toMatchObject({ revision: 1, approvals: new Map() })
    evil.remove()
  })
})
