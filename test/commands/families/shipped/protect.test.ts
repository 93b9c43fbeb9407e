import { readFileSync } from 'node:fs'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { PROTECTION } from '../../../../src/shared/hooks/protection.ts'
import { phoneLines } from '../../../phone.ts'
import { createBridgeService, textOf, type BridgeService } from '../../rig.ts'

const shipped = readFileSync(new URL('../../../../config/shell_hooks.yaml', import.meta.url), 'utf8')
let desk: BridgeService
beforeEach(async () => {
  desk = await createBridgeService(shipped)
  desk.chat.hasButtons = true
})
afterEach(() => desk.stop())

const approved = (): readonly string[] =>
  [...desk.gatekeeper.state().approvals.values()].map(({ entry }) => entry.command)

const isOn = (): boolean => desk.gatekeeper.state().isOn
const all = PROTECTION.map(({ entry }) => entry.command)
const labels = (notice: Awaited<ReturnType<BridgeService['ask']>>[number] | undefined) =>
  notice?.buttons?.map((row) => row.map(({ label }) => label))

/** The card, and a tap on one of its buttons after somebody could have read it. */
const tap = async (label: string, line = '/hooks protect') => {
  const card = (await desk.ask(line)).at(-1)
  desk.fixture.clock.nowMs += 5000
  return desk.tap(card, label)
}

describe('one tap protects', () => {
  test('the card says in plain words what the tap approves and that it turns hooks on', async () => {
    const [card] = await desk.ask('/hooks protect')
    const text = textOf(card ?? [])
    expect(text).toMatch(/^One tap protects you\. It approves these hooks, which are part of hookgate:\n✗ /)
    expect(text).toContain('The tap turns hooks on, too, so these fire from the next event.')
    expect(phoneLines(text).length).toBeLessThanOrEqual(10)
    expect(labels(card)).toEqual([['Protect me'], ['Details']])
    const { said } = await desk.tap(card, 'Details')
    expect(said.replaces).toBe('m1')
    for (const { entry } of PROTECTION) expect(textOf(said)).toContain(`${entry.event} ${entry.command}`)
    expect(textOf((await desk.tap(said, 'Back')).said)).toBe(text)
    expect([approved(), isOn()]).toEqual([[], false])
  })

  test('after the tap all of them are approved as hookgate ships them, and fire', async () => {
    const { said } = await tap('Protect me')
    expect(approved()).toEqual(all)
    expect(isOn()).toBe(true)
    expect(desk.gatekeeper.armed().map(({ entry }) => entry)).toEqual(PROTECTION.map(({ entry }) => entry))
    expect(said.replaces).toBe('m1')
    expect(textOf(said)).toMatch(/^Hooks are ON\.\n.*\nYou are protected:\n✓ Secrets do not leave\n/)
    expect(desk.ports.rows().filter(({ status }) => status === 'approved')).toHaveLength(all.length)
    expect(desk.others.at(-1)).toContain('Hooks were switched ON')
  })

  test('the card names how many other hooks the switch lets fire', async () => {
    desk.fixture.write('x.sh', '#!/bin/sh\n')
    desk.propose('hooks: [{event: on_stop, command: ./x.sh}]\n')
    await desk.say(`/hooks shadow ${await desk.handleOf('./x.sh')}`)
    expect(await desk.say('/hooks protect')).toContain('turns hooks on, too, so these fire')
    await desk.say(`/hooks promote ${await desk.handleOf('./x.sh')}`)
    expect(await desk.say('/hooks protect')).toContain('1 other hook that you approved fires then, as well.')
  })

  test('without buttons the card says what to type, and that does the same', async () => {
    desk.chat.hasButtons = false
    expect(await desk.say('/hooks protect')).toContain('\n→ /hooks protect on\n')
    await desk.say('/hooks protect on')
    expect([approved(), isOn()]).toEqual([all, true])
  })

  test('where nothing shows that a person typed it, the card comes at once and the change waits for a tap', async () => {
    expect(await desk.say('/hooks protect', { isUnattested: true })).toMatch(/^One tap protects you/)
    expect(await desk.say('/hooks protect on', { isUnattested: true })).toMatch(/^\/hooks protect on\n/)
    expect(approved()).toEqual([])
  })
})

