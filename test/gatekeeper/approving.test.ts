import { afterEach, beforeEach, expect, test } from 'vitest'
import { catalogue } from '../../src/gatekeeper/catalogue.ts'
import type { Gatekeeper } from '../../src/gatekeeper/gatekeeper.ts'
import { failsHow, type ListedHook } from '../../src/model/gate/catalogue.ts'
import { proseText } from '../../src/model/chat/prose.ts'
import { anEntry, approveGuard, createFixture, type Fixture } from './gate-fixture.ts'

const me = 'telegram:7'
let fixture: Fixture
let gate: Gatekeeper
beforeEach(() => {
  fixture = createFixture()
  gate = fixture.open()
})
afterEach(() => fixture.remove())

const failsText = (row: ListedHook): string | undefined => {
  const words = failsHow(row)
  return words === undefined ? undefined : proseText(words)
}
const armed = (): readonly string[] => gate.armed().map(({ entry }) => entry.onError)

test("an owner's choice makes the live hook block when it fails; the entry and its fingerprint stay", () => {
  const { fingerprint } = gate.propose(anEntry())
  expect(gate.approve(anEntry(), me, fingerprint, 'closed')).toMatchObject({
    ok: true,
    isNew: true,
    approval: { fingerprint, failsClosed: true, entry: { onError: 'warn' } },
  })
  expect(armed()).toEqual(['block'])
  expect(gate.approve(anEntry(), me, fingerprint, 'closed')).toMatchObject({ isNew: false })
  gate = fixture.open()
  expect(armed()).toEqual(['block'])
  expect(
    catalogue([{ kind: 'entry', entry: anEntry() }], [...gate.state().approvals.values()], gate.propose).map(
      failsText,
    ),
  ).toEqual(['blocks (your choice)'])
})

test('approved again without the choice, it ends', () => {
  gate.approve(anEntry(), me, undefined, 'closed')
  expect(gate.approve(anEntry(), me)).toMatchObject({ ok: true, isNew: true })
  expect(armed()).toEqual(['warn'])
  expect([...gate.state().approvals.values()].map(({ failsClosed }) => failsClosed)).toEqual([undefined])
  expect(
    fixture
      .open()
      .armed()
      .map(({ entry }) => entry.onError),
  ).toEqual(['warn'])
})

test("a changed file's row says what holds now and what would", () => {
  gate.approve(anEntry(), me, undefined, 'closed')
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

test('hooks stand in the order of the files, whichever of them fail closed', () => {
  const two = anEntry({ event: 'on_stop' })
  gate.setProposalOrder([two, anEntry()])
  gate.approve(anEntry(), me)
  gate.approve(two, me, undefined, 'closed')
  expect(gate.armed().map(({ entry }) => entry.event)).toEqual(['on_stop', 'pre_tool_call'])
})

test('what an older hookgate wrote has no such choice, and only the choice itself is one', () => {
  approveGuard(gate)
  expect(fixture.lines().join('\n')).not.toContain('failsClosed')
  expect(armed()).toEqual(['warn'])
})
