import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createModelProxy, type ModelProxyOptions } from '../../src/server/model-proxy.ts'
import { startAgentServer } from '../../src/server/server.ts'

const key = 'sk-secret-of-the-endpoint'
const asked: { readonly url: string; readonly headers: IncomingMessage['headers']; readonly body: Buffer }[] = []
const ends: (() => unknown)[] = []
let folder = ''
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'hookgate-model-'))
  asked.length = 0
})
const endAll = async (): Promise<void> => {
  for (const end of ends.splice(0).toReversed()) await end()
}
afterEach(async () => {
  await endAll()
  await rm(folder, { recursive: true, force: true })
})

/** An endpoint that answers as it is told, and a gate with an agent whose model is there. */
const place = async (answer: (response: ServerResponse, request: IncomingMessage) => unknown, more: Partial<ModelProxyOptions> = {}) => {
  const endpoint = createServer((request, response) => {
    void buffer(request).then((body) => {
      asked.push({ url: String(request.url), headers: request.headers, body })
      return answer(response, request)
    }).catch(() => undefined)
  }).listen(0, '127.0.0.1')
  await once(endpoint, 'listening')
  const model = createModelProxy({ endpoint: { baseUrl: `http://127.0.0.1:${(endpoint.address() as AddressInfo).port}/api/v1/`, apiKey: key }, ...more })
  const reply = () => Promise.resolve({ status: 200, body: {} } as const)
  const socketPath = join(folder, 'main.sock')
  const server = await startAgentServer({ agentId: 'main', socketPath, log: () => undefined, model, ports: { fire: reply, push: reply, subscribe: () => () => undefined } })
  ends.push(() => endpoint.close(), () => endpoint.closeAllConnections(), () => server.stop(), () => model.stop())
  return socketPath
}

const ask = (socketPath: string, body: string | Buffer = '{"model":"m"}', path = '/v1/model/chat/completions', method = 'POST', leave?: AbortSignal): Promise<{ status: number; headers: IncomingMessage['headers']; text: string }> =>
  new Promise((resolve, reject) => {
    const request = httpRequest({ socketPath, path, method, agent: false, headers: { 'content-type': 'application/json', authorization: 'Bearer from-the-agent', 'x-other': 'x' }, ...(leave && { signal: leave }) }, (response) => {
      buffer(response).then((bytes) => resolve({ status: response.statusCode ?? 0, headers: response.headers, text: bytes.toString() })).catch(reject)
    })
    request.on('error', reject)
    request.end(body)
  })

