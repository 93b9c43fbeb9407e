import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { chmodSync, cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { request, type IncomingMessage } from 'node:http'
import { dirname, join } from 'node:path'
import { text as readText } from 'node:stream/consumers'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { freePort } from '../../src/attack/gate/free-port.ts'
import { answerOf, call, refusal, runBridge } from '../bridge/run-bridge.ts'
import { startBotApi, type BotApi } from '../fixtures/bot-api/server.ts'
import { startNode, type NodeProgram } from './node-program.ts'
import { overHttp, overStdio } from '../server/mcp/client.ts'
import { startProgram, until, type Program } from './program.ts'
import { arm, openPhone, ownedEnv, put, token, type Chat } from './rig.ts'

const guard = '#!/bin/sh\necho \'{"decision": "block", "reason": "the guard said no"}\'\n'

let api: BotApi
let gate: Program
let phone: Chat
let port: number
const nodes: NodeProgram[] = []

beforeEach(async () => {
  api = await startBotApi({ token })
  phone = openPhone(api)
  port = await freePort()
  gate = await startProgram(ownedEnv(api), undefined, { prepare: withNodes })
})
afterEach(async () => {
  for (const node of nodes.splice(0)) await node.remove()
  await gate.remove()
  await api.stop()
})

const withNodes = (home: string): void => {
  mkdirSync(join(home, '.hookgate'), { recursive: true })
  writeFileSync(
    join(home, '.hookgate', 'gate.yaml'),
    `nodes: {port: ${port}}\nagents:\n  main: {kind: demo}\n  builder: {kind: demo, node: desk}\n`,
  )
}

/** Starts the line that the gate has answered, as a person would on the other machine. */
const joinAs = async (name: string, settings?: string): Promise<NodeProgram> => {
  const answer = await phone.ask(`/nodes add ${name}`, /hookgate node --gate/)
  const [, url = '', code = ''] = /hookgate node --gate (\S+) --code (\S+)/.exec(answer) ?? []
  const node = await startNode(['--gate', url, '--code', code], {}, settings)
  nodes.push(node)
  await node.connected()
  return node
}

test('a machine joins with a code, and its agent answers in a chat under the hooks of the gate', async () => {
  await put(gate, 'guard.sh', guard)
  await arm(gate, phone, [{ event: 'pre_tool_call', command: './guard.sh', matcher: 'forbidden' }])
  const node = await joinAs('desk')
  await phone.reply(/The node desk has joined/)
  await until('the agent of the node to connect', async () =>
    /builder\n.*idle/.test(await phone.ask('/agents', /builder/)),
  )
  await phone.ask('/agent builder', /talks to builder from now on/)
  await phone.ask('!pwd', new RegExp(`^${node.home}/hookgate`))
  await phone.ask('!echo forbidden', /the guard said no|I did not run bash/)
  const listed = await phone.ask('/nodes', /desk/)
  expect(listed).toMatch(/desk\n {2}connected · version \S+ · answers in \d+ ms\n {2}agents: builder/)
  for (const connect of [overStdio, overHttp])
    for (const era of ['legacy', 'auto'] as const) {
      const client = await connect(node.gate, era, 'builder')
      expect((await client.call('list_hooks')).text).toContain(
        'pre_tool_call · a hook without a name · approved',
      )
      expect((await client.call('why')).text).toContain('block: the guard said no')
      const proposed = await client.call('propose_hook', { event: 'on_stop', command: './x' })
      expect(proposed.text).toContain('got one on a node')
      const asked = client.call('ask_owner', { question: `By ${connect.name} ${era}?` })
      await phone.reply(new RegExp(`builder asks you:\\n│ By ${connect.name} ${era}`))
      await api.read()
      api.tap('1')
      expect((await asked).text).toBe('The owner answered: Yes')
      await client.close()
    }
}, 90_000)

const ask = async (node: NodeProgram, command: string): Promise<Record<string, unknown> | undefined> =>
  answerOf(await runBridge(['claude-code', 'PreToolUse'], { home: node.home, stdin: call(command) }))
const reasonOf = (answer: Record<string, unknown> | undefined): string => JSON.stringify(answer ?? {})

test('a client of a node is judged by the gate, a question names its machine, and a person answers it', async () => {
  await put(gate, 'guard.sh', guard)
  const asks = '#!/bin/sh\necho \'{"decision": "ask", "reason": "look at it"}\'\n'
  await put(gate, 'asks.sh', asks)
  await arm(gate, phone, [
    { event: 'pre_tool_call', command: './guard.sh', matcher: 'forbidden' },
    { event: 'pre_tool_call', command: './asks.sh', matcher: 'deploy' },
  ])
  const node = await joinAs('laptop')
  expect(await ask(node, 'echo forbidden')).toEqual(refusal('the guard said no'))
  expect(reasonOf(await ask(node, 'echo fine'))).not.toContain('deny')
  for (const [command, word, isRefused] of [
    ['deploy one', 'y', false],
    ['deploy two', 'n', true],
  ] as const) {
    const asking = ask(node, command)
    const card = await phone.reply(new RegExp(`${command}[^]*claude-code@laptop`))
    const handle = /^🛡 (\w{5}) [^]*claude-code@laptop · bash · denied at/.exec(card)?.[1] ?? ''
    await phone.ask(`/${word} ${handle}`, isRefused ? /Denied|denied/ : /llowed/)
    expect(reasonOf(await asking).includes('deny')).toBe(isRefused)
  }
}, 90_000)

test('a client of a node that calls HTTP hooks is judged by the gate, with the token of its own machine alone', async () => {
  await put(gate, 'guard.sh', guard)
  await arm(gate, phone, [{ event: 'pre_tool_call', command: './guard.sh', matcher: 'forbidden' }])
  const httpPort = await freePort()
  const node = await joinAs('desk', `bridge: {http: {port: ${httpPort}}}\n`)
  const settings = join(node.home, '.claude', 'settings.json')
  const installed = await runBridge(['install', 'claude-code', '--http'], { home: node.home, stdin: '' })
  expect(installed.stdout).toContain('It asks over HTTP')
  const { hooks } = JSON.parse(readFileSync(settings, 'utf8')) as {
    hooks: { PreToolUse: { hooks: { url: string; headers: Record<string, string> }[] }[] }
  }
  const { url, headers } = hooks.PreToolUse[0]!.hooks[0]!
  const report = (command: string, more: Record<string, string> = {}): Promise<Response> =>
    fetch(url, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json', ...more },
      body: call(command),
    })
  expect(await (await report('echo forbidden')).json()).toEqual(refusal('the guard said no'))
  expect(await (await report('echo fine')).text()).not.toContain('deny')
  expect((await report('echo fine', { authorization: 'Bearer x' })).status).toBe(403)
  expect((await report('echo fine', { origin: 'http://evil.example' })).status).toBe(403)
  const ofGate = readFileSync(join(gate.gate, 'secrets', 'bridge-token'), 'utf8').trim()
  expect((await report('echo fine', { authorization: `Bearer ${ofGate}` })).status).toBe(403)
  await gate.kill()
  await expect(report('echo fine')).rejects.toThrow('fetch failed')
}, 90_000)

