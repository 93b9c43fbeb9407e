import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { request as httpRequest, type IncomingMessage, type OutgoingHttpHeaders } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { spawnSync } from 'node:child_process'
import { Socket } from 'node:net'
import { once } from 'node:events'
import { text as readText } from 'node:stream/consumers'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { plain } from '../../src/core/model/chat/content.ts'
import type { AgentPorts, HttpReply, PushRequest } from '../../src/server/ports.ts'
import { type AgentServer, startAgentServer } from '../../src/server/server.ts'
import type { InboxLine } from '../../src/shared/events/inbox-line.ts'

let folder = ''
let socketPath = ''
const servers: AgentServer[] = []

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'hookgate-server-'))
  socketPath = join(folder, 'run', 'main.sock')
})
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.stop()))
  await rm(folder, { recursive: true, force: true })
})

interface Calls {
  readonly fired: { agentId: string; event: string; body: unknown; options: unknown }[]
  readonly pushed: { agentId: string; request: PushRequest }[]
  readonly senders: ((line: InboxLine) => void)[]
  ended: number
}

const start = async (
  ports: Partial<AgentPorts> = {},
  pingEveryMs = 15_000,
): Promise<Calls & { stop(): Promise<void>; logged: string[] }> => {
  const calls: Calls = { fired: [], pushed: [], senders: [], ended: 0 }
  const logged: string[] = []
  const server = await startAgentServer({
    agentId: 'main',
    socketPath,
    hostKey: 'of the host',
    pingEveryMs,
    model: { forward: (_, __, response) => Promise.resolve(void response.end('{}')) },
    log: (...entry) => void logged.push(JSON.stringify(entry)),
    ports: {
      fire: async (agentId, event, body, options) => {
        calls.fired.push({ agentId, event, body, options })
        return { status: 200, body: { verdict: 'allow', payload: body, hooks: [], event_id: 'e1' } }
      },
      push: async (agentId, request) => {
        calls.pushed.push({ agentId, request })
        return { status: 200, body: { outcome: 'queued', event_id: 'e2' } }
      },
      subscribe: (_agentId, send) => {
        calls.senders.push(send)
        return () => {
          calls.ended++
        }
      },
      ...ports,
    },
  })
  servers.push(server)
  return Object.assign(calls, { stop: () => server.stop(), logged })
}

const open = (
  method: string,
  path: string,
  body?: string | Buffer,
  headers: OutgoingHttpHeaders = {},
): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    const request = httpRequest({ socketPath, method, path, headers, agent: false }, resolve)
    request.on('error', reject)
    request.end(body)
  })

const send = async (
  method: string,
  path: string,
  body?: unknown,
  headers: OutgoingHttpHeaders = {},
): Promise<{ status: number | undefined; json: Record<string, unknown> }> => {
  const raw =
    body === undefined || typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body)
  const response = await open(method, path, raw, headers)
  return {
    status: response.statusCode,
    json: JSON.parse(await readText(response)) as Record<string, unknown>,
  }
}

const base = { session_id: 's1', cwd: '/tmp' }
const toolCall = { ...base, tool_name: 'bash', tool_input: { command: 'ls' }, tool_use_id: 't1' }
const message = { channel: 'web', chat_id: 'main', text: 'hello' }
const fails = (code: string, words = '') => ({
  error: { code, message: expect.stringContaining(words), fix: expect.any(String) },
})

test('An event reaches the gate with its agent, its fields, its chain and its deadline, and the answer comes back as it is', async () => {
  const calls = await start()
  const answered = await send('POST', '/v1/events/pre_tool_call', toolCall, {
    'x-hookgate-chain': 'e7, e8',
    'x-hookgate-deadline-ms': '1500',
  })
  expect(answered).toEqual({
    status: 200,
    json: { verdict: 'allow', payload: toolCall, hooks: [], event_id: 'e1' },
  })
  expect(calls.fired).toEqual([
    {
      agentId: 'main',
      event: 'pre_tool_call',
      body: toolCall,
      options: { chain: ['e7', 'e8'], deadlineMs: 1500 },
    },
  ])
})

