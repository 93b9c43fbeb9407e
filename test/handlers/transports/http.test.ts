import { createHmac } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { decodeFor, stdinFor } from '../../../src/dialects/dialects.ts'
import { headerProblem } from '../../../src/handlers/transports/headers.ts'
import { createHttpTransport, type HttpPorts } from '../../../src/handlers/transports/http.ts'
import type { Entry } from '../../../src/core/model/hooks/entry.ts'
import {
  json,
  startServer,
  type Answering,
  type HookServer,
  type ServerOptions,
} from '../../fixtures/http-hook/server.ts'
import { makeCertificate } from '../../certificate.ts'
import { until } from '../../until.ts'
import { armed, eventOf } from '../armed.ts'
import { needs } from '../../needs.ts'
import { beforeTimer } from '../../stretched.ts'

const endings: (() => unknown)[] = []
afterEach(async () => {
  for (const end of endings.splice(0).toReversed()) await end()
})
const serve = async (answer: Answering, options?: ServerOptions): Promise<HookServer> => {
  const server = await startServer(answer, options)
  endings.push(server.stop)
  return server
}
/** A server that does with a connection what no HTTP library would. */
const serveRaw = async (each: (socket: Socket) => void): Promise<string> => {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket.on('error', () => undefined))
    each(socket)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  endings.push(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
}
const nowMs = 1_900_000_000_123
const transportOf = (ports: Partial<HttpPorts> = {}) => {
  const transport = createHttpTransport({
    allowLocal: true,
    speech: { stdin: stdinFor, env: () => ({}) },
    env: {},
    now: () => nowMs,
    ...ports,
  })
  endings.push(transport.stop)
  return transport
}
const payload = eventOf('on_user_message', { message: 'grüße 你好' })
interface Asked {
  readonly timeoutMs?: number
  readonly signal?: AbortSignal
  readonly entry?: Partial<Entry>
  readonly ports?: Partial<HttpPorts>
}
const ask = (url: string, { timeoutMs = 5000, signal, entry = {}, ports }: Asked = {}) =>
  transportOf(ports).ask(
    armed('hook', { event: 'on_user_message', type: 'http', command: url, ...entry }),
    payload,
    { timeoutMs, chain: [], ...(signal === undefined ? {} : { signal }) },
  )
const raw = (head: string, body = ''): string =>
  `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n${head}\r\n\r\n${body}`

test("the payload goes out as JSON in a POST, and the answer's body stands for a program's output", async () => {
  const server = await serve(json({ decision: 'block', reason: 'not today' }))
  const result = await ask(`${server.origin}/hook/x?token=abc`)
  expect(result).toEqual({
    exitCode: 0,
    stdout: '{"decision":"block","reason":"not today"}',
    json: { decision: 'block', reason: 'not today' },
    stderr: '',
    isTruncated: false,
    durationMs: expect.any(Number),
  })
  const [{ path, headers, body }] = server.received as [HookServer['received'][number]]
  expect([path, headers['content-type'], headers['user-agent'], headers['host']]).toEqual([
    '/hook/x?token=abc',
    'application/json',
    'hookgate',
    server.origin.slice(7),
  ])
  expect(JSON.parse(body)).toEqual(payload)
  expect(Buffer.byteLength(body)).toBe(Number(headers['content-length']))
  expect(decodeFor(armed('hook', { type: 'http' }), payload, result)).toMatchObject({
    kind: 'block',
    reason: 'not today',
  })
})

test.each([200, 201, 202, 204])('status %i without a body is no opinion', async (status) => {
  const server = await serve((response) => response.writeHead(status).end())
  const result = await ask(server.origin)
  expect(result).toMatchObject({ exitCode: 0, stdout: '' })
  expect(decodeFor(armed('hook', { type: 'http' }), payload, result).kind).toBe('abstain')
})

