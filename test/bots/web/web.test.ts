import { connect } from 'node:net'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createWeb } from '../../../bots/web/web.ts'
import { ask, logIn, post, preferences, startScripted } from './scripted-web.ts'
import { openTab } from './tab.ts'

let scripted: Awaited<ReturnType<typeof startScripted>>
let base: string

beforeEach(async () => {
  scripted = await startScripted()
  base = scripted.web.url()
})
afterEach(() => scripted.web.stop())

const isMessage = (text: string) => (line: { type: string; message?: { text: string } }) =>
  line.type === 'message' && line.message?.text === text

test('a text that its owner says becomes a plain private message of theirs and is echoed', async () => {
  const session = await logIn(scripted)
  const tab = await openTab(base, session)
  const reply = await post(base, '/api/say', { text: 'hello\n\ud800世界' }, session)
  expect(reply.status).toBe(202)
  const { message_id } = JSON.parse(reply.text) as { message_id: string }
  expect(scripted.received).toEqual([
    {
      channel: 'web',
      chat_id: 'main',
      message_id,
      sender_id: 'owner',
      sender_name: 'you',
      isPrivate: true,
      origin: 'plain',
      sentAtMs: 1_750_000_000_000,
      text: 'hello\n\ufffd世界',
    },
  ])
  expect(await tab.until(isMessage('hello\n\ufffd世界'))).toMatchObject({
    message: { from: 'you', id: message_id },
  })
})

test.each(['left', 'unkept'])('a text that is %s is answered as not sent, and shown so', async (why) => {
  await scripted.web.stop()
  scripted = await startScripted(0, undefined, { ports: { receive: () => Promise.resolve(why) } })
  base = scripted.web.url()
  const session = await logIn(scripted)
  const tab = await openTab(base, session)
  const reply = await post(base, '/api/say', { text: 'hello' }, session)
  expect([reply.status, reply.text]).toEqual([503, expect.stringContaining('"code":"web.unkept"')])
  await tab.until((line) => line.type === 'message' && line.message.isUnkept === true)
})

test('every tab shows what was delivered, and a later one gets it as history', async () => {
  const session = await logIn(scripted)
  const tabs = [await openTab(base, session), await openTab(base, await logIn(scripted))]
  expect(await scripted.tell('run `ls`', 'push', [{ offset: 4, length: 4 }])).toMatchObject({
    kind: 'delivered',
  })
  expect(await scripted.tell('Held.', 'notice')).toMatchObject({ kind: 'delivered' })
  for (const tab of tabs) {
    expect(await tab.until(isMessage('run `ls`'))).toMatchObject({
      message: { from: 'agent', code: [{ offset: 4, length: 4 }] },
    })
    expect(await tab.until(isMessage('Held.'))).toMatchObject({ message: { from: 'hookgate' } })
    expect(tab.lines[0]).toEqual({ type: 'history', messages: [] })
  }
  const late = await openTab(base, session)
  const history = await late.until((line) => line.type === 'history')
  expect(history).toMatchObject({ messages: [{ text: 'run `ls`' }, { text: 'Held.' }] })
})

test('a outgoing that did not come through the door is refused and told', async () => {
  const tab = await openTab(base, await logIn(scripted))
  expect(await scripted.web.deliver(scripted.outgoing('stray'))).toMatchObject({ kind: 'failed' })
  expect(scripted.trips).toEqual(['web deliver'])
  await scripted.tell('marker')
  await tab.until(isMessage('marker'))
  expect(JSON.stringify(tab.lines)).not.toContain('stray')
})

test('a outgoing for another chat is not shown', async () => {
  const other = Object.freeze({ ...scripted.outgoing('x'), chat_id: 'elsewhere' })
  const web = createWeb({ host: '127.0.0.1', port: 0 }, { ...scriptedPorts(), isAdmitted: () => true })
  expect(await web.deliver(other)).toMatchObject({ kind: 'failed' })
  expect(await web.deliver(scripted.outgoing('x'))).toMatchObject({ kind: 'delivered' })
})

test('the history keeps the last 200 messages', async () => {
  for (let index = 0; index < 205; index++) await scripted.tell(`m${index}`)
  const tab = await openTab(base, await logIn(scripted))
  const [history] = tab.lines.length > 0 ? tab.lines : [await tab.until((line) => line.type === 'history')]
  expect(history).toMatchObject({ type: 'history' })
  const messages = history?.type === 'history' ? history.messages : []
  expect([messages.length, messages[0]?.text, messages.at(-1)?.text]).toEqual([200, 'm5', 'm204'])
})