test('Who waits for a person says how long; the gate hears when they leave, and what waits is not counted among the 64', async () => {
  const waiting: (() => void)[] = []
  const gone: number[] = []
  const calls = await start({
    fire: async (_agent, _event, _body, { askMs, signal, waits }): Promise<HttpReply> => {
      if (askMs === undefined) return { status: 200, body: { verdict: 'allow' } }
      waits?.()
      const at = waiting.length
      const { promise, resolve } = Promise.withResolvers<void>()
      waiting.push(resolve)
      signal?.addEventListener('abort', () => void gone.push(at))
      await promise
      return { status: 200, body: { verdict: 'block', askMs } }
    },
  })
  const asking = Array.from({ length: 70 }, () =>
    send('POST', '/v1/events/pre_tool_call', toolCall, { 'x-hookgate-ask-ms': '1000' }),
  )
  await expect.poll(() => waiting).toHaveLength(70)
  expect(await send('POST', '/v1/events/pre_tool_call', toolCall)).toEqual({
    status: 200,
    json: { verdict: 'allow' },
  })
  const leaving = httpRequest({
    socketPath,
    method: 'POST',
    path: '/v1/events/pre_tool_call',
    headers: { 'x-hookgate-ask-ms': '86400000' },
    agent: false,
  })
  leaving.on('error', () => undefined).end(JSON.stringify(toolCall))
  await expect.poll(() => waiting).toHaveLength(71)
  expect(gone).toEqual([])
  leaving.destroy()
  await expect.poll(() => gone).toEqual([70])
  for (const answer of waiting) answer()
  expect(new Set((await Promise.all(asking)).map(({ json }) => JSON.stringify(json)))).toEqual(
    new Set(['{"verdict":"block","askMs":1000}']),
  )
  // None of them is counted twice or left counted.
  await Promise.all(Array.from({ length: 64 }, () => send('POST', '/v1/events/pre_tool_call', toolCall)))
  for (const wrong of ['0', '999', '86400001', '1.5', '0x3e8', 'soon'])
    expect(await send('POST', '/v1/events/pre_tool_call', toolCall, { 'x-hookgate-ask-ms': wrong })).toEqual({
      status: 400,
      json: fails('header.ask', 'from 1000 to 86400000'),
    })
  expect(calls.logged).toEqual([])
})

test('A push reaches the gate in its form, its files as bytes; what is not of it stays behind', async () => {
  const calls = await start()
  expect(await send('POST', '/v1/push', { ...message, push_id: 'p1', stray: 1 })).toEqual({
    status: 200,
    json: { outcome: 'queued', event_id: 'e2' },
  })
  const album = {
    ...message,
    type: 'album',
    marks: [{ type: 'bold', offset: 0, length: 2, stray: 1 }],
    parts: [{ field: 'link.0', text: 'https://example.com/', stray: 1 }],
    files: [
      { name: 'a.txt', type: 'text/plain', base64: 'YQ==' },
      { name: 'b', base64: 'Yg==' },
    ],
  }
  expect((await send('POST', '/v1/push', album)).status).toBe(200)
  expect(calls.pushed.map(({ request }) => request)).toEqual([
    { channel: 'web', chat_id: 'main', ...plain('text', 'hello'), push_id: 'p1' },
    {
      channel: 'web',
      chat_id: 'main',
      ...plain('album', 'hello'),
      marks: [{ type: 'bold', offset: 0, length: 2 }],
      parts: [{ field: 'link.0', text: 'https://example.com/' }],
      files: [
        { name: 'a.txt', type: 'text/plain', bytes: Buffer.from('a') },
        { name: 'b', type: 'application/octet-stream', bytes: Buffer.from('b') },
      ],
    },
  ])
})

test.each([
  ['a form that is none', { type: 'carousel' }, '"type" to be one of text,'],
  ['parts that are no list', { parts: { a: 1 } }, '"parts" to be a list'],
  ['a part without words', { parts: [{ field: 'option.0' }] }, '"parts[0].text"'],
  ['a mark that is none', { marks: [{ type: 'blink', offset: 0, length: 1 }] }, '"marks[0].type"'],
  ['a mark without a place', { marks: [{ type: 'bold', offset: 0 }] }, '"marks[0]"'],
  ['files that are no objects', { files: ['a'] }, '"files" to be a list'],
  [
    'a file that is no base64',
    { files: [{ name: 'a', base64: 'not base64' }] },
    '"files[0].base64" to be base64',
  ],
  ['a file of nothing', { files: [{ name: 'a', base64: '' }] }, 'got none'],
  [
    'a type that is no MIME type',
    { files: [{ name: 'a', type: 'a/b\nc: d', base64: 'YQ==' }] },
    '"files[0].type"',
  ],
  ['a target that is a number', { type: 'edit', target: 7 }, '"target"'],
])('400 and what of a push: %s', async (_what, over, words) => {
  const calls = await start()
  expect(await send('POST', '/v1/push', { ...message, ...over })).toEqual({
    status: 400,
    json: fails('body.field', words),
  })
  expect(calls.pushed).toEqual([])
})

