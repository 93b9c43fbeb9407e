import { Readable } from 'node:stream'
import { withUserAccessToken } from '@larksuiteoapi/node-sdk'
import { expect, test } from 'vitest'
import { routeOf, routes, type RouteName } from '../../../../bots/feishu/http/methods.ts'
import { imMethods, refused, wire } from './rig.ts'

const canary = 'cAnary 7f3kQz9w'
const chat = `oc_${'1'.repeat(32)}`
/** A payload that names everything that a method of the SDK could ask for, a text in each. */
const everything = () => ({
  path: Object.fromEntries(
    'message_id chat_id file_key image_key reaction_id thread_id batch_message_id menu_item_id feed_card_id tag_id'
      .split(' ')
      .map((name) => [name, 'om_1']),
  ),
  params: { receive_id_type: 'chat_id', user_id_type: 'open_id', uuid: canary, query: canary },
  data: {
    receive_id: chat,
    msg_type: 'text',
    content: JSON.stringify({ text: canary }),
    text: canary,
    name: canary,
    image: Readable.from([canary]),
    file: Readable.from([canary]),
  },
})

test('every method of the SDK for messages and chats is refused with a text that nobody judged', async () => {
  const { client, tripped, left, server } = await wire()
  const calls = imMethods(client)
  expect(calls.length).toBeGreaterThan(80)
  const silent: string[] = []
  for (const [name, call] of calls) {
    const before = tripped.length
    const made = await call(everything()).catch((error: unknown) => error)
    // The SDK gives a list, which asks when it is read.
    if (made !== null && typeof made === 'object' && Symbol.asyncIterator in made)
      for await (const _ of made as AsyncIterable<unknown>) break
    if (tripped.length === before) silent.push(name)
  }
  expect(left()).toEqual([])
  expect(server.bodies().join()).not.toContain(canary)
  expect(silent).toEqual([])
  expect(tripped.join()).not.toContain(canary)
})

test('other families of the SDK are refused as a whole', async () => {
  const { client, tripped, left } = await wire()
  const calls: readonly (() => Promise<unknown>)[] = [
    () =>
      client.mail.v1.userMailboxMessage.send({ path: { user_mailbox_id: 'me' }, data: { subject: canary } }),
    () => client.docx.v1.document.create({ data: { title: canary } }),
    () => client.calendar.v4.calendar.create({ data: { summary: canary } }),
    () => client.contact.v3.user.list({}),
    () => client.request({ method: 'POST', url: '/open-apis/message/v4/send/', data: { content: canary } }),
    () => client.request({ method: 'GET', url: '/open-apis/authen/v1/user_info' }),
  ]
  for (const call of calls) await expect(call()).rejects.toMatchObject(refused)
  expect(tripped).toEqual(calls.map(() => 'an unknown method'))
  expect(left()).toEqual([])
})

test('the requests of the bot itself pass, in their one form only', async () => {
  const { server, client, tripped, left } = await wire()
  const messageId = server.say('hello')
  const free: readonly (readonly [string, Readonly<Record<string, string>>?])[] = [
    ['/open-apis/bot/v3/info'],
    [`/open-apis/im/v1/messages/${messageId}`],
    ['/open-apis/im/v1/pins', { chat_id: server.chatOf(), page_size: '20' }],
    [`/open-apis/im/v1/chats/${server.chatOf()}`],
    [`/open-apis/im/v1/chats/${server.chatOf()}/members`, { member_id_type: 'open_id' }],
    [`/open-apis/contact/v3/users/${server.owner.open_id}`, { user_id_type: 'open_id' }],
  ]
  for (const [url, params = {}] of free) await client.request({ method: 'GET', url, params })
  expect(left()).toHaveLength(free.length)
  for (const [url] of free) {
    for (const wrong of [
      { params: { text: canary } },
      { params: { chat_id: canary } },
      { params: { chat_id: ['x'] } },
      { params: { page_token: canary } },
      { data: { text: canary } },
      { method: 'POST', data: { text: canary } },
      { method: 'DELETE' },
    ])
      await expect(client.request({ method: 'GET', url, ...wrong })).rejects.toMatchObject(refused)
  }
  expect(tripped).toHaveLength(free.length * 7)
  expect(left()).toHaveLength(free.length)
})

test('the secret leaves with the app’s own id alone, and nothing beside it', async () => {
  const { exit, server, tripped } = await wire()
  const [token, socket] = [routes.token, routes.socket].map((route) => route.replace('POST ', server.root))
  const { appId, appSecret } = server
  for (const [url, data] of [
    [token, { app_id: appId, app_secret: canary }],
    [token, { app_id: canary, app_secret: appSecret }],
    [token, { app_id: appId, app_secret: appSecret, text: canary }],
    [token, { app_id: appId }],
    [token, canary],
    [token, undefined],
    [socket, { AppID: appId, AppSecret: canary }],
    [socket, { AppID: appId, AppSecret: appSecret, ClientAssertion: canary }],
  ] as const)
    await expect(exit.instance.post(url ?? '', data)).rejects.toMatchObject(refused)
  await expect(
    exit.instance.post(token ?? '', { app_id: appId, app_secret: appSecret }, { params: { text: canary } }),
  ).rejects.toMatchObject(refused)
  expect(tripped).toHaveLength(9)
  expect(server.calls()).toEqual([])
  await exit.instance.post(token ?? '', { app_id: appId, app_secret: appSecret })
  await exit.instance.post(socket ?? '', { AppID: appId, AppSecret: appSecret })
  expect(server.calls()).toHaveLength(2)
})

