import { randomBytes } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { done, forging, open, refused, type Forgery, type ForgeryReport, type Target } from '../forgery.ts'
import { ask, foreignHosts, json, listensAt, type HttpAnswer } from '../means.ts'
import { createKey } from '../gate/proof.ts'

const command = '/hooks off'
const originOf = ({ page = '' }: Target): { readonly origin: string } => ({ origin: page })

type Headers = Readonly<Record<string, string>>

interface PageRequest {
  readonly path?: string
  readonly headers?: Headers
  readonly body?: object
}

export const say = (
  target: Target,
  { path = '/api/say', headers = {}, body = { text: command } }: PageRequest,
): Promise<HttpAnswer> =>
  ask(originOf(target), {
    method: 'POST',
    path,
    headers: { ...json, origin: target.page ?? '', ...headers },
    body: JSON.stringify(body),
  })

const login = (target: Target, secret: string): Promise<HttpAnswer> =>
  ask(originOf(target), {
    method: 'POST',
    path: '/api/login',
    headers: { ...json, origin: target.page ?? '', dpop: createKey()('POST', `${target.page}/api/login`) },
    body: JSON.stringify({ login: secret }),
  })

/** Turns the answers to several requests into a report. One accepted request is enough for `open`. */
const reportOf = (answers: readonly HttpAnswer[]): ForgeryReport => {
  const accepted = answers.filter(({ status }) => status >= 200 && status < 400)
  const codes = [...new Set(answers.map(({ status }) => status))].join(', ')
  return accepted.length === 0
    ? refused(`answered ${codes}`)
    : open(`${accepted.length} of ${answers.length} were accepted`)
}

export const all = async (tries: readonly Promise<HttpAnswer>[]): Promise<ForgeryReport> =>
  reportOf(await Promise.all(tries))

/**
 * Returns headers with the stolen session and a proof by the attacker's own key, because the right key cannot
 * be read.
 */
export const thief = (
  { page, stolen }: Target,
  path = '/api/say',
): { readonly authorization: string; readonly dpop: string } => {
  const session = stolen?.session ?? ''
  return { authorization: `DPoP ${session}`, dpop: createKey()('POST', `${page}${path}`, { session }) }
}

const onPage = forging({ needs: ['page'] })
const asThief = forging({ needs: ['page', 'stolen'] })

