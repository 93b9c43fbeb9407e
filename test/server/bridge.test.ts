import { request as httpRequest, type OutgoingHttpHeaders } from 'node:http'
import { connect, createServer, type AddressInfo } from 'node:net'
import { once } from 'node:events'
import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text as readText } from 'node:stream/consumers'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { startBridgeHttp, startBridgeSocket, type BridgePorts } from '../../src/server/bridge.ts'
import { until } from '../until.ts'

let folder = ''
const stops: (() => Promise<void>)[] = []
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'hookgate-bridge-server-'))
})
afterEach(async () => {
  await Promise.all(stops.splice(0).map((stop) => stop()))
  await rm(folder, { recursive: true, force: true })
})

type Asked = Parameters<BridgePorts['answer']>

const desk = (answer: BridgePorts['answer'] = () => Promise.resolve({ ok: true })) => {
  const asked: Asked[] = []
  const logged: string[] = []
  const ports: BridgePorts = {
    log: (_, what) => void logged.push(what),
    answer: (...question) => {
      asked.push(question)
      return answer(...question)
    },
  }
  return { asked, logged, ports }
}

const startSocket = async (answer?: BridgePorts['answer']) => {
  const made = desk(answer)
  const socketPath = join(folder, 'bridge.sock')
  const { stop } = await startBridgeSocket(socketPath, made.ports)
  stops.push(stop)
  return { ...made, stop, to: { socketPath } }
}
/** A port whose next try is made when the test says so. */
const placeOf = (port: number) => {
  const told: boolean[] = []
  const waiting: (() => void)[] = []
  return {
    port,
    told,
    tryNow: () => waiting.splice(0).forEach((run) => run()),
    after: (_: number, run: () => void) => void waiting.push(run),
    taken: (isTaken: boolean) => void told.push(isTaken),
  }
}
const startHttp = async () => {
  const made = desk()
  const server = await startBridgeHttp(
    placeOf(0),
    made.ports,
    (authorization) => authorization === 'Bearer token',
  )
  stops.push(server.stop)
  return { ...made, to: { host: '127.0.0.1', port: server.port() ?? 0 } }
}

const send = (
  to: object,
  path: string,
  {
    method = 'POST',
    headers = {},
    body = '{}',
  }: { method?: string; headers?: OutgoingHttpHeaders; body?: string | Buffer } = {},
): Promise<{ readonly status: number; readonly text: string }> =>
  new Promise((resolve, reject) => {
    const sent = httpRequest(
      { ...to, method, path, headers, agent: false },
      (response) =>
        void readText(response).then((text) => resolve({ status: response.statusCode ?? 0, text }), reject),
    )
    sent.on('error', reject)
    sent.end(body)
  })

const path = '/v1/bridge/claude-code/PreToolUse'
const bearer = { authorization: 'Bearer token' }

describe('the socket', () => {
  test("is this user's alone, and hands on what the client said, with what it waits for", async () => {
    const { to, asked } = await startSocket()
    expect(
      await send(to, path, {
        body: '{"a": 1}',
        headers: { 'x-hookgate-deadline-ms': '1500', 'x-hookgate-ask-ms': '2000', 'x-hookgate-chain': 'e1' },
      }),
    ).toEqual({ status: 200, text: '{"ok":true}' })
    expect(asked).toEqual([
      [
        'claude-code',
        'PreToolUse',
        { text: '{"a": 1}' },
        expect.objectContaining({
          chain: ['e1'],
          deadlineMs: 1500,
          askMs: 2000,
          signal: expect.any(AbortSignal),
          waits: expect.any(Function),
        }),
      ],
    ])
    expect((await stat(to.socketPath)).mode & 0o777).toBe(0o600)
  })

  test('no answer is an empty one', async () => {
    const { to } = await startSocket(() => Promise.resolve(undefined))
    expect(await send(to, path)).toEqual({ status: 200, text: '' })
  })

  test('half a character in an answer is none: strict readers would drop all of it, a refusal too', async () => {
    const { to } = await startSocket(() => Promise.resolve({ reason: 'no \ud83d', '\udca9': ['😀 \\ud83d'] }))
    expect(await send(to, path)).toEqual({ status: 200, text: '{"reason":"no �","�":["😀 \\\\ud83d"]}' })
  })

  test.each([
    ['too many bytes', { body: Buffer.alloc(9_000_000, 32) }, 'at most 8388608 bytes'],
    ['a header that is none', { headers: { 'x-hookgate-deadline-ms': 'soon' } }, 'X-Hookgate-Deadline-Ms'],
  ])('%s: the client is answered in its own words all the same', async (_, request, words) => {
    const { to, asked } = await startSocket()
    expect((await send(to, path, request)).status).toBe(200)
    expect(asked).toEqual([
      ['claude-code', 'PreToolUse', { wrong: expect.stringContaining(words) }, { chain: [] }],
    ])
  })

  test("more than 64 MB of large bodies together: who comes then is refused in its client's words", async () => {
    const { to, asked } = await startSocket()
    const halves = Array.from({ length: 8 }, () =>
      httpRequest({
        ...to,
        path,
        method: 'POST',
        agent: false,
        headers: { 'content-length': 8 * 1024 * 1024 },
      }).on('error', () => undefined),
    )
    for (const half of halves) half.write('{')
    await until('the refusal', async () => {
      await send(to, path, { body: Buffer.alloc(1_000_001, 32) })
      return asked.find(([, , stdin]) => 'wrong' in stdin && stdin.wrong.includes('at most 64 MB together'))
    })
    for (const half of halves) half.destroy()
  })

  test.each([
    ['another method', 'GET', path, 404, 'POST /v1/bridge/<client>/<Event>'],
    ['an unknown client', 'POST', '/v1/bridge/claude-cod/PreToolUse', 404, 'Did you mean \\"claude-code\\"?'],
    ['no event', 'POST', '/v1/bridge/claude-code', 404, '<Event>'],
    ['an event that is a path', 'POST', '/v1/bridge/claude-code/a/b', 404, '<Event>'],
    ['an event in other signs', 'POST', '/v1/bridge/claude-code/%2e%2e', 404, '<Event>'],
    ["the agents' interface", 'POST', '/v1/push', 404, '<Event>'],
    ['a gate verb', 'POST', '/v1/approve', 404, '<Event>'],
  ])('%s is refused', async (_, method, at, status, words) => {
    const { to, asked } = await startSocket()
    const answered = await send(to, at, { method, body: '' })
    expect([answered.status, answered.text]).toEqual([status, expect.stringContaining(words)])
    expect(asked).toEqual([])
  })

  test('a failure inside the gate says nothing of itself', async () => {
    const { to, logged } = await startSocket(() => Promise.reject(new Error('secret')))
    expect(await send(to, path)).toEqual({ status: 503, text: expect.not.stringContaining('secret') })
    expect(logged).toHaveLength(1)
  })

  test('whoever waits for a person is told when its client is gone', async () => {
    let gone: AbortSignal | undefined
    const { to } = await startSocket((...[, , , { signal }]) => {
      gone = signal
      return new Promise(() => undefined)
    })
    const sent = httpRequest({ ...to, method: 'POST', path, agent: false }).on('error', () => undefined)
    sent.end('{}')
    await until('the question', () => gone)
    sent.destroy()
    await until('the news', () => gone?.aborted)
  })
})

