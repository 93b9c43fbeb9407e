import { afterAll, beforeAll, expect, test } from 'vitest'
import { startPlane, until, type Plane } from '../../plane.ts'

let plane: Plane
beforeAll(async () => {
  plane = await startPlane('hooks: []\n', {}, { HOOKGATE_OWNERS: 'memory:owner,memory:second' })
})
afterAll(() => plane.stop())

test('off for a while, in the running gate: off at once, on again by itself, in the file and told', async () => {
  await plane.ask('/hooks on', (text) => text.includes('Hooks are ON.'))
  expect(await plane.ask('/hooks off 1s', (text) => text.includes('Hooks are OFF'))).toMatch(
    /^🛡 Hooks are OFF until (?:\d{4}-\d\d-\d\d )?\d\d:\d\d UTC \(1 s\)\.\nNo hook fires; approvals are kept\.\nThen they switch ON again automatically\.$/,
  )
  await until('the hooks to be on again', () => plane.gate.gatekeeper.state().isOn)
  await until('the notice', () =>
    plane
      .texts()
      .some((text) => text === '🛡 Hooks are ON again: the 1s of /hooks off by memory:owner are over.'),
  )
  await until('the file to say so', async () =>
    (await plane.read('config/agent.yaml')).includes('enabled: true'),
  )
})

test("the switch is told in the owners' other chats, and not where it was turned", async () => {
  const second = (): readonly string[] =>
    plane.memory
      .sent()
      .filter(({ chat_id }) => chat_id === 'second')
      .map(({ text }) => text)
  await plane.ask('/hooks off', (text) => text.includes('Hooks are OFF.'))
  await until('the other owner to hear', () =>
    second().includes('🛡 ⚠ Hooks were switched OFF by memory:owner.\nNo hook fires.\n→ /hooks on'),
  )
  await plane.ask('/hooks on', (text) => text.includes('Hooks are ON.'))
  await until('the other owner to hear', () => second().includes('🛡 Hooks were switched ON by memory:owner.'))
  expect(plane.texts().some((text) => text.includes('were switched'))).toBe(false)
})
