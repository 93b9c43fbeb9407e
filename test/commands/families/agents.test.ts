import { afterAll, beforeAll, expect, test } from 'vitest'
import { freePort } from '../../../src/attack/gate/free-port.ts'
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
    `nodes: {port: ${await freePort()}}\nagents: {main: {kind: demo}, helper: {kind: demo}, far: {kind: demo, node: desk}}\n`,
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
    `🛡 → main (this chat)
  demo · idle
helper
  demo · idle
  → /agent helper
far
  demo · not running · on desk, which is no node of this gate
  → /agent far
  → /nodes add desk`,
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

test('an agent whose node was removed is not said to be restarted, and whoever writes to it is told what to do', async () => {
  const trouble = `The agent's machine desk is no node of this gate, so no message reaches the agent.
Talk to another agent → /agents
Let the machine in → /nodes add desk`
  await plane.ask('/agent main', (text) => text.includes('talks to main'))
  expect(await plane.ask('/agent far', (text) => text.includes('talks to far'))).toBe(
    `🛡 This chat talks to far from now on. main finishes what it was given.\n→ /agents\n${trouble}`,
  )
  expect(await plane.ask('hello', (text) => text.includes('waits'))).toBe(
    `🛡 Your message waits, and no agent gets it now.\n${trouble}`,
  )
  for (const line of ['/stop', '/compact', '/start'])
    expect(await plane.ask(line, (text) => text.includes('not connected')), line).toContain(trouble)
  expect(await plane.ask('/agent main', (text) => text.includes('talks to main'))).toBe(
    '🛡 This chat talks to main from now on.\n→ /agents',
  )
})
