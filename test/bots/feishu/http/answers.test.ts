import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { createExit } from '../../../../bots/feishu/http/exit.ts'
import { failed, readFailure } from '../../../../bots/feishu/http/failure.ts'
import { deliveryOf } from '../../../../bots/feishu/write/call.ts'
import { failureFields } from '../../../../src/shared/chat/connection.ts'
import { wire } from './rig.ts'

const appId = 'cli_0123456789abcdef'
const appSecret = 's3cret-of-the-app'

/** An exit to a server that answers each request by `answer`. */
const towards = async (answer: (response: ServerResponse, path: string) => void) => {
  const paths: string[] = []
  const server = createServer((request, response) => {
    paths.push(request.url ?? '')
    request.resume().on('end', () => answer(response, request.url ?? ''))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const root = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const exit = createExit({ appId, appSecret, root }, () => undefined)
  const get = async (path = '/open-apis/bot/v3/info', params?: object) =>
    exit.instance.get(`${root}${path}`, params === undefined ? {} : { params }).then(
      (value: unknown) => ({ value, failure: undefined, error: undefined }),
      (error: unknown) => ({ failure: readFailure(error), error }),
    )
  const token = () =>
    exit.instance
      .post(`${root}/open-apis/auth/v3/tenant_access_token/internal`, {
        app_id: appId,
        app_secret: appSecret,
      })
      .catch((error: unknown) => readFailure(error))
  return { get, token, exit, root, paths }
}

const json = (response: ServerResponse, body: unknown, status = 200, headers = {}): void =>
  void response
    .writeHead(status, { 'content-type': 'application/json', ...headers })
    .end(JSON.stringify(body))

test('a redirect is not followed', async () => {
  for (const status of [301, 302, 303, 307, 308]) {
    const { get, paths } = await towards((response, path) =>
      path === '/elsewhere'
        ? json(response, { code: 0 })
        : response.writeHead(status, { location: '/elsewhere' }).end(),
    )
    expect((await get()).failure?.kind).toBe('lost')
    expect(paths).toEqual(['/open-apis/bot/v3/info'])
  }
})

test.each<[string, string, string | object]>([
  ['nothing', 'lost', ''],
  ['a page', 'lost', '<html>hello</html>'],
  ['half of an answer', 'lost', '{"code": 0, "da'],
  ['a number', 'lost', '5'],
  ['null', 'lost', 'null'],
  ['a list', 'lost', '[]'],
  ['a code that is a text', 'lost', { code: '0' }],
  ['a code of Feishu', 'refused', { code: 230001, msg: 'x' }],
])('an answer of %s with status 200 is %s, and never a success', async (_, kind, body) => {
  const { get } = await towards((response) =>
    response.end(typeof body === 'string' ? body : JSON.stringify(body)),
  )
  expect((await get()).failure?.kind).toBe(kind)
})

test('an error page of a proxy is a refusal by its status, and is tried again', async () => {
  const { get } = await towards((response) => response.writeHead(502).end('<html>Bad Gateway</html>'))
  const { failure } = await get()
  expect(failure).toEqual({ kind: 'refused', code: 502, status: 502, description: 'no description' })
  if (failure !== undefined) expect(deliveryOf(failure, true).kind).toBe('retry')
})

test('an answer that says success with a status of an error is no success', async () => {
  const { get } = await towards((response) => json(response, { code: 0, msg: 'ok' }, 500))
  expect((await get()).failure).toMatchObject({ kind: 'refused', status: 500 })
})

test('an answer that does not end is read to its bound only', async () => {
  const { get } = await towards((response) => {
    const piece = Buffer.alloc(1024 * 1024, ' ')
    response.writeHead(200)
    const go = (): void => {
      while (!response.destroyed && response.write(piece));
      response.once('drain', go)
    }
    go()
  })
  expect((await get()).failure).toEqual({ kind: 'lost', code: 'TOO_LARGE' })
})

test('a connection that breaks in the middle is lost, and one that never began is unsent', async () => {
  const cut = await towards((response) => response.socket?.destroy())
  expect((await cut.get()).failure?.kind).toBe('lost')
  const half = await towards((response) => {
    response.writeHead(200, { 'content-length': '1000' })
    response.write('{"code":0', () => response.socket?.destroy())
  })
  expect((await half.get()).failure?.kind).toBe('lost')
  const gone = await wire()
  await gone.server.stop()
  await expect(gone.exit.instance.get(`${gone.server.root}/open-apis/bot/v3/info`)).rejects.toMatchObject({
    failure: { kind: 'unsent', code: 'ECONNREFUSED' },
  })
})

test('without a token nothing was sent, however the request for it failed', async () => {
  const { token } = await towards((response) => response.socket?.destroy())
  expect(await token()).toMatchObject({ kind: 'unsent' })
})

test('a server that never answers is given up at once when the channel ends', async () => {
  const { get, exit, paths } = await towards(() => undefined)
  const waiting = Promise.all([get(), get()])
  while (paths.length < 2) await new Promise((resolve) => setTimeout(resolve, 5))
  exit.abandon()
  expect((await waiting).map(({ failure }) => failure?.kind)).toEqual(['lost', 'lost'])
})

test('the time that Feishu names is waited for, and no absurd one', async () => {
  for (const [header, ms] of [
    ['3', 3000],
    ['0', 0],
    ['999999999', 3_600_000],
    ['-1', undefined],
    ['soon', undefined],
  ] as const) {
    const { get } = await towards((response) =>
      json(response, { code: 99991400, msg: 'limit' }, 429, { 'x-ogw-ratelimit-reset': header }),
    )
    expect((await get()).failure).toMatchObject(ms === undefined ? { code: 99991400 } : { retryAfterMs: ms })
  }
})

test('no error and no log field of a failed call holds a text or the secret', async () => {
  const { get, root } = await towards((response) =>
    json(
      response,
      { code: 230001, msg: `bad "my judged text" with ${appSecret}, cut to ${'x'.repeat(500)}` },
      400,
    ),
  )
  const { error } = (await get()) as { error: Error }
  expect(`${error.message} ${error.stack}`).not.toMatch(/judged|s3cret/)
  const failure = readFailure(error, ['my judged text', appSecret, 'bad'])
  expect(JSON.stringify(failureFields(failure))).not.toMatch(/judged text|s3cret/)
  expect(failure).toMatchObject({
    description: expect.stringMatching(/^bad "…" with …, cut to x+$/) as string,
  })
  expect(JSON.stringify(failure).length).toBeLessThan(400)
  expect(error.message).not.toContain(root)
})

test('any other error reads as a lost connection', () => {
  for (const error of [
    undefined,
    null,
    'x',
    5,
    new Error('x'),
    { code: 5 },
    Object.assign(new Error('x'), { code: 'EPIPE' }),
  ])
    expect(readFailure(error).kind).toBe('lost')
  expect(readFailure(failed({ kind: 'unsent', code: 'X' }))).toEqual({ kind: 'unsent', code: 'X' })
})

test('a token that Feishu refuses is dropped, and the next request gets a new one', async () => {
  const { server, sender } = await wire()
  const info = () => sender.request({ method: 'GET', url: '/open-apis/bot/v3/info' })
  const tokens = () => server.calls('POST /open-apis/auth/v3/tenant_access_token/internal').length
  await info()
  await info()
  expect(tokens()).toBe(1)
  server.expireTokens()
  await expect(info()).rejects.toMatchObject({ failure: { code: 99991663 } })
  await info()
  expect(tokens()).toBe(2)
})
