import { cutOff } from '../../../src/shared/gate/recovery.ts'
import { consentOf } from '../../consent.ts'
import fs from 'node:fs'
import { afterEach, describe, expect, test } from 'vitest'
import type { CommandContext, CommandPorts } from '../../../src/commands/ports.ts'
import { createCardButtons } from '../../../src/commands/cards/card-buttons.ts'
import { switchFileEditText, offCommand, onCommand } from '../../../src/commands/families/switch.ts'
import { proseText } from '../../../src/core/model/chat/prose.ts'
import { aMessage, startMs } from '../../core/gatekeeper/gate-fixture.ts'
import { createBridgeService, me, textOf, type BridgeService } from '../rig.ts'

let desk: BridgeService | undefined
const begin = async (...args: Parameters<typeof createBridgeService>): Promise<BridgeService> =>
  (desk = await createBridgeService(...args))
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
  expect(await say('/hooks off')).toBe(
    'Hooks are OFF (they were already).\nNo hook fires; approvals are kept.',
  )
  expect(face.written).toEqual([true, true, false, false])
})

test('a name behind /hooks on is not ignored: the switch is for all hooks, and one hook has commands of its own', async () => {
  const { say, gatekeeper } = await begin(one)
  expect(await say('/hooks on ./x.sh')).toBe(
    [
      '✗ Hooks are OFF.',
      '“/hooks on” takes nothing after it, but got ./x.sh. It is one switch for all approved hooks.',
      'To switch all approved hooks on → /hooks on',
      'To let one hook fire → /hooks approve <name>',
      'To stop one hook → /hooks revoke <name>',
      'The handles → /hooks',
    ].join('\n'),
  )
  expect(gatekeeper.state().isOn).toBe(false)
})

const contextOf = (): CommandContext => ({
  owner: me,
  address: { channel: 'telegram', chat_id: '7' },
  message: aMessage(),
  consent: consentOf(me),
  progress: () => undefined,
})

test('a switch that could not be set says that it stays as it is, and why', async () => {
  const { ports, gatekeeper } = await begin()
  const context = contextOf()
  const cardButtons = createCardButtons(ports)
  const failing: CommandPorts = {
    ...ports,
    setSwitch: async () => ({ isChanged: false, warning: 'The disk is full.' }),
  }
  expect(textOf(await onCommand(failing, cardButtons).run('', context))).toBe(
    '✗ Hooks are OFF still.\nThe disk is full.',
  )
  await gatekeeper.setSwitch(true, me)
  expect(textOf(await offCommand(failing, cardButtons).run('', context))).toBe(
    '✗ Hooks are ON still.\nThe disk is full.',
  )
})

test('a ledger that went away under the switch never leads to a claim that it was set', async () => {
  const { say, fixture, gatekeeper } = await begin()
  await say('/hooks on')
  fs.rmSync(fixture.ledger)
  fs.mkdirSync(fixture.ledger)
  const answer = await say('/hooks off')
  expect(gatekeeper.state().isOn || gatekeeper.state().lockdown !== undefined).toBe(true)
  expect(answer).toMatch(/^(✗ Hooks are ON still\.\n|Nothing was changed\.\nLOCKDOWN: )/)
  expect(answer).not.toContain('No hook fires')
})

test("what environment forced on ends with an owner's word", async () => {
  const { say } = await begin('hooks: []\n', { isForcedOn: true })
  expect(await say('/hooks on')).toMatch(/^Hooks are ON\.\n/)
  expect(await say('/hooks off')).toMatch(/^Hooks are OFF\.\n/)
})