test('while the gate is away, clients of a node are refused, and a node connects again by itself', async () => {
  const node = await joinAs('desk')
  await phone.ask('/hooks on', /Hooks are ON/)
  await gate.kill()
  expect(reasonOf(await ask(node, 'echo fine'))).toContain('deny')
  gate = await gate.again()
  await node.connected(2)
  await until('the client to be served', async () => !reasonOf(await ask(node, 'echo fine')).includes('deny'))
  await phone.ask('/agent builder', /talks to builder/)
  await phone.ask('!echo back again', /^back again/)
}, 90_000)

test('an off that a node knows counts without the gate, for 30 seconds at most', async () => {
  const node = await joinAs('desk')
  await phone.ask('/hooks off', /Hooks are OFF/)
  await gate.kill()
  expect(reasonOf(await ask(node, 'echo fine'))).not.toContain('deny')
  const { facts } = JSON.parse(readFileSync(join(node.gate, 'run', 'switch.json'), 'utf8')) as {
    facts: string
  }
  const { knownUntilMs } = JSON.parse(facts) as { knownUntilMs: number }
  expect(knownUntilMs - Date.now()).toBeLessThanOrEqual(30_000)
}, 60_000)

test('a removed node is served no longer, says why it ends, and its clients are refused', async () => {
  const node = await joinAs('desk')
  await phone.ask('/hooks off', /Hooks are OFF/)
  await phone.ask('/nodes remove desk', /is removed/)
  expect(await node.ended).toBe(1)
  expect(node.output()).toContain('Expected the key of a node of this gate, got another one.')
  expect(reasonOf(await ask(node, 'echo fine'))).toContain('deny')
  expect(await phone.ask('/nodes', /The gate runs on/)).toContain('There are no nodes yet.')
}, 60_000)

