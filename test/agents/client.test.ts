import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type Server, type ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text as readText } from 'node:stream/consumers'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createGateClient } from '../../src/agents/client.ts'
import type { JsonObject } from '../../src/core/model/base/json.ts'
import { contractOf, EVENT_NAMES } from '../../src/core/model/events/event.ts'
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

test.each<JsonObject>([{}, { verdict: 'sure' }, { verdict: null }])(
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

test('A question about a tool call is sent again when the gate dies or stops over it, until the gate is back', async () => {
  const socketPath = join(folder, 'gate.sock')
  const asked: string[] = []
  const listen = async (answers: (response: ServerResponse) => void): Promise<Server> => {
    const server = createServer((request, response) => {
      void readText(request).then((text) => {
        asked.push(`${request.url} ${text}`)
        answers(response)
      })
    }).listen(socketPath)
    await once(server, 'listening')
    return server
  }
  const dying = await listen(() => {
    setTimeout(() => {
      dying.close()
      dying.closeAllConnections()
    }, 1200)
  })
  const verdict = createGateClient(socketPath).fire('pre_tool_call', body)
  await once(dying, 'close')
  let refusals = 0
  const back = await listen((response) => {
    if (refusals++ > 0) return void response.end('{"verdict":"allow"}')
    response.writeHead(503).end('{"error": {"code": "gate.stopping", "message": "", "fix": ""}}')
  })
  expect(await verdict).toMatchObject({ verdict: 'allow', isAway: false })
  expect(new Set(asked)).toEqual(new Set([`/v1/events/pre_tool_call ${JSON.stringify(body)}`]))
  expect(asked).toHaveLength(3)
  back.closeAllConnections()
  back.close()
})

test('What the gate has no room for is asked again', async () => {
  let refusals = 0
  const keys: unknown[] = []
  const server = createServer((request, response) => {
    request.resume()
    keys.push(request.headers['x-hookgate-host'])
    if (refusals++ > 1) return void response.end('{"verdict":"allow"}')
    response.writeHead(429).end('{"error": {"code": "busy", "message": "", "fix": ""}}')
  }).listen(join(folder, 'gate.sock'))
  await once(server, 'listening')
  const client = createGateClient(join(folder, 'gate.sock'), 'mine')
  expect(await client.fire('on_user_message', { text: 'hello' })).toMatchObject({
    verdict: 'allow',
    isAway: false,
  })
  expect(keys).toEqual(['mine', 'mine', 'mine'])
  server.closeAllConnections()
  server.close()
})

test('An aborted call is not sent again', async () => {
  const socketPath = join(folder, 'gate.sock')
  const server = createServer((request) => void request.resume()).listen(socketPath)
  await once(server, 'listening')
  const stop = new AbortController()
  const verdict = createGateClient(socketPath).fire('pre_tool_call', body, stop.signal)
  setTimeout(() => {
    server.close()
    server.closeAllConnections()
    setTimeout(() => stop.abort(), 300)
  }, 1200)
  await expect(verdict).rejects.toThrow()
})

test('A push that the gate could not store is sent again with the same id until it is stored', async () => {
  const socketPath = join(folder, 'gate.sock')
  const ids: unknown[] = []
  const server = createServer((request, response) => {
    void readText(request).then((text) => {
      ids.push((JSON.parse(text) as { readonly push_id?: string }).push_id)
      if (ids.length > 2) return response.end('{"outcome": "delivered", "event_id": "e"}')
      return response
        .writeHead(503)
        .end('{"error": {"code": "push.disk", "message": "It was not stored.", "fix": ""}}')
    })
  }).listen(socketPath)
  await once(server, 'listening')
  const message = { session_id: 's', channel: 'web', chat_id: 'main', text: 'once' }
  const { outcome, push_id } = await createGateClient(socketPath).push(message)
  expect(outcome).toBe('delivered')
  expect(ids).toEqual([push_id, push_id, push_id])
  server.closeAllConnections()
  server.close()
})