test('a page tells its language and its time zone when it opens, and its language with all that it sends', async () => {
  await scripted.web.stop()
  const read: unknown[] = []
  scripted = await startScripted(0, undefined, {
    ports: { reads: (language, zone) => void read.push([language, zone]) },
  })
  base = scripted.web.url()
  const session = await logIn(scripted)
  const inChinese = (method: string, path: string) => ({
    ...session(method, path),
    'accept-language': 'zh-Hans, en;q=0.5',
    'x-time-zone': 'Asia/Shanghai'.padEnd(90, '!'),
  })
  await openTab(base, inChinese)
  await post(base, '/api/say', { text: 'hello' }, inChinese)
  await post(base, '/api/press', { press: 'a1', message_id: 'm' }, inChinese)
  expect(read).toEqual([['zh-Hans', 'Asia/Shanghai'.padEnd(60, '!')]])
  expect(scripted.received.map(({ language }) => language)).toEqual(['zh-Hans', 'zh-Hans'])
})

test('preferences come with the stream and again with each change; a fault says so', async () => {
  const tab = await openTab(base, await logIn(scripted))
  expect(await tab.until((line) => line.type === 'preferences')).toEqual({
    type: 'preferences',
    preferences: { ...preferences, heldLeft: 0 },
  })
  scripted.prefer({ ...preferences, isOn: true })
  await tab.until((line) => line.type === 'preferences' && line.preferences.isOn)
  scripted.breakPreferences()
  await tab.until((line) => line.type === 'preferences_unreadable')
})

test('of what waits for the owner’s word a tab gets as much as it can show, the oldest first, and how many more there are', async () => {
  const held = Array.from({ length: 30 }, (_, at) => ({
    handle: `h${at}`,
    title: 'main → web:main',
    size: 'text',
    why: 'guard: sure?',
    since: 'now',
    text: `${at}${'x'.repeat(at === 2 ? 400_000 : 10)}`,
    parts: [],
  }))
  scripted.prefer({ ...preferences, held })
  const tab = await openTab(base, await logIn(scripted))
  const line = await tab.until((one) => one.type === 'preferences' && one.preferences.held.length > 0)
  const shown = line.type === 'preferences' ? line.preferences : undefined
  expect([shown?.held.map(({ handle }) => handle), shown?.heldLeft]).toEqual([['h0', 'h1'], 28])
})

test('the bytes of a file go to a session that proves itself, as something to save, and to nobody else', async () => {
  const session = await logIn(scripted)
  const tab = await openTab(base, session)
  await scripted.push('', {
    type: 'document',
    files: [new File(['<script>alert(1)</script>'], 'a.html', { type: 'text/html' })],
  })
  const line = await tab.until(({ type }) => type === 'message')
  const [file] = line.type === 'message' ? (line.message.files ?? []) : []
  expect(file).toMatchObject({ name: 'a.html', size: 25, type: 'application/octet-stream' })
  const path = `/api/files/${file?.id}`
  const answer = await ask(`${base}${path}`, { headers: session('GET', path) })
  expect([answer.status, answer.text]).toEqual([200, '<script>alert(1)</script>'])
  expect(answer.headers).toMatchObject({
    'content-type': 'application/octet-stream',
    'content-disposition': 'attachment',
    'x-content-type-options': 'nosniff',
    'cross-origin-resource-policy': 'same-origin',
    'cache-control': 'no-store',
  })
  const proof = session('GET', path)
  const strangers = [
    {},
    { authorization: proof['authorization'] ?? '' },
    session('GET', '/api/stream'),
    { ...session('GET', path), origin: 'http://evil.example' },
    { ...session('GET', path), 'sec-fetch-site': 'cross-site' },
  ]
  for (const headers of strangers) {
    const refused = await ask(`${base}${path}`, { headers })
    expect([401, 403]).toContain(refused.status)
    expect(refused.text).not.toContain('alert')
  }
  for (const name of ['x', '..', '%2e%2e', file?.id.slice(1), `${file?.id}x`, '__proto__']) {
    const other = `/api/files/${name}`
    expect((await ask(`${base}${other}`, { headers: session('GET', other) })).status).not.toBe(200)
  }
})

test('a tab that opens while the agent works sees that it does', async () => {
  const session = await logIn(scripted)
  const early = await openTab(base, session)
  scripted.web.working?.('main', true)
  await early.until((line) => line.type === 'working' && line.isWorking)
  const late = await openTab(base, session)
  await late.until((line) => line.type === 'working' && line.isWorking)
})

test('a tap of a session comes in as a press without words; anything else is refused and comes in as nothing', async () => {
  const session = await logIn(scripted)
  expect((await post(base, '/api/press', { press: 'a1_-', message_id: 'm1' }, session)).status).toBe(202)
  expect(scripted.received).toEqual([
    expect.objectContaining({
      text: '',
      origin: 'plain',
      isPrivate: true,
      sender_id: 'owner',
      press: { data: 'a1_-', on_message_id: 'm1' },
    }),
  ])
  expect((await post(base, '/api/press', { press: 'a1', message_id: 'm1' })).status).toBe(401)
  for (const body of [
    {},
    { press: 'a1' },
    { press: '', message_id: 'm' },
    { press: 'a b', message_id: 'm' },
    { press: 'x'.repeat(41), message_id: 'm' },
    { press: 'a1', message_id: 'x'.repeat(101) },
    { press: 'a1', message_id: 'm', text: '/hooks on' },
  ]) {
    expect((await post(base, '/api/press', body, session)).status).toBe(400)
  }
  expect(scripted.received.length).toBe(1)
})

