import { afterEach, beforeEach, expect, test } from 'vitest'
import { createPasskeyUses } from '../../../src/store/passkey-uses.ts'
import { passkeyName } from '../../../src/core/gatekeeper/owners/passkeys.ts'
import { createBridgeService, type BridgeService } from '../rig.ts'

let desk: BridgeService
beforeEach(async () => {
  desk = await createBridgeService()
})
afterEach(() => desk.stop())

const add = (id: string, owner = 'telegram:7') =>
  desk.gatekeeper.passkeys.add({ id, owner, rpId: 'gate.example.org', publicKey: 'pQ' })

test('without passkeys and an address of its own the page needs none, and the answer says how to get one', async () => {
  expect(await desk.say('/passkeys')).toContain('set channels.web.origin in gate.yaml')
})

test('the passkeys are listed with their owners, and any owner removes one by its name; the others are told', async () => {
  await desk.gatekeeper.addOwner({ id: 'telegram:8', chat_id: '8' }, 'telegram:7')
  await add('first')
  await add('second', 'telegram:8')
  const listed = await desk.say('/passkeys')
  expect(listed).toContain(`${passkeyName('first')} of telegram:7, for gate.example.org`)
  expect(listed).toContain(`${passkeyName('second')} of telegram:8, for gate.example.org`)
  expect(await desk.say(`/passkeys remove ${passkeyName('second').toUpperCase()}`)).toContain(
    'It no longer logs in, and its sessions have ended.',
  )
  expect(desk.gatekeeper.passkeys.find('second')).toBeUndefined()
  expect(desk.gatekeeper.passkeys.find('first')).toBeDefined()
  expect(await desk.say(`/passkeys remove ${passkeyName('second')}`)).toContain('Nothing changed.')
  expect(await desk.say('/passkeys remove')).toContain('Type /passkeys')
})

test('a passkey ends with its owner, and a stranger gets none', async () => {
  await desk.gatekeeper.addOwner({ id: 'telegram:8', chat_id: '8' }, 'telegram:7')
  await add('second', 'telegram:8')
  await desk.gatekeeper.removeOwner('telegram:8', 'telegram:7')
  expect(desk.gatekeeper.passkeys.all()).toEqual([])
  expect(await add('third', 'telegram:9')).toMatchObject({ ok: false, problem: { code: 'passkey.owner' } })
})

test('one owner has at most twenty, and the same passkey is not added twice', async () => {
  for (let count = 0; count < 20; count++) expect((await add(`k${count}`)).ok).toBe(true)
  expect(await add('k3')).toMatchObject({ problem: { code: 'passkey.known' } })
  expect(await add('k20')).toMatchObject({ problem: { code: 'passkey.many' } })
  expect(desk.gatekeeper.passkeys.all()).toHaveLength(20)
})

test('no passkey has the name of another one, which a removal by name would take in its place', async () => {
  // Whoever makes a passkey chooses its id, and the link tells the ids that there are.
  const [first, twin] = ['c2820', 'c17011']
  expect(passkeyName(twin)).toBe(passkeyName(first))
  await add(first)
  expect(await add(twin)).toMatchObject({ ok: false, problem: { code: 'passkey.known' } })
})

test('of two uses with the same count at the same moment one is a copy', async () => {
  await add('first')
  const { noteUse } = createPasskeyUses({
    passkeys: { find: desk.gatekeeper.passkeys.find, all: () => [] },
    recall: () => Promise.resolve(undefined),
    remember: () => Promise.resolve(),
    now: () => 0,
    log: () => undefined,
  })
  expect(await Promise.all([noteUse('first', 5), noteUse('first', 5)])).toEqual([true, false])
  expect(await noteUse('first', 6)).toBe(true)
})
