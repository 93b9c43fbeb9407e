import { believing, consentOf } from '../../consent.ts'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createActs } from '../../../src/core/gatekeeper/acts.ts'
import type { Gatekeeper } from '../../../src/core/gatekeeper/gatekeeper.ts'
import { anEntry, approveGuard, createFixture, type Fixture } from './gate-fixture.ts'

let fixture: Fixture
let gate: Gatekeeper
beforeEach(async () => {
  fixture = createFixture()
  gate = await fixture.open()
})
afterEach(() => fixture.remove())

const acting = (over: Partial<Gatekeeper> = {}) => {
  const kept: string[] = []
  const written: boolean[] = []
  const acts = createActs({
    gatekeeper: { ...gate, ...over },
    ownerOf: believing,
    record: (act, by, outcome, what) =>
      void kept.push(`${act} ${outcome} by ${by}${what === undefined ? '' : `: ${what}`}`),
    writeSwitchFile: (isOn) => void written.push(isOn),
  })
  return { acts, kept, written }
}

test('each act of an owner ends in a result to show and is kept, done or refused', async () => {
  const { acts, kept, written } = acting()
  expect(await acts.setSwitch(false, consentOf('me'))).toEqual({ isChanged: true })
  expect(await acts.setSwitch(false, consentOf('me'))).toEqual({ isChanged: false })
  const approved = await acts.approve(anEntry(), consentOf('me'), undefined)
  expect(approved).toMatchObject({ ok: true, isNew: true })
  expect(await acts.approve(anEntry(), consentOf('me'), 'another')).toMatchObject({
    ok: false,
    problem: { code: 'approve.changed' },
  })
  expect(await acts.revoke(approved.ok ? approved.fingerprint : '', consentOf('me'))).toEqual({
    isEnded: true,
  })
  expect(await acts.revoke('nothing', consentOf('me'))).toEqual({
    isEnded: false,
    why: 'The hook was no longer approved.',
  })
  expect(await acts.recover(consentOf('me'))).toMatchObject({ ok: false })
  expect(written).toEqual([false, false])
  expect(kept).toEqual([
    '/hooks off done by me',
    '/hooks off done by me',
    '/hooks approve done by me: pre_tool_call ./hooks/guard.sh',
    '/hooks approve refused by me: pre_tool_call ./hooks/guard.sh',
    '/hooks revoke done by me: pre_tool_call ./hooks/guard.sh',
    '/hooks revoke refused by me',
    '/hooks recover refused by me',
  ])
})

test('in lockdown nothing is done but to recover, and the file is left as it is until then', async () => {
  const { acts, written } = acting()
  const live = await approveGuard(gate)
  gate.lockDown('a test')
  expect(await acts.setSwitch(false, consentOf('me'))).toMatchObject({
    isChanged: false,
    warning: expect.stringContaining('lockdown: a test'),
  })
  expect(await acts.approve(anEntry(), consentOf('me'), undefined)).toMatchObject({
    ok: false,
    problem: { code: 'gate.lockdown' },
  })
  expect(await acts.revoke(live, consentOf('me'))).toEqual({
    isEnded: false,
    why: expect.stringContaining('lockdown: a test'),
  })
  expect(written).toEqual([])
  expect(await acts.recover(consentOf('me'))).toEqual({
    ok: true,
    kept: expect.stringMatching(/^ledger\.damaged-/),
  })
  expect(written).toEqual([false])
})

test('a bug in the gate is answered too, and nothing is claimed', async () => {
  const bug = (): never => {
    throw new TypeError('a bug')
  }
  const { acts, kept } = acting({ setSwitch: bug, approve: bug, revoke: bug, recover: bug })
  const words = 'hookgate failed internally. See its log.'
  expect(await acts.setSwitch(true, consentOf('me'))).toEqual({ isChanged: false, warning: words })
  expect(await acts.approve(anEntry(), consentOf('me'), undefined)).toMatchObject({
    ok: false,
    problem: { message: words },
  })
  expect(await acts.revoke('x', consentOf('me'))).toEqual({ isEnded: false, why: words })
  expect(await acts.recover(consentOf('me'))).toEqual({ ok: false, why: words })
  expect(kept.every((line) => line.includes(' refused '))).toBe(true)
})

test('a disk that is full is named to who revokes or switches, and nothing is claimed', async () => {
  const full = (): never => {
    throw Object.assign(new Error('write'), { code: 'ENOSPC' })
  }
  const { acts } = acting({ setSwitch: full, revoke: full, recover: full })
  const words = expect.stringMatching(
    /^The folder of the gate cannot be written \(ENOSPC\)\. Make room on the disk/,
  ) as string
  expect(await acts.revoke('x', consentOf('me'))).toEqual({ isEnded: false, why: words })
  expect(await acts.setSwitch(false, consentOf('me'))).toEqual({ isChanged: false, warning: words })
  expect(await acts.recover(consentOf('me'))).toEqual({ ok: false, why: words })
})
