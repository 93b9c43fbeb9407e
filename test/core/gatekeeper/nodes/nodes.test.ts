import { afterEach, beforeEach, expect, test } from 'vitest'
import { nodeCodeMs } from '../../../../src/core/gatekeeper/nodes/nodes.ts'
import type { Gatekeeper } from '../../../../src/core/gatekeeper/gatekeeper.ts'
import { createFixture, type Fixture } from '../gate-fixture.ts'

const me = 'telegram:7'
const keyOf = (letter: string): string => letter.repeat(43)

let fixture: Fixture
let gate: Gatekeeper
let elapsedMs = 0
beforeEach(async () => {
  fixture = createFixture()
  elapsedMs = 0
  gate = await fixture.open({ elapsedMs: () => elapsedMs })
})
afterEach(() => fixture.remove())

const codeFor = (name: string, by = me): string => {
  const invited = gate.nodes.invite(name, by)
  return invited.ok ? invited.code : invited.problem.code
}

test('a code lets in one machine, in the name of the owner who made it, and the ledger has it after a restart', async () => {
  const code = codeFor('desk')
  expect(await gate.nodes.enrol(code, keyOf('a'))).toMatchObject({ ok: true, node: { name: 'desk', by: me } })
  expect(await gate.nodes.enrol(code, keyOf('b'))).toMatchObject({
    ok: false,
    problem: { code: 'node.code' },
  })
  expect(gate.nodes.ofKey(keyOf('a'))?.name).toBe('desk')
  const again = await fixture.open()
  expect(again.nodes.all()).toMatchObject([{ name: 'desk', publicKey: keyOf('a'), by: me }])
})

test('a code that is old, unknown or replaced lets in nobody', async () => {
  const replaced = codeFor('desk')
  const code = codeFor('desk')
  for (const wrong of [replaced, 'x', ''])
    expect(await gate.nodes.enrol(wrong, keyOf('a'))).toMatchObject({ problem: { code: 'node.code' } })
  elapsedMs = nodeCodeMs
  expect(await gate.nodes.enrol(code, keyOf('a'))).toMatchObject({ problem: { code: 'node.code_old' } })
  expect(gate.nodes.all()).toEqual([])
})

test('the code of somebody who is an owner no longer lets in nobody', async () => {
  await gate.addOwner({ id: 'telegram:8', chat_id: '8' }, me)
  const code = codeFor('desk', 'telegram:8')
  await gate.removeOwner('telegram:8', me)
  expect(await gate.nodes.enrol(code, keyOf('a'))).toMatchObject({ problem: { code: 'node.code' } })
})

test('a name and a key are used once, and both are free again when the node is removed', async () => {
  await gate.nodes.enrol(codeFor('desk'), keyOf('a'))
  expect(codeFor('desk')).toBe('node.known')
  expect(await gate.nodes.enrol(codeFor('lab'), keyOf('a'))).toMatchObject({
    problem: { code: 'node.key_known' },
  })
  expect(await gate.nodes.remove('desk', me)).toMatchObject({ ok: true })
  expect(gate.nodes.ofKey(keyOf('a'))).toBeUndefined()
  expect(await gate.nodes.remove('desk', me)).toMatchObject({ problem: { code: 'node.unknown' } })
  expect(await gate.nodes.enrol(codeFor('desk'), keyOf('a'))).toMatchObject({ ok: true })
})

test.each(['Desk', '1desk', 'a b', 'desk@home', '', 'x'.repeat(32)])('%j is no name of a node', (name) => {
  expect(codeFor(name)).toBe('node.name')
})

test('a key that is none lets in nobody', async () => {
  expect(await gate.nodes.enrol(codeFor('desk'), 'short')).toMatchObject({ problem: { code: 'node.key' } })
})

test('in a lockdown nobody is let in, and the code counts when it is over', async () => {
  const code = codeFor('desk')
  gate.lockDown('a test')
  expect(await gate.nodes.enrol(code, keyOf('a'))).toMatchObject({ problem: { code: 'gate.lockdown' } })
  await gate.recover(me)
  expect(await gate.nodes.enrol(code, keyOf('a'))).toMatchObject({ ok: true })
})
