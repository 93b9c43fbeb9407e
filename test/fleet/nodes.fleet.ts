import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { freePort } from '../../src/attack/gate/free-port.ts'
import { answerOf, call, runBridge } from '../bridge/run-bridge.ts'
import { startNode, type NodeProgram } from '../e2e/node-program.ts'
import { startProgram, until, type Program } from '../e2e/program.ts'
import { arm, findChild, openPhone, ownedEnv, put, token, type Chat } from '../e2e/rig.ts'
import { startBotApi, type BotApi } from '../fixtures/bot-api/server.ts'
import { startRelay, type Relay } from '../store/relay.ts'
import { invitationIn, withNodes } from './gates.ts'

/** So long the network between the node and the gate is away. */
const cutMs = 2000
/** A client that waited for longer than this asks again, because a person may be asked. */
const askedMs = 1200
/** So long a node stands still, longer than a gate waits for it. */
const stillMs = 15_000
/** A connection on which nothing was asked is closed after 30 s. */
const idleMs = 40_000
/** Both sides take a silent connection for lost after 10 s. */
const noticedMs = 14_000

let api: BotApi
let gate: Program
let phone: Chat
let node: NodeProgram
let network: Relay
beforeEach(async () => {
  api = await startBotApi({ token })
  phone = openPhone(api)
  gate = await startProgram(ownedEnv(api), undefined, { prepare: withNodes(await freePort()) })
  const { url, code } = invitationIn(await phone.ask('/nodes add desk', /hookgate node --gate/))
  network = await startRelay(url)
  node = await startNode(['--gate', network.through(url), '--code', code])
  await node.connected()
})
afterEach(async () => {
  await node.remove()
  await network.stop()
  await gate.remove()
  await api.stop()
})

const cutFor = async (ms: number): Promise<void> => {
  network.cut()
  await delay(ms)
  network.restore()
  await node.connected(2)
}
/** What an agent of the node says comes in order, so everything before this has come. */
const settle = async (words: string): Promise<void> => {
  await phone.ask(`!echo ${words}`, new RegExp(`^${words}`))
}
const useBuilder = async (): Promise<void> => {
  await phone.ask('/agent builder', /talks to builder from now on/)
  await settle('ready')
}
/** How many messages of the chat begin with these words. */
const count = (words: string): number => phone.texts().filter((text) => text.startsWith(words)).length
const isShown = (state: RegExp) => async (): Promise<boolean> =>
  state.test(await phone.ask('/nodes', /The gate runs on/))
const notConnected = /desk\n {2}not connected/
const connected = /desk\n {2}connected/
const interrupted = /The agent stopped while it worked on your last message/

test('the person is asked again by a client on a node whose network was away, and is told that the first question is over', async () => {
  await put(gate, 'asks.sh', '#!/bin/sh\necho \'{"decision": "ask", "reason": "look at it"}\'\n')
  await arm(gate, phone, [{ event: 'pre_tool_call', command: './asks.sh', matcher: 'deploy' }])
  const asking = runBridge(['claude-code', 'PreToolUse'], { home: node.home, stdin: call('deploy it') })
  const handleIn = (card: string): string =>
    /^🛡 (\w{5}) [^]*claude-code@desk · bash · denied at/.exec(card)?.[1] ?? ''
  const first = handleIn(await phone.reply(/deploy it[^]*claude-code@desk/))
  await delay(askedMs)
  await cutFor(cutMs)
  const second = await until('a second card', () =>
    phone
      .texts()
      .map(handleIn)
      .find((handle) => handle !== '' && handle !== first),
  )
  await phone.ask(`/y ${first}`, /Nothing was changed.*Cancelled: the agent stopped waiting/)
  await phone.ask(`/y ${second}`, /llowed/)
  expect(JSON.stringify(answerOf(await asking) ?? {})).not.toContain('deny')
  const cards = api
    .calls('sendMessage')
    .filter(({ body }) => body.includes('claude-code@desk · bash · denied at'))
  expect(cards).toHaveLength(2)
})

test('a push that the gate judges while the network of the node is away arrives once', async () => {
  await put(gate, 'slow.sh', "#!/bin/sh\nsleep 1\necho '{}'\n")
  await arm(gate, phone, [{ event: 'on_outbound_message', command: './slow.sh', matcher: 'on its way' }])
  await useBuilder()
  api.say('!echo on its way')
  await findChild(gate, /slow\.sh/)
  await cutFor(cutMs)
  await settle('afterwards')
  expect(count('on its way')).toBe(1)
  expect(phone.texts().filter((text) => interrupted.test(text))).toHaveLength(1)
})