test('logging out ends this session and its tabs; everywhere ends all of them', async () => {
  const [one, two, three] = [await logIn(scripted), await logIn(scripted), await logIn(scripted)]
  const [oneTab, twoTab] = [await openTab(base, one), await openTab(base, two)]
  expect((await post(base, '/api/logout', {}, one)).status).toBe(204)
  await oneTab.ended
  expect((await post(base, '/api/say', { text: 'x' }, one)).status).toBe(401)
  await scripted.tell('still here')
  await twoTab.until(isMessage('still here'))
  expect((await post(base, '/api/logout', { everywhere: true }, three)).status).toBe(204)
  await twoTab.ended
  expect((await post(base, '/api/say', { text: 'x' }, two)).status).toBe(401)
})

test('a closed tab makes room: at most 16 are open', async () => {
  const session = await logIn(scripted)
  const tabs = await Promise.all(Array.from({ length: 16 }, () => openTab(base, session)))
  expect((await ask(`${base}/api/stream`, { headers: session('GET', '/api/stream') })).status).toBe(429)
  tabs[0]?.close()
  await expect
    .poll(() =>
      openTab(base, session).then(
        () => 'open',
        () => 'full',
      ),
    )
    .toBe('open')
})

test('a tab that never reads is cut off instead of filling the memory', async () => {
  const session = await logIn(scripted)
  const deaf = await fetch(`${base}/api/stream`, { headers: session('GET', '/api/stream') })
  const text = 'x'.repeat(1_000_000)
  for (let index = 0; index < 60; index++) await post(base, '/api/say', { text }, session)
  let bytes = 0
  const readOn = async (): Promise<void> => {
    for await (const chunk of deaf.body ?? []) bytes += chunk.length
  }
  // The cut is an end or an error, as the tab has read more or less of what came before it.
  await readOn().catch(() => undefined)
  expect(bytes).toBeLessThan(50_000_000)
})

test('a port that is taken is a problem with its fix', async () => {
  const port = Number(new URL(base).port)
  const second = createWeb({ host: '127.0.0.1', port }, scriptedPorts())
  await expect(second.start()).rejects.toMatchObject({
    problem: {
      code: 'web.port',
      message: expect.stringContaining(String(port)),
      fix: expect.stringContaining('HOOKGATE_PORT='),
    },
  })
})

test('the page is not put on the network', async () => {
  const open = createWeb({ host: '0.0.0.0', port: 0 }, scriptedPorts())
  await expect(open.start()).rejects.toMatchObject({ problem: { code: 'web.host' } })
})

test('it is ready while its gate works, and says in one line why not', async () => {
  let why: string | undefined
  const { web } = await startScripted(0, undefined, { ports: { unready: () => why } })
  try {
    expect(await ask(`${web.url()}/readyz`)).toMatchObject({ status: 200, text: 'ok' })
    why = 'This hookgate is stopping.'
    expect(await ask(`${web.url()}/readyz`)).toMatchObject({ status: 503, text: why })
    expect(await ask(`${web.url()}/healthz`)).toMatchObject({ status: 200, text: 'ok' })
  } finally {
    await web.stop()
  }
})

test('stop closes open tabs and the port, and forgets its listener', async () => {
  const tab = await openTab(base, await logIn(scripted))
  await scripted.web.stop()
  await tab.ended
  expect(scripted.listeners.size).toBe(0)
  await expect(ask(`${base}/healthz`)).rejects.toMatchObject({ code: 'ECONNREFUSED' })
})

const scriptedPorts = () => ({
  receive: () => {},
  isAdmitted: () => false,
  tripped: () => {},
  trouble: () => {},
  menu: [],
  now: () => 0,
  elapsedMs: () => 0,
  log: () => {},
  preferences: () => Promise.resolve(preferences),
  onPreferences: () => () => {},
  loginMisused: () => {},
})

test('half requests shut nobody out of the page: who comes is answered, and a tab goes on', async () => {
  const tab = await openTab(base, await logIn(scripted))
  const strangers = Array.from({ length: 300 }, () => {
    const stranger = connect(Number(new URL(base).port), '127.0.0.1').on('error', () => undefined)
    stranger.write('GET / HT')
    return stranger
  })
  await expect.poll(() => strangers.every(({ connecting }) => !connecting)).toBe(true)
  expect((await ask(`${base}/healthz`)).text).toBe('ok')
  await expect.poll(() => strangers.filter(({ closed }) => !closed).length).toBeLessThanOrEqual(128)
  await scripted.tell('still here')
  expect(await tab.until(isMessage('still here'))).toBeDefined()
  for (const stranger of strangers) stranger.destroy()
})