export const pageForgeries: readonly Forgery[] = [
  onPage('page.no_session', 'say “/hooks off” on the page without a session', (target) =>
    all([
      say(target, {}),
      ...[
        'DPoP ',
        'Bearer null',
        'DPoP undefined',
        `DPoP ${'A'.repeat(43)}`,
        `Basic ${btoa('owner:owner')}`,
      ].map((authorization) => say(target, { headers: { authorization } })),
      say(target, { headers: { cookie: `session=${'A'.repeat(43)}` } }),
      say(target, { path: '/api/say?session=owner' }),
    ]),
  ),
  asThief('page.used_login', 'use a login of the page a second time', async (target) =>
    reportOf([await login(target, target.stolen?.login ?? '')]),
  ),
  asThief('page.stolen_session', 'use a stolen session of the page from another program', (target) => {
    const { authorization, dpop } = thief(target)
    const replayed = target.stolen?.proof
    const bearer = authorization.replace('DPoP', 'Bearer')
    const attempts: Headers[] = [
      { authorization: bearer },
      { authorization: bearer, dpop },
      { authorization },
      { authorization, dpop },
    ]
    if (replayed !== undefined)
      attempts.push(
        { authorization, dpop: replayed },
        { authorization, dpop: replayed.replace(/[^.]*$/, 'A'.repeat(86)) },
      )
    return all(attempts.map((headers) => say(target, { headers })))
  }),
  asThief('page.session_elsewhere', 'send a stolen session as cookie, query and path', (target) => {
    const session = target.stolen?.session ?? ''
    return all([
      say(target, { headers: { cookie: `session=${session}` } }),
      say(target, { path: `/api/say?session=${session}&authorization=${session}` }),
      say(target, { path: `/api/say/${session}` }),
    ])
  }),
  onPage('page.brute', 'guess logins', (target) =>
    all(Array.from({ length: 200 }, () => login(target, randomBytes(32).toString('base64url')))),
  ),
  asThief('page.other_port', 'send a command from a page on another port', (target) =>
    all(
      [
        'http://127.0.0.1:1',
        'http://localhost:9999',
        'https://127.0.0.1',
        'http://0123456789abcdef.localhost',
        'null',
        'http://evil.test',
      ].map((origin) => say(target, { headers: { ...thief(target), origin } })),
    ),
  ),
  asThief(
    'page.rebinding',
    'send a command under a foreign host name that leads here (DNS rebinding)',
    (target) => {
      const { port } = new URL(target.page ?? '')
      return all(
        [...foreignHosts(port), `127.0.0.1:${port}@evil.test`].map((host) =>
          say(target, { headers: { ...thief(target), host, origin: `http://${host}` } }),
        ),
      )
    },
  ),
  asThief(
    'page.fixed_address',
    'send a command to an address of the page that was known before its start',
    (target) => {
      const { port } = new URL(target.page ?? '')
      const hosts = ['127.0.0.1', 'localhost', '0123456789abcdef.localhost'].map((name) => `${name}:${port}`)
      return all(
        hosts.flatMap((host) => [
          say(target, { headers: { ...thief(target), host, origin: `http://${host}` } }),
          ...['/', '/page/app.js'].map((path) => ask(originOf(target), { path, headers: { host } })),
        ]),
      )
    },
  ),
  asThief('page.cross_site', 'send a form to the page from another site', (target) =>
    all([
      ...['cross-site', 'same-site'].map((site) =>
        say(target, { headers: { ...thief(target), 'sec-fetch-site': site } }),
      ),
      ...[
        [{ 'content-type': 'text/plain' }, JSON.stringify({ text: command })] as const,
        [
          { ...thief(target), 'content-type': 'application/x-www-form-urlencoded' },
          `text=${encodeURIComponent(command)}`,
        ] as const,
      ].map(([headers, body]) => ask(originOf(target), { method: 'POST', path: '/api/say', headers, body })),
    ]),
  ),
  onPage('page.cors', 'get permission to read the page from another site', async (target) => {
    const answers = await Promise.all(
      ['OPTIONS', 'GET'].map((method) =>
        ask(originOf(target), {
          method,
          path: '/api/say',
          headers: {
            origin: 'http://evil.test',
            'access-control-request-method': 'POST',
            'access-control-request-headers': 'authorization',
          },
        }),
      ),
    )
    return answers.some(({ headers }) => headers['access-control-allow-origin'] !== undefined)
      ? open('another site may read it')
      : refused('no permission was given')
  }),
  onPage('page.stream', 'follow the conversation without a session', (target) => {
    const attempts: Headers[] = [{}, { authorization: 'DPoP x' }, { accept: 'text/event-stream' }]
    return all(
      attempts.map((headers) => ask(originOf(target), { path: '/api/stream', headers, timeoutMs: 1000 })),
    )
  }),
  onPage('page.websocket', 'open a WebSocket without a session', async (target) => {
    const headers = {
      connection: 'Upgrade',
      upgrade: 'websocket',
      'sec-websocket-version': '13',
      'sec-websocket-key': randomBytes(16).toString('base64'),
    }
    const answers = await Promise.all(
      ['/api/stream', '/api/say', '/ws'].map((path) =>
        ask(originOf(target), {
          path,
          headers: { ...headers, origin: 'http://evil.test' },
          timeoutMs: 1000,
        }),
      ),
    )
    return answers.some(({ status }) => status === 101)
      ? open('it was opened')
      : refused(`answered ${answers.map(({ status }) => status).join(', ')}`)
  }),
  onPage('page.paths', 'reach the page’s interface by odd paths', (target) =>
    all(
      [
        '/api//say',
        '/API/SAY',
        '/api/say/',
        '/page/../api/say',
        '/page/%2e%2e/api/say',
        '/api/say%00',
        '//api/say',
        '/page/..%2f..%2f..%2fpackage.json',
      ].map((path) =>
        say(target, {
          path,
          headers: {
            'x-http-method-override': 'POST',
            'x-forwarded-host': '127.0.0.1',
            'x-original-url': '/api/say',
          },
        }),
      ),
    ),
  ),
  onPage('page.take_port', 'listen on the page’s own port', async (target) => {
    const port = Number(new URL(target.page ?? '').port)
    const accepted = await listensAt(port, ['127.0.0.1', '0.0.0.0'])
    return accepted.length === 0
      ? refused('the port is in use')
      : open(`it listens on ${accepted.join(', ')}`)
  }),
  onPage('page.localhost', 'answer at http://localhost instead of the page, over IPv6', async (target) => {
    const port = Number(new URL(target.page ?? '').port)
    const [host] = await listensAt(port, ['::1', '::'])
    return host === undefined
      ? refused('the port is in use there too')
      : open(`it can listen on [${host}], which a browser asks first for “localhost”`)
  }),
  onPage('page.flood', 'keep every connection of the page busy', async (target) => {
    const busy = Array.from({ length: 300 }, () =>
      ask(originOf(target), {
        method: 'POST',
        path: '/api/login',
        headers: { ...json, origin: target.page ?? '', 'content-length': '1000' },
        body: '{',
        timeoutMs: 2500,
      }).catch(() => undefined),
    )
    await delay(500)
    const health = await ask(originOf(target), { path: '/healthz' })
    await Promise.all(busy)
    return health.status === 200 ? done('it still answers') : open('it no longer answers')
  }),
]
