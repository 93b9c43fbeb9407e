import { lstat, mkdir, readFile, rename, symlink, writeFile } from 'node:fs/promises'
import { request } from 'node:http'
import { join } from 'node:path'
import { text as textOf } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { maxProposals } from '../../../src/compose/proposal-reader/propose.ts'
import { maxCallBytes } from '../../../src/server/mcp/route.ts'
import { startPlane, until, type Plane } from '../../plane.ts'
import { labels, sentMessages, send, tap } from '../../permissions/caller.ts'

let plane: Plane

beforeAll(async () => {
  plane = await startPlane(
    `hooks:
  - {event: pre_tool_call, command: ./guard.sh, matcher: rm, on_error: block}
  - {event: pre_tool_call, command: ./guard.sh secret-word, matcher: other, agents: [helper]}
  - {event: on_stop, type: http, url: "https://hooks.example/secret-token"}
`,
    { 'guard.sh': `#!/bin/sh\nprintf '%s' '{"decision": "block", "reason": "not here"}'\n` },
    {},
    'none',
    {},
    'agents: {main: {kind: demo}, helper: {kind: demo}}\n',
  )
  await plane.ask('/hooks approve pre_tool_call ./guard.sh', (answer) => /pproved/.test(answer))
  await plane.ask('/hooks on', (answer) => /Hooks are ON/.test(answer))
})
afterAll(() => plane.stop())

interface Reply {
  readonly status: number
  readonly body: {
    readonly result?: { readonly content?: readonly { readonly text: string }[]; readonly isError?: boolean }
    readonly error?: { readonly message: string }
  }
}

const post = async (
  body: string,
  {
    agent = 'main',
    method = 'POST',
    headers = {},
  }: { agent?: string; method?: string; headers?: object } = {},
): Promise<Reply> => {
  const { promise, resolve, reject } = Promise.withResolvers<Reply>()
  const socketPath = join(plane.home, 'run', `${agent}.sock`)
  const type = { 'content-type': 'application/json' }
  const sent = request(
    { socketPath, method, path: '/v1/mcp', headers: { ...type, ...headers } },
    (response) => {
      textOf(response).then(
        (text) =>
          resolve({
            status: response.statusCode ?? 0,
            body: JSON.parse(text === '' ? '{}' : text) as Reply['body'],
          }),
        reject,
      )
    },
  )
  sent.on('error', reject)
  sent.end(body)
  return promise
}
const message = (method: string, params: object): string =>
  JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
const call = async (name: string, args: object = {}, agent = 'main'): Promise<string> => {
  const { body } = await post(message('tools/call', { name, arguments: args }), { agent })
  const text = body.result?.content?.[0]?.text ?? body.error?.message ?? ''
  return body.result?.isError === true ? `✗ ${text}` : text
}

describe('an agent learns over MCP only what is its own', () => {
  test('the list has no address, no command of another agent and no hook for another agent', async () => {
    const list = await call('list_hooks')
    expect(list).toBe(
      'Hooks are ON.\n- pre_tool_call · ./guard.sh · approved\n- on_stop · a hook without a name · NOT approved, so it does nothing',
    )
    expect(await call('list_hooks', {}, 'helper')).toContain('secret-word')
  })

  test('a decision about another agent is none that it can look up', async () => {
    const { body } = await send(plane, 'pre_tool_call', {
      tool_name: 'bash',
      tool_input: { command: 'rm x' },
    })
    const id = String(body.event_id)
    expect(await call('why')).toContain(`./guard.sh was asked: matched\n  block: not here\nevent ${id}`)
    expect(await call('why', { event_id: id }, 'helper')).toBe(
      `✗ There is no record of an event "${id}" of this agent.`,
    )
    expect(await call('why', {}, 'helper')).toBe('No event of this agent has reached an approved hook yet.')
  })

  test('an agent whom no owner talks to reaches no owner', async () => {
    expect(await call('notify_owner', { text: 'Hello' }, 'helper')).toMatch(
      /^✗ Expected an owner with a chat/,
    )
  })
})

describe('a question over MCP', () => {
  test('cannot look like a notice of hookgate, and its answer approves nothing', async () => {
    const before = plane.gate.gatekeeper.state().revision
    const from = sentMessages(plane).length
    const question = 'Fine?\n🛡 Approved.\n→ /hooks approve pre_tool_call ./guard.sh'
    const options = ['/hooks approve on_stop x', '/hooks off']
    const answer = call('ask_owner', { question, options })
    const card = await until('a card', () =>
      sentMessages(plane)
        .slice(from)
        .find(({ text }) => text.includes('Fine?')),
    )
    for (const line of card.text.split('\n')) expect(line).not.toMatch(/^(🛡 Approved|→)/)
    expect(labels(card)[0]).toEqual(['1', '2'])
    tap(plane, card, '2')
    expect(await answer).toBe('The owner answered: /hooks off')
    expect(plane.gate.gatekeeper.state()).toMatchObject({ revision: before, isOn: true })
  })

  test('is refused in words when too many wait', async () => {
    const asked = Array.from({ length: 33 }, (_, at) => call('ask_owner', { question: `Q${at}` }))
    // The others wait until the gate stops.
    for (const one of asked) one.catch(() => undefined)
    expect(await Promise.race(asked)).toMatch(/^✗ Nobody was asked, because too many questions wait/)
  })
})

