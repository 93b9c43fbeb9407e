import { beforeEach, expect, test } from 'vitest'
import { createConsents, type Consents } from '../../../../src/core/gatekeeper/owners/consents.ts'
import type { CommandKind } from '../../../../src/core/gatekeeper/owners/provenance.ts'
import type { Message } from '../../../../src/core/model/chat/channel.ts'
import { aMessage } from '../gate-fixture.ts'
import { consentOf as forged } from '../../../consent.ts'

const owners = new Set<string>()
let consents: Consents
beforeEach(() => {
  owners.clear()
  owners.add('telegram:7')
  consents = createConsents(
    ({ origin }) => (origin === 'plain' ? { ok: true } : { ok: false, code: 'forwarded' }),
    (id) => owners.has(id),
  )
})

const admitted = (kind: CommandKind, over: Partial<Message> = {}) => {
  const message = aMessage(over)
  consents.admits(message, kind)
  return { message, consent: consents.consentOf(message) }
}
const ownerOf =
  (...asked: Parameters<Consents['ownerOf']>) =>
  () =>
    consents.ownerOf(...asked)

test.each(['privileged', 'approver'] as const)('an owner whose message is admitted as %s may act', (kind) =>
  expect(consents.ownerOf(admitted(kind).consent)).toBe('telegram:7'),
)

test('what looks like a consent, and was not given by the gate, opens nothing', () => {
  const { consent } = admitted('privileged')
  expect(ownerOf(forged('telegram:7'))).toThrow('one that the gate did not give')
  expect(ownerOf({ ...consent })).toThrow('one that the gate did not give')
})

test.each(['message', 'tap', 'person', 'viewer', 'owner', 'off'] as const)(
  'the consent of a message that is admitted as %s opens nothing',
  (kind) => expect(ownerOf(admitted(kind).consent)).toThrow('one for less'),
)

test('the consent of a message that is not admitted opens nothing', () =>
  expect(ownerOf(admitted('privileged', { origin: 'forwarded' }).consent)).toThrow('one for less'))

test('an old message may switch hooks off, and nothing else', () => {
  const { consent } = admitted('off')
  expect(consents.ownerOf(consent, true)).toBe('telegram:7')
  expect(ownerOf(consent)).toThrow('one for less')
})

test('a consent counts until its message is done with', () => {
  const { message, consent } = admitted('privileged')
  consents.ended(message)
  expect(ownerOf(consent)).toThrow('one of an earlier message')
})

test('a consent counts only while its sender is an owner', () => {
  const { consent } = admitted('privileged')
  owners.clear()
  expect(ownerOf(consent)).toThrow('somebody who is no owner')
})
