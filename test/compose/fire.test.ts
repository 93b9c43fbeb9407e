import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { askGate } from '../../src/server/ask.ts'
import { startPlane, until, type Plane } from '../plane.ts'

let plane: Plane
beforeAll(async () => {
  const proposals = 'hooks:\n  - {event: pre_tool_call, command: ./hooks/guard.sh}\n'
  plane = await startPlane(proposals, {
    'hooks/guard.sh': '#!/bin/sh\nexit 0\n',
    'payload.json': '{"tool_name": "bash", "tool_input": {"command": "ls"}}',
  })
  await plane.ask('/hooks on', (text) => text.includes('Hooks are ON'))
  await plane.ask('/hooks approve pre_tool_call ./hooks/guard.sh', (text) => text.includes('✓'))
})
afterAll(() => plane.stop())

/** What `hookgate fire` prints of the one hook. */
const fired = async (): Promise<string | undefined> => {
  const payload = join(plane.workspace, 'payload.json')
  const asked = await askGate({ home: plane.home, agent: 'main', event: 'pre_tool_call', payload, chain: [] })
  if (!('answer' in asked)) throw new Error(asked.why)
  const { hooks } = JSON.parse(asked.answer) as { readonly hooks: readonly { readonly handle: string }[] }
  return hooks[0]?.handle
}
const listed = async (): Promise<string | undefined> =>
  /^(\w{5}) ✓ approved/m.exec(await plane.ask('/hooks', (text) => text.includes('guard.sh')))?.[1]

test('fire names a hook by the handle that /hooks will show, and shows it again after', async () => {
  const before = await fired()
  expect(before).toMatch(/^\w{5}$/)
  expect(await listed()).toBe(before)
  expect(await fired()).toBe(before)
  expect(await plane.ask(`/hooks show ${before}`, (text) => text.includes('asked on'))).toContain(
    './hooks/guard.sh',
  )
})

test('a hook, the owner and the caller see the number that was sent, and none that was rounded', async () => {
  await plane.script('hooks/echo.sh', '#!/bin/sh\ncat >&2\nexit 2\n')
  await plane.propose('hooks:\n  - {event: pre_tool_call, matcher: send, command: ./hooks/echo.sh}\n')
  await plane.ask('/hooks approve pre_tool_call ./hooks/echo.sh', (text) => text.includes('✓'))
  await plane.script('send.json', '{"tool_name": "send", "tool_input": {"chat": 1234567890123456789}}')
  const payload = join(plane.workspace, 'send.json')
  const asked = await askGate({ home: plane.home, agent: 'main', event: 'pre_tool_call', payload, chain: [] })
  if (!('answer' in asked)) throw new Error(asked.why)
  const { reason } = JSON.parse(asked.answer) as { readonly reason: string }
  expect(reason).toContain('"tool_input":{"chat":1234567890123456789}')
  expect(asked.answer).toContain('"tool_input":{"chat":1234567890123456789}')
  await until('the owner is told', () =>
    plane.texts().some((text) => text.includes('chat: 1234567890123456789')),
  )
})

test('a script that fails is told by its own name, not by the long path of its seal', async () => {
  await plane.script('hooks/lost.sh', '#!/bin/sh\nno_such_word\necho more >&2\nexit 3\n')
  await plane.propose('hooks:\n  - {event: on_turn_end, command: ./hooks/lost.sh}\n')
  await plane.ask('/hooks approve on_turn_end ./hooks/lost.sh', (text) => text.includes('✓'))
  await plane.script('turn.json', '{"reason": "normal", "step_count": 1}')
  const payload = join(plane.workspace, 'turn.json')
  const asked = await askGate({ home: plane.home, agent: 'main', event: 'on_turn_end', payload, chain: [] })
  expect(JSON.stringify(asked)).toMatch(/exit code 3: (?:hooks\/)?lost\.sh: /)
  expect(JSON.stringify(asked)).not.toContain(`${plane.home}/seal`)
})
