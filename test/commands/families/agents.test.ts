import { afterAll, beforeAll, expect, test } from 'vitest'
import { startPlane, type Plane } from '../../plane.ts'
import { until } from '../../until.ts'

let plane: Plane
beforeAll(async () => {
  plane = await startPlane(
    'hooks: []\n',
    {},
    {},
    'none',
    {},
    'agents: {main: {kind: demo}, helper: {kind: demo}}\n',
  )
})
afterAll(() => plane.stop())

test('a chat talks to the agent that its owner names, until the owner names another one', async () => {
  await plane.ask('say hello', (text) => text === 'hello')
  const idle = (text: string): boolean => (text.match(/demo · idle/g) ?? []).length === 2
  await until('both agents to be idle', async () =>
    idle(await plane.ask('/agents', (text) => text.includes('demo'))),
  )
  expect(await plane.ask('/agents', (text) => text.includes('demo'))).toBe(
    '🛡 → main (this chat)\n  demo · idle\nhelper\n  demo · idle\n  → /agent helper',
  )
  expect(await plane.ask('/agent helpr', (text) => text.includes('no agent'))).toBe(
    '🛡 There is no agent helpr. Did you mean helper?\n→ /agents',
  )
  expect(await plane.ask('/agent helper', (text) => text.includes('from now on'))).toBe(
    '🛡 This chat talks to helper from now on. main finishes what it was given.\n→ /agents',
  )
  await plane.ask('say it is me', (text) => text === 'it is me')
  const pushes = await plane.gate.store.records({ limit: 50 })
  expect(pushes.find(({ kind }) => kind === 'push')?.agent_id).toBe('helper')
  expect(await plane.ask('/agent', (text) => text.includes('talks to'))).toBe(
    '🛡 This chat talks to helper.\n→ /agents',
  )
  expect(await plane.ask('/agent helper', (text) => text.includes('already'))).toBe(
    '🛡 This chat talks to helper already.',
  )
})
