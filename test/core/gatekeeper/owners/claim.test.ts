import fs from 'node:fs'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { GatekeeperOptions } from '../../../../src/core/gatekeeper/gate-state.ts'
import type { Gatekeeper } from '../../../../src/core/gatekeeper/gatekeeper.ts'
import { aMessage, createFixture, type Fixture } from '../gate-fixture.ts'

const atConsole = { id: 'web:owner', chat_id: 'main' }

let fixture: Fixture
beforeEach(() => {
  fixture = createFixture()
})
afterEach(() => fixture.remove())

const open = (
  owners: readonly { id: string }[] = [],
  over: Partial<GatekeeperOptions> = {},
): Promise<Gatekeeper> =>
  fixture.open({ adopt: { owners: [atConsole, ...owners], isOn: false }, console: atConsole.id, ...over })

/** What begins once the gate is claimed, as the agent host does. */
const waitOn = (
  gate: Gatekeeper,
): { begun: (string | undefined)[]; ended: number; end: () => Promise<void> } => {
  const seen: ReturnType<typeof waitOn> = { begun: [], ended: 0, end: async () => undefined }
  seen.end = gate.claim.when((by) => {
    seen.begun.push(by)
    return () => void seen.ended++
  })
  return seen
}

test("a first start is nobody's until somebody pairs from a chat, and then the console's code is dead", async () => {
  const gate = await open()
  const agent = waitOn(gate)
  const code = gate.pairing.mint()
  expect(gate.claim.isClaimed()).toBe(false)
  await gate.pairing.pair('AAAAAAAA', aMessage({ sender_id: '66' }))
  expect(agent.begun).toEqual([])
  expect(await gate.pairing.pair(code, aMessage())).toEqual({ ok: true })
  expect(gate.claim.isClaimed()).toBe(true)
  expect(agent.begun).toEqual(['telegram:7'])
  expect(await gate.pairing.pair(code, aMessage({ sender_id: '8' }))).toEqual({ ok: false, why: 'no_code' })
})

test("the first use of the console's login claims it too, once, and kills the code", async () => {
  const gate = await open()
  const agent = waitOn(gate)
  const code = gate.pairing.mint()
  await gate.claim.byConsole()
  await gate.claim.byConsole()
  expect(agent.begun).toEqual(['web:owner'])
  expect(gate.state()).toMatchObject({ revision: 2, owners: [{ ...atConsole, by: 'console' }] })
  expect(await gate.pairing.pair(code, aMessage())).toEqual({ ok: false, why: 'no_code' })
})

test('a second start that nobody claimed in between still waits, and one that somebody did does not', async () => {
  await open()
  const gate = await open()
  expect(gate.claim.isClaimed()).toBe(false)
  await gate.claim.byConsole()
  const later = await open()
  expect(later.claim.isClaimed()).toBe(true)
  expect(waitOn(later).begun).toEqual([undefined])
})

test('owners of the environment own it at once, on the first start and on a later one that nobody claimed', async () => {
  expect((await open([{ id: 'telegram:7' }])).claim.isClaimed()).toBe(true)
  fixture.remove()
  fixture = createFixture()
  await open()
  const gate = await open([{ id: 'telegram:8' }])
  expect(gate.claim.isClaimed()).toBe(true)
  expect(gate.isOwner('telegram:8')).toBe(true)
  expect((await open([{ id: 'telegram:9' }])).isOwner('telegram:9')).toBe(false)
})

test("a gate of an older version that was used, and one that was recovered, are somebody's", async () => {
  const gate = await open()
  await gate.setSwitch(true, atConsole.id)
  expect((await open()).claim.isClaimed()).toBe(true)
  fixture.remove()
  fixture = createFixture()
  await (await open()).claim.byConsole()
  fs.appendFileSync(fixture.ledger, '{"n":3}\n')
  const damaged = await open()
  expect(damaged.state().lockdown).toBeDefined()
  expect(damaged.claim.isClaimed()).toBe(true)
  expect(await damaged.recover(atConsole.id)).toMatchObject({ ok: true })
  expect((await open()).claim.isClaimed()).toBe(true)
})

test('what waits for an owner ends without having begun when hookgate stops', async () => {
  const gate = await open()
  const agent = waitOn(gate)
  await agent.end()
  await gate.claim.byConsole()
  expect(agent).toMatchObject({ begun: [], ended: 0 })
  const running = waitOn(gate)
  await running.end()
  expect(running).toMatchObject({ begun: [undefined], ended: 1 })
})

test('a claim that cannot be written is none', async () => {
  const gate = await open()
  const agent = waitOn(gate)
  fs.rmSync(fixture.ledger)
  fs.mkdirSync(fixture.ledger)
  await gate.claim.byConsole()
  expect(fixture.logged.join()).toContain('the claim of the gate could not be written')
  // The gate doubts itself now, and a gate in doubt is not up for the taking: its code is dead.
  expect(gate.state().lockdown).toBeDefined()
  expect(agent.begun).toEqual([undefined])
  expect(gate.state().owners).toMatchObject([{ by: 'adoption' }])
})

test('an owner of a messenger whose ids change counts only in the login in which they paired, also across a restart', async () => {
  const state = { login: 'first' }
  const loginOf = (channel: string): string | undefined => (channel === 'wechat' ? state.login : undefined)
  const message = aMessage({ channel: 'wechat', sender_id: 'alice', chat_id: 'alice' })
  const gate = await open([{ id: 'wechat:named' }], { loginOf })
  expect(await gate.pairing.pair(gate.pairing.mint(), message)).toEqual({ ok: true })
  expect(gate.admits(message, 'privileged')).toEqual({ ok: true })
  expect((await open([], { loginOf })).admits(message, 'privileged')).toEqual({ ok: true })
  // An id in the environment names nobody for sure.
  expect(gate.isOwner('wechat:named')).toBe(false)
  for (const login of ['second', '']) {
    state.login = login
    expect(gate.admits(message, 'off')).toMatchObject({ ok: false, code: 'login_changed' })
    expect(gate.isOwner('wechat:alice')).toBe(false)
    expect(gate.isOwner('web:owner')).toBe(true)
  }
  state.login = 'second'
  expect(await gate.removeOwner('web:owner', 'web:owner')).toMatchObject({
    ok: false,
    problem: { code: 'owner.last' },
  })
  expect(await gate.pairing.pair(gate.pairing.mint(), message)).toEqual({ ok: true })
  expect(gate.admits(message, 'off')).toEqual({ ok: true })
  expect(gate.state().owners.find(({ id }) => id === 'wechat:alice')).toMatchObject({ login: 'second' })
  expect(await gate.removeOwner('web:owner', 'wechat:alice')).toEqual({ ok: true })
})
