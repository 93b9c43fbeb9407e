import { existsSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { pageBounds } from '../../bots/web/history.ts'
import { maxTotalBytes } from '../../src/agents/inbox-files.ts'
import { maxProposals } from '../../src/compose/proposal-reader/propose.ts'
import { maxInAnHour } from '../../src/commands/cards/announce.ts'
import { ABOUTS, ALARMS, maxUnasked } from '../../src/notices/notices.ts'
import { roomOf } from '../../src/core/dispatcher/pushes/room.ts'
import {
  maxRuns as behindRuns,
  maxUnits as behindUnits,
} from '../../src/handlers/observers/async-run-limit.ts'
import { maxRunsOfAll, maxUnitsOfAll } from '../../src/handlers/observers/shadow-queue.ts'
import { maxHomeBytes } from '../../src/handlers/world/home-watch.ts'
import { maxRunning } from '../../src/handlers/host/jobs.ts'
import { budgets, type ListenerName } from '../../src/shared/base/budgets.ts'
import { maxJsonTokens } from '../../src/core/model/base/json-tokens.ts'
import { maxUnanswered } from '../../src/permissions/rate-limit.ts'
import { maxWaiting } from '../../src/permissions/decision.ts'
import { maxWaitingUnits } from '../../src/permissions/questions/waiting-list.ts'
import { maxEventBytes } from '../../src/server/body.ts'
import { maxCallBytes } from '../../src/server/mcp/route.ts'
import { maxPushBytes } from '../../src/server/push-request.ts'
import { descriptorsFor, nodesFor } from '../../src/shared/nodes/room.ts'
import { expectGenerated } from '../config-docs/generated.ts'
import { tableOf } from '../config-docs/table.ts'

const { connections, descriptors, times, requests, bytes, prompts } = budgets
const page = new URL('../../src/server/README.md', import.meta.url)

const size = (count: number): string => {
  if (count < 1_000_000) return `${Math.round(count / 1024)} kB`
  return `${Math.round(count / (count % 1_000_000 === 0 ? 1_000_000 : 1024 * 1024))} MB`
}

const seconds = (ms: number): string => `${ms / 1000} s`
const places = (name: ListenerName): string =>
  `${connections[name].inAll}, ${connections[name].perAddress} from one address`

const room = ({ count, bytes: most }: { readonly count: number; readonly bytes: number }): string =>
  `${count} of ${size(most)} together`

const leaving = ({ pushes, bytes: text, fileBytes }: (typeof roomOf)['chat' | 'all']): string =>
  `${pushes}, ${size(text)}, files ${size(fileBytes)}`

const kept = (records: Readonly<Record<string, number>>): string => {
  const all = Object.values(records).reduce((sum, most) => sum + most, 0)
  const each = Object.entries(records)
    .map(([name, most]) => `${name} ${most}`)
    .join(', ')
  return `${all} (${each}); the oldest of the same class go`
}

const log = 'the log, once a minute'
const caller = 'the caller (429), whose client denies'
const bounded = 'shared/base/bounded-server.test.ts'

type Row = readonly [what: string, who: string, bound: string, told: string, test: string]
/** What is taken, by whom, how much of it at most, who is told, and the test that holds it. */
const rows: readonly Row[] = [
  ['connections to the page', 'anybody on this machine', places('page'), log, 'bots/web/web.test.ts'],
  [
    'connections to the webhook',
    'anybody who reaches it',
    places('webhook'),
    log,
    'bots/telegram/connect/webhook.e2e.ts',
  ],
  [
    'connections to the HTTP hooks',
    'anybody on this machine',
    places('loopback'),
    log,
    'server/bridge.test.ts',
  ],
  ['connections to the bridge’s socket', 'agents of others', String(connections.bridge.inAll), log, bounded],
  ['connections to agents’ sockets', 'each agent', String(connections.agent.inAll), log, bounded],
  [
    'connections of nodes',
    'anybody who reaches the port',
    `${connections.node.inAll}, of those that the other listeners leave`,
    log,
    bounded,
  ],
  [
    'descriptors',
    'all connections together',
    `all but ${descriptors.reserved}, or half where that is more`,
    log,
    'load/floods.load.ts',
  ],
  ['a header that does not end', 'anybody', seconds(times.headerMs), 'nobody', bounded],
  ['a request that does not end', 'anybody', seconds(times.requestMs), 'nobody', bounded],
  [
    'requests of one connection without reading',
    'anybody',
    String(requests.perConnection),
    'nobody',
    bounded,
  ],
  ['requests at once', 'each agent', String(requests.perAgent), caller, 'server/server.test.ts'],
  ['requests at once', 'agents of others', String(requests.perBridge), caller, 'server/bridge.test.ts'],
  [
    'bytes of one event',
    'an agent, a client',
    size(maxEventBytes),
    'the caller (413)',
    'server/bridge.test.ts',
  ],
  [
    'texts, commas, colons and brackets of one request',
    'an agent, a client',
    String(maxJsonTokens),
    'the caller (413)',
    'server/server.test.ts',
  ],
  [
    'bytes of one push with its files',
    'an agent',
    size(maxPushBytes),
    'the caller (413)',
    'server/server.test.ts',
  ],
  [
    'bytes of one call over MCP',
    'an agent',
    size(maxCallBytes),
    'the caller (413)',
    'server/mcp/mcp.integration.ts',
  ],
  [
    'proposals over MCP that are not written yet',
    'all agents',
    String(maxProposals),
    'the agent',
    'server/mcp/mcp.integration.ts',
  ],
  [
    'bytes of requests and of answers that are not read',
    'each agent; agents of others',
    size(bytes.inFlight),
    caller,
    'server/server.test.ts',
  ],
  ['an answer of which nothing is taken', 'an agent, a client', seconds(times.stalledMs), 'nobody', bounded],
  [
    'an answer that is taken slowly',
    'an agent, a client',
    seconds(times.answerMs),
    'nobody',
    'server/file-route.test.ts',
  ],
  ['files of people in memory', 'each agent', '1', 'nobody: the next one waits', 'server/file-route.test.ts'],
  [
    'lines of the inbox that are not read',
    'each agent',
    size(bytes.inboxUnread),
    'the chat: its agent stopped',
    'server/server.test.ts',
  ],
  [
    'messages with an agent',
    'one member of a group',
    room(prompts.perSender),
    'the chat and the owners, once',
    'prompts/overflow.test.ts',
  ],
  [
    'messages with an agent',
    'one chat',
    room(prompts.perChat),
    'the chat and the owners, once',
    'prompts/overflow.test.ts',
  ],
  [
    'messages with an agent',
    'all who are no owners',
    room(prompts.inAll),
    'the chat and the owners, once',
    'prompts/overflow.test.ts',
  ],
  [
    'messages with an agent',
    'each owner',
    room(prompts.perOwner),
    'that owner, at each doubling',
    'prompts/overflow.test.ts',
  ],
  [
    'pushes that wait to leave',
    'agents, in one chat',
    leaving(roomOf.chat),
    'the agent (429)',
    'core/dispatcher/pushes/room.test.ts',
  ],
  [
    'pushes that wait to leave',
    'all agents',
    leaving(roomOf.all),
    'the agent (503)',
    'core/dispatcher/pushes/room.test.ts',
  ],
  [
    'questions for a person',
    'one agent',
    `${maxWaiting} at once, ${maxUnanswered} a minute that nobody answers`,
    'the agent, and the owners once a minute',
    'permissions/permissions.test.ts',
  ],
  [
    'text of questions',
    'all agents',
    `${maxWaitingUnits / 1_000_000} million letters`,
    'the agent',
    'permissions/permissions.test.ts',
  ],
  [
    'cards of new hooks',
    'whoever writes the workspace',
    `${maxInAnHour} an hour, then one for all`,
    'the owners',
    'commands/cards/announce.test.ts',
  ],
  [
    'notices that nobody asked for',
    'agents, hooks, files',
    `${maxUnasked} a minute of each of ${ABOUTS.length} kinds in one chat`,
    'the chat, when the minute is over',
    'notices/notices.test.ts',
  ],
  [
    'alarms',
    'whoever tries logins',
    `${maxUnasked} a minute of each of ${ALARMS.length} kinds in one chat`,
    'the chat, when the minute is over; all of them in the history',
    'notices/notices.test.ts',
  ],
  [
    'steps of which async hooks are still to hear',
    'each agent',
    `${behindRuns} runs, ${behindUnits / 1024 / 1024} million letters`,
    'the agent waits; the person, where one is left out',
    'handlers/observers/async-run-limit.test.ts',
  ],
  [
    'events of which shadows are still to hear',
    'each agent',
    `${behindRuns} runs, ${behindUnits / 1024 / 1024} million letters; ${maxRunsOfAll} runs, ${maxUnitsOfAll / 1024 / 1024} million letters for all agents`,
    'the history, and the owner in the list of hooks',
    'handlers/observers/shadows.test.ts',
  ],
  ['programs of hooks', 'hooks', `${maxRunning} at once`, 'nobody: they wait', 'handlers/host/host.e2e.ts'],
  ['records on disk', 'everybody', kept(budgets.records), 'nobody', 'store/store.integration.ts'],
  [
    'messages on the page',
    'agents, and hookgate itself',
    Object.entries(pageBounds)
      .map(([who, { messages, units }]) => `${messages} of ${units / 1_000_000} million letters by ${who}`)
      .join(', '),
    'nobody',
    'bots/web/chat.test.ts',
  ],
  [
    'files of people in the workspace',
    'people',
    size(maxTotalBytes),
    'the agent, in the place of the file',
    'agents/inbox-files.test.ts',
  ],
  [
    'the home of hooks on disk',
    'hooks',
    size(maxHomeBytes),
    'the owners',
    'handlers/world/home-watch.test.ts',
  ],
  [
    'calls of a model',
    'each agent',
    '`max_calls_per_hour` and `max_tokens_per_hour` of gate.yaml',
    'the owners, at half and at all',
    'server/model-judged.test.ts',
  ],
]

test('the page names each budget as it is in the code', () => {
  const named = (file: string): string => `[${/([^/]+)\.\w+\.ts$/.exec(file)?.[1]}](../../test/${file})`
  const cells = rows.map(([what, who, bound, told, file]) => [what, who, bound, told, named(file)])
  expectGenerated(page, 'budgets', tableOf(['What', 'Who takes it', 'At most', 'Who is told', 'Test'], cells))
})

test('the page for operators says which limit of open files fits how many nodes, and a gate has room for them there', () => {
  const operators = new URL('../../config/service/README.md', import.meta.url)
  const cells = [10, 100, 300, 1000].map((nodes) => [String(nodes), `LimitNOFILE=${descriptorsFor(nodes)}`])
  expectGenerated(operators, 'room for nodes', tableOf(['Nodes', 'Limit of open files'], cells))
  for (let nodes = 1; nodes <= 1000; nodes++)
    expect(nodesFor(descriptorsFor(nodes)), `${nodes} nodes`).toBeGreaterThanOrEqual(nodes)
  expect(readFileSync(operators, 'utf8')).toContain(
    `${descriptorsFor(0)} and ${descriptorsFor(1) - descriptorsFor(0)} more for each node`,
  )
})

test('each budget names a test that is there', () => {
  const files = rows.map(([, , , , file]) => file)
  expect(files.filter((file) => !existsSync(new URL(`../${file}`, import.meta.url)))).toEqual([])
})

test('every number of connections, times and requests stands on the page', () => {
  const text = readFileSync(page, 'utf8')
  const all = Object.values(connections).map(({ inAll }) => inAll)
  const waits = Object.values(times).map((ms) => ms / 1000)
  const numbers = [...all, ...waits, ...Object.values(requests), descriptors.reserved]
  expect(numbers.filter((number) => !text.includes(String(number)))).toEqual([])
})