test('a code counts once, and a machine that is a node needs no other one', async () => {
  const node = await joinAs('desk')
  const answer = await phone.ask('/nodes add lab', /hookgate node --gate/)
  const [, url = '', code = ''] = /--gate (\S+) --code (\S+)/.exec(answer) ?? []
  const lab = await startNode(['--gate', url, '--code', code])
  nodes.push(lab)
  await lab.connected()
  const third = await startNode(['--gate', url, '--code', code])
  nodes.push(third)
  expect(await third.ended).toBe(1)
  expect(third.output()).toContain('Expected a code of /nodes add that was not used yet')
  expect(await phone.ask('/nodes add lab', /Nothing changed/)).toContain('is a node already')
  await node.stop()
  const again = node.again(['--gate', url, '--code', code])
  nodes.push(again)
  expect(await again.ended).toBe(1)
  expect(again.output()).toContain('got one that is the node desk')
}, 60_000)

test('a second process with a copy of the key waits until the first one is gone', async () => {
  const node = await joinAs('desk')
  const copy = await startNode([], {})
  nodes.push(copy)
  await copy.ended
  cpSync(join(node.gate, 'secrets'), join(copy.gate, 'secrets'), { recursive: true })
  const second = copy.again()
  nodes.push(second)
  await until('the second process to be refused', () => second.output().includes('got a second one'))
  await node.stop()
  await second.connected()
}, 60_000)

const postTo = async (socketPath: string, path: string, body: object): Promise<string> => {
  const headers = { 'content-type': 'application/json' }
  const sent = request({ socketPath, path, method: 'POST', headers, agent: false })
  sent.end(JSON.stringify(body))
  const [answer] = (await once(sent, 'response')) as [IncomingMessage]
  return readText(answer)
}

test('files go both ways between a node and a chat', async () => {
  const node = await joinAs('desk')
  await phone.ask('/agent builder', /talks to builder/)
  const bytes = randomBytes(700_000)
  api.say('', undefined, { document: { ...api.attach(bytes), file_name: 'plan.bin' } })
  await phone.reply(/saved as inbox\/plan.bin/)
  expect(readFileSync(join(node.home, 'hookgate', 'inbox', 'plan.bin')).equals(bytes)).toBe(true)
  const push = {
    channel: 'telegram',
    chat_id: '7',
    type: 'document',
    text: 'from the node',
    files: [{ name: 'result.bin', type: 'application/octet-stream', base64: bytes.toString('base64') }],
  }
  expect(await postTo(join(node.gate, 'run', 'builder.sock'), '/v1/push', push)).toContain('"outcome"')
  await until('the file in the chat', () =>
    api.calls('sendDocument').some(({ body }) => body.includes('result.bin')),
  )
}, 60_000)

test('another network than loopback needs TLS, unless a person trusts it', async () => {
  const plain = await startNode(['--gate', 'http://192.0.2.1:8790', '--code', 'x'])
  nodes.push(plain)
  expect(await plain.ended).toBe(1)
  expect(plain.output()).toContain('Expected an https:// address')
  const unnamed = await startNode([])
  nodes.push(unnamed)
  expect(await unnamed.ended).toBe(1)
  expect(unnamed.output()).toContain('Type /nodes add and a name in a chat with hookgate')
  rmSync(unnamed.gate, { recursive: true, force: true })
})

/** Writes what the workspace of a node proposes, and waits until its owner is told. */
const proposeOn = async (node: NodeProgram, hooks: readonly object[]): Promise<void> => {
  const from = phone.texts().length
  writeFileSync(join(node.home, 'hookgate', 'config', 'shell_hooks.yaml'), JSON.stringify({ hooks }))
  await phone.reply(/waits? for you/, from)
}
const putOn = (node: NodeProgram, name: string, content: string): void =>
  writeFileSync(join(node.home, 'hookgate', name), content, { mode: 0o755 })

