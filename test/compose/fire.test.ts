import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { EventName } from '../../src/core/model/events/event.ts'
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

/** What `hookgate fire` prints of an event whose payload is in this file of the workspace. */
const answered = async (event: EventName, file: string): Promise<string> => {
  const payload = join(plane.workspace, file)
  const asked = await askGate({ home: plane.home, agent: 'main', event, payload, chain: [] })
  if (!('answer' in asked)) throw new Error(asked.why)
  return asked.answer
}
const fired = async (): Promise<string | undefined> => {
  const answer = await answered('pre_tool_call', 'payload.json')
  const { hooks } = JSON.parse(answer) as { readonly hooks: readonly { readonly handle: string }[] }
  return hooks[0]?.handle
}
/** Approves a script for an event. */
const approve = async (event: EventName, script: string, body: string, more = ''): Promise<void> => {
  await plane.script(script, body)
  await plane.propose(`hooks:\n  - {event: ${event}, ${more}command: ./${script}}\n`)
  await plane.ask(`/hooks approve ${event} ./${script}`, (text) => text.includes('✓'))
}
test('fire names a hook by the handle that its card shows, before and after', async () => {
  const handle = await fired()
  expect(handle).toMatch(/^\w{5}$/)
  for (const name of ['./hooks/guard.sh', handle])
    expect(await plane.ask(`/hooks show ${name}`, (text) => text.includes('asked on'))).toContain(
      `${handle} ✓ approved  pre_tool_call\n  ./hooks/guard.sh\n`,
    )
  expect(await fired()).toBe(handle)
})

test('a hook, the owner and the caller see the number that was sent, and none that was rounded', async () => {
  await approve('pre_tool_call', 'hooks/echo.sh', '#!/bin/sh\ncat >&2\nexit 2\n', 'matcher: send, ')
  await plane.script('send.json', '{"tool_name": "send", "tool_input": {"chat": 1234567890123456789}}')
  const answer = await answered('pre_tool_call', 'send.json')
  const { reason } = JSON.parse(answer) as { readonly reason: string }
  expect(reason).toContain('"tool_input":{"chat":1234567890123456789}')
  expect(answer).toContain('"tool_input":{"chat":1234567890123456789}')
  await until('the owner is told', () =>
    plane.texts().some((text) => text.includes('chat: 1234567890123456789')),
  )
})

test('a script that fails is told by its own name, not by the long path of its seal', async () => {
  await approve('on_turn_end', 'hooks/lost.sh', '#!/bin/sh\nno_such_word\necho more >&2\nexit 3\n')
  await plane.script('turn.json', '{"reason": "normal", "step_count": 1}')
  const answer = await answered('on_turn_end', 'turn.json')
  expect(answer).toMatch(/exit code 3: (?:hooks\/)?lost\.sh: /)
  expect(answer).not.toContain(`${plane.home}/seal`)
})