test('a strange address is refused, and what is told about it holds no text of the caller', async () => {
  const { exit, server, tripped } = await wire()
  const info = '/open-apis/bot/v3/info'
  for (const url of [
    `${server.root}/${info}`,
    `${server.root}//evil.example${info}`,
    `${server.root}/open-apis/im/../bot/v3/info`,
    `${server.root}/open-apis/im/v1/messages/..%2f..%2fx`,
    `${server.root}/open-apis/im/v1/messages/${encodeURIComponent(canary)}`,
    `${server.root}/open-apis/im/v1/messages/${'a'.repeat(129)}`,
    `${server.root}${info}#${canary}`,
    `${server.root}${info}/`,
    `${server.root}${info}\n`,
    `${server.root} ${info}`,
    `${server.root}@evil.example${info}`,
    `${server.root}.evil.example${info}`,
    server.root.replace('127.0.0.1', 'localhost') + info,
    server.root.replace('http:', 'https:') + info,
    `http://evil.example${info}`,
    info,
    '',
    canary,
  ])
    await expect(exit.instance.get(url), url).rejects.toMatchObject(refused)
  expect(new Set(tripped)).toEqual(new Set(['an unknown method']))
  expect(server.calls()).toEqual([])
})

test('a query in the address of a free request is left out', async () => {
  const { client, server } = await wire()
  await client.request({ method: 'GET', url: `/open-apis/bot/v3/info?text=${encodeURIComponent(canary)}` })
  expect(server.calls().map(({ query }) => query)).toEqual([{}, {}])
})

test('a text in place of a token, of a header or of the client’s name does not leave', async () => {
  const { client, server } = await wire()
  const url = '/open-apis/bot/v3/info'
  const headers = {
    Authorization: `Bearer ${canary}`,
    'User-Agent': canary,
    'X-Text': canary,
    cookie: canary,
  }
  await client.request({ method: 'GET', url, headers })
  await client.request({ method: 'GET', url }, withUserAccessToken(canary)).catch(() => undefined)
  expect(server.calls().length).toBeGreaterThan(1)
  expect(JSON.stringify(server.calls().map(({ headers }) => headers))).not.toContain('cAnary')
})

/** An object of a caller that answers differently each time. */
const twoFaced = (first: object, later: object): object => {
  let looks = 0
  const face = () => (looks++ < 1 ? first : later)
  return new Proxy(
    {},
    {
      ownKeys: () => Reflect.ownKeys(face()),
      getOwnPropertyDescriptor: (_, key) => ({
        value: Reflect.get(later, key) as unknown,
        enumerable: true,
        configurable: true,
      }),
      get: (_, key) => Reflect.get(looks <= 1 ? first : later, key) as unknown,
    },
  )
}

test('an object that answers differently each time gets nothing out', async () => {
  const { exit, server, tripped } = await wire()
  const url = `${server.root}/open-apis/im/v1/pins`
  const words = { text: canary }
  let asked = 0
  const shapes: readonly object[] = [
    { url, params: twoFaced({ chat_id: 'oc_1' }, words) },
    { url, data: twoFaced({}, words) },
    { url, headers: twoFaced({}, { Authorization: canary }) },
    {
      url,
      get method() {
        return asked++ === 0 ? 'GET' : 'POST'
      },
      get data() {
        return words
      },
    },
    {
      get url() {
        return asked++ % 2 === 0 ? url : `${server.root}/open-apis/im/v1/messages`
      },
    },
    {
      url,
      get params() {
        throw new Error(canary)
      },
    },
    { url, params: { chat_id: { toString: () => 'oc_1', toJSON: () => canary } } },
    { url, headers: { 'x-hookgate-ticket': { toString: () => canary } } },
    { url: { startsWith: () => true, slice: () => url } },
    { url, method: { toUpperCase: () => 'GET' }, data: words },
    { url, method: 5 },
    new Proxy(
      { url },
      { get: (target, key) => (key === 'data' ? words : Reflect.get(target, key)) as unknown },
    ),
  ]
  const failures: unknown[] = []
  for (const shape of shapes)
    await exit.instance.request(shape as never).catch((error: unknown) => failures.push(error))
  // Also an object that throws is refused and recorded as every other one.
  for (const failure of failures) expect(failure).toMatchObject({ failure: expect.anything() as unknown })
  expect(tripped.length).toBeGreaterThanOrEqual(6)
  expect(tripped.join()).not.toContain('cAnary')
  const left = server
    .calls()
    .map(({ method, text, query, headers }) => JSON.stringify([method, text, query, headers]))
  expect(left.filter((one) => one.includes('cAnary'))).toEqual([])
  expect(server.calls().filter(({ method }) => !method.startsWith('GET '))).toEqual([])
})

test('each route is found by its own verb and path, and by no other', () => {
  for (const [name, route] of Object.entries(routes) as [RouteName, string][]) {
    const [verb = '', path = ''] = route.replaceAll(':id', 'om_1').split(' ')
    expect(routeOf(verb, path)).toBe(name)
    for (const wrong of [
      `${path}/`,
      `${path}x/y`,
      `/${path}`,
      path.toUpperCase(),
      `${path}?a=1`,
      `${path}\n`,
    ])
      expect(routeOf(verb, wrong), wrong).not.toBe(name)
  }
})
