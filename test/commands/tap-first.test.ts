import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { proseText } from '../../src/core/model/chat/prose.ts'
import { createBridgeService, type BridgeService } from './rig.ts'

/** A messenger that shows a forwarded text, or that of a program with a person's login, like a typed one. */
const forged = { isUnattested: true } as const

let desk: BridgeService
beforeEach(async () => {
  desk = await createBridgeService()
  desk.chat.hasButtons = true
  desk.propose('hooks: [{event: pre_tool_call, command: ./hooks/guard.sh}]\n')
})
afterEach(() => desk.stop())

const isOn = (): boolean => desk.gatekeeper.state().isOn

describe('a typed command that could open the gate, where nothing shows that a person typed it', () => {
  test('changes nothing, shows itself whole, and counts with a tap', async () => {
    const [card] = await desk.ask('/hooks on', forged)
    expect(isOn()).toBe(false)
    expect(proseText(card?.text ?? [])).toMatch(/^\/hooks on\nThis messenger does not show/)
    expect(card?.buttons?.map((row) => row.map(({ label }) => label))).toEqual([['Yes, do it']])
    desk.fixture.clock.nowMs += 5000
    const done = await desk.tap(card, 'Yes, do it')
    expect(proseText(done.said.text)).toContain('Hooks are ON')
    expect(done.said.replaces).toBe('m1')
    expect(isOn()).toBe(true)
  })

  test('counts once, for its owner, in its chat', async () => {
    const [card] = await desk.ask('/hooks on', forged)
    desk.fixture.clock.nowMs += 5000
    expect(await desk.tap(card, 'Yes, do it', { owner: 'telegram:8', chat: '8' })).toMatchObject({
      refused: 'elsewhere',
    })
    await desk.tap(card, 'Yes, do it')
    await desk.say('/hooks off')
    expect(await desk.tap(card, 'Yes, do it')).toMatchObject({ refused: 'used' })
    expect(isOn()).toBe(false)
  })

  test('is also the one that turns hooks off or ends an approval', async () => {
    const handle = await desk.handleOf('./hooks/guard.sh')
    await desk.say(`/hooks approve ${handle}`)
    await desk.say('/hooks on')
    for (const line of ['/hooks off', `/hooks revoke ${handle}`, '/hooks approve ./hooks/guard.sh', '/pair'])
      expect(proseText((await desk.ask(line, forged))[0]?.text ?? [])).toContain(line)
    expect(isOn()).toBe(true)
    expect(desk.gatekeeper.state().approvals.size).toBe(1)
  })

  test('runs as a phone’s keyboard wrote it', async () => {
    const [card] = await desk.ask('／hooks on。', forged)
    desk.fixture.clock.nowMs += 5000
    await desk.tap(card, 'Yes, do it')
    expect(isOn()).toBe(true)
  })

  test('is refused when the card could not show all of it', async () => {
    const [said] = await desk.ask(`/hooks approve ${'x'.repeat(600)}`, forged)
    expect(said).toMatchObject({ isRefusal: true })
    expect(said?.buttons).toBeUndefined()
  })
})

test('what only shows or refuses something needs no tap', async () => {
  for (const line of ['/hooks', '/asks', '/help', '/n abcde', '/whoami', '/owners', '/grants'])
    expect(proseText((await desk.ask(line, forged))[0]?.text ?? [])).not.toContain('only with your tap')
})

test('the same command of a messenger that shows who typed it runs at once', async () => {
  await desk.say('/hooks on')
  expect(isOn()).toBe(true)
})
