import { readdirSync } from 'node:fs'
import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ask, logIn, post, startScripted, tryLogin, type Session } from '../scripted-web.ts'

let scripted: Awaited<ReturnType<typeof startScripted>>
let base: string
let session: Session

beforeAll(async () => {
  scripted = await startScripted()
  base = scripted.web.url()
  session = await logIn(scripted)
})
afterAll(() => scripted.web.stop())

const saying = () => session('POST', '/api/say')
const say = (headers: Record<string, string>, body: string | Buffer = '{"text":"hi"}') =>
  ask(`${base}/api/say`, { method: 'POST', headers, body })

describe('without a session nothing is said or shown', () => {
  test.for([
    ['no header', {}],
    ['an empty one', { authorization: 'DPoP ' }],
    ['a wrong one', { authorization: `DPoP ${'a'.repeat(43)}` }],
    ['another scheme', { authorization: 'Basic b3duZXI6' }],
    ['a cookie', { cookie: 'session=x' }],
  ] as const)('%s', async ([, headers]) => {
    const before = scripted.received.length
    for (const path of ['/api/say', '/api/logout'])
      expect((await post(base, path, { text: 'x' }, () => headers)).status).toBe(401)
    const stream = await ask(`${base}/api/stream`, { headers })
    expect(stream.status).toBe(401)
    expect(JSON.parse(stream.text)).toMatchObject({
      error: { code: 'web.session', fix: expect.stringContaining('Press Enter') },
    })
    expect(scripted.received.length).toBe(before)
  })
})

test('a foreign name that points here is refused (DNS rebinding), on every route', async () => {
  const { port } = new URL(base)
  for (const host of [
    'evil.example',
    `evil.example:${port}`,
    '127.0.0.1',
    '127.0.0.1:1',
    `127.0.0.1.evil.example:${port}`,
    `0123456789abcdef.localhost.evil.example:${port}`,
    `[::1]:${port}`,
  ]) {
    for (const path of ['/', '/healthz', '/readyz', '/page/app.js', '/api/stream', '/nowhere']) {
      expect((await ask(`${base}${path}`, { headers: { ...session('GET', path), host } })).status).toBe(421)
    }
    expect((await say({ ...saying(), host, origin: `http://${host}` })).status).toBe(421)
  }
})

test('under a fixed address, or the name of an earlier start, there is no power: only a page that says how to get in', async () => {
  const before = scripted.received.length
  const { port } = new URL(base)
  for (const host of [`127.0.0.1:${port}`, `localhost:${port}`, `0123456789abcdef.localhost:${port}`]) {
    const lost = await ask(`${base}/`, { headers: { host, 'sec-fetch-site': 'cross-site' } })
    expect(lost.text).toContain('in the console where hookgate runs')
    expect(lost.text).not.toContain('<script')
    expect(lost.headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'clear-site-data': '"storage"',
    })
    for (const path of ['/healthz', '/readyz', '/page/styles/style.css', '/page/icon.svg'])
      expect((await ask(`${base}${path}`, { headers: { host } })).status).toBe(200)
    for (const path of ['/page/app.js', '/page/lost.html', '/api/stream', '/?x', '/nowhere']) {
      const { status, text } = await ask(`${base}${path}`, { headers: { ...session('GET', path), host } })
      expect([path, status, text.includes('session')]).toEqual([path, 421, false])
    }
    for (const path of ['/', '/api/say', '/api/login', '/api/press', '/api/logout', '/healthz']) {
      const origin = `http://${host}`
      expect(
        (
          await ask(`${base}${path}`, {
            method: 'POST',
            headers: { ...session('POST', path), host, origin },
            body: '{"text":"hi"}',
          })
        ).status,
      ).toBe(421)
    }
  }
  expect(scripted.received.length).toBe(before)
  expect((await ask(`${base}/`)).headers['clear-site-data']).toBeUndefined()
})

test('whoever asks for the script of a service worker gets one that serves nothing and goes', async () => {
  const { port } = new URL(base)
  for (const host of [
    new URL(base).host,
    `127.0.0.1:${port}`,
    `localhost:${port}`,
    `0123456789abcdef.localhost:${port}`,
  ]) {
    for (const path of ['/', '/sw.js', '/api/say', '/page/app.js']) {
      const worker = await ask(`${base}${path}`, {
        headers: { host, 'service-worker': 'script', 'sec-fetch-site': 'same-origin' },
      })
      expect([worker.status, worker.headers['service-worker-allowed']]).toEqual([200, '/'])
      expect(worker.text).toContain('registration.unregister()')
      expect(worker.text).not.toMatch(/fetch|claim/)
    }
  }
  expect(
    (await ask(`${base}/sw.js`, { headers: { host: 'evil.example', 'service-worker': 'script' } })).status,
  ).toBe(421)
})

