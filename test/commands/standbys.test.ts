import { afterEach, beforeEach, expect, test } from 'vitest'
import { passkeyName } from '../../src/core/gatekeeper/owners/passkeys.ts'
import { createBridgeService, type BridgeService } from './rig.ts'

let desk: BridgeService
let asked: number
/** What the database says of the gates that wait. */
let untold: () => Promise<readonly string[]>

beforeEach(async () => {
  desk = await createBridgeService('hooks:\n  - {event: on_stop, command: ./x.sh}\n')
  desk.fixture.write('x.sh', '#!/bin/sh\n')
  asked = 0
  untold = () => Promise.resolve(['process 1 on b', 'process 2 on c'])
  Object.assign(desk.ports, {
    untoldGates: () => {
      asked++
      return untold()
    },
  })
})
afterEach(() => desk.stop())

const words = '\n⚠ Not known yet to the gates that wait: process 1 on b, process 2 on c.'

test('each act that is in the ledger names the gates that wait and have not heard of it', async () => {
  const { say, gatekeeper } = desk
  await gatekeeper.addOwner({ id: 'telegram:8', chat_id: '8' }, 'telegram:7')
  await gatekeeper.passkeys.add({ id: 'k', owner: 'telegram:7', rpId: 'gate.example.org', publicKey: 'pQ' })
  const { code } = gatekeeper.nodes.invite('lab', 'telegram:7') as { code: string }
  await gatekeeper.nodes.enrol(code, 'k'.repeat(43))
  const question = await say('/owners remove telegram:8')
  expect(question).not.toContain(words)
  for (const line of [
    `/y ${question.slice(0, 5)}`,
    '/hooks on',
    '/hooks approve on_stop ./x.sh',
    '/hooks revoke ./x.sh',
    '/hooks off 15m',
    `/passkeys remove ${passkeyName('k')}`,
    '/nodes remove lab',
  ])
    expect(await say(line), line).toContain(words)
  gatekeeper.lockDown('a test')
  expect(await say('/hooks recover')).toContain(words)
})

test('they are named in no answer that changed nothing, and nobody asks for them then', async () => {
  for (const line of [
    '/hooks',
    '/hooks off',
    '/hooks show ./x.sh',
    '/owners',
    '/nodes remove lab',
    '/whoami',
  ])
    expect(await desk.say(line), line).not.toContain('gates that wait')
  desk.gatekeeper.lockDown('a test')
  expect(await desk.say('/hooks revoke ./x.sh')).not.toContain('gates that wait')
  expect(asked).toBe(0)
})

test('an act that all of them know is answered as on one machine, and one of which nobody knows says so', async () => {
  untold = () => Promise.resolve([])
  expect(await desk.say('/hooks on')).toBe('Hooks are ON.\nNo hook is approved yet · 1 waiting → /hooks')
  untold = () => Promise.reject(new Error('away'))
  expect(await desk.say('/hooks off')).toContain(
    '\n⚠ The database did not say whether the gates that wait know of it.',
  )
})
