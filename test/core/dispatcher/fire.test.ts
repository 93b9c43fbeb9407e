import fs from 'node:fs'
import path from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { createFire, type FirePorts } from '../../../src/core/dispatcher/fire.ts'
import { EVENT_NAMES, contractOf } from '../../../src/core/model/events/event.ts'
import type { EventRecord } from '../../../src/core/model/events/record.ts'
import { blocks, createRig, says, type Rig } from './rig.ts'

let rig: Rig | undefined
const begin = async (): Promise<Rig> => (rig = await createRig())
afterEach(async () => {
  await rig?.stop()
  rig = undefined
})
const call = { tool_name: 'bash', tool_input: { command: 'ls secret-folder' } }
const events = ({ store }: Rig): Promise<readonly EventRecord[]> =>
  store.records({ limit: 50, kinds: ['event'] })

test('the payload has the base fields, which no field of the caller can replace, and is frozen and well-formed', async () => {
  const rig = await begin()
  const fired = await rig.fire('pre_tool_call', {
    ...call,
    event: 'x',
    event_id: 'x',
    agent_id: 'x',
    session_id: 'x',
    attempt: 9,
    timestamp: 'x',
    text: 'a\uD800',
  })
  if (fired.kind !== 'verdict') throw new Error(fired.why)
  const { payload, verdict } = fired.verdict
  expect(verdict).toBe('allow')
  expect(payload).toMatchObject({
    event: 'pre_tool_call',
    agent_id: 'main',
    session_id: 's1',
    attempt: 1,
    cwd: rig.workspace,
    text: 'a\uFFFD',
  })
  expect(Date.parse(payload.timestamp)).toBeGreaterThan(0)
  expect(Object.isFrozen(payload) && Object.isFrozen(payload['tool_input'])).toBe(true)
})

describe('a chain of hooks that cause events', () => {
  test('may be two deep; the third is refused with the loop named, asks nobody and is recorded', async () => {
    const rig = await begin()
    await rig.approve('on_stop', 'touch asked')
    await rig.on()
    const deep = await rig.fire(
      'on_stop',
      { response: 'x' },
      { chain: ['pre_tool_call:a', 'on_error:b', 'on_stop:c'] },
    )
    expect(deep).toEqual({
      kind: 'loop',
      why: expect.stringMatching(/^pre_tool_call → on_error → on_stop → on_stop: /),
    })
    expect(fs.existsSync(path.join(rig.workspace, 'asked'))).toBe(false)
    expect(await rig.store.records({ limit: 9, kinds: ['refusal'] })).toMatchObject([
      { subject: 'on_stop', outcome: 'refused', reason: expect.stringContaining('loop: ') },
    ])
    expect(
      await rig.fire('on_stop', { response: 'x' }, { chain: ['pre_tool_call:a', 'on_error:b'] }),
    ).toMatchObject({ kind: 'verdict' })
  })

  test('is handed on to the hooks, with the event that caused them', async () => {
    const rig = await begin()
    await rig.approve('on_stop', 'printf %s "$HOOKGATE_CHAIN" > chain')
    await rig.on()
    const fired = await rig.fire('on_stop', { response: 'x' }, { chain: ['on_error:a'] })
    if (fired.kind !== 'verdict') throw new Error(fired.why)
    expect(fs.readFileSync(path.join(rig.workspace, 'chain'), 'utf8')).toBe(
      `on_error:a,on_stop:${fired.verdict.payload.event_id}`,
    )
  })
})

test('a lockdown that begins while a hook is asked blocks that step too', async () => {
  const rig = await begin()
  await rig.approve('pre_tool_call', 'touch asked; sleep 5')
  await rig.on()
  const firing = rig.fire('pre_tool_call', call)
  while (!fs.existsSync(path.join(rig.workspace, 'asked'))) await new Promise((done) => setTimeout(done, 5))
  rig.gatekeeper.lockDown('a seal was tampered with')
  expect(await firing).toMatchObject({ kind: 'verdict', verdict: { verdict: 'block', by: 'hookgate' } })
})

test('lockdown blocks every event that can be blocked and lets the others go, and both are told apart in the record', async () => {
  const rig = await begin()
  await rig.on()
  rig.gatekeeper.lockDown('a test')
  for (const event of EVENT_NAMES) {
    const fired = await rig.fire(event, contractOf(event).fields)
    if (fired.kind !== 'verdict') throw new Error(fired.why)
    const isGated = contractOf(event).gate.includes('block')
    expect(fired.verdict, event).toMatchObject({
      verdict: isGated ? 'block' : 'allow',
      isConsent: false,
      ...(isGated ? { reason: 'hookgate is in lockdown: a test', by: 'hookgate' } : {}),
    })
  }
  const records = await events(rig)
  expect(records.map(({ subject }) => subject).toSorted()).toEqual(
    EVENT_NAMES.filter((event) => contractOf(event).gate.includes('block')).toSorted(),
  )
  expect(
    records.every(
      ({ outcome, reason }) => outcome === 'block' && reason === 'hookgate: hookgate is in lockdown: a test',
    ),
  ).toBe(true)
})