test('a person is told that a message was interrupted, when the answer comes while the network of the node is away', async () => {
  await useBuilder()
  const begun = phone.texts().length
  api.say('!until test -e go; do sleep 0.05; done; echo during the cut')
  await findChild(node, /sleep 0\.05/)
  network.cut()
  await phone.reply(interrupted, begun)
  writeFileSync(join(node.home, 'hookgate', 'go'), '')
  await delay(cutMs)
  network.restore()
  await node.connected(2)
  await settle('afterwards')
  expect(count('during the cut')).toBeLessThanOrEqual(1)
  expect(phone.texts().filter((text) => interrupted.test(text))).toHaveLength(1)
})

test('a node that stands still is named by a receipt, is shown as not connected, and gets each prompt once afterwards', async () => {
  await phone.ask('/hooks off', /Hooks are OFF/)
  await useBuilder()
  node.child.kill('SIGSTOP')
  const stoppedMs = performance.now()
  expect(await phone.ask('/hooks on', /Hooks are ON/)).toContain('Not confirmed by desk.')
  await until('the gate to notice', isShown(notConnected), noticedMs)
  expect(await phone.ask('/hooks off', /Hooks are OFF/)).toContain('Not confirmed by desk.')
  api.say('!echo meanwhile')
  await delay(Math.max(0, stoppedMs + stillMs - performance.now()))
  node.child.kill('SIGCONT')
  await node.connected(2)
  await phone.reply(/^meanwhile/)
  await settle('afterwards')
  expect(count('meanwhile')).toBe(1)
  await until('the gate to show it', isShown(connected))
  expect(await phone.ask('/hooks on', /Hooks are ON/)).not.toContain('Not confirmed')
})

test('both sides notice a connection that carries nothing, and a prompt that went into it is given once', async () => {
  await useBuilder()
  network.silence()
  const silentMs = performance.now()
  api.say('!echo into the hole')
  await until(
    'the node to notice',
    () => /does not serve this node now \(it has said nothing for/.test(node.output()),
    noticedMs,
  )
  await until('the gate to notice', isShown(notConnected), noticedMs)
  expect(performance.now() - silentMs).toBeLessThan(noticedMs)
  network.restore()
  await node.connected(2)
  await phone.reply(/^into the hole/)
  await settle('afterwards')
  expect(count('into the hole')).toBe(1)
})

test('a node that does nothing has one connection to its gate, with an agent on it that hears of a prompt at once', async () => {
  await useBuilder()
  const isIdle = (): Promise<true> => until('one connection', () => network.connections() === 1, idleMs)
  await isIdle()
  await settle('still here')
  await isIdle()
  expect(await phone.ask('/nodes', /The gate runs on/)).toMatch(/desk\n {2}connected/)
})

test('a node that is removed is not said to come back, and a message for its agent is said to wait', async () => {
  await useBuilder()
  api.say('!sleep 60')
  await findChild(node, /sleep 60/)
  await phone.reply(/running for/)
  const removing = phone.texts().length
  await phone.ask('/nodes remove desk', /is removed/)
  const trouble = /machine desk is no node of this gate[^]*→ \/agents[^]*→ \/nodes add desk/
  expect(await phone.reply(interrupted, removing)).toMatch(trouble)
  await phone.reply(/builder stopped after \d+ s/)
  expect(phone.texts().join('\n')).not.toContain('running for')
  expect(await phone.ask('!echo nobody', /Your message waits/)).toMatch(trouble)
  expect(await phone.ask('/agents', /builder/)).toContain('on desk, which is no node of this gate')
  const since = phone.texts().slice(removing).join('\n')
  expect(since).not.toMatch(/restarted|as soon as/)
  await phone.ask('/agent main', /talks to main/)
  await settle('main is here')
})

test('a node joins at the second address that it is given when nobody is at the first one', async () => {
  const { url, code } = invitationIn(await phone.ask('/nodes add lab', /hookgate node --gate/))
  const lab = await startNode([
    '--gate',
    `http://127.0.0.1:${await freePort()}`,
    '--gate',
    url,
    '--code',
    code,
  ])
  try {
    await lab.connected()
  } finally {
    await lab.remove()
  }
})
