import { believing, consentOf } from '../../consent.ts'
import fs from 'node:fs'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { armedElsewhere } from '../../../src/core/gatekeeper/arming.ts'
import { catalogue } from '../../../src/proposals/catalogue.ts'
import { inertHooks } from '../../../src/compose/health/inert.ts'
import { createActs } from '../../../src/core/gatekeeper/acts.ts'
import { exportLedger } from '../../../src/compose/verbs/audit/export.ts'
import { auditLedger } from '../../../src/compose/verbs/audit/audit.ts'
import { surveyLedger } from '../../../src/core/gatekeeper/ledger/read.ts'
import type { ListedHook } from '../../../src/shared/gate/catalogue.ts'
import type { Entry } from '../../../src/core/model/hooks/entry.ts'
import { anEntry, approveGuard, createFixture, type Fixture, type FixtureGate } from './gate-fixture.ts'

const me = 'telegram:7'
let fixture: Fixture
let gate: FixtureGate
beforeEach(async () => {
  fixture = createFixture()
  gate = await fixture.open()
})
afterEach(() => fixture.remove())

const shadowOf = async (entry: Entry = anEntry()): Promise<string> => {
  const done = await gate.approve(entry, me, undefined, 'shadow')
  if (!done.ok) throw new Error(done.problem.message)
  return done.approval.fingerprint
}

const armed = (one: FixtureGate = gate) => one.armed().map(({ isShadow, entry }) => [isShadow, entry.onError])
const acts = () =>
  fixture.lines().map((line) => {
    const { act, data } = JSON.parse(line)
    return data.isShadow === true ? `${act} shadow` : act
  })

const codeOf = async (asked: ReturnType<FixtureGate['approve']>): Promise<string> => {
  const done = await asked
  return done.ok ? 'ok' : done.problem.code
}

test('a shadow is sealed and armed as one, also after a restart, until it is promoted', async () => {
  const fingerprint = await shadowOf()
  expect(gate.propose(anEntry()).fingerprint).toBe(fingerprint)
  expect(fs.existsSync(path.join(fixture.home, 'seal', fingerprint))).toBe(true)
  expect(await gate.approve(anEntry(), me, fingerprint, 'shadow')).toMatchObject({ isNew: false })
  gate = await fixture.open()
  expect(armed()).toEqual([[true, 'warn']])
  expect(await gate.promote(fingerprint, me, 'closed')).toMatchObject({
    ok: true,
    isNew: true,
    approval: { fingerprint, failsClosed: true, by: me },
  })
  expect(armed()).toEqual([[undefined, 'block']])
  expect(await gate.promote(fingerprint, me)).toMatchObject({ ok: true, isNew: false })
  expect(armed(await fixture.open())).toEqual([[undefined, 'block']])
  expect(acts()).toEqual(['genesis', 'approve shadow', 'promote'])
})

test('an audit tells it from what decides, and an export says of each decision what the owner chose', async () => {
  await shadowOf(anEntry({ priority: 1 }))
  await approveGuard(gate)
  const audit = async () => {
    const { text, code } = await auditLedger(fixture.home, false)
    expect(code).toBe(0)
    return text
  }
  expect(await audit()).toContain(' · 1 approval · 1 shadow · ')
  await gate.promote(await shadowOf(anEntry({ priority: 2 })), me, 'closed')
  expect(await audit()).toContain(' · 2 approvals · 1 shadow · ')
  const { text } = await exportLedger(fixture.home)
  expect(text.split('\n').map((line) => [JSON.parse(line).what, JSON.parse(line).as])).toEqual([
    ['genesis', undefined],
    ['approve', 'shadow'],
    ['approve', undefined],
    ['approve', 'shadow'],
    ['promote', 'closed'],
  ])
})

test('while hooks are off, an event does not name it as a hook that would have decided', async () => {
  const fingerprint = await shadowOf()
  await gate.setSwitch(false, me)
  expect(inertHooks(gate)('pre_tool_call')).toMatchObject([
    { fingerprint, isShadow: true, why: 'the switch is off' },
  ])
})

test('what is promoted is what was sealed, whatever the file is now', async () => {
  const fingerprint = await shadowOf()
  fixture.write('hooks/guard.sh', '#!/bin/sh\necho other\n')
  expect(await gate.promote(fingerprint, me)).toMatchObject({ ok: true })
  expect(gate.sealedBytes(fingerprint, 'hooks/guard.sh')?.toString()).toBe('#!/bin/sh\necho guard\n')
})

test('revoked, it is no hook any more, and it cannot be promoted', async () => {
  const fingerprint = await shadowOf()
  expect(await gate.revoke(fingerprint, me)).toMatchObject({ fingerprint })
  expect(armed()).toEqual([])
  expect(await codeOf(gate.promote(fingerprint, me))).toBe('promote.gone')
})

test('an approval of the same bytes makes it decide; new bytes as a shadow end the old shadow', async () => {
  await shadowOf()
  fixture.write('hooks/guard.sh', '#!/bin/sh\necho other\n')
  await shadowOf()
  expect(armed()).toEqual([[true, 'warn']])
  await approveGuard(gate)
  expect(armed()).toEqual([[undefined, 'warn']])
  expect(acts()).toEqual(['genesis', 'approve shadow', 'approve shadow', 'revoke', 'approve'])
})