describe('the record of an event', () => {
  test('says of every hook whether it fired and why, and holds nothing that a rewrite replaced', async () => {
    const rig = await begin()
    await rig.approve(
      'pre_tool_call',
      says({
        tool_input: { command: 'ls public-folder' },
        context: 'private context',
        systemMessage: 'a note',
      }),
      { name: 'rewriter', priority: 900 },
    )
    await rig.approve('pre_tool_call', blocks('not there'), {
      name: 'blocker',
      priority: 500,
      matcher: { pattern: 'public' },
    })
    await rig.approve('pre_tool_call', ':', { name: 'unreached', priority: 1 })
    await rig.on()
    const fired = await rig.fire('pre_tool_call', call, { address: { channel: 'memory', chat_id: 'main' } })
    if (fired.kind !== 'verdict') throw new Error(fired.why)
    const [record] = await events(rig)
    expect(record).toMatchObject({
      event_id: fired.verdict.payload.event_id,
      subject: 'pre_tool_call',
      outcome: 'block',
      reason: 'blocker: not there',
      channel: 'memory',
      chat_id: 'main',
      agent_id: 'main',
      session_id: 's1',
      revision: rig.gatekeeper.state().revision,
    })
    expect(record?.hooks?.map(({ label, fired, why }) => [label, fired, why])).toEqual([
      ['rewriter', true, 'matched'],
      ['blocker', true, 'matched'],
      ['unreached', false, 'was not reached'],
    ])
    expect(record?.hooks?.[0]?.answer).toEqual({
      kind: 'abstain',
      notes: ['a note'],
      rewrite: { tool_input: '…' },
      context: '15 characters',
    })
    // Of the call it has the arguments that the hooks left, and never those that a hook replaced.
    expect(record).toMatchObject({ tool_name: 'bash', argument: 'ls public-folder' })
    expect(JSON.stringify(record)).not.toMatch(/secret-folder|private context/)
  })

  test('counts what did not match, and is made when no hook said anything only where the history has no room for it', async () => {
    const kept: unknown[] = []
    let hasRoom = true
    rig = await createRig({
      keep: (...[, , , silent]) => {
        kept.push(silent)
        return hasRoom
      },
    })
    await rig.approve('pre_tool_call', ':', { matcher: { pattern: 'nowhere' } })
    await rig.approve('pre_tool_call', 'echo \'{"decision":"allow"}\'', { matcher: { pattern: 'elsewhere' } })
    await rig.approve('pre_tool_call', ': again', { matcher: { pattern: 'never' } })
    await rig.on()
    await rig.fire('pre_tool_call', call)
    expect(await events(rig)).toEqual([])
    await rig.fire('pre_tool_call', { ...call, tool_input: { command: 'nowhere' } })
    expect(await events(rig)).toEqual([])
    await rig.fire('pre_tool_call', { ...call, tool_input: { command: 'elsewhere' } })
    expect(await events(rig)).toMatchObject([{ outcome: 'allow', hooks: [{ fired: true }], missed: 2 }])
    await rig.fire('on_stop', { response: 'x' })
    expect(kept).toEqual([
      { missed: 3, shadows: 0 },
      { missed: 2, shadows: 0 },
      undefined,
      { missed: 0, shadows: 0 },
    ])
    hasRoom = false
    for (const event of ['pre_tool_call', 'on_stop'] as const) await rig.fire(event, call)
    expect((await events(rig)).map(({ subject, missed }) => [subject, missed])).toEqual([
      ['pre_tool_call', 3],
      ['pre_tool_call', 2],
    ])
  })

  test('is made of a hook that said nothing but what a person was warned of', async () => {
    rig = await createRig({ keep: () => true })
    const adds = 'echo \'{"tool_input":{"other":"x"}}\''
    await rig.approve('pre_tool_call', adds)
    await rig.on()
    expect(await rig.fire('pre_tool_call', call)).toMatchObject({
      verdict: { verdict: 'allow', warnings: [expect.stringContaining('new key "other"')] },
    })
    expect(await events(rig)).toMatchObject([{ outcome: 'allow', hooks: [{ fired: true }] }])
  })

  test('names the hooks that an owner switched off', async () => {
    const rig = await begin()
    await rig.approve('pre_tool_call', blocks('no'), { name: 'guard' })
    expect(await rig.fire('pre_tool_call', call)).toMatchObject({
      kind: 'verdict',
      verdict: { verdict: 'allow', hooks: [] },
    })
    expect(await events(rig)).toMatchObject([
      { outcome: 'allow', missed: 0, hooks: [{ label: 'guard', fired: false, why: 'the switch is off' }] },
    ])
  })

  test('is not made where no approved hook could have judged', async () => {
    const rig = await begin()
    await rig.approve('on_stop', ':')
    await rig.on()
    await rig.fire('pre_tool_call', call)
    expect(await events(rig)).toEqual([])
  })
})

test('a judge that fails opens nothing: a gated event is blocked, another goes on with a warning', async () => {
  const warnings: string[] = []
  const records: EventRecord[] = []
  const ports: FirePorts = {
    judge: () => Promise.reject(new Error('a bug')),
    gate: () => ({ revision: 7 }),
    inert: () => [],
    shadows: () => 0,
    record: (record) => void records.push(record),
    judged: () => undefined,
    tellNotes: () => undefined,
    tellBlock: () => ({ isTold: false, isInChat: false }),
    tellWarnings: (texts) => void warnings.push(...texts),
    newId: () => 'e1',
    elapsedMs: () => 0,
    now: () => 0,
  }
  const fire = createFire(ports)
  const request = { agentId: 'main', sessionId: 's', cwd: '/', fields: {} }
  expect(await fire({ ...request, event: 'pre_tool_call' })).toMatchObject({
    kind: 'verdict',
    verdict: { verdict: 'block', by: 'hookgate' },
  })
  expect(await fire({ ...request, event: 'post_llm_call' })).toMatchObject({
    kind: 'verdict',
    verdict: { verdict: 'allow' },
  })
  expect(warnings).toHaveLength(2)
  expect(records).toMatchObject([{ subject: 'pre_tool_call', outcome: 'block' }])
})