test('413 for files of more than 20 MB together', async () => {
  await start()
  const files = [{ name: 'a', base64: Buffer.alloc(20_000_001).toString('base64') }]
  expect(await send('POST', '/v1/push', { ...message, type: 'document', files })).toEqual({
    status: 413,
    json: fails('push.files', '20 MB'),
  })
})

test('A mistyped event is answered with the nearest name', async () => {
  await start()
  const { json } = await send('POST', '/v1/events/pre_tool_cal', toolCall)
  expect(json).toEqual({ error: expect.objectContaining({ fix: 'Did you mean "pre_tool_call"?' }) })
})

test.each([403, 409, 503] as const)('%i from the gate goes to the caller as it is', async (status) => {
  const error = { code: 'some.code', message: 'Expected this, got that.', fix: 'Do so.' }
  await start({ fire: async () => ({ status, error }), push: async () => ({ status, error }) })
  expect(await send('POST', '/v1/events/pre_tool_call', toolCall)).toEqual({ status, json: { error } })
  expect(await send('POST', '/v1/push', message)).toEqual({ status, json: { error } })
})

test('413 for a body beyond its bounds, announced or not, and the connection survives it', async () => {
  const calls = await start()
  expect(await send('POST', '/v1/events/pre_tool_call', Buffer.alloc(8 * 1024 * 1024 + 1, 0x20))).toEqual({
    status: 413,
    json: fails('body.size'),
  })
  const big = Buffer.alloc(32_000_001, 0x20)
  expect(await send('POST', '/v1/push', big)).toEqual({ status: 413, json: fails('body.size') })
  expect(await send('POST', '/v1/push', big, { 'transfer-encoding': 'chunked' })).toEqual({
    status: 413,
    json: fails('body.size'),
  })
  expect(calls.pushed).toEqual([])
})

test('413 for a body of more pieces than the gate looks through in a moment, however few bytes they have', async () => {
  const calls = await start()
  const ofTokens = (count: number): Buffer =>
    Buffer.from(JSON.stringify({ ...toolCall, tool_input: { list: Array.from({ length: count }, () => 1) } }))
  const most = await send('POST', '/v1/events/pre_tool_call', ofTokens(49_000))
  const more = await send('POST', '/v1/events/pre_tool_call', ofTokens(50_001))
  expect([most.status, more]).toEqual([200, { status: 413, json: fails('body.tokens') }])
  expect(calls.fired).toHaveLength(1)
})

const nestedList = (levels: number): string => `{"list":${'['.repeat(levels)}${']'.repeat(levels)}}`
test.each([
  ['body.name', '{"command":"rm -rf /","c\\u006fmmand":"ls"}', 'got "command" twice'],
  ['body.number', '{"amount":1e400}', 'got 1e400'],
  ['body.depth', nestedList(64), 'at most 64 deep'],
  ['body.depth', nestedList(10_000), 'at most 64 deep'],
])('%s refuses what a runner could read otherwise', async (code, tool_input, words) => {
  const calls = await start()
  const body = `{"session_id":"s1","cwd":"/tmp","tool_name":"send","tool_use_id":"t1","tool_input":${tool_input}}`
  expect(await send('POST', '/v1/events/pre_tool_call', body)).toEqual({
    status: 400,
    json: fails(code, words),
  })
  expect(calls.fired).toEqual([])
})

test('An integer that a double would round comes in and goes out as it was written', async () => {
  const calls = await start()
  const body = JSON.stringify(toolCall).replace('"ls"', '1234567890123456789')
  const answer = await readText(await open('POST', '/v1/events/pre_tool_call', body))
  expect(calls.fired[0]?.body).toMatchObject({ tool_input: { command: 1234567890123456789n } })
  expect(answer).toContain('"tool_input":{"command":1234567890123456789}')
})