test.each([
  [undefined, '{}'],
  ['application/json; charset=utf-8', ' {"a":1}\n'],
  ['application/problem+json', '{}'],
  ['Application/JSON', '\uFEFF{}'],
  ['text/plain', ''],
])('content type %s with %j is an answer', async (type, body) => {
  const server = await serve((response) =>
    response.writeHead(200, type === undefined ? {} : { 'content-type': type }).end(body),
  )
  expect(await ask(server.origin)).toMatchObject({ exitCode: 0, stdout: body.trim() })
})

describe('what is no answer is a fault, whose words quote nothing that the server said of itself', () => {
  test.each<[string, number, string, string | undefined, string]>([
    ['HTML', 200, '<html>secret</html>', 'text/html', 'answered with "text/html"'],
    ['HTML without a type', 200, '<html>secret', undefined, 'no JSON'],
    ['text', 200, '{"decision":"block"}', 'text/plain', 'answered with "text/plain"'],
    ['a list', 200, '["secret"]', 'application/json', 'JSON that is no object'],
    ['half an object', 200, '{"secret"', 'application/json', 'no JSON'],
    ['400', 400, '{"secret":1}', 'application/json', 'the status 400'],
    ['401', 401, 'secret', 'text/plain', 'the status 401'],
    ['403', 403, 'Blocked by a firewall', 'text/html', 'the status 403'],
    ['404', 404, '', undefined, 'the status 404'],
    ['429', 429, '', undefined, 'the status 429'],
    ['500', 500, '{"decision":"allow"}', 'application/json', 'the status 500'],
    ['a redirect', 307, '', undefined, 'a redirect'],
    ['not modified', 304, '', undefined, 'the status 304'],
  ])('%s', async (_, status, body, type, words) => {
    const server = await serve((response) =>
      response
        .writeHead(status, {
          ...(type === undefined ? {} : { 'content-type': type }),
          ...(status === 307 ? { location: '/again' } : {}),
        })
        .end(body),
    )
    const { failure, stdout } = await ask(`${server.origin}/?token=secret`)
    const isFailing = [400, 403, 429].includes(status) || status >= 500
    const kind = isFailing ? 'network' : body.startsWith('{') ? 'garbled' : 'output'
    expect(failure).toMatchObject({ kind, detail: expect.stringContaining(words) })
    expect(`${failure?.detail}${stdout}`).not.toContain('secret')
    expect(server.received).toHaveLength(1)
  })

  test('a body that is compressed', async () => {
    const server = await serve((response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end('x'))
    expect((await ask(server.origin)).failure).toMatchObject({
      kind: 'output',
      detail: expect.stringContaining('compressed'),
    })
  })

  test('a body past 64 KiB, announced or not, of which no more is read; one of exactly 64 KiB is whole', async () => {
    const exact = JSON.stringify({ context: 'x'.repeat(65_536 - 14) })
    expect(exact).toHaveLength(65_536)
    const fits = await serve((response) => response.writeHead(200).end(exact))
    expect((await ask(fits.origin)).stdout).toBe(exact)
    for (const length of [undefined, 50_000_000]) {
      let written = 0
      const server = await serve((response) => {
        response.writeHead(200, length === undefined ? {} : { 'content-length': length })
        const more = (): void => {
          while (!response.destroyed && written < 50_000_000) {
            written += 65_536
            if (!response.write(' '.repeat(65_536))) return void response.once('drain', more)
          }
        }
        more()
      })
      expect((await ask(server.origin)).failure).toMatchObject({
        kind: 'limit',
        detail: expect.stringContaining('more than 64 KiB'),
      })
      await until('the connection to be closed', () => server.open() === 0)
      expect(written).toBeLessThan(20_000_000)
    }
  })
})

describe('one deadline stands over everything', () => {
  const timed = async (url: string, entry?: Partial<Entry>) => {
    const from = performance.now()
    const { failure } = await beforeTimer(
      1500,
      ask(url, { timeoutMs: 400, ...(entry === undefined ? {} : { entry }) }),
    )
    return { failure, tookMs: performance.now() - from }
  }
  const drip = (socket: Socket, text: string): void => {
    let at = 0
    const timer = setInterval(() => socket.write(text[at++ % text.length] ?? ''), 50)
    socket.on('close', () => clearInterval(timer))
  }
  test.each<[string, (socket: Socket) => void]>([
    ['never answers', () => undefined],
    ['drips its status', (socket) => drip(socket, 'HTTP/1.1 200 OK\r\n')],
    [
      'drips its headers',
      (socket) => void socket.write('HTTP/1.1 200 OK\r\n', () => drip(socket, 'x-a: b\r\n')),
    ],
    ['drips its body', (socket) => void socket.write(raw('content-length: 1000'), () => drip(socket, ' '))],
    ['sends early hints for ever', (socket) => drip(socket, 'HTTP/1.1 103 Early Hints\r\n\r\n')],
    ['stops in its body', (socket) => void socket.write(raw('content-length: 10', '{'))],
    ['reads nothing', (socket) => void socket.pause()],
  ])('a server that %s', async (_, behave) => {
    const { failure, tookMs } = await timed(
      await serveRaw((socket) => {
        socket.resume()
        behave(socket)
      }),
    )
    expect(failure).toMatchObject({ kind: 'timeout', detail: expect.stringContaining('within 0.4 s') })
    expect(tookMs).toBeGreaterThan(390)
  })

  test('TLS that is never answered, a name that is never found, and a connection that is never accepted', async () => {
    const url = (await serveRaw((socket) => void socket.resume())).replace('http:', 'https:')
    expect((await timed(url)).failure?.kind).toBe('timeout')
    expect(
      (
        await beforeTimer(
          1000,
          ask('http://guard.example/', {
            timeoutMs: 300,
            ports: { lookup: () => new Promise(() => undefined) },
          }),
        )
      ).failure?.kind,
    ).toBe('timeout')
    // A socket that was never told to connect.
    expect(
      (
        await beforeTimer(
          1000,
          ask('http://127.0.0.1:1/', {
            timeoutMs: 300,
            ports: { dial: (options) => connect({ ...options, host: 'x.invalid', lookup: () => undefined }) },
          }),
        )
      ).failure?.kind,
    ).toBe('timeout')
  })

  test('the connection of a late server is closed, and nobody waits for a hook that was let go', async () => {
    const server = await serve(() => undefined)
    expect((await ask(server.origin, { timeoutMs: 300 })).failure?.kind).toBe('timeout')
    await until('the late connection to be closed', () => server.open() === 0)
    const abort = new AbortController()
    const asked = ask(server.origin, { signal: abort.signal })
    await until('the second request', () => server.received.length === 2)
    abort.abort()
    expect((await asked).failure?.kind).toBe('killed')
    await until('the second connection to be closed', () => server.open() === 0)
    const fresh = await serve(json({}))
    expect((await ask(fresh.origin, { signal: AbortSignal.abort() })).failure?.kind).toBe('killed')
    expect([server.received.length, fresh.connections()]).toEqual([2, 0])
  })
})

describe('what breaks on the way is a fault of kind network', () => {
  test.each<[string, (socket: Socket) => void]>([
    ['closes', (socket) => void socket.end()],
    ['resets', (socket) => void socket.resetAndDestroy()],
    ['speaks another protocol', (socket) => void socket.end('220 mail.example ESMTP\r\n')],
    ['ends in its body', (socket) => void socket.end(raw('content-length: 10', '{'))],
    [
      'sends endless headers',
      (socket) => void socket.end(`HTTP/1.1 200 OK\r\nx: ${'y'.repeat(100_000)}\r\n\r\n`),
    ],
    [
      'switches protocols',
      (socket) =>
        void socket.end('HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n'),
    ],
  ])('a server that %s', async (_, behave) => {
    const url = await serveRaw((socket) => void socket.once('data', () => behave(socket)))
    expect((await ask(`${url}?token=secret`)).failure).toMatchObject({
      kind: 'network',
      detail: expect.stringMatching(
        /^127\.0\.0\.1:\d+ did not answer \([^?]+\)\. Check that the server runs/,
      ),
    })
  })

  test('nobody listens', async () => {
    const server = await startServer(json({}))
    await server.stop()
    expect((await ask(server.origin)).failure).toMatchObject({
      kind: 'network',
      detail: expect.stringContaining('ECONNREFUSED'),
    })
  })
})

test('https is checked against the name, and a trusted server is asked', needs('openssl'), async () => {
  const folder = mkdtempSync(join(tmpdir(), 'hookgate-tls-'))
  endings.push(() => rmSync(folder, { recursive: true }))
  const files = makeCertificate(folder, 'DNS:guard.example,IP:127.0.0.1')
  const tls = {
    key: readFileSync(files.key, 'utf8'),
    cert: readFileSync(files.certificate, 'utf8'),
  }
  const server = await serve(json({}), { tls })
  const lookup = () => Promise.resolve(['127.0.0.1'])
  const ports = { lookup, ca: tls.cert }
  expect(await ask(`https://guard.example:${server.port}/`, { ports })).toMatchObject({
    exitCode: 0,
    stdout: '{}',
  })
  expect(await ask(server.origin, { ports })).toMatchObject({ exitCode: 0, stdout: '{}' })
  expect((await ask(`https://other.example:${server.port}/`, { ports })).failure).toMatchObject({
    kind: 'network',
    detail: expect.stringContaining('other.example'),
  })
  expect((await ask(server.origin, { ports: { lookup } })).failure).toMatchObject({
    kind: 'network',
    detail: expect.stringContaining('self-signed'),
  })
  expect(server.received).toHaveLength(2)
})

describe('headers', () => {
  const env = { GUARD_TOKEN: 's3cret-value\n', EMPTY: '', BAD: 'a\r\nx-evil: 1' }
  test('are sent with the variables that gate.yaml lists', async () => {
    const server = await serve(json({}))
    const headers = {
      Authorization: 'Bearer $GUARD_TOKEN',
      'X-Two': '${GUARD_TOKEN}/$GUARD_TOKEN',
      'x-plain': 'costs $5 and 100$',
      'User-Agent': 'mine',
      'Content-Type': 'application/json; charset=utf-8',
    }
    expect((await ask(server.origin, { entry: { headers }, ports: { env } })).failure).toBeUndefined()
    expect(server.received[0]?.headers).toMatchObject({
      authorization: 'Bearer s3cret-value',
      'x-two': 's3cret-value/s3cret-value',
      'x-plain': 'costs $5 and 100$',
      'user-agent': 'mine',
      'content-type': 'application/json; charset=utf-8',
    })
  })

  test.each<[string, Record<string, string>, RegExp]>([
    [
      'a variable that is not listed',
      { a: '$PATH' },
      /got \$PATH\. Write it into gate\.yaml, http: \{env: \[PATH\]\}/,
    ],
    ['one that every object has', { a: '${constructor}' }, /got \$constructor/],
    ['a listed one beside it', { a: '$GUARD_TOKEN$HOME' }, /got \$HOME/],
    ['one that is listed but not set', { a: '$EMPTY' }, /EMPTY, which header "a" names, to be set/],
    ['a line break in a variable', { a: '$BAD' }, /on one line/],
    ['a line break', { a: 'b\r\nc: d' }, /on one line/],
    ['a NUL', { a: 'b\0' }, /on one line/],
    ['words of another alphabet', { a: '你好' }, /characters that a header can have/],
    ...[
      'Host',
      'content-length',
      'Transfer-Encoding',
      'connection',
      'Keep-Alive',
      'TE',
      'Trailer',
      'upgrade',
      'Expect',
      'Proxy-Authorization',
      'content-encoding',
      'X-Hookgate-Signature',
    ].map((name): [string, Record<string, string>, RegExp] => [
      name,
      { [name]: 'x' },
      /Remove it; hookgate sets/,
    ]),
    ['no name', { '': 'x' }, /name of header/],
    ['a name with a line break', { 'a\r\nb': 'x' }, /name of header/],
    ['a name with a colon', { 'a:b': 'x' }, /name of header/],
    ['one twice', { 'X-A': '1', 'x-a': '2' }, /twice/],
    [
      'too many',
      Object.fromEntries(Array.from({ length: 33 }, (_, index) => [`x-${index}`, '1'])),
      /at most 32/,
    ],
    ['one without end', { a: 'x'.repeat(8001) }, /8000/],
  ])('%s: hookgate does not ask, and says why without a value', async (_, headers, words) => {
    const server = await serve(json({}))
    const { failure } = await ask(server.origin, { entry: { headers }, ports: { env } })
    expect(failure).toMatchObject({ kind: 'refused', detail: expect.stringMatching(words) })
    expect(failure?.detail).not.toMatch(/s3cret|evil/)
    expect(server.connections()).toBe(0)
    expect(headerProblem({ headers }, env)).toMatchObject({
      code: 'entry.headers',
      message: expect.stringMatching(/^Expected /),
    })
  })

  test('can be judged before an entry is approved', () => {
    expect(headerProblem({}, {})).toBeUndefined()
    expect(
      headerProblem({ headers: { authorization: 'Bearer $GUARD_TOKEN' }, signWith: 'GUARD_TOKEN' }, env),
    ).toBeUndefined()
    expect(headerProblem({ signWith: 'OTHER' }, env)?.message).toContain('$OTHER')
  })
})

describe('a signature', () => {
  test('binds time, event and body with a secret that gate.yaml lists', async () => {
    const server = await serve(json({}))
    await ask(server.origin, { entry: { signWith: 'KEY' }, ports: { env: { KEY: 'k1' } } })
    const [{ headers, body }] = server.received as [HookServer['received'][number]]
    expect(headers).toMatchObject({
      'x-hookgate-timestamp': '1900000000',
      'x-hookgate-event-id': 'e1',
      'x-hookgate-signature': `v1=${createHmac('sha256', 'k1').update(`1900000000.e1.${body}`).digest('hex')}`,
    })
  })

  test.each([
    [{}, 'got $KEY'],
    [{ KEY: ' ' }, 'to be set'],
  ])('without its secret nothing is sent: %j', async (env, words) => {
    const server = await serve(json({}))
    expect((await ask(server.origin, { entry: { signWith: 'KEY' }, ports: { env } })).failure).toMatchObject({
      kind: 'refused',
      detail: expect.stringContaining(words),
    })
    expect(server.connections()).toBe(0)
  })
})

describe('connections', () => {
  const hook = (url: string) => armed('hook', { type: 'http', command: url })
  test('are kept for the next question, let go when hooks change, and closed at the end', async () => {
    const server = await serve(json({}))
    const transport = transportOf()
    const one = async (): Promise<void> => {
      expect(await transport.ask(hook(server.origin), payload, { timeoutMs: 5000, chain: [] })).toMatchObject(
        { exitCode: 0 },
      )
      await new Promise(setImmediate)
    }
    for (let call = 0; call < 5; call++) await one()
    expect([server.received.length, server.connections()]).toEqual([5, 1])
    transport.retire(new Set())
    await until('the idle connection to be closed', () => server.open() === 0)
    await one()
    expect(server.open()).toBe(1)
    await transport.stop()
    await until('every connection to be closed', () => server.open() === 0)
  })

  test('that the server closed meanwhile are opened again', async () => {
    let requests = 0
    const url = await serveRaw((socket) => {
      let mine = 0
      socket.on('data', () => {
        requests += 1
        mine += 1
        // Promises to keep the connection, and closes it at the second question.
        if (mine > 1) socket.destroy()
        else socket.write(raw('content-length: 2', '{}'))
      })
    })
    const transport = transportOf()
    for (let call = 0; call < 3; call++) {
      expect(
        (await transport.ask(hook(url), payload, { timeoutMs: 5000, chain: [] })).failure,
      ).toBeUndefined()
      await new Promise(setImmediate)
    }
    expect(requests).toBe(5)
  })
})
