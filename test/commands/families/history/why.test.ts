import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { RecordedHook } from '../../../../src/core/model/hooks/verdict.ts'
import { createBridgeService, type BridgeService } from '../../rig.ts'

let desk: BridgeService
beforeEach(async () => {
  desk = await createBridgeService(
    'hooks:\n  - {event: pre_tool_call, command: ./x.sh}\n  - {event: pre_tool_call, command: ./y.sh}\n',
  )
  desk.fixture.write('x.sh', '#!/bin/sh\n')
  desk.fixture.write('y.sh', '#!/bin/sh\n')
})
afterEach(() => desk.stop())

const trace = (label: string, over: Partial<RecordedHook> = {}): RecordedHook => ({
  fingerprint: label,
  label,
  fired: true,
  why: 'matched',
  ...over,
})

describe('why', () => {
  test('tells the last event that hooks met: each hook, what it answered, and the verdict', async () => {
    desk.record({
      event_id: 'e7',
      outcome: 'block',
      reason: 'guard: no rm',
      durationMs: 44.4,
      atMs: desk.fixture.clock.nowMs - 65_000,
      missed: 1,
      hooks: [
        trace('guard', { durationMs: 12.3, answer: { kind: 'block', reason: 'no rm', notes: [] } }),
        trace('redact', {
          why: 'matched, asked 2 times',
          durationMs: 30,
          answer: { kind: 'abstain', rewrite: { tool_input: '…' }, notes: [] },
        }),
        trace('slow', {
          answer: { kind: 'fault', fault: { kind: 'timeout', detail: 'It was late.' }, notes: [] },
        }),
        trace('late', { fired: false, why: 'was not reached' }),
      ],
    })
    expect(await desk.say('/hooks why')).toBe(`pre_tool_call · 03:03:00 · blocked
because guard: no rm
✗ guard fired: matched
   block · 12 ms: no rm
✓ redact fired: matched, asked 2 times
   abstain · rewrote tool_input · 30 ms
⚠ slow fired: matched
   fault: It was late.
– late did not fire: was not reached
– 1 more approved hooks did not match
event e7 · 44 ms`)
    expect(await desk.say('/hooks why e7')).toBe(await desk.say('/hooks why'))
  })

  test('names the hooks that did not match, as long as the gate has not changed since', async () => {
    await desk.say('/hooks approve pre_tool_call ./x.sh\n/hooks approve pre_tool_call ./y.sh\n/hooks on')
    desk.record({ event_id: 'e1', hooks: [], missed: 2, revision: desk.gatekeeper.state().revision })
    expect(await desk.say('/hooks why')).toContain(
      '\n– ./x.sh did not fire: did not match\n– ./y.sh did not fire: did not match\n',
    )
    await desk.say('/hooks off')
    expect(await desk.say('/hooks why')).toContain('\n– 2 more approved hooks did not match\n')
  })

  test("is about the agent's events, however many notices were judged since", async () => {
    desk.record({ event_id: 'e1', outcome: 'block' })
    for (let count = 0; count < 200; count++)
      desk.record({
        event_id: `n${count}`,
        kind: 'notice',
        subject: 'on_outbound_message',
        session_id: 'notices',
      })
    expect(await desk.say('/hooks why')).toContain('event e1')
    expect(await desk.say('/hooks log')).toContain('✗ pre_tool_call: blocked')
  })

  test('shows the last block, and what was changed after it: an agent that was refused goes on', async () => {
    desk.record({
      event_id: 'e1',
      outcome: 'block',
      reason: 'guard: no rm',
      hooks: [trace('guard', { answer: { kind: 'block', reason: 'no rm', notes: [] } })],
    })
    desk.record({
      event_id: 'e2',
      hooks: [trace('redact', { answer: { kind: 'abstain', rewrite: { message: '…' }, notes: [] } })],
    })
    for (const event_id of ['e3', 'e4'])
      desk.record({ event_id, hooks: [trace('guard', { answer: { kind: 'abstain', notes: [] } })] })
    expect((await desk.say('/hooks why')).match(/event e\d/g)).toEqual(['event e1', 'event e2'])
    for (let count = 0; count < 200; count++) desk.record({ event_id: 'e5', hooks: [] })
    expect((await desk.say('/hooks why')).match(/event e\d/g)).toEqual(['event e1'])
  })

  test('shows the last event when nothing was blocked', async () => {
    for (const event_id of ['e1', 'e2'])
      desk.record({ event_id, hooks: [trace('guard', { answer: { kind: 'abstain', notes: [] } })] })
    expect((await desk.say('/hooks why')).match(/event e\d/g)).toEqual(['event e2'])
  })

  test('names tool and arguments, and says how to see other blocks', async () => {
    for (const event_id of ['e1', 'e2', 'e3'])
      desk.record({
        event_id,
        outcome: 'block',
        reason: 'guard: no rm',
        tool_name: 'bash',
        argument: `rm ${event_id}`,
      })
    const why = await desk.say('/hooks why')
    expect(why).toContain('tool bash\n│ rm e3\nbecause guard: no rm')
    expect(why).toContain('2 more steps were blocked or failed in the hour before.\n→ /hooks log blocked')
    expect(await desk.say('/hooks why e1')).toContain('│ rm e1')
  })

  test('a message that was not delivered is a last failure, too', async () => {
    desk.record({
      event_id: 'e1',
      kind: 'push',
      subject: 'push',
      outcome: 'failed',
      reason: 'telegram: gone',
    })
    desk.record({ event_id: 'e2', hooks: [trace('guard')] })
    expect(await desk.say('/hooks why')).toMatch(
      /^push · 03:04:05 · failed\nbecause telegram: gone\nevent e1/,
    )
  })

  test('of a push tells what became of it beside what the hooks made of it', async () => {
    desk.record({
      event_id: 'e1',
      subject: 'on_outbound_message',
      outcome: 'block',
      reason: 'secrets: no',
      hooks: [trace('secrets')],
    })
    desk.record({ event_id: 'e1', kind: 'push', subject: 'push', outcome: 'withheld', reason: 'secrets: no' })
    expect(await desk.say('/hooks why e1')).toMatch(
      /^push · 03:04:05 · withheld\nbecause secrets: no\nevent e1\n\non_outbound_message · 03:04:05 · blocked\n/,
    )
  })

  /** A hook asked about a call. `outcome`: what a person or the gate decided. */
  const asked = (event_id: string, command: string, outcome?: string, how = 'once by telegram:7'): void => {
    desk.fixture.clock.nowMs += 1
    desk.record({
      event_id,
      outcome: 'ask',
      reason: 'guard: it deletes files',
      tool_name: 'bash',
      argument: command,
      hooks: [trace('guard', { answer: { kind: 'ask', reason: 'it deletes files', notes: [] } })],
    })
    if (outcome === undefined) return
    const kind = how.includes('grant') || how.startsWith('because') ? 'question' : 'gate'
    desk.record({ event_id, kind, subject: 'permission', outcome, reason: `bash ${how}` })
  }

  test('a call that a person allowed was not stopped, and its question and answer are told as one', async () => {
    desk.record({ event_id: 'b1', outcome: 'block', reason: 'guard: no rm' })
    asked('e1', 'rm -rf build', 'allowed')
    asked('e2', 'rm -rf dist', 'allowed', 'by the grant 6pbf8 of telegram:7')
    const why = await desk.say('/hooks why')
    expect(why).toMatch(/^pre_tool_call · 03:04:05 · blocked\n/)
    expect(why).not.toContain('blocked or failed')
    expect(why).toContain(`pre_tool_call · 03:04:05 · asked, then allowed
tool bash
│ rm -rf dist
asked because guard: it deletes files
allowed because bash by the grant 6pbf8 of telegram:7
✓ guard fired: matched
   ask: it deletes files
event e2`)
    expect(await desk.say('/hooks why e1')).toBe(`pre_tool_call · 03:04:05 · asked, then allowed
tool bash
│ rm -rf build
asked because guard: it deletes files
allowed because bash once by telegram:7
✓ guard fired: matched
   ask: it deletes files
event e1`)
  })

  test('a call that a person refused, or nobody answered, was stopped', async () => {
    asked('e1', 'rm 1', 'denied', 'because nobody answered in time')
    asked('e2', 'rm 2', 'denied', 'by telegram:7: not now')
    asked('e3', 'rm 3', 'allowed')
    const why = await desk.say('/hooks why')
    expect(why).toMatch(/^pre_tool_call · 03:04:05 · asked, then denied\ntool bash\n│ rm 2\n/)
    expect(why).toContain('denied because bash by telegram:7: not now')
    expect(why).toContain('1 more step was blocked or failed in the hour before.')
    expect(await desk.say('/hooks why e1')).toContain('\ndenied because nobody answered in time\n')
  })

  test('a call that waits for a person is told as that, after the last step that was stopped', async () => {
    desk.record({ event_id: 'b1', outcome: 'block', reason: 'guard: no rm' })
    asked('e1', 'rm -rf build')
    expect((await desk.say('/hooks why')).match(/event \w\d/g)).toEqual(['event b1', 'event e1'])
    expect(await desk.say('/hooks why e1')).toMatch(/^pre_tool_call · 03:04:05 · a person was asked\n/)
    desk.ports.asks.waiting = () => [{ event_id: 'e1' }] as never
    expect(await desk.say('/hooks why e1')).toMatch(/ · asked; nobody has answered yet\n/)
  })

  test('says so when there is nothing', async () => {
    expect(await desk.say('/hooks why')).toBe('No event has reached an approved hook yet.')
    expect(await desk.say(`/hooks why ${'x'.repeat(500)}`)).toBe(
      `There is no record of an event ${'x'.repeat(100)}.\n→ /hooks log`,
    )
  })
})