test('429 for more than 64 requests at once, and the 65th is taken when one is done', async () => {
  const waiting: (() => void)[] = []
  await start({
    fire: () =>
      new Promise((resolve) => waiting.push(() => resolve({ status: 200, body: { verdict: 'allow' } }))),
  })
  const first = Array.from({ length: 64 }, () => send('POST', '/v1/events/pre_tool_call', toolCall))
  await expect.poll(() => waiting).toHaveLength(64)
  for (const headers of [{}, { 'x-hookgate-host': 'of another' }])
    expect(await send('POST', '/v1/events/pre_tool_call', toolCall, headers)).toEqual({
      status: 429,
      json: fails('busy'),
    })
  // The gate's own host has room of its own.
  const own = open('POST', '/v1/events/pre_tool_call', JSON.stringify(toolCall), {
    'x-hookgate-host': 'of the host',
  })
  await expect.poll(() => waiting).toHaveLength(65)
  for (const release of waiting.splice(0)) release()
  expect((await own).statusCode).toBe(200)
  expect((await Promise.all(first)).map(({ status }) => status)).toEqual(
    Array.from({ length: 64 }, () => 200),
  )
  const next = send('POST', '/v1/events/pre_tool_call', toolCall)
  await expect.poll(() => waiting).toHaveLength(1)
  waiting[0]?.()
  expect((await next).status).toBe(200)
})

test.each(['/v1/events/pre_tool_call', '/v1/push', '/v1/model/chat/completions'])(
  '429 for more than 64 MB of large bodies together at %s, also before they have come; small ones pass, and large ones when there is room again',
  async (path) => {
    await start()
    const event = (size: number) =>
      send('POST', '/v1/events/pre_tool_call', { ...toolCall, tool_input: { text: 'x'.repeat(size) } })
    const halves = Array.from({ length: 8 }, () =>
      httpRequest({
        socketPath,
        path,
        method: 'POST',
        agent: false,
        headers: { 'content-length': 8 * 1024 * 1024 },
      }).on('error', () => undefined),
    )
    for (const half of halves) half.write('{')
    await expect.poll(() => event(1_000_000)).toEqual({ status: 429, json: fails('busy') })
    expect((await event(10)).status).toBe(200)
    for (const half of halves) half.destroy()
    await expect.poll(async () => (await event(1_000_000)).status).toBe(200)
  },
)

test('An answer that nobody reads counts until it is gone, and so does its size', async () => {
  let text = 'x'.repeat(17_000_000)
  await start({ fire: async () => ({ status: 200, body: { text } }) })
  const path = '/v1/events/pre_tool_call'
  const asked = Array.from({ length: 4 }, () => open('POST', path, JSON.stringify(toolCall)))
  const unread = await Promise.all(asked)
  for (const response of unread) response.pause()
  text = ''
  const large = { ...toolCall, tool_input: { text: 'x'.repeat(1_000_000) } }
  expect(await send('POST', path, large)).toEqual({ status: 429, json: fails('busy') })
  for (const response of unread) response.destroy()
  // The bound is less than the time after which a reader that reads nothing is let go.
  await expect.poll(async () => (await send('POST', path, large)).status, { timeout: 5000 }).toBe(200)
})

test('503 when the gate fails inside, and the log holds no text of the request', async () => {
  const { logged } = await start({
    push: async ({ length }) => Promise.reject(new Error(`secret ${length}`)),
  })
  expect(await send('POST', '/v1/push', message)).toEqual({ status: 503, json: fails('gate.failed') })
  expect(logged.join()).toContain('failed inside the gate')
  expect(logged.join()).not.toMatch(/secret|hello/)
})

test('503 on a kept connection while the gate shuts down; what runs gets its answer, and the socket is gone after', async () => {
  let release = (): void => undefined
  const { stop } = await start({
    fire: () =>
      new Promise((resolve) => (release = () => resolve({ status: 200, body: { verdict: 'block' } }))),
  })
  const running = send('POST', '/v1/events/pre_tool_call', toolCall)
  const kept = new Socket().connect(socketPath)
  let heard = ''
  kept.on('data', (chunk: Buffer) => (heard += chunk.toString()))
  // The first half of a request keeps the connection in use while the server stops.
  kept.write('POST /v1/push HTTP/1.1\r\nHost: gate\r\nContent-Length: 2\r\n')
  const initial = release
  await expect.poll(() => release).not.toBe(initial)
  const stopped = stop()
  kept.write('\r\n{}')
  await expect.poll(() => heard).toContain('503')
  expect(heard).toContain('gate.stopping')
  release()
  expect(await running).toEqual({ status: 200, json: { verdict: 'block' } })
  kept.destroy()
  await stopped
  await expect(stat(socketPath)).rejects.toThrow('ENOENT')
})

