import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { WebhookOptions } from '../../../../bots/telegram/connect/webhook.ts'
import { startBotApi, type BotApi } from '../../../fixtures/bot-api/server.ts'
import { freePort } from '../../../../src/attack/gate/free-port.ts'
import { createClock, createRig, menu, token, type Clock, type Rig } from '../rig.ts'

const url = 'https://gate.example.org/telegram'
let server: BotApi
let clock: Clock
let rig: Rig
let webhook: WebhookOptions
let fact: string | undefined

type Over = { readonly receive?: () => unknown; readonly polls?: true; readonly url?: string }
const use = (over: Over = {}) => {
  rig = createRig(server.root, {
    clock,
    ...(over.receive === undefined ? {} : { receive: over.receive }),
    telegram: {
      recall: () => Promise.resolve(fact),
      remember: (said) => Promise.resolve(void (fact = said)),
      ...(over.polls === true
        ? {}
        : { webhook: { ...webhook, ...(over.url === undefined ? {} : { url: over.url }) } }),
    },
  })
}
beforeEach(async () => {
  server = await startBotApi({ token })
  clock = createClock()
  fact = undefined
  webhook = { url, host: '127.0.0.1', port: await freePort() }
  server.tunnel(`http://127.0.0.1:${webhook.port}`)
  use()
})
afterEach(async () => {
  await rig.channel.stop()
  await server.stop()
  expect(clock.count()).toBe(0)
})

const minuteMs = 60_000
const connected = async () => {
  await rig.channel.start()
  await server.waitFor(
    () => clock.isWaiting(minuteMs) || (clock.isWaiting(1000) && server.pending().length === 0),
  )
  if (!clock.isWaiting(minuteMs)) clock.advance(1000)
  await server.waitFor(() => clock.isWaiting(minuteMs))
}
/** Lets the time until the next look at Telegram pass, and waits until it was had. */
const nextLook = async (ms: number, thenMs = ms) => {
  const before = server.calls('getWebhookInfo').length
  await server.waitFor(() => clock.isWaiting(ms))
  clock.advance(ms)
  await server.waitFor(() => server.calls('getWebhookInfo').length > before && clock.isWaiting(thenMs))
}
const receivedTexts = () => rig.received.map(({ text }) => text)
const waitForTexts = (...texts: string[]) =>
  server.waitFor(() => JSON.stringify(receivedTexts()) === JSON.stringify(texts))
const secretOf = (call = -1) => String(server.calls('setWebhook').at(call)?.params['secret_token'])
const knock = async (headers: Record<string, string> = {}, init: RequestInit = {}, path = '/telegram') => {
  const response = await fetch(`http://127.0.0.1:${webhook.port}${path}`, {
    method: 'POST',
    body: '{"update_id":1}',
    headers: { 'content-type': 'application/json', ...headers },
    ...init,
  })
  return { status: response.status, body: await response.text() }
}
const asTelegram = (secret = secretOf()) => ({ 'x-telegram-bot-api-secret-token': secret })

test('Telegram is told where to send, with a secret, and drops nothing', async () => {
  server.say('before the start')
  await connected()
  await waitForTexts('before the start')
  expect(server.calls('setWebhook').map(({ params }) => params)).toEqual([
    {
      url,
      secret_token: expect.stringMatching(/^[\w-]{43}$/) as string,
      allowed_updates: ['message', 'edited_message', 'channel_post', 'callback_query'],
      max_connections: 20,
      drop_pending_updates: false,
    },
  ])
  expect([server.commands(), server.calls('getUpdates'), rig.troubles, rig.tripped]).toEqual([
    menu,
    [],
    [],
    [],
  ])
})

test('messages come in as in polling, in each chat in order, and every answer is empty', async () => {
  await connected()
  const texts = Array.from({ length: 60 }, (_, index) => `message ${index}`)
  texts.forEach((text, index) => server.say(text, 7 + (index % 3)))
  server.edit(server.say('/hooks on'), '/hooks off')
  await server.waitFor(() => server.pending().length === 0)
  for (const person of ['7', '8', '9'])
    expect(
      rig.received
        .filter(({ sender_id, text }) => sender_id === person && text.startsWith('message'))
        .map(({ text }) => text),
    ).toEqual(texts.filter((_, index) => String(7 + (index % 3)) === person))
  expect(rig.received.map(({ origin }) => origin).filter((origin) => origin !== 'plain')).toEqual(['edited'])
  expect(server.posts().map(({ status, body }) => `${status}${body}`)).toEqual(Array<string>(62).fill('200'))
})