describe('a proposal over MCP', () => {
  const proposals = (): string => join(plane.workspace, 'config', 'shell_hooks.yaml')

  test('takes no option but those of a program, and reaches no other file', async () => {
    const before = await readFile(proposals(), 'utf8')
    const hook = { event: 'pre_tool_call', command: './guard.sh', matcher: 'new' }
    for (const more of [
      { type: 'http' },
      { url: 'http://x' },
      { agents: ['main'] },
      { sources: [] },
      { file: '/x' },
    ])
      expect(await call('propose_hook', { ...hook, ...more })).toMatch(/^✗ /)
    expect(await readFile(proposals(), 'utf8')).toBe(before)
  })

  test('is not written through a folder that leads out of the workspace', async () => {
    const [config, outside] = [join(plane.workspace, 'config'), join(plane.home, '..', 'outside')]
    await mkdir(outside)
    await writeFile(join(outside, 'shell_hooks.yaml'), 'hooks: []\n')
    await rename(config, `${config}-mine`)
    await symlink(outside, config)
    try {
      expect(await call('propose_hook', { event: 'on_stop', command: './guard.sh' })).toMatch(
        /^✗ config\/shell_hooks\.yaml was left as it is: its folder is a link/,
      )
      expect(await readFile(join(outside, 'shell_hooks.yaml'), 'utf8')).toBe('hooks: []\n')
    } finally {
      await rename(config, `${config}-link`)
      await rename(`${config}-mine`, config)
    }
  })

  test('takes the place of a link that stands where the file was, and follows it nowhere', async () => {
    const [mine, target] = [await readFile(proposals(), 'utf8'), join(plane.home, '..', 'target.yaml')]
    await writeFile(target, 'hooks: []\n')
    await rename(proposals(), `${proposals()}.mine`)
    await symlink(target, proposals())
    expect(await call('propose_hook', { event: 'on_stop', command: './guard.sh' })).toMatch(
      /^✗ .*not a regular file/,
    )
    expect(await readFile(target, 'utf8')).toBe('hooks: []\n')
    expect((await lstat(proposals())).isSymbolicLink()).toBe(true)
    await rename(`${proposals()}.mine`, proposals())
    expect(await readFile(proposals(), 'utf8')).toBe(mine)
  })

  test('is one of several at once: none is lost, and one too many is refused', async () => {
    const said = await Promise.all(
      Array.from({ length: maxProposals + 2 }, (_, at) =>
        call('propose_hook', { event: 'on_stop', command: `./guard.sh ${at}` }),
      ),
    )
    const file = await readFile(proposals(), 'utf8')
    const isIn = (at: number): boolean => file.includes(`command: ./guard.sh ${at}\n`)
    expect(said.map((text) => !text.startsWith('✗'))).toEqual(said.map((_, at) => isIn(at)))
    expect(said.filter((text) => text.startsWith('✗ 8 proposals are being written'))).toHaveLength(2)
    expect(plane.gate.gatekeeper.state().approvals.size).toBe(1)
  })
})

describe('what is no call is refused', () => {
  test.each([
    ['no JSON', '{', 400],
    ['a list of messages', '[]', 400],
    ['more than a call can have', JSON.stringify({ x: 'x'.repeat(maxCallBytes) }), 413],
    [
      'a subscription, which would hold a stream',
      message('subscriptions/listen', { notifications: {} }),
      200,
    ],
    ['a tool that does not exist', message('tools/call', { name: 'approve_hook', arguments: {} }), 200],
    ['a tool with the name of a method', message('tools/call', { name: 'constructor', arguments: {} }), 200],
    ['a message without a method', '{}', 400],
  ])('%s', async (_, body, status) => {
    const reply = await post(body)
    expect(reply.status).toBe(status)
    expect(reply.body.error?.message).toMatch(/./)
    expect(reply.body.result).toBeUndefined()
  })

  test('a subscription, which would hold a stream', async () => {
    const prefix = 'io.modelcontextprotocol'
    const _meta = {
      [`${prefix}/protocolVersion`]: '2026-07-28',
      [`${prefix}/clientInfo`]: { name: 'a-client', version: '1' },
      [`${prefix}/clientCapabilities`]: {},
    }
    const headers = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'subscriptions/listen' }
    const asked = message('subscriptions/listen', { notifications: { toolsListChanged: true }, _meta })
    const { body } = await post(asked, { headers })
    expect(body.error?.message).toBe('Subscription limit reached')
  })

  test('a stream of its own', async () => {
    expect((await post('', { method: 'GET' })).status).toBe(405)
    expect((await post('', { method: 'DELETE' })).status).toBe(405)
  })
})
