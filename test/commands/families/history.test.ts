import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { RecordedHook } from '../../../src/core/model/hooks/verdict.ts'
import { createBridgeService, type BridgeService } from '../rig.ts'

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
    expect(await desk.say('/hooks why')).toBe(`pre_tool_call · 03:03:00 · verdict: block
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
    expect(await desk.say('/hooks log')).toContain('pre_tool_call: block')
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
      /^push · 03:04:05 · withheld\nbecause secrets: no\nevent e1\n\non_outbound_message · 03:04:05 · verdict: block\n/,
    )
  })

  test('says so when there is nothing', async () => {
    expect(await desk.say('/hooks why')).toBe('No event has reached an approved hook yet.')
    expect(await desk.say(`/hooks why ${'x'.repeat(500)}`)).toBe(
      `There is no record of an event ${'x'.repeat(100)}.\n→ /hooks log`,
    )
  })
})

describe('log', () => {
  test('lists what happened last, the newest first', async () => {
    expect(await desk.say('/hooks log')).toBe('Nothing has happened yet.')
    desk.record({
      event_id: 'e1',
      outcome: 'block',
      reason: 'guard: no rm',
      atMs: desk.fixture.clock.nowMs - 7_200_000,
    })
    desk.record({
      kind: 'refusal',
      subject: 'command',
      outcome: 'refused',
      reason: 'not_owner from telegram:9',
    })
    await desk.say('/hooks on')
    expect(await desk.say('/hooks log')).toBe(`03:04:05 · /hooks on: done
   telegram:7
03:04:05 · command: refused
   not_owner from telegram:9
01:04:05 · pre_tool_call: block
   guard: no rm
   → /hooks why e1
Times in UTC → /tz`)
  })

  test('shows the last twelve, and a notice only when it did not arrive', async () => {
    for (let count = 0; count < 20; count++) desk.record({ event_id: `e${count}` })
    desk.record({ kind: 'notice', subject: 'notice', outcome: 'failed', reason: 'the chat is gone' })
    desk.record({ kind: 'notice', subject: 'on_outbound_message', session_id: 'notices' })
    const log = await desk.say('/hooks log')
    expect(log.match(/^03:04:05/gm)).toHaveLength(12)
    expect(log).not.toContain('e7')
    expect(log).toContain('→ /hooks why e19')
    desk.fixture.clock.nowMs += 1000
    desk.record({ kind: 'notice', subject: 'notice', outcome: 'failed', reason: 'the chat is gone' })
    expect(await desk.say('/hooks log')).toMatch(/^03:04:06 · notice: failed\n {3}the chat is gone\n/)
  })

  test('a flood of what is allowed hides neither a block, an act of an owner nor an alarm, and each has a list', async () => {
    desk.record({ event_id: 'e1', outcome: 'block', reason: 'guard: no rm' })
    await desk.say('/hooks on')
    desk.record({ kind: 'alarm', subject: 'seal', outcome: 'told', reason: 'a sealed file was changed' })
    desk.record({ kind: 'alarm', subject: 'login', outcome: 'told', reason: 'a login was tried twice' })
    desk.fixture.clock.nowMs += 1000
    for (let count = 0; count < 300; count++) desk.record({ event_id: `f${count}` })
    const log = await desk.say('/hooks log')
    expect(log.match(/^03:04:06 · pre_tool_call: allow/gm)).toHaveLength(8)
    const kept = ['pre_tool_call: block', '/hooks on: done', 'seal: told', 'login: told']
    expect(kept.filter((line) => !log.includes(` · ${line}\n`))).toEqual([])
    expect(await desk.say('/hooks log blocked')).toBe(
      '03:04:05 · pre_tool_call: block\n   guard: no rm\n   → /hooks why e1\nTimes in UTC → /tz',
    )
    expect(await desk.say('/hooks log ACTS')).toBe(
      '03:04:05 · /hooks on: done\n   telegram:7\nTimes in UTC → /tz',
    )
    expect(await desk.say('/hooks log refused')).toBe('Nothing of that kind has happened yet.')
    expect(await desk.say('/hooks why')).toContain('event e1')
  })

  test('a message is told by where it went, its length and the start of its hash, and one that was lost by why', async () => {
    desk.record({
      event_id: 'p1',
      kind: 'push',
      subject: 'push',
      outcome: 'failed',
      reason: 'the chat is gone',
      channel: 'telegram',
      chat_id: '7',
      length: 12,
      sha256: '0123456789abcdef'.repeat(4),
    })
    expect(await desk.say('/hooks log')).toBe(`03:04:05 · push: failed
   the chat is gone
   to telegram:7 · 12 characters · 0123456789ab
   → /hooks why p1
Times in UTC → /tz`)
  })

  test('lost lists what did not arrive, however much did since, and no more than twelve', async () => {
    expect(await desk.say('/hooks log lost')).toBe('No recent message was lost.')
    for (const outcome of ['failed', 'unknown', 'withheld', 'delivered', 'held'])
      desk.record({ event_id: outcome, kind: 'push', subject: 'push', outcome, reason: 'so it is' })
    const atMs = desk.fixture.clock.nowMs + 1
    desk.record({ kind: 'notice', subject: 'notice', outcome: 'failed', reason: 'the chat is gone', atMs })
    desk.record({ event_id: 'e1', kind: 'notice', subject: 'on_outbound_message', outcome: 'failed' })
    for (let count = 0; count < 1000; count++)
      desk.record({ kind: 'push', subject: 'push', outcome: 'delivered' })
    expect(await desk.say('/hooks log lost')).toBe(`03:04:05 · notice: failed
   the chat is gone
03:04:05 · push: withheld
   so it is
   → /hooks why withheld
03:04:05 · push: unknown
   so it is
   → /hooks why unknown
03:04:05 · push: failed
   so it is
   → /hooks why failed
Times in UTC → /tz`)
    for (let count = 0; count < 30; count++)
      desk.record({ kind: 'push', subject: 'push', outcome: 'failed', reason: `number ${count}` })
    const log = await desk.say('/hooks log LOST')
    expect(log.match(/^03:04:05/gm)).toHaveLength(12)
    expect(log).toContain('number 29')
  })

  test('what waits to leave stands first, the longest waiting at the top, with why, and no more than five chats', async () => {
    const { nowMs } = desk.fixture.clock
    desk.waits.push(
      { channel: 'telegram', chat_id: '7', count: 1, sinceMs: nowMs - 1000 },
      {
        channel: 'wechat',
        chat_id: 'alice',
        count: 3,
        sinceMs: nowMs - 300_000,
        why: 'WeChat is not logged in.',
      },
    )
    desk.record({ event_id: 'p1', kind: 'push', subject: 'push', outcome: 'delivered' })
    const waits = `3 messages wait for delivery to wechat:alice; the first came at 02:59 UTC
   WeChat is not logged in.
1 message waits for delivery to telegram:7; the first came at 03:04 UTC`
    expect(await desk.say('/hooks log')).toBe(`${waits}\n03:04:05 · push: delivered\nTimes in UTC → /tz`)
    expect(await desk.say('/hooks log lost')).toBe(`${waits}\nTimes in UTC → /tz`)
    for (let count = 0; count < 9; count++)
      desk.waits.push({ channel: 'telegram', chat_id: String(count), count: 1, sinceMs: nowMs })
    expect((await desk.say('/hooks log')).match(/for delivery/g)).toHaveLength(5)
  })
})
