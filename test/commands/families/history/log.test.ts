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
    expect(await desk.say('/hooks log')).toBe(`03:04:05 ✓ /hooks on: done
   telegram:7
03:04:05 ✗ command: refused
   not_owner from telegram:9
01:04:05 ✗ pre_tool_call: blocked
   guard: no rm
   → /hooks why e1
With deliveries → /hooks log rest
Times in UTC → /tz`)
  })

  test('shows the last twelve, and a notice only when it did not arrive', async () => {
    for (let count = 0; count < 20; count++) desk.record({ event_id: `e${count}` })
    desk.record({ kind: 'notice', subject: 'notice', outcome: 'failed', reason: 'the chat is gone' })
    desk.record({ kind: 'notice', subject: 'on_outbound_message', session_id: 'notices' })
    const log = await desk.say('/hooks log')
    expect(log.match(/^03:04:05/gm)).toHaveLength(12)
    expect(log).not.toContain('→ /hooks why')
    const whole = await desk.say('/hooks log rest')
    expect(whole).toContain('→ /hooks why e19')
    expect(whole).not.toContain('e7')
    desk.fixture.clock.nowMs += 1000
    desk.record({ kind: 'notice', subject: 'notice', outcome: 'failed', reason: 'the chat is gone' })
    expect(await desk.say('/hooks log')).toMatch(/^03:04:06 ⚠ notice: failed\n {3}the chat is gone\n/)
  })

  test('a flood of what is allowed hides neither a block, an act of an owner nor an alarm, and each has a list', async () => {
    desk.record({ event_id: 'e1', outcome: 'block', reason: 'guard: no rm' })
    await desk.say('/hooks on')
    desk.record({ kind: 'alarm', subject: 'seal', outcome: 'told', reason: 'a sealed file was changed' })
    desk.record({ kind: 'alarm', subject: 'login', outcome: 'told', reason: 'a login was tried twice' })
    desk.fixture.clock.nowMs += 1000
    for (let count = 0; count < 300; count++) desk.record({ event_id: `f${count}` })
    const log = await desk.say('/hooks log')
    expect(log.match(/^03:04:06 ✓ pre_tool_call: allowed/gm)).toHaveLength(8)
    const kept = ['✗ pre_tool_call: blocked', '✓ /hooks on: done', '⚠ seal: told', '⚠ login: told']
    expect(kept.filter((line) => !log.includes(` ${line}\n`))).toEqual([])
    expect(await desk.say('/hooks log blocked')).toBe(
      '03:04:05 ✗ pre_tool_call: blocked\n   guard: no rm\n   → /hooks why e1\nTimes in UTC → /tz',
    )
    expect(await desk.say('/hooks log ACTS')).toBe(
      '03:04:05 ✓ /hooks on: done\n   telegram:7\nTimes in UTC → /tz',
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
    expect(await desk.say('/hooks log')).toBe(`03:04:05 ⚠ push: failed
   the chat is gone
   to telegram:7 · 12 characters · 0123456789ab
   → /hooks why p1
With deliveries → /hooks log rest
Times in UTC → /tz`)
  })

  test('a tool call is one line of a phone: the tool and its command, as far as they fit', async () => {
    const call = (event_id: string, argument: string, tool_name = 'bash'): void =>
      desk.record({ event_id, tool_name, argument })
    call('e1', 'npm test')
    call('e2', 'rm -rf build/output/of/the/last/run · timeout: 5')
    call('e3', `echo "\u202Egpj.sh"`)
    call('e4', '删除所有的旧文件然后重新开始构建整个项目')
    call('e5', 'x', 'mcp__github__create_pull_request')
    call('e6', 'x', 'bash │ ls')
    expect(await desk.say('/hooks log')).toBe(`03:04:05 ✓ ⟪bash ⟫… │ x
03:04:05 ✓ mcp__github__… │ x
03:04:05 ✓ bash │ 删除所有的旧文件然…
03:04:05 ✓ bash │ ⟪echo "\\u{202e}gpj⟫…
03:04:05 ✓ bash │ rm -rf build/output…
03:04:05 ✓ bash │ npm test
With deliveries → /hooks log rest
Times in UTC → /tz`)
  })

  test('a call that a person was asked about is one entry, with its end', async () => {
    const asked = (event_id: string, outcome: string, how: string): void => {
      desk.record({
        event_id,
        outcome: 'ask',
        reason: 'guard: it deletes',
        tool_name: 'bash',
        argument: 'rm x',
      })
      desk.record({ event_id, kind: 'gate', subject: 'permission', outcome, reason: `bash ${how}` })
    }
    asked('e1', 'allowed', 'once by telegram:7')
    asked('e2', 'denied', 'by telegram:7: not now')
    expect(await desk.say('/hooks log')).toBe(`03:04:05 ✗ bash │ rm x
   asked, then denied: bash by telegram:7: not now
   → /hooks why e2
03:04:05 ✓ bash │ rm x
   asked, then allowed: bash once by telegram:7
   → /hooks why e1
With deliveries → /hooks log rest
Times in UTC → /tz`)
    expect(await desk.say('/hooks log blocked')).toBe(`03:04:05 ✗ bash │ rm x
   asked, then denied: bash by telegram:7: not now
   → /hooks why e2
Times in UTC → /tz`)
    expect((await desk.say('/hooks log asked')).match(/asked, then \w+/g)).toEqual([
      'asked, then denied',
      'asked, then allowed',
    ])
  })

  test('a message that only left is no entry, and one that a hook changed is', async () => {
    const hooks = [
      trace('redact', { answer: { kind: 'abstain', rewrite: { notification: '…' }, notes: [] } }),
    ]
    desk.record({ event_id: 'e1', subject: 'on_outbound_message', hooks })
    desk.record({ event_id: 'e1', kind: 'push', subject: 'push', outcome: 'delivered' })
    desk.record({ event_id: 'e2', subject: 'on_outbound_message', hooks: [trace('redact')] })
    desk.record({ event_id: 'e2', kind: 'push', subject: 'push', outcome: 'delivered' })
    expect(await desk.say('/hooks log')).toBe(`03:04:05 ✓ on_outbound_message: allowed as a hook changed it
   → /hooks why e1
With deliveries → /hooks log rest
Times in UTC → /tz`)
    expect((await desk.say('/hooks log rest')).match(/^03:04:05/gm)).toHaveLength(4)
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
    expect(await desk.say('/hooks log lost')).toBe(`03:04:05 ⚠ notice: failed
   the chat is gone
03:04:05 ✗ push: withheld
   so it is
   → /hooks why withheld
03:04:05 ⚠ push: unknown whether it arrived
   so it is
   → /hooks why unknown
03:04:05 ⚠ push: failed
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
    expect(await desk.say('/hooks log')).toBe(
      `${waits}\nWith deliveries → /hooks log rest\nTimes in UTC → /tz`,
    )
    expect(await desk.say('/hooks log rest')).toBe(`${waits}\n03:04:05 ✓ push: delivered\nTimes in UTC → /tz`)
    expect(await desk.say('/hooks log lost')).toBe(`${waits}\nTimes in UTC → /tz`)
    for (let count = 0; count < 9; count++)
      desk.waits.push({ channel: 'telegram', chat_id: String(count), count: 1, sinceMs: nowMs })
    expect((await desk.say('/hooks log')).match(/for delivery/g)).toHaveLength(5)
  })
})