describe('refused is', () => {
  test('a shadow in the place of a hook that decides, also with other bytes', async () => {
    await approveGuard(gate)
    expect(await codeOf(gate.approve(anEntry(), me, undefined, 'shadow'))).toBe('shadow.decides')
    fixture.write('hooks/guard.sh', '#!/bin/sh\necho other\n')
    expect(await codeOf(gate.approve(anEntry(), me, undefined, 'shadow'))).toBe('shadow.decides')
    expect(armed()).toEqual([[undefined, 'warn']])
  })
  test.each([
    ['an async hook, which never decides', anEntry({ isAsync: true }), 'shadow.async'],
    ['a builtin that stops agents', anEntry({ type: 'builtin', command: 'budget' }), 'shadow.effects'],
    ['a builtin that sends notices', anEntry({ type: 'builtin', command: 'tell_owner' }), 'shadow.effects'],
    ['a builtin that writes', anEntry({ type: 'builtin', command: 'snapshot' }), 'shadow.effects'],
  ])('%s', async (_, entry, code) => {
    expect(await codeOf(gate.approve(entry, me, undefined, 'shadow'))).toBe(code)
    expect(acts()).toEqual(['genesis'])
  })
  test('a promotion in a lockdown, and one by somebody who is an owner no longer', async () => {
    const fingerprint = await shadowOf()
    await gate.addOwner({ id: 'telegram:8', chat_id: '8' }, me)
    const removal = gate.removeOwner('telegram:8', me)
    expect(await codeOf(gate.promote(fingerprint, 'telegram:8'))).toBe('approve.stopped')
    await removal
    gate.lockDown('a test')
    expect(await codeOf(gate.promote(fingerprint, me))).toBe('gate.lockdown')
  })
})

test('a shadow of a node is asked there as one', async () => {
  const fingerprint = await shadowOf()
  const approval = gate.state().approvals.get(fingerprint)
  if (approval === undefined) throw new Error('Expected the shadow to be approved.')
  const place = { workspace: fixture.workspace, seals: path.join(fixture.home, 'seal') }
  expect(armedElsewhere({ ...approval, entry: anEntry({ node: 'desk' }) }, place)).toMatchObject({
    fingerprint,
    isShadow: true,
  })
})

test('the list says that it is a shadow, changed and gone, too', async () => {
  await shadowOf()
  const row = (isProposed: boolean): Partial<ListedHook> | undefined =>
    catalogue(
      isProposed ? [{ kind: 'entry', entry: anEntry() }] : [],
      [...gate.state().approvals.values()],
      gate.propose,
    )[0]
  expect(row(true)).toMatchObject({ status: 'approved', isShadow: true })
  expect(row(false)).toMatchObject({ status: 'gone', isShadow: true })
  fixture.write('hooks/guard.sh', '#!/bin/sh\necho other\n')
  expect(row(true)).toMatchObject({ status: 'changed', isShadow: true })
})

/** Damages the line of one act, starts again and resumes from the line of the first approval. */
const resumeAfter = async (damaged: string) => {
  fs.writeFileSync(fixture.ledger, fs.readFileSync(fixture.ledger, 'utf8').replace(`"${damaged}"`, '"other"'))
  gate = await fixture.open()
  expect(fixture.lockdowns).toHaveLength(1)
  const survey = surveyLedger(fixture.home)
  const head = survey.kind === 'read' ? survey.found.heads[1] : undefined
  const { recover } = createActs({
    gatekeeper: gate,
    ownerOf: believing,
    record: () => undefined,
    writeSwitchFile: () => undefined,
  })
  return await recover(consentOf(me), head)
}

test('resumed from a line before its promotion, it is a shadow again, and the receipt says so', async () => {
  await gate.promote(await shadowOf(), me)
  expect(await resumeAfter('promote')).toMatchObject({
    ok: true,
    receipt: { approved: ['pre_tool_call ./hooks/guard.sh (shadow)'] },
  })
  expect(armed()).toEqual([[true, 'warn']])
})

test.each([
  ['when that line verifies', 'off'],
  ['when that line is behind the damage', 'revoke'],
])(
  'resumed from a line where it decided, a hook that was a shadow since is approved no more, %s',
  async (_, damaged) => {
    await approveGuard(gate)
    await gate.revoke(gate.propose(anEntry()).fingerprint ?? '', me)
    await shadowOf()
    await gate.setSwitch(false, me)
    expect(await resumeAfter(damaged)).toMatchObject({
      ok: true,
      receipt: { approved: [], revoked: ['pre_tool_call ./hooks/guard.sh'] },
    })
    expect(armed()).toEqual([])
  },
)

test('the acts are recorded by their names', async () => {
  const records: string[] = []
  const { approve, promote } = createActs({
    gatekeeper: gate,
    ownerOf: believing,
    record: (act, by, outcome, what) => void records.push(`${act} ${outcome} ${what} ${by}`),
    writeSwitchFile: () => undefined,
  })
  const done = await approve(anEntry(), consentOf(me), undefined, 'shadow')
  await promote(done.ok ? done.fingerprint : '', consentOf(me))
  await approve(anEntry(), consentOf(me), undefined, 'shadow')
  expect(records).toEqual([
    `/hooks shadow done pre_tool_call ./hooks/guard.sh (shadow) ${me}`,
    `/hooks promote done pre_tool_call ./hooks/guard.sh ${me}`,
    `/hooks shadow refused pre_tool_call ./hooks/guard.sh ${me}`,
  ])
})
