import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { proseText } from '../../../../src/core/model/chat/prose.ts'
import { NEEDS, ROLES } from '../../../../src/core/model/gate/person.ts'
import { mayAnswer } from '../../../../src/shared/gate/permission.ts'
import type { Gatekeeper } from '../../../../src/core/gatekeeper/gatekeeper.ts'
import { aMessage, anEntry, createFixture, type Fixture } from '../gate-fixture.ts'

const me = 'telegram:7'
const ben = { id: 'telegram:8', chat_id: '8', name: 'Ben' }
let fixture: Fixture
let gate: Gatekeeper
beforeEach(async () => {
  fixture = createFixture()
  gate = await fixture.open()
})
afterEach(() => fixture.remove())

const fromBen = aMessage({ sender_id: '8', chat_id: '8' })

describe('a role', () => {
  test('stands in the ledger, and the next start has it', async () => {
    expect(await gate.setRole({ ...ben, role: 'approver', agents: ['main'], tools: ['bash'] }, me)).toEqual({
      ok: true,
    })
    const again = await fixture.open()
    for (const one of [gate, again]) {
      expect(one.person('telegram:8')).toMatchObject({
        role: 'approver',
        agents: ['main'],
        tools: ['bash'],
        name: 'Ben',
      })
      expect(one.isOwner('telegram:8')).toBe(false)
      expect(one.state().owners.map(({ id }) => id)).toEqual([me])
      expect(one.state().people.map(({ id, role }) => `${id} ${role}`)).toEqual([
        `${me} owner`,
        'telegram:8 approver',
      ])
    }
  })

  test('of an older ledger’s owners is owner', () => {
    expect(gate.person(me)).toMatchObject({ role: 'owner' })
  })

  test('gives exactly its rights', async () => {
    const rightsOf = async (role: 'approver' | 'viewer'): Promise<readonly string[]> => {
      await gate.setRole({ ...ben, role }, me)
      return [...NEEDS, 'message' as const].filter((kind) => gate.admits(fromBen, kind).ok)
    }
    expect(await rightsOf('approver')).toEqual(['person', 'approver'])
    expect(await rightsOf('viewer')).toEqual(['person', 'viewer'])
    await gate.addOwner(ben, me)
    expect([...NEEDS].filter((kind) => gate.admits(fromBen, kind).ok)).toEqual([...NEEDS])
  })

  test('is told where it does not suffice; a message in a group is not answered', async () => {
    await gate.setRole({ ...ben, role: 'approver' }, me)
    const told = (kind: 'privileged' | 'message'): string => {
      const admitted = gate.admits(fromBen, kind)
      return admitted.ok ? 'admitted' : `${admitted.code}: ${proseText(admitted.words ?? [])}`
    }
    expect(told('privileged')).toBe(
      'role: You are an approver of this gate: you answer the tool calls that you are asked about, and nothing else.\n→ /asks',
    )
    expect(told('message')).toMatch(/^role: Your message did not reach the agent\. You are an approver/)
    expect(gate.admits({ ...fromBen, isPrivate: false }, 'message')).toEqual({ ok: false, code: 'role' })
  })

  test('an approver’s answer counts only as a plain, fresh, private message', async () => {
    await gate.setRole({ ...ben, role: 'approver' }, me)
    expect(gate.admits({ ...fromBen, origin: 'forwarded' }, 'approver')).toMatchObject({ code: 'forwarded' })
    expect(gate.admits({ ...fromBen, isPrivate: false }, 'approver')).toMatchObject({ code: 'not_private' })
  })

  test('no act of a person with a lower role is written, whatever let them through', async () => {
    await gate.setRole({ ...ben, role: 'approver' }, me)
    const before = fixture.lines().length
    const bens = 'telegram:8'
    await expect(gate.setSwitch(false, bens)).rejects.toThrow(/"telegram:8" is no owner/)
    expect(await gate.approve(anEntry(), bens)).toMatchObject({ ok: false, problem: { code: 'role.low' } })
    await expect(gate.addOwner({ id: 'telegram:9' }, bens)).rejects.toThrow(/is no owner/)
    expect(await gate.removeOwner(me, bens)).toMatchObject({ ok: false })
    expect(await gate.setRole({ ...ben, role: 'viewer' }, bens)).toMatchObject({ ok: false })
    expect(fixture.lines()).toHaveLength(before)
  })

  test('the last owner is neither removed nor given a lower role', async () => {
    await gate.setRole({ ...ben, role: 'viewer' }, me)
    for (const done of [await gate.removeOwner(me, me), await gate.setRole({ id: me, role: 'approver' }, me)])
      expect(done).toMatchObject({ ok: false, problem: { code: 'owner.last' } })
    expect(gate.isOwner(me)).toBe(true)
  })

  test('an owner who becomes an approver is an owner no longer, and the other way round', async () => {
    await gate.addOwner(ben, me)
    await gate.setRole({ ...ben, role: 'approver' }, me)
    expect([gate.isOwner(ben.id), gate.person(ben.id)?.role]).toEqual([false, 'approver'])
    await gate.addOwner(ben, me)
    expect([gate.isOwner(ben.id), gate.state().people]).toMatchObject([true, { length: 2 }])
    await gate.removeOwner(ben.id, me)
    expect(gate.person(ben.id)).toBeUndefined()
  })

  test('with a scope that no card could show is refused', async () => {
    for (const scope of [
      { agents: ['a b'] },
      { tools: ['x'.repeat(101)] },
      { tools: Array.from({ length: 21 }, () => 't') },
    ])
      expect(await gate.setRole({ ...ben, role: 'approver', ...scope }, me)).toMatchObject({
        ok: false,
        problem: { code: 'role.scope' },
      })
  })

  test('ends with a recovery, because a damaged line could have ended it', async () => {
    await gate.setRole({ ...ben, role: 'approver' }, me)
    const head = gate.state().head
    gate.lockDown('a test')
    await gate.recover(me, head)
    expect(gate.state()).toMatchObject({ people: [{ id: me }] })
  })
})

test('an approver answers for the agents and tools of their role, a viewer for none, an owner for all', () => {
  const call = { agent_id: 'main', caller: 'main', tool_name: 'Bash' }
  expect(ROLES.map((role) => mayAnswer({ role }, call))).toEqual([true, true, false])
  const role = 'approver'
  expect(mayAnswer({ role, agents: ['main'], tools: ['bash'] }, call)).toBe(true)
  expect(mayAnswer({ role, agents: ['other'] }, call)).toBe(false)
  expect(
    mayAnswer(
      { role, agents: ['claude-code'] },
      { ...call, agent_id: 'claude-code:1', caller: 'claude-code' },
    ),
  ).toBe(true)
  expect(mayAnswer({ role, tools: ['write'] }, call)).toBe(false)
  expect(mayAnswer({ role, agents: ['main'], tools: [] }, call)).toBe(false)
  expect(mayAnswer({ role: 'viewer', agents: ['main'], tools: ['bash'] }, call)).toBe(false)
})