describe('off for a while', () => {
  test('says until when, in the reply, in the list and to the others, and keeps it in the ledger', async () => {
    const { say, gatekeeper, fixture, others } = await begin(one)
    fixture.write('x.sh', '#!/bin/sh\n')
    await say('/hooks approve on_stop ./x.sh')
    await say('/hooks on')
    expect(await say('/hooks off 15m')).toBe(
      'Hooks are OFF until 03:19 UTC (15 min).\nNo hook fires; approvals are kept.\nThen they switch ON again automatically.',
    )
    expect(others).toEqual([
      'not telegram:7: Hooks were switched ON by telegram:7.',
      'not telegram:7: ⚠ Hooks were switched OFF by telegram:7 until 03:19 UTC (15 min).\nNo hook fires.\n→ /hooks on',
    ])
    fixture.clock.nowMs += 14 * 60_000 + 20_000
    expect(await say('/hooks')).toMatch(/^Hooks are OFF until 03:19 UTC \(40 s\), then ON automatically\.\n/)
    expect(gatekeeper.pause()).toMatchObject({ by: me, forMs: 900_000, sinceMs: startMs })
    expect((await fixture.open()).pause()).toMatchObject({ forMs: 900_000 })
  })

  test.each([
    ['90s', 90_000],
    ['2h', 7_200_000],
    ['24h', 86_400_000],
    ['15 min', 900_000],
    ['15M', 900_000],
    ['１５ｍ', 900_000],
    ['1s', 1000],
  ])('%s is understood', async (typed, forMs) => {
    const { say, gatekeeper } = await begin()
    await say('/hooks on')
    await say(`/hooks off ${typed}`)
    expect(gatekeeper.pause()?.forMs).toBe(forMs)
  })

  test.each(['25h', '0m', '15', 'm', '-5m', '1.5h', '3d', 'now', '15m please', '99999999m', '1e3s'])(
    '%s is an error, and the hooks stay as they are',
    async (typed) => {
      const { say, gatekeeper, others } = await begin()
      await say('/hooks on')
      const { length } = others
      expect(await say(`/hooks off ${typed}`)).toBe(
        `✗ Hooks are ON still.\n${typed} is no time. Write for how long, at most 24h: 90s, 15m or 2h.\n→ /hooks off 15m`,
      )
      expect(gatekeeper.state().isOn).toBe(true)
      expect(others).toHaveLength(length)
    },
  )

  test('off after it makes it last, and on ends it', async () => {
    const { say, gatekeeper } = await begin()
    await say('/hooks on\n/hooks off 15m')
    expect(await say('/hooks off')).toBe('Hooks are OFF.\nNo hook fires; approvals are kept.')
    expect(gatekeeper.pause()).toBeUndefined()
    await say('/hooks off 1h')
    expect(gatekeeper.pause()).toMatchObject({ forMs: 3_600_000 })
    expect(await say('/hooks on')).toMatch(/^Hooks are ON\.\n/)
    expect(gatekeeper.pause()).toBeUndefined()
  })
})

test('the other owners hear of each change of the switch, and of nothing when it was so already', async () => {
  const { say, others, gatekeeper } = await begin()
  await gatekeeper.addOwner({ id: 'web:owner' }, me)
  await say('/hooks off')
  expect(others).toEqual([])
  await say('/hooks on\n/hooks on\n/hooks off', { owner: 'web:owner', chat: 'main' })
  expect(others).toEqual([
    'not telegram:main: Hooks were switched ON by web:owner.',
    'not telegram:main: ⚠ Hooks were switched OFF by web:owner.\nNo hook fires.\n→ /hooks on',
  ])
})

test('an act that counted before the database was lost says so, and not only that there is a lockdown', async () => {
  const { ports, say } = await begin()
  const { gate, setSwitch } = ports
  let isCut = false
  Object.assign(ports, {
    gate: () => (isCut ? { ...gate(), lockdown: cutOff } : gate()),
    setSwitch: async (...asked: Parameters<typeof setSwitch>) => {
      const done = await setSwitch(...asked)
      isCut = true
      return done
    },
  })
  expect(await say('/hooks on')).toMatch(
    /^Hooks were switched ON\. They fire when this ends:\nLOCKDOWN: its database cannot be reached/,
  )
  expect(await say('/hooks on')).toMatch(/^Nothing was changed\.\nLOCKDOWN: its database cannot be reached/)
})