describe('the HTTP listener', () => {
  const at = '/bridge/claude-code/PreToolUse'

  test('answers whoever has the token, on loopback', async () => {
    const { to, asked } = await startHttp()
    expect(await send(to, at, { headers: bearer, body: '{"a":1}' })).toEqual({
      status: 200,
      text: '{"ok":true}',
    })
    expect(asked).toMatchObject([['claude-code', 'PreToolUse', { text: '{"a":1}' }, {}]])
  })

  test.each([
    ['without a token', {}],
    ['with another', { authorization: 'Bearer tokem' }],
    ['with a password', { authorization: 'Basic token' }],
    ['from a page', { ...bearer, origin: 'http://127.0.0.1' }],
    ['from a page of nowhere', { ...bearer, origin: 'null' }],
    ['under another name', { ...bearer, host: 'evil.example' }],
    ['under another port', { ...bearer, host: '127.0.0.1:1' }],
  ])('%s it answers 403 and asks nobody', async (_, headers) => {
    const { to, asked } = await startHttp()
    expect((await send(to, at, { headers })).status).toBe(403)
    expect(asked).toEqual([])
  })

  test.each(['/v1/bridge/claude-code/PreToolUse', '/v1/events/pre_tool_call', '/v1/push', '/', '/bridge/'])(
    'it serves events alone, not %s',
    async (other) => {
      const { to, asked } = await startHttp()
      expect((await send(to, other, { headers: bearer })).status).toBe(404)
      expect((await send(to, at, { headers: bearer, method: 'OPTIONS', body: '' })).status).toBe(404)
      expect(asked).toEqual([])
    },
  )

  test('half requests shut nobody out: who has the token is answered, and keeps its connection', async () => {
    const { to } = await startHttp()
    const kept = connect(to)
    let heard = ''
    kept.on('data', (chunk: Buffer) => (heard += chunk.toString()))
    const lines = [`host: 127.0.0.1:${to.port}`, 'authorization: Bearer token', 'content-length: 2', '', '{}']
    const question = [`POST ${at} HTTP/1.1`, ...lines].join('\r\n')
    kept.write(question)
    await until('its answer', () => heard.includes('ok'))
    const strangers = Array.from({ length: 600 }, () => {
      const stranger = connect(to).on('error', () => undefined)
      stranger.write('POST /bri')
      return stranger
    })
    await until('them to be there', () => strangers.every(({ connecting }) => !connecting))
    expect(await send(to, at, { headers: bearer })).toEqual({ status: 200, text: '{"ok":true}' })
    kept.write(question)
    await until('its second answer', () => heard.split('"ok":true').length === 3)
    for (const socket of [kept, ...strangers]) socket.destroy()
  })

  test('a port that is taken is told, and is tried again until it is free', async () => {
    const other = createServer().listen(0, '127.0.0.1')
    await once(other, 'listening')
    const place = placeOf((other.address() as AddressInfo).port)
    const made = desk()
    const server = await startBridgeHttp(place, made.ports, () => true)
    stops.push(server.stop)
    expect([server.port(), place.told]).toEqual([undefined, [true]])
    place.tryNow()
    other.close()
    await once(other, 'close')
    await until('it to be free', () => {
      place.tryNow()
      return server.port() === place.port
    })
    expect(place.told).toEqual([true, false])
    expect((await send({ host: '127.0.0.1', port: place.port }, at)).status).toBe(200)
  })
})
