import { afterEach, beforeEach, expect, test } from 'vitest'
import { newKey } from '../../src/node/identity.ts'
import { createInboxes } from '../../src/node/inboxes.ts'
import { createLink, type Link } from '../../src/node/link.ts'
import type { Members } from '../../src/server/nodes/members.ts'
import type { NodeServer } from '../../src/server/nodes/server.ts'
import type { InboxLine } from '../../src/shared/events/inbox-line.ts'
import { startRelay, type Relay } from '../store/relay.ts'
import { until } from '../until.ts'
import { membersOf, runBareNode, serveNodes } from './rig.ts'

/** Long enough for Node, which closes a connection a second before its time. */
const keepAliveMs = 2000
const key = newKey()

let members: Members
let server: NodeServer
let network: Relay
let link: Link
let tell: ((line: InboxLine) => void) | undefined
let heard: InboxLine[]
let said: string[]
const over = { end: (): void => undefined, ended: Promise.resolve() }

beforeEach(async () => {
  tell = undefined
  heard = []
  said = []
  members = membersOf({
    enrolled: () => ['desk'],
    agentsOf: () => [{ id: 'builder', user: 'agent', make: { kind: 'demo' } }],
    follow: (_, __, { send, ended }) => {
      tell = send
      return () => {
        tell = undefined
        ended()
      }
    },
  })
  server = await serveNodes({
    members,
    nodeOf: (publicKey) => (publicKey === key.x ? 'desk' : undefined),
    agent: () => (_, response) => Promise.resolve(void response.end('{}')),
    keepAliveMs,
  })
  const url = `http://127.0.0.1:${server.port}`
  network = await startRelay(url)
  link = createLink({ key, gates: [network.through(url)], version: '1.0.0' })
  const inboxes = createInboxes()
  const abort = new AbortController()
  over.end = () => abort.abort()
  over.ended = runBareNode({
    link,
    inboxes,
    runAgents: (agents) => {
      for (const { id } of agents) inboxes.follow(id, (line) => void heard.push(line))
      return Promise.resolve()
    },
    say: (line) => void said.push(line),
    signal: abort.signal,
  })
})
afterEach(async () => {
  over.end()
  await over.ended
  await server.stop()
  await network.stop()
})

const isIdle = (): Promise<unknown> => until('one connection', () => network.connections() === 1)

test('a node that does nothing has one connection, on which its agent gets its lines and the state is confirmed', async () => {
  await until('the agent to listen', () => tell !== undefined)
  // It has not even begun with a second one.
  expect(network.connections()).toBe(1)
  for (const name of ['one', 'two', 'three']) {
    const line: InboxLine = { type: 'cancel', channel: 'test', chat_id: name }
    tell?.(line)
    await until('its line', () => heard.some((one) => JSON.stringify(one) === JSON.stringify(line)))
    members.tell()
    expect(await members.told(10_000)).toEqual([])
    expect(network.connections()).toBe(1)
  }
  expect(heard).toHaveLength(3)
})

test('what a node asks meanwhile has a connection of its own, and gives it back', async () => {
  await until('the agent to listen', () => tell !== undefined)
  await isIdle()
  const answer = await link.send({ method: 'POST', path: '/v1/node/agents/builder/v1/push' })
  answer.resume()
  expect([answer.statusCode, network.connections()]).toEqual([200, 2])
  await isIdle()
  members.tell()
  expect(await members.told(10_000)).toEqual([])
  expect(said).toHaveLength(1)
})