test('a request that another site caused is refused even with the session', async () => {
  const before = scripted.received.length
  const { port } = new URL(base)
  for (const origin of [
    'http://evil.example',
    'null',
    `http://localhost:${port}`,
    `http://127.0.0.1:${port}`,
    `http://0123456789abcdef.localhost:${port}`,
    base.replace('http', 'https'),
    'http://127.0.0.1:1',
  ]) {
    expect((await say({ ...saying(), origin })).status).toBe(403)
    expect(
      (await ask(`${base}/api/stream`, { headers: { ...session('GET', '/api/stream'), origin } })).status,
    ).toBe(403)
  }
  for (const site of ['cross-site', 'same-site', 'whatever']) {
    expect((await say({ ...saying(), origin: base, 'sec-fetch-site': site })).status).toBe(403)
  }
  expect((await say(saying())).status).toBe(403)
  expect(scripted.received.length).toBe(before)
  expect((await say({ ...saying(), origin: base, 'sec-fetch-site': 'same-origin' })).status).toBe(202)
})

test('every answer bears the headers that keep foreign code and caches out, and no cookie', async () => {
  const html = await ask(`${base}/`)
  const map = /<script type="importmap">([^<]*)<\/script>/.exec(html.text)?.[1] ?? ''
  const hash = createHash('sha256').update(map).digest('base64')
  const replies = [
    html,
    await ask(`${base}/healthz`),
    await ask(`${base}/nowhere`),
    await ask(`${base}/page/styles/style.css`),
    await ask(`${base}/api/stream`),
    await ask(`${base}/`, { headers: { host: 'evil.example' } }),
    await tryLogin(scripted, scripted.web.mintLogin()),
  ]
  for (const { headers } of replies) {
    const csp = String(headers['content-security-policy']).split('; ')
    expect(csp).toEqual([
      "default-src 'none'",
      `script-src 'self' 'sha256-${hash}'`,
      "style-src 'self'",
      "connect-src 'self'",
      "img-src 'self' blob:",
      'media-src blob:',
      "worker-src 'none'",
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
      "require-trusted-types-for 'script'",
      "trusted-types 'none'",
    ])
    expect(headers).toMatchObject({
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cache-control': 'no-store',
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
    })
    expect(headers['set-cookie']).toBeUndefined()
    expect(headers['access-control-allow-origin']).toBeUndefined()
  }
})

test('only the files of the page are served', async () => {
  for (const name of readdirSync('bots/web/page', { recursive: true, encoding: 'utf8' }).filter(
    (file) => file.includes('.') && !file.endsWith('.json') && file !== 'lost.html',
  )) {
    expect((await ask(`${base}/page/${name}`)).status).toBe(200)
  }
  for (const script of ['preact', 'uplot'])
    expect((await ask(`${base}/page/vendor/${script}.js`)).headers['content-type']).toContain('javascript')
  expect((await ask(`${base}/page/vendor/uplot.css`)).headers['content-type']).toContain('css')
  const paths = [
    'tsconfig.json',
    'chat',
    'chat/',
    '../web.ts',
    '..%2fweb.ts',
    '%2e%2e/web.ts',
    '....//web.ts',
    '..\\web.ts',
    '%2fetc%2fpasswd',
    '/etc/passwd',
    '__proto__',
    'app.js%00.css',
    '%',
    '',
    '../../../../package.json',
    'vendor/../app.js%2f..',
  ]
  for (const path of paths) {
    const reply = await ask(`${base}/page/${path}`)
    expect([path, [404, 400].includes(reply.status)]).toEqual([path, true])
    expect(reply.text).not.toMatch(/import|root:/)
  }
})

test('a text has at most 1 MiB, declared or not', async () => {
  const before = scripted.received.length
  const headers = () => ({ ...saying(), origin: base })
  const over = JSON.stringify({ text: 'x'.repeat(1024 * 1024) })
  expect((await say(headers(), over)).status).toBe(413)
  expect((await say({ ...headers(), 'transfer-encoding': 'chunked' }, over)).status).toBe(413)
  expect(scripted.received.length).toBe(before)
  expect((await say(headers(), JSON.stringify({ text: 'x'.repeat(1024 * 1024 - 11) }))).status).toBe(202)
})

test('a body that is not a text is refused in words', async () => {
  const before = scripted.received.length
  for (const body of [
    '',
    '{',
    'null',
    '[]',
    '{}',
    '{"text":1}',
    '{"text":"  "}',
    '{"text":"x","chat_id":"y"}',
    '\u0000',
    '['.repeat(100_000),
  ]) {
    const reply = await say({ ...saying(), origin: base }, body)
    expect([body.slice(0, 30), reply.status]).toEqual([body.slice(0, 30), 400])
    expect(JSON.parse(reply.text)).toMatchObject({ error: { code: 'web.body' } })
  }
  expect(scripted.received.length).toBe(before)
})