const lines = (response: IncomingMessage): unknown[] => {
  const got: unknown[] = []
  response.setEncoding('utf8').on('data', (text: string) =>
    got.push(
      ...text
        .split('\n')
        .filter(Boolean)
        .map((line): unknown => JSON.parse(line)),
    ),
  )
  return got
}

test('The inbox streams lines as they come and pings between them', async () => {
  const calls = await start({}, 20)
  const response = await open('GET', '/v1/inbox')
  expect(response.headers['content-type']).toBe('application/x-ndjson')
  const got = lines(response)
  await expect.poll(() => calls.senders).toHaveLength(1)
  calls.senders[0]?.({ type: 'cancel', channel: 'web', chat_id: 'main\n' })
  await expect.poll(() => got).toContainEqual({ type: 'cancel', channel: 'web', chat_id: 'main\n' })
  await expect.poll(() => got.filter((line) => (line as InboxLine).type === 'ping').length).toBeGreaterThan(2)
  response.destroy()
  await expect.poll(() => calls.ended).toBe(1)
})

test('A newer subscriber replaces the older, which ends and gets nothing more', async () => {
  const calls = await start()
  const older = await open('GET', '/v1/inbox')
  const gotOlder = lines(older)
  const ended = once(older, 'end')
  const newer = await open('GET', '/v1/inbox')
  const gotNewer = lines(newer)
  await ended
  expect(calls.ended).toBe(1)
  calls.senders[0]?.({ type: 'new', channel: 'web', chat_id: 'old' })
  calls.senders[1]?.({ type: 'new', channel: 'web', chat_id: 'new' })
  await expect.poll(() => gotNewer).toContainEqual({ type: 'new', channel: 'web', chat_id: 'new' })
  expect(gotOlder).toEqual([{ type: 'ping' }])
})

test('A subscriber that does not read is let go before it fills the memory', async () => {
  const calls = await start()
  const response = await open('GET', '/v1/inbox')
  response.pause()
  await expect.poll(() => calls.senders).toHaveLength(1)
  for (let i = 0; i < 400 && calls.ended === 0; i++) {
    calls.senders[0]?.({ type: 'cancel', channel: 'web', chat_id: 'x'.repeat(100_000) })
  }
  await expect.poll(() => calls.ended).toBe(1)
  response.destroy()
})

test('Only the owner of the gate can open the socket', async () => {
  await start()
  expect((await stat(socketPath)).mode & 0o777).toBe(0o600)
})

test('A socket that a killed gate left behind is replaced', async () => {
  const { stop } = await start()
  await stop()
  const left = spawnSync(process.execPath, [
    '-e',
    `require('net').createServer().listen(${JSON.stringify(socketPath)}, () => process.kill(process.pid, 'SIGKILL'))`,
  ])
  expect(left.signal).toBe('SIGKILL')
  expect((await stat(socketPath)).isSocket()).toBe(true)
  await start()
  expect((await send('POST', '/v1/push', message)).status).toBe(200)
})

test('A socket that somebody answers on, and a file that is none, are left alone', async () => {
  await start()
  await expect(start()).rejects.toMatchObject({ problem: { code: 'server.socket_busy' } })
  expect((await send('POST', '/v1/push', message)).status).toBe(200)

  socketPath = join(folder, 'notes.txt')
  await writeFile(socketPath, 'mine')
  await expect(start()).rejects.toMatchObject({ problem: { code: 'server.socket_path' } })
  expect(await readFile(socketPath, 'utf8')).toBe('mine')
})

test('A path that is too long for a socket is refused with what to do', async () => {
  socketPath = join(folder, 'x'.repeat(100), 'main.sock')
  await expect(start()).rejects.toMatchObject({
    problem: { code: 'server.socket_path', fix: expect.stringContaining('HOOKGATE_HOME') },
  })
})

test('A caller that leaves in the middle of its request does no harm', async () => {
  const { logged } = await start()
  const caller = new Socket().connect(socketPath).resume()
  caller.end('POST /v1/push HTTP/1.1\r\nHost: gate\r\nContent-Length: 100\r\n\r\n{"chan')
  await once(caller, 'close')
  expect((await send('POST', '/v1/push', message)).status).toBe(200)
  expect(logged).toEqual([])
})
