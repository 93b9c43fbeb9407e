import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createBridgeService, textOf, type BridgeService } from './rig.ts'

const entry = (name: string, command: string, event = 'pre_tool_call'): string =>
  `  - {event: ${event}, command: ${command}, name: "${name}"}\n`
const file = (...entries: readonly string[]): string => `hooks:\n${entries.join('')}`

let desk: BridgeService
beforeEach(async () => {
  desk = await createBridgeService(
    file(entry('Ask before deleting', './ask.sh'), entry('Note each call', './note.sh')),
  )
  desk.chat.hasButtons = true
  for (const name of ['ask.sh', 'note.sh', 'evil.sh']) desk.fixture.write(name, `#!/bin/sh\n# ${name}\n`)
})
afterEach(() => desk.stop())

const live = (): readonly string[] =>
  [...desk.gatekeeper.state().approvals.values()].map(({ entry: { command } }) => command)

describe('a hook is called by its name', () => {
  test.each([
    'Ask before deleting',
    '"ask before deleting"',
    '“Ask  Before Deleting”',
    'deleting',
    './ask.sh',
    'pre_tool_call ./ask.sh',
  ])('in %s', async (typed) => {
    const text = await desk.say(`/hooks show ${typed}`)
    expect(text).toContain('./ask.sh')
    expect(text).not.toContain('./note.sh')
  })

  test('a part that several names have gets their handles, and one of these is the hook', async () => {
    desk.propose(file(entry('Ask before deleting', './ask.sh'), entry('Ask before sudo', './note.sh')))
    const text = await desk.say('/hooks show ask before')
    expect(text).toMatch(/^2 hooks are called like that\./)
    const handle = /^(\w{5}) Ask before sudo: pre_tool_call \.\/note\.sh$/m.exec(text)?.[1] ?? ''
    expect(await desk.say(`/hooks show ${handle}`)).toContain('./note.sh')
  })

  test('a whole name comes before a part of another', async () => {
    desk.propose(file(entry('Ask', './ask.sh'), entry('Ask twice', './note.sh')))
    expect(await desk.say('/hooks show ask')).toContain('./ask.sh')
  })

  test('a handle, a command and an event come before a name that looks like one', async () => {
    const handle = await desk.handleOf('./ask.sh')
    desk.propose(
      file(
        entry('Ask before deleting', './ask.sh'),
        entry(handle, './evil.sh'),
        entry('./ask.sh', './evil.sh'),
      ),
    )
    expect(await desk.say(`/hooks show ${handle}`)).not.toContain('./evil.sh')
    expect(await desk.say('/hooks show ./ask.sh')).not.toContain('./evil.sh')
  })
})

describe('a name gives no consent by itself', () => {
  test.each(['approve', 'shadow'])(
    '/hooks %s shows the card of what has the name now, and its button counts',
    async (verb) => {
      await desk.say('/hooks')
      desk.propose(file(entry('Ask before deleting', './evil.sh'), entry('Note each call', './note.sh')))
      const [card] = await desk.ask(`/hooks ${verb} Ask before deleting`)
      expect(card?.isRefusal).toBe(true)
      expect(textOf(card ?? [])).toMatch(/^Nothing was approved\.\nA file chooses the names[^]*\.\/evil\.sh/)
      expect(live()).toEqual([])
      desk.fixture.clock.nowMs += 5000
      await desk.tap(card, 'Approve')
      expect(live()).toEqual(['./evil.sh'])
    },
  )

  test('a revoke by name ends one hook, also while an earlier command still approves another', async () => {
    desk.propose(file(entry('Ask', './ask.sh'), entry('Ask twice', './note.sh')))
    await desk.say('/hooks approve pre_tool_call ./ask.sh')
    await Promise.all([desk.say('/hooks approve pre_tool_call ./note.sh'), desk.say('/hooks revoke ask')])
    await desk.settled()
    expect(live()).toEqual(['./note.sh'])
  })

  test('a revoke by name ends the hook that had it when it was approved, whatever the file says now', async () => {
    await desk.say('/hooks approve pre_tool_call ./ask.sh\n/hooks approve pre_tool_call ./note.sh')
    desk.propose(file(entry('Note each call', './ask.sh'), entry('Ask before deleting', './note.sh')))
    await desk.say('/hooks revoke note each call')
    expect(live()).toEqual(['./ask.sh'])
  })
})
