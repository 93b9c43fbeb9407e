import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createGateClient } from '../../src/agents/client.ts'
import { contractOf, EVENT_NAMES } from '../../src/model/events/event.ts'
import { startAgentServer } from '../../src/server/server.ts'

let folder = ''
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'hookgate-client-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

const body = { session_id: 's', cwd: '/', tool_name: 'bash', tool_input: {} }

test('While the gate is away, everything that a hook could block or rewrite is blocked, and nothing else is', async () => {
  const client = createGateClient(join(folder, 'none.sock'))
  for (const event of EVENT_NAMES) {
    const { gate, rewrite } = contractOf(event)
    const verdict = gate.length + rewrite.length > 0 ? 'block' : 'allow'
    expect(await client.fire(event, body)).toMatchObject({
      verdict,
      reason: 'the gate cannot be reached',
      isAway: true,
      payload: body,
    })
  }
  expect(await client.push({ channel: 'web', chat_id: 'main', text: 'hello', session_id: 's' })).toEqual({
    outcome: 'failed',
    reason: 'the gate cannot be reached',
    push_id: expect.any(String),
  })
})

test.each([{}, { verdict: 'sure' }, { verdict: null }])(
  'An answer without a verdict is a block: %j',
  async (answer) => {
    const socketPath = join(folder, 'gate.sock')
    const reply = async () => ({ status: 200, body: answer }) as const
    const server = await startAgentServer({
      agentId: 'main',
      socketPath,
      log: () => undefined,
      ports: { fire: reply, push: reply, subscribe: () => () => undefined },
    })
    expect(await createGateClient(socketPath).fire('pre_tool_call', body)).toMatchObject({
      verdict: 'block',
      isAway: true,
    })
    await server.stop()
  },
)

test('A person can be asked about a tool call or a permission, and about nothing else', async () => {
  const said: unknown[] = []
  const server = createServer((request, response) => {
    said.push(request.headers['x-hookgate-ask-ms'])
    request.resume()
    response.end('{"verdict":"allow"}')
  }).listen(join(folder, 'gate.sock'))
  await once(server, 'listening')
  const client = createGateClient(join(folder, 'gate.sock'))
  await client.fire('pre_tool_call', body)
  await client.fire('on_permission_request', body)
  await client.fire('post_tool_call', body)
  expect(said).toEqual(['600000', '600000', undefined])
  server.closeAllConnections()
  server.close()
})
