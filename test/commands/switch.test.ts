import fs from 'node:fs'
import { afterEach, describe, expect, test } from 'vitest'
import type { CommandContext, CommandPorts } from '../../src/commands/ports.ts'
import { faceEditText, offCommand, onCommand } from '../../src/commands/switch.ts'
import { proseText } from '../../src/model/prose.ts'
import { aMessage } from '../gatekeeper/gate-fixture.ts'
import { createDesk, me, textOf, type Desk } from './rig.ts'

let desk: Desk | undefined
const begin = async (...args: Parameters<typeof createDesk>): Promise<Desk> => (desk = await createDesk(...args))
afterEach(async () => {
  await desk?.stop()
  desk = undefined
})
const one = 'hooks:\n  - {event: on_stop, command: ./x.sh}\n'

test('on and off say what holds now and what follows, and write the file that shows it', async () => {
  const { say, face, fixture } = await begin(one)
  fixture.write('x.sh', '#!/bin/sh\n')
  expect(await say('/hooks on')).toBe('Hooks are ON.\nNo hook is approved yet · 1 waiting → /hooks')
  await say('/hooks approve on_stop ./x.sh')
  expect(await say('/hooks ON')).toBe('Hooks are ON (they were already).\n1 hook live from the next event.')
  expect(await say('/hooks off')).toBe('Hooks are OFF.\nNo hook fires; approvals are kept.')
  expect(await say('/hooks off')).toBe('Hooks are OFF (they were already).\nNo hook fires; approvals are kept.')
  expect(face.written).toEqual([true, true, false, false])
})

test('a face that cannot be written is told, and the switch is set all the same', async () => {
  const { say, face, gatekeeper } = await begin()
  face.warning = 'config/agent.yaml could not be written; the switch itself is set.'
  expect(await say('/hooks on')).toBe('Hooks are ON.\nNo hook is approved yet.\n⚠ config/agent.yaml could not be written; the switch itself is set.')
  expect(gatekeeper.state().isOn).toBe(true)
})

test('a switch that could not be set says that it stays as it is, and why', async () => {
  const { ports, gatekeeper } = await begin()
  const context: CommandContext = { owner: me, address: { channel: 'telegram', chat_id: '7' }, message: aMessage(), progress: () => undefined }
  const failing: CommandPorts = { ...ports, setSwitch: () => ({ isChanged: false, warning: 'The disk is full.' }) }
  expect(textOf(await onCommand(failing).run('', context))).toBe('✗ Hooks are OFF still.\nThe disk is full.')
  gatekeeper.setSwitch(true, me)
  expect(textOf(await offCommand(failing).run('', context))).toBe('✗ Hooks are ON still.\nThe disk is full.')
})

test('a ledger that went away under the switch never leads to a claim that it was set', async () => {
  const { say, fixture, gatekeeper } = await begin()
  await say('/hooks on')
  fs.rmSync(fixture.ledger)
  fs.mkdirSync(fixture.ledger)
  const answer = await say('/hooks off')
  expect(gatekeeper.state().isOn || gatekeeper.state().lockdown !== undefined).toBe(true)
  expect(answer).toMatch(/^(✗ Hooks are ON still\.\n|LOCKDOWN: )/)
  expect(answer).not.toContain('No hook fires')
})

test('what environment forced on ends with an owner\'s word', async () => {
  const { say } = await begin('hooks: []\n', { isForcedOn: true })
  expect(await say('/hooks on')).toMatch(/^Hooks are ON\.\n/)
  expect(await say('/hooks off')).toMatch(/^Hooks are OFF\.\n/)
})

test('off for a while is not there yet, and says so instead of coming back by itself', async () => {
  const { say, gatekeeper } = await begin()
  await say('/hooks on')
  expect(await say('/hooks off 15m')).toBe('Hooks are OFF.\nNo hook fires; approvals are kept.\nOff for a while, as in 15m, comes with a later version: they stay off until /hooks on.')
  expect(gatekeeper.state().isOn).toBe(false)
})

describe('lockdown', () => {
  test('on and off change nothing and tell the way out', async () => {
    const { say, gatekeeper } = await begin()
    gatekeeper.lockDown('a test')
    for (const typed of ['/hooks on', '/hooks off']) expect(await say(typed)).toBe('LOCKDOWN: a test\n→ /hooks recover')
  })

  test('recover begins a new ledger, with nothing approved and off', async () => {
    const { say, gatekeeper, fixture, face } = await begin(one)
    fixture.write('x.sh', '#!/bin/sh\n')
    await say('/hooks approve on_stop ./x.sh\n/hooks on')
    expect(await say('/hooks recover')).toBe('There is no lockdown to end.')
    gatekeeper.lockDown('a test')
    expect(await say('/hooks recover')).toBe('A new ledger was begun; the damaged one was kept beside it.\nNothing is approved and hooks are OFF. What waited is judged again.\n→ /hooks')
    expect(gatekeeper.state()).toMatchObject({ isOn: false, owners: [{ id: 'telegram:7' }] })
    expect(gatekeeper.state().approvals.size).toBe(0)
    expect(face.written.at(-1)).toBe(false)
  })
})

test('an edit of the face from elsewhere is told with what does it properly', () => {
  expect(proseText(faceEditText(true, false))).toBe('config/agent.yaml now says hooks are on. A file cannot switch them: they are OFF.\nTo do it properly → /hooks on')
  expect(proseText(faceEditText(false, true))).toContain('they are ON.\nTo do it properly → /hooks off')
})