describe('lockdown', () => {
  test('on and off change nothing and tell the way out', async () => {
    const { say, gatekeeper } = await begin()
    gatekeeper.lockDown('a test')
    const { head } = gatekeeper.state()
    const wayOut = `Nothing was changed.\nLOCKDOWN: a test\n1 line of the ledger is good, head ${head.slice(0, 12)}\n→ /hooks recover ${head.slice(0, 12)}\n  continues from there\n→ /hooks recover\n  starts a new ledger, with nothing approved`
    for (const typed of ['/hooks on', '/hooks off']) expect(await say(typed)).toBe(wayOut)
    expect(await say('/hooks off 3d')).toMatch(/^✗ LOCKDOWN: a test\n/)
  })

  test('recover begins a new ledger, with nothing approved and off', async () => {
    const { say, gatekeeper, fixture, face } = await begin(one)
    fixture.write('x.sh', '#!/bin/sh\n')
    await say('/hooks approve on_stop ./x.sh\n/hooks on')
    expect(await say('/hooks recover')).toBe('There is no lockdown to end.')
    gatekeeper.lockDown('a test')
    expect(await say('/hooks recover')).toBe(
      'A new ledger was started. The damaged one was kept beside it.\nNothing is approved and hooks are OFF. Waiting messages are checked again.\n→ /hooks',
    )
    expect(gatekeeper.state()).toMatchObject({ isOn: false, owners: [{ id: 'telegram:7' }] })
    expect(gatekeeper.state().approvals.size).toBe(0)
    expect(face.written.at(-1)).toBe(false)
  })

  test('recover with a head goes on from there, and the receipt names what is approved, revoked and lost', async () => {
    const { say, gatekeeper, fixture, face, others } = await begin(
      'hooks:\n  - {event: on_stop, command: ./x.sh}\n  - {event: on_stop, command: ./y.sh}\n  - {event: on_stop, command: ./z.sh}\n',
    )
    for (const name of ['x', 'y', 'z']) fixture.write(`${name}.sh`, `#!/bin/sh\n# ${name}\n`)
    await say('/hooks on\n/hooks approve on_stop ./x.sh\n/hooks approve on_stop ./y.sh')
    const head = gatekeeper.state().head.slice(0, 12)
    await say('/hooks revoke ./y.sh\n/hooks approve on_stop ./z.sh\n/hooks off')
    gatekeeper.lockDown('a test')
    others.length = 0
    const receipt = `The ledger continues after line 4, head ${head}.\nThe damaged one was kept beside it.\nHooks are ON.\nApproved now:\n  on_stop ./x.sh\nRevoked after that line, and still revoked:\n  on_stop ./y.sh\nApproved after that line, and no longer approved:\n  on_stop ./z.sh\nWaiting messages are checked again.\n→ /hooks`
    expect(await say(`/hooks recover ${head.toUpperCase()}`)).toBe(receipt)
    expect(others).toEqual([`not telegram:7: The lockdown was ended by telegram:7.\n${receipt}`])
    expect(face.written.at(-1)).toBe(true)
    expect([...gatekeeper.state().approvals.values()].map(({ entry }) => entry.command)).toEqual(['./x.sh'])
  })

  test('a head that is no head of it ends nothing and says why', async () => {
    const { say, gatekeeper } = await begin()
    gatekeeper.lockDown('a test')
    expect(await say('/hooks recover 12345678')).toBe(
      'The lockdown could not be ended.\n"12345678" is the head of none of the 1 good lines. Copy it from the lockdown notice.',
    )
    expect(await say('/hooks recover abc')).toBe(
      'The lockdown could not be ended.\n"abc" is no head. A head has at least 8 digits, 0 to 9 and a to f. Copy it from the lockdown notice.',
    )
    expect(gatekeeper.state().lockdown).toBe('a test')
  })
})

test('an edit of the face from elsewhere is told with what does it properly', () => {
  expect(proseText(switchFileEditText(true, false))).toBe(
    'config/agent.yaml now says hooks are on. A file cannot switch them: they are OFF.\nTo switch them → /hooks on',
  )
  expect(proseText(switchFileEditText(false, true))).toContain('they are ON.\nTo switch them → /hooks off')
})
