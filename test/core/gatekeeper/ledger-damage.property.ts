import fs from 'node:fs'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { fold } from '../../../src/core/gatekeeper/ledger/fold.ts'
import type { Gatekeeper } from '../../../src/core/gatekeeper/gatekeeper.ts'
import { verifyLedger } from '../../../src/core/gatekeeper/ledger/lines.ts'
import { surveyLedger } from '../../../src/core/gatekeeper/ledger/read.ts'
import { isWhole, step } from '../../tries.ts'
import { createFixture, type Fixture } from './gate-fixture.ts'
import { copyOf, keepHead, keyOf, me, writeStory, type Story } from './ledger-fixture.ts'

let fixture: Fixture
let story: Story
let whole: Buffer
let restore: () => void
beforeAll(async () => {
  fixture = createFixture()
  story = await writeStory(fixture)
  whole = fs.readFileSync(fixture.ledger)
  restore = copyOf(fixture)
})
afterAll(() => fixture.remove())
beforeEach(() => {
  fixture.lockdowns.length = 0
})
afterEach(() => restore())

/** Opens the gate over these bytes; every check is made on what it makes of them. */
const openOver = async (bytes: Buffer | string): Promise<Gatekeeper> => {
  fs.writeFileSync(fixture.ledger, bytes)
  return await fixture.open()
}
const live = (gate: Gatekeeper): readonly string[] => [...gate.state().approvals.keys()]
const linesIn = (bytes: Buffer): number => bytes.filter((byte) => byte === 10).length

/** Doubt, with nothing in force; and whatever good line an owner goes on from, what was revoked stays so. */
const expectDoubt = (gate: Gatekeeper): void => {
  expect(gate.state().lockdown).toBeDefined()
  expect(gate.armed()).toEqual([])
  expect(gate.isOwner('telegram:66')).toBe(false)
}

/** What a start would find, without all that it does then: cheap enough for every byte. */
const find = (
  bytes: Buffer,
): { readonly lines: number; readonly problem: string | undefined; readonly torn: number } => {
  fs.writeFileSync(fixture.ledger, bytes)
  const survey = surveyLedger(fixture.home)
  if (survey.kind !== 'read')
    return { lines: 0, problem: survey.kind === 'empty' ? undefined : survey.why, torn: 0 }
  return { lines: survey.found.heads.length, problem: survey.problem, torn: survey.found.tornBytes }
}
/** Around each line's end and here and there between. */
const isTried = (at: number): boolean =>
  isWhole()
    ? at % 149 === 0 || whole.subarray(Math.max(0, at - 1), at + 1).includes(10)
    : at % (4 * step()) === 0

test('cut at any byte, what was acknowledged and is not there is lockdown, never a state of long ago', async () => {
  for (let length = 0; length < whole.length; length += step()) {
    const cut = whole.subarray(0, length)
    expect(find(cut)).toMatchObject({ lines: linesIn(cut), problem: expect.any(String) })
    if (!isTried(length)) continue
    const gate = await openOver(cut)
    expectDoubt(gate)
    expect(gate.state().good?.lines ?? 0).toBe(linesIn(cut))
  }
  expect((await openOver(whole)).state().lockdown).toBeUndefined()
}, 120_000)

test('cut at any byte by a crash, the acknowledged lines stand, and only the unacknowledged beginning of one is dropped', () => {
  let kept = -1
  for (let length = 0; length <= whole.length; length += step()) {
    const cut = whole.subarray(0, length)
    const lines = linesIn(cut)
    if (lines !== kept) keepHead(fixture, lines, whole)
    kept = lines
    expect(find(cut)).toEqual({
      lines,
      problem: undefined,
      torn: lines === 0 ? 0 : length - whole.lastIndexOf(10, length - 1) - 1,
    })
  }
}, 120_000)

test('after such a crash the next act follows on', async () => {
  for (let length = 0; length <= whole.length; length++) {
    if (!isTried(length)) continue
    const lines = linesIn(whole.subarray(0, length))
    restore()
    keepHead(fixture, lines)
    const gate = await openOver(whole.subarray(0, length))
    expect(gate.state()).toMatchObject({ revision: Math.max(1, lines) })
    expect(gate.state().lockdown).toBeUndefined()
    await gate.addOwner({ id: 'web:later' }, me)
    expect((await fixture.open()).state()).toMatchObject({ revision: Math.max(1, lines) + 1 })
  }
})

test('a line that was written whole before its acknowledgement was kept counts', async () => {
  keepHead(fixture, 8)
  expect((await fixture.open()).state()).toMatchObject({ revision: 9 })
})