test('Telegram hears that a message was taken only when it is on disk, and not of what is done with it', async () => {
  const onDisk = Promise.withResolvers<void>()
  use({ receive: () => onDisk.promise })
  await connected()
  server.say('hello')
  await waitForTexts('hello')
  for (let index = 0; index < 5; index++) await knock()
  expect([server.pending().length, server.posts()]).toEqual([1, []])
  onDisk.resolve()
  await server.waitFor(() => server.pending().length === 0)
})

test.each(['left', 'unkept'])('a message that is %s is not taken, and may come again', async (why) => {
  let isLeft = true
  use({ receive: () => Promise.resolve(isLeft ? why : undefined) })
  await connected()
  server.say('hello')
  await server.waitFor(() => server.posts().length > 0)
  expect(server.posts()[0]?.status).toBe(503)
  isLeft = false
  await server.waitFor(() => server.pending().length === 0)
})

test('an update that comes again counts once, also while the first is on its way to disk', async () => {
  const onDisk = Promise.withResolvers<void>()
  use({ receive: () => onDisk.promise })
  await connected()
  server.say('hello')
  await waitForTexts('hello')
  const [update] = server.pending()
  if (update === undefined) throw new Error('Expected it to wait.')
  const again = [server.repeat(update), server.repeat(update)]
  for (let index = 0; index < 5; index++) await knock()
  expect(server.posts()).toEqual([])
  onDisk.resolve()
  expect(await Promise.all([...again, server.repeat(update)])).toEqual([true, true, true])
  expect(receivedTexts()).toEqual(['hello'])
})