describe('each guard can be switched by itself', () => {
  test('one ends, the others stay, and the switch stays as it is', async () => {
    await desk.say('/hooks protect on')
    const { said } = await tap('Let secrets leave')
    expect(textOf(said)).toMatch(/✗ Secrets do not leave[^]*✓ Commands[^]*✓ A false/)
    expect(approved()).toEqual(all.filter((command) => command !== 'redact_secrets'))
    expect(isOn()).toBe(true)
    await tap('Keep secrets here')
    expect(approved().toSorted()).toEqual(all.toSorted())
  })

  test('one alone is approved without turning hooks on', async () => {
    await desk.say('/hooks protect claims on')
    expect([approved(), isOn()]).toEqual([['check_publish'], false])
    await desk.say('/hooks protect off')
    expect(approved()).toEqual([])
  })

  test.each(['maybe', 'secrets', 'secrets maybe', 'on off', 'secrets on on', 'nothing on', 'x'.repeat(5000)])(
    'other words change nothing and are told what to type: %.20s',
    async (words) => {
      const [said] = await desk.ask(`/hooks protect ${words}`)
      expect(said?.isRefusal).toBe(true)
      expect(textOf(said ?? [])).toMatch(/^Nothing was changed\.\n→ \/hooks protect\n/)
      expect(approved()).toEqual([])
    },
  )

  test('details are all options that an approval binds', async () => {
    const text = await desk.say('/hooks protect details')
    for (const { entry } of PROTECTION) expect(text).toContain(`${entry.event} ${entry.command}\n`)
    expect(text.match(/asked on: everything/g)).toHaveLength(all.length)
    expect(text.match(/if it fails: blocks/g)).toHaveLength(all.length)
  })
})

describe('no file of the workspace changes what the tap approves', () => {
  const weak = (more: string): string =>
    shipped.replace('command: redact_secrets\n', `command: redact_secrets\n${more}`)

  test.each([
    ['a matcher that never fits', weak('    matcher: "^never$"\n')],
    ['other agents', weak('    agents: [nobody]\n')],
    ['another failure', shipped.replace('on_error: block', 'on_error: ignore')],
    ['another name', shipped.replace('name: Redact secrets', 'name: Secrets do not leave')],
    ['nothing', 'hooks: []\n'],
    ['a broken file', 'hooks: [\n'],
  ])('%s', async (_, file) => {
    const card = (await desk.ask('/hooks protect')).at(-1)
    desk.propose(file)
    desk.fixture.clock.nowMs += 5000
    await desk.tap(card, 'Protect me')
    expect(desk.gatekeeper.armed().map(({ entry }) => entry)).toEqual(PROTECTION.map(({ entry }) => entry))
  })

  test('the list calls a guard approved, although no file proposes it', async () => {
    desk.propose('hooks: []\n')
    await desk.say('/hooks protect on')
    expect((await desk.say('/hooks')).match(/^✓ /gm)).toHaveLength(all.length)
  })

  test('an approved hook that only looks like a guard is none', async () => {
    desk.propose(weak('    matcher: "^never$"\n'))
    await desk.say('/hooks approve on_outbound_message redact_secrets')
    expect(await desk.say('/hooks protect')).toContain('✗ Secrets do not leave')
    await desk.say('/hooks protect on')
    expect(approved().filter((command) => command === 'redact_secrets')).toHaveLength(2)
  })

  test('a shadow is no protection', async () => {
    await desk.say('/hooks on')
    const handle = await desk.handleOf('builtin: redact_secrets')
    await desk.say(`/hooks shadow ${handle}`)
    expect(await desk.say('/hooks protect')).toContain('✗ Secrets do not leave')
    await desk.say('/hooks protect on')
    expect(desk.gatekeeper.armed().filter(({ isShadow }) => isShadow === true)).toEqual([])
    expect(approved()).toHaveLength(all.length)
  })

  test('a guard that a file describes in other words counts as the guard', async () => {
    desk.propose(shipped.replace('description: It takes secrets', 'description: It removes secrets'))
    await desk.say('/hooks approve on_outbound_message redact_secrets')
    expect(await desk.say('/hooks protect')).toContain('✓ Secrets do not leave')
  })
})

test('of a gate whose files propose no guard, each hook has a card, as before', async () => {
  desk.fixture.write('x.sh', '#!/bin/sh\n')
  desk.propose('hooks: [{event: on_stop, command: ./x.sh}]\n')
  expect(await desk.say('/hooks pending')).toContain('./x.sh')
})

test('in a lockdown the card says so and has no button, and a tap on an earlier one approves nothing', async () => {
  const card = (await desk.ask('/hooks protect')).at(-1)
  desk.fixture.clock.nowMs += 5000
  desk.gatekeeper.lockDown('a test')
  const { said } = await desk.tap(card, 'Protect me')
  expect(textOf(said)).toMatch(/not approved\.\n[^]*LOCKDOWN: a test/)
  expect(said.isRefusal).toBe(true)
  expect(labels((await desk.ask('/hooks protect')).at(-1))).toBeUndefined()
  expect(approved()).toEqual([])
})