test('one bit flipped anywhere is lockdown; going on from the offered line brings no revoked hook back, and names the guard that is gone', async () => {
  const lines = whole.toString('utf8').trimEnd().split('\n')
  const revokeLine = lines.findIndex((line) => line.includes('"act":"revoke"')) + 1
  for (let at = 0; at < whole.length; at += step()) {
    const flipped = Buffer.from(whole)
    flipped[at] = (flipped[at] ?? 0) ^ (1 << (at % 8))
    const line = linesIn(whole.subarray(0, at)) + 1
    expect(find(flipped)).toMatchObject({ lines: line - 1, problem: expect.any(String) })
    if (at % (isWhole() ? 101 : 4 * step()) !== 0) continue
    const gate = await openOver(flipped)
    expectDoubt(gate)
    if (line > 1) {
      const done = await gate.recover(me, gate.state().good?.head)
      if (!done.ok || done.receipt === undefined) throw new Error(`at ${at}: ${JSON.stringify(done)}`)
      const { receipt } = done
      // Where not even the fingerprint of the revoke can be read any more, that a change is lost is said.
      if (live(gate).includes(story.revoked)) expect([line, receipt.unread > 0]).toEqual([revokeLine, true])
      // A removed owner is back in one case alone: the line that removed them does not say whom any more.
      if (gate.isOwner('telegram:9')) expect([line, receipt.unread > 0]).toEqual([9, true])
      if (!live(gate).includes(story.standing))
        expect(receipt.lost.length > 0 || receipt.unread > 0).toBe(true)
      expect((await fixture.open()).state()).toMatchObject({ revision: line })
    }
    restore()
  }
}, 120_000)

describe('whole lines', () => {
  const splitWhole = (): readonly string[] => whole.toString('utf8').split('\n').slice(0, -1)
  const join = (lines: readonly string[]): string => lines.map((line) => `${line}\n`).join('')

  test('dropped, doubled, swapped or moved are lockdown', async () => {
    const lines = splitWhole()
    const variants: (readonly string[])[] = []
    for (let from = 0; from < lines.length; from++) {
      variants.push(lines.toSpliced(from, 1), lines.toSpliced(from, 0, lines[from] ?? ''))
      for (let to = 0; to < lines.length; to++)
        if (to !== from) variants.push(lines.toSpliced(from, 1).toSpliced(to, 0, lines[from] ?? ''))
    }
    for (const variant of variants) expectDoubt(await openOver(join(variant)))
  })

  test('the ledger of a day ago, whole and signed, is lockdown beside the head of today', async () => {
    for (let count = 0; count < 9; count++) expectDoubt(await openOver(join(splitWhole().slice(0, count))))
  })

  test('a ledger that is gone beside its head is no first start', async () => {
    fs.rmSync(fixture.ledger)
    const gate = await fixture.open({ adopt: { owners: [{ id: 'telegram:66' }], isOn: false } })
    expect(gate.state().lockdown).toBe('the ledger is damaged: the file is missing or empty')
    expect(gate.state().approvals.size).toBe(0)
  })

  test.each([
    ['gone', () => fs.rmSync(`${fixture.home}/secrets/ledger.head`), 'its stored head is missing'],
    [
      'of another key',
      () =>
        fs.writeFileSync(`${fixture.home}/secrets/ledger.head`, `3 ${'a'.repeat(64)} ${'b'.repeat(64)}\n`),
      'its stored head was changed',
    ],
    [
      'a link',
      () => (
        fs.renameSync(`${fixture.home}/secrets/ledger.head`, `${fixture.home}/x`),
        fs.symlinkSync('../x', `${fixture.home}/secrets/ledger.head`)
      ),
      'its stored head was changed',
    ],
    [
      'a folder',
      () => (
        fs.rmSync(`${fixture.home}/secrets/ledger.head`),
        fs.mkdirSync(`${fixture.home}/secrets/ledger.head`)
      ),
      'its stored head was changed',
    ],
  ])('a kept head that is %s is lockdown', async (_, damage, why) => {
    damage()
    expect((await fixture.open()).state().lockdown).toBe(`the ledger is damaged: ${why}`)
  })
})

test('no damage ever gives an approval or an owner that no owner gave: every state is that of some good prefix', async () => {
  const { entries } = verifyLedger(whole, keyOf(fixture.home))
  const prefixes = entries.map((_, index) => fold(entries.slice(0, index + 1)).state)
  const known = new Set(prefixes.map(({ approvals }) => [...approvals.keys()].join()))
  for (let at = 3; at < whole.length; at += 11 * step()) {
    const gate = await openOver(Buffer.concat([whole.subarray(0, at), whole.subarray(at + 1 + (at % 5))]))
    expectDoubt(gate)
    expect(known.has(live(gate).join()) || live(gate).length === 0).toBe(true)
  }
}, 120_000)