test('A question goes to the one path of the endpoint with the key, and the answer comes back with few headers', async () => {
  const socket = await place((response) => response.writeHead(200, { 'content-type': 'text/event-stream', 'set-cookie': 'a=b', 'x-request-id': '7', server: 'x' }).end('data: 1\n\n'))
  const { status, headers, text } = await ask(socket)
  expect([status, text]).toEqual([200, 'data: 1\n\n'])
  expect(Object.keys(headers).toSorted()).toEqual(['connection', 'content-type', 'date', 'transfer-encoding'])
  expect(asked).toMatchObject([{ url: '/api/v1/chat/completions', headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' } }])
  expect(asked[0]?.body.toString()).toBe('{"model":"m"}')
  expect(asked[0]?.headers).not.toHaveProperty('x-other')
})

test('An answer is passed on as it comes', async () => {
  let finish = (): void => undefined
  const socket = await place((response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' }).write('first')
    finish = () => response.end('last')
  })
  const text = await new Promise((resolve) => {
    httpRequest({ socketPath: socket, path: '/v1/model/chat/completions', method: 'POST', agent: false }, (response) => {
      response.once('data', (chunk: Buffer) => {
        finish()
        void buffer(response).then((rest) => resolve(`${chunk.toString()}|${rest.toString()}`))
      })
    }).end('{}')
  })
  expect(text).toBe('first|last')
})

test('No other path and no other method leads anywhere, and an agent without an endpoint has none', async () => {
  const socket = await place((response) => response.end('{}'))
  for (const path of ['/v1/model/models', '/v1/model/chat/completions/../../x', '/v1/model/chat/completions/', '/v1/model']) expect((await ask(socket, '{}', path)).status, path).toBe(404)
  expect((await ask(socket, '', '/v1/model/chat/completions', 'GET')).status).toBe(404)
  expect(asked).toEqual([])
  const none = join(folder, 'none.sock')
  const reply = () => Promise.resolve({ status: 200, body: {} } as const)
  const server = await startAgentServer({ agentId: 'none', socketPath: none, log: () => undefined, ports: { fire: reply, push: reply, subscribe: () => () => undefined } })
  ends.push(() => server.stop())
  expect(await ask(none)).toMatchObject({ status: 404, text: expect.stringContaining('model.none') })
})

test('A redirect is not followed, and a key that an endpoint repeats is taken out of its complaint', async () => {
  let isComplaint = false
  const socket = await place((response) => (isComplaint ? response.writeHead(401, { 'retry-after': '3' }).end(`{"error":{"message":"bad ${key}"}}`) : response.writeHead(307, { location: '/elsewhere' }).end()))
  expect(await ask(socket)).toMatchObject({ status: 502, text: expect.stringContaining('model.redirect') })
  isComplaint = true
  expect(await ask(socket)).toMatchObject({ status: 401, headers: { 'retry-after': '3' }, text: '{"error":{"message":"bad [key]"}}' })
  expect(asked).toHaveLength(2)
})

test('A question of more than 16 MB is refused before the endpoint hears of it', async () => {
  const socket = await place((response) => response.end('{}'))
  expect(await ask(socket, Buffer.alloc(16 * 1024 * 1024 + 1, 32))).toMatchObject({ status: 413 })
  expect(asked).toEqual([])
})

test('An endless answer, a silent endpoint and a slow one end at their bounds', async () => {
  const endless = await place((response) => {
    const more = (): void => void (response.destroyed || setImmediate(() => response.write(Buffer.alloc(64_000)) ? more() : response.once('drain', more)))
    response.writeHead(200)
    more()
  }, { maxAnswerBytes: 1_000_000 })
  await expect(ask(endless)).rejects.toThrow()
  await endAll()
  const silent = await place(() => undefined, { idleMs: 100 })
  expect(await ask(silent)).toMatchObject({ status: 502, text: expect.stringContaining('model.timeout') })
  await endAll()
  const slow = await place((response) => {
    const timer = setInterval(() => response.write('.'), 20)
    response.on('close', () => clearInterval(timer))
  }, { totalMs: 300 })
  await expect(ask(slow)).rejects.toThrow()
})

test('A stream of events that falls silent in the middle ends with the reason, so that it is neither waited for nor asked for again', async () => {
  const stalled = await place((response) => response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' }).write('data: 1\n\nda'), { idleMs: 100 })
  const { status, text } = await ask(stalled)
  expect(status).toBe(200)
  expect(text).toMatch(/^data: 1\n\nda\n\ndata: \{"error":\{"code":"model\.timeout","message":"Expected 127.*"fix":"Try again, or choose a faster model\."\}\}\n\n$/)
})

test('An answer that takes long but never falls silent is no fault', async () => {
  const steady = await place((response) => {
    let left = 12
    const timer = setInterval(() => {
      response.write('.')
      if (--left > 0) return
      clearInterval(timer)
      response.end()
    }, 50)
  }, { idleMs: 300 })
  expect(await ask(steady)).toMatchObject({ status: 200, text: '.'.repeat(12) })
})

test('Few questions are under way at once; the next is told to wait', async () => {
  const waiting: ServerResponse[] = []
  const socket = await place((response) => void waiting.push(response))
  const asking = Array.from({ length: 8 }, () => ask(socket))
  await expect.poll(() => waiting.length).toBe(8)
  expect(await ask(socket)).toMatchObject({ status: 429, text: expect.stringContaining('model.busy') })
  for (const response of waiting) response.end('{}')
  expect((await Promise.all(asking)).map(({ status }) => status)).toEqual(Array(8).fill(200))
})

test('An agent that leaves takes its question with it, and an endpoint that is not there is told', async () => {
  let isLeft = false
  const socket = await place((response) => response.on('close', () => {
    isLeft = true
  }))
  const leaving = new AbortController()
  const asking = ask(socket, '{}', undefined, 'POST', leaving.signal)
  await expect.poll(() => asked.length).toBe(1)
  leaving.abort()
  await expect(asking).rejects.toThrow()
  await expect.poll(() => isLeft).toBe(true)
  await endAll()
  const nobody = await place(() => undefined, { endpoint: { baseUrl: 'http://127.0.0.1:1' } })
  expect(await ask(nobody)).toMatchObject({ status: 502, text: expect.stringContaining('model.unreachable') })
})