test('who does not know the secret gets a bare 403 whatever they ask, and it is logged once a minute with a count', async () => {
  await connected()
  const secret = secretOf()
  for (const headers of [
    {},
    asTelegram(''),
    asTelegram(`${secret}x`),
    asTelegram(secret.slice(1)),
    asTelegram(secret.toUpperCase()),
    asTelegram(`${secret}, ${secret}`),
  ])
    expect(await knock(headers)).toEqual({ status: 403, body: '' })
  for (const path of ['/', '/telegram/../x', '/metrics'])
    expect(await knock({}, { method: 'GET', body: null }, path)).toEqual({ status: 403, body: '' })
  expect(rig.logs().split('without the secret')).toHaveLength(2)
  clock.advance(minuteMs)
  await knock()
  expect(rig.logs()).toMatch(/refused requests without the secret","count":9\}$/m)
  expect([rig.received, rig.troubles]).toEqual([[], []])
  expect(rig.logs()).not.toContain(secret)
})

test('with the secret only an update posted as Telegram posts it is taken', async () => {
  await connected()
  const right = asTelegram()
  expect(await knock(right, {}, '/telegram?x=1')).toEqual({ status: 404, body: '' })
  expect(await knock(right, {}, '/telegram/')).toEqual({ status: 404, body: '' })
  expect(await knock(right, { method: 'PUT' })).toEqual({ status: 405, body: '' })
  expect(await knock({ ...right, 'content-type': 'text/plain' })).toEqual({ status: 415, body: '' })
  for (const body of ['', 'x', '[]', 'null', '7', '{}', '{"update_id":"1"}', '{"update_id":1'])
    expect(await knock(right, { body }), body).toEqual({ status: 400, body: '' })
  expect(await knock(right, { body: '{"update_id":5,"message":{"text":"without a chat"}}' })).toEqual({
    status: 200,
    body: '',
  })
  expect(rig.received).toEqual([])
  server.say('hello')
  await waitForTexts('hello')
})

/** What a raw client gets until the other side closes. */
const raw = async (words: string): Promise<string> => {
  const socket = connect(webhook.port, '127.0.0.1').setEncoding('utf8')
  let got = ''
  socket.on('data', (chunk: string) => (got += chunk)).on('error', () => undefined)
  socket.write(words)
  await once(socket, 'close')
  return got
}

test('a body is bounded in size and time, whatever length it claims', async () => {
  await connected()
  const head = (rest: string) =>
    `POST /telegram HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nX-Telegram-Bot-Api-Secret-Token: ${secretOf()}\r\n${rest}\r\n\r\n`
  expect(await raw(head('Content-Length: 99999999'))).toMatch(/^HTTP\/1\.1 413 [^{]*\r\n\r\n$/)
  expect(
    await raw(`${head('Transfer-Encoding: chunked')}${`100000\r\n${' '.repeat(1_048_576)}\r\n`.repeat(5)}`),
  ).toMatch(/^(HTTP\/1\.1 413 [^{]*\r\n\r\n)?$/)
  expect(await raw('POST /telegram HTTP/1.1\r\nHost: x\r\n')).toMatch(/^HTTP\/1\.1 408/)
  expect(await raw(`POST /telegram HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999\r\n\r\n`)).toMatch(
    /^HTTP\/1\.1 403/,
  )
  server.say('hello')
  await waitForTexts('hello')
}, 20_000)

test('a flood of strangers keeps no message out', async () => {
  await connected()
  const flood = Array.from({ length: 500 }, (_, index) =>
    knock(asTelegram(`guess ${index}`)).catch(() => ({ status: 403, body: '' })),
  )
  const texts = Array.from({ length: 20 }, (_, index) => `message ${index}`)
  for (const text of texts) server.say(text)
  expect(new Set((await Promise.all(flood)).map(({ status }) => status))).toEqual(new Set([403]))
  await waitForTexts(...texts)
}, 20_000)

test('a text of 200 kB comes in whole', async () => {
  await connected()
  const text = 'long '.repeat(40_000)
  server.say(text)
  await waitForTexts(text)
})

test('a press is no older than the last look at which Telegram had nothing left', async () => {
  server.press('early', server.say('x'))
  await connected()
  const startedMs = clock.now()
  await server.waitFor(() => server.answered().length === 1)
  // What waited at the start may be of any age.
  expect(rig.received.find(({ press }) => press?.data === 'early')?.sentAtMs).toBe(0)
  await nextLook(minuteMs)
  clock.advance(20_000)
  server.press('late', server.say('y'))
  await server.waitFor(() => server.answered().length === 2)
  expect(rig.received.find(({ press }) => press?.data === 'late')?.sentAtMs).toBe(startedMs + minuteMs)
})

test('what came while hookgate was away comes after its start, with a new secret; the old one opens nothing', async () => {
  await connected()
  await rig.channel.stop()
  expect([server.webhook(), fact]).toEqual([url, url])
  server.say('while away')
  await server.waitFor(() => server.posts().some(({ status }) => status === 0))
  const old = secretOf()
  use()
  await rig.channel.start()
  await waitForTexts('while away')
  await server.waitFor(() => clock.isWaiting(minuteMs) || clock.isWaiting(1000))
  expect(secretOf()).not.toBe(old)
  expect((await knock(asTelegram(old))).status).toBe(403)
})

test('a stop waits until what came in is on disk and answered', async () => {
  const onDisk = Promise.withResolvers<void>()
  use({ receive: () => onDisk.promise })
  await connected()
  server.say('the last one')
  await waitForTexts('the last one')
  const stopped = rig.channel.stop()
  onDisk.resolve()
  await stopped
  await server.waitFor(() => server.pending().length === 0)
  expect(server.posts().map(({ status }) => status)).toEqual([200])
})

test('back to polling, our own webhook is taken back first and nothing is lost', async () => {
  await connected()
  await rig.channel.stop()
  server.say('between')
  use({ polls: true })
  await rig.channel.start()
  await waitForTexts('between')
  expect([server.calls('deleteWebhook').map(({ params }) => params), fact, rig.troubles]).toEqual([
    [{}],
    '',
    [],
  ])
})

test("anybody else's webhook is left alone and told", async () => {
  await connected()
  await rig.channel.stop()
  await fetch(`${server.root}/bot${token}/setWebhook?url=https://other.example.org/`)
  use({ polls: true })
  await rig.channel.start()
  await server.waitFor(() => rig.troubles.length === 1)
  expect([server.calls('deleteWebhook'), server.webhook(), rig.troubles[0]?.why]).toEqual([
    [],
    'https://other.example.org/',
    expect.stringMatching(/^not connected, this bot has a webhook/),
  ])
})

test('a webhook that somebody else changes is set again, told once, and as well only after a quiet minute', async () => {
  await connected()
  for (let round = 0; round < 2; round++) {
    await fetch(`${server.root}/bot${token}/setWebhook?url=https://other.example.org/`)
    await nextLook(minuteMs, 5000)
    await nextLook(5000, minuteMs)
    expect(server.webhook()).toBe(url)
  }
  expect(rig.troubles).toEqual([
    {
      why: expect.stringMatching(/^another program changed the webhook of this bot\./) as string,
      isBack: false,
    },
  ])
  await nextLook(minuteMs)
  expect(rig.troubles.at(-1)).toEqual({
    why: 'connected again. Messages arrive and leave.',
    isBack: true,
  })
})

test("a tunnel that is down is told once when it lasts, in Telegram's own words, and so is its return", async () => {
  await connected()
  server.tunnel('http://127.0.0.1:1')
  server.say('lost on the way')
  await server.waitFor(() => server.posts().length > 0)
  await nextLook(minuteMs, 5000)
  for (let count = 0; count < 5; count++) await nextLook(5000)
  expect(rig.troubles).toEqual([])
  for (let count = 0; count < 3; count++) await nextLook(5000)
  expect(rig.troubles).toEqual([
    {
      why: `the messages of this bot cannot be delivered to ${url} (Connection refused). Check that your proxy or tunnel runs and forwards to 127.0.0.1:${webhook.port}. Telegram keeps the messages for a day.`,
      isBack: false,
    },
  ])
  server.tunnel(`http://127.0.0.1:${webhook.port}`)
  await waitForTexts('lost on the way')
  await server.waitFor(() => server.pending().length === 0)
  await nextLook(5000, minuteMs)
  expect(rig.troubles.slice(1)).toEqual([
    { why: expect.stringContaining('connected again') as string, isBack: true },
  ])
})

test('a port that another program has is told once, and had as soon as it is free', async () => {
  const other = createServer().listen(webhook.port, '127.0.0.1')
  await once(other, 'listening')
  await rig.channel.start()
  await server.waitFor(() => rig.troubles.length === 1)
  expect(rig.troubles[0]?.why).toBe(
    `not connected, port ${webhook.port} on 127.0.0.1 cannot be used. Stop the program that uses the port, or change webhook.port in gate.yaml. Then start hookgate again.`,
  )
  await server.waitFor(() => clock.isWaiting(minuteMs))
  expect(server.webhook()).toBeUndefined()
  other.close()
  await once(other, 'close')
  clock.advance(minuteMs)
  server.say('hello')
  await waitForTexts('hello')
  await server.waitFor(() => rig.troubles.length === 2)
})

test('an address that Telegram does not take is told with what it says of it', async () => {
  server.fail('setWebhook', 1, {
    error: 400,
    description: 'Bad Request: bad webhook: Failed to resolve host: Name or service not known',
  })
  await rig.channel.start()
  await server.waitFor(() => rig.troubles.length === 1)
  expect(rig.troubles[0]?.why).toBe(
    `not connected, the webhook address ${url} is refused (Bad Request: bad webhook: Failed to resolve host: Name or service not known). Correct webhook.url in gate.yaml and start hookgate again.`,
  )
  await server.waitFor(() => clock.isWaiting(minuteMs))
  clock.advance(minuteMs)
  await server.waitFor(() => rig.troubles.length === 2)
})

test('an outage of Telegram is waited for as in polling, and messages come in meanwhile', async () => {
  await connected()
  server.fail('getWebhookInfo', 3, { error: 502 })
  clock.advance(minuteMs)
  await server.waitFor(() => clock.isWaiting(1000))
  server.say('hello')
  await waitForTexts('hello')
  for (const ms of [1000, 2000, 4000]) {
    await server.waitFor(() => clock.isWaiting(ms))
    clock.advance(ms)
  }
  await server.waitFor(() => clock.isWaiting(minuteMs))
  expect(rig.troubles).toEqual([])
})