test('a hook of a node is approved by its owner, runs there on the sealed bytes, and judges that machine alone', async () => {
  const node = await joinAs('desk')
  const other = await joinAs('lab')
  await phone.ask('/hooks on', /Hooks are ON/)
  putOn(node, 'here.txt', 'no entry')
  const script = `#!/bin/sh
printf '{"decision": "block", "reason": "%s in %s"}' "$(cat here.txt)" "$PWD"
`
  putOn(node, 'look.sh', script)
  await proposeOn(node, [{ event: 'pre_tool_call', command: './look.sh', matcher: 'forbidden' }])
  const card = await phone.reply(/look.sh/)
  expect(card).toContain('runs on the node: desk')
  expect(await phone.ask('/hooks show ./look.sh', /fingerprint/)).toContain('$(cat here.txt)')
  await phone.ask('/hooks approve pre_tool_call ./look.sh', /✓ Approved/)

  // The script changes after the approval, and the sealed one runs.
  putOn(node, 'look.sh', '#!/bin/sh\nexit 0\n')
  await until('the hook to be ready on its node', async () =>
    reasonOf(await ask(node, 'echo forbidden')).includes('no entry in'),
  )
  expect(await ask(node, 'echo forbidden')).toEqual(refusal(`no entry in ${node.home}/hookgate`))
  expect(reasonOf(await ask(other, 'echo forbidden'))).not.toContain('deny')
  await phone.ask('!echo forbidden', /^forbidden/)
  await phone.ask('/agent builder', /talks to builder/)
  await phone.ask('!echo forbidden', /no entry in|I did not run bash/)

  expect(await phone.ask('/hooks doctor', /answers block/)).not.toMatch(/✗/)

  // The node and the gate start again. The hook, its bytes and its approval are still there.
  await node.stop()
  const again = node.again()
  nodes.push(again)
  await again.connected()
  expect(await ask(again, 'echo forbidden')).toEqual(refusal(`no entry in ${node.home}/hookgate`))
  await gate.kill()
  gate = await gate.again()
  await again.connected(2)
  await until('the hook to judge again', async () =>
    reasonOf(await ask(again, 'echo forbidden')).includes('no entry in'),
  )

  await phone.ask('/hooks revoke ./look.sh', /Revoked|revoked/)
  expect(reasonOf(await ask(again, 'echo forbidden'))).not.toContain('deny')
}, 120_000)

test('sealed bytes that were changed on a node do not run, and a guard that fails closed blocks', async () => {
  const node = await joinAs('desk')
  await phone.ask('/hooks on', /Hooks are ON/)
  putOn(node, 'pass.sh', '#!/bin/sh\nexit 0\n')
  await proposeOn(node, [{ event: 'pre_tool_call', command: './pass.sh', on_error: 'block' }])
  await phone.ask('/hooks approve pre_tool_call ./pass.sh', /✓ Approved/)
  // The node writes the seal to a folder of another name first, so only the finished one counts.
  const seals = join(node.gate, 'seal')
  const sealed = await until('the sealed script on the node', () =>
    readdirSync(seals, { recursive: true, encoding: 'utf8' }).find((name) =>
      /^[0-9a-f]{64}\/.*pass\.sh$/.test(name),
    ),
  )
  expect(reasonOf(await ask(node, 'echo fine'))).not.toContain('deny')
  chmodSync(dirname(join(seals, sealed)), 0o755)
  chmodSync(join(seals, sealed), 0o755)
  writeFileSync(join(seals, sealed), '#!/bin/sh\nexit 0 # changed\n')
  expect(reasonOf(await ask(node, 'echo fine'))).toContain('deny')
}, 60_000)

test('a hook for all machines is approved once, and runs on the machine of each event', async () => {
  const node = await joinAs('desk')
  const other = await joinAs('lab')
  await phone.ask('/hooks on', /Hooks are ON/)
  putOn(node, 'where.txt', 'the desk')
  putOn(other, 'where.txt', 'the lab')
  await put(gate, 'where.txt', 'the gate')
  putOn(
    node,
    'look.sh',
    '#!/bin/sh\nprintf \'{"decision": "block", "reason": "not on %s"}\' "$(cat where.txt)"\n',
  )
  const look = { event: 'pre_tool_call', command: './look.sh', matcher: 'forbidden', nodes: 'all' }
  await proposeOn(node, [look])
  expect(await phone.reply(/look.sh/)).toContain('runs on every machine, on the events of that machine')
  await phone.ask('/hooks approve pre_tool_call ./look.sh', /✓ Approved/)
  for (const [program, words] of [
    [node, 'not on the desk'],
    [other, 'not on the lab'],
  ] as const)
    await until(words, async () => JSON.stringify(await ask(program, 'echo forbidden')).includes(words))
  await phone.ask('!echo forbidden', /not on the gate|I did not run bash/)

  const waiting = async (): Promise<number> =>
    Number(/^(\d+) waits? for you/m.exec(await phone.ask('/hooks', /✓ \.\/look\.sh/))?.[1] ?? 0)
  const before = await waiting()
  // Another machine proposes the same hook. It is that hook, and nobody has to approve it again.
  putOn(other, 'look.sh', readFileSync(join(node.home, 'hookgate', 'look.sh'), 'utf8'))
  putOn(other, 'more.sh', '#!/bin/sh\n')
  await proposeOn(other, [look, { event: 'on_stop', command: './more.sh' }])
  expect(await waiting()).toBe(before + 1)
  await phone.ask('/hooks revoke ./look.sh', /Revoked|revoked/)
  expect(reasonOf(await ask(other, 'echo forbidden'))).not.toContain('deny')
}, 120_000)
