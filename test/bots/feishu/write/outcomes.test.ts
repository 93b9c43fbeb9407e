import { expect, test } from 'vitest'
import type { OutgoingMessage } from '../../../../src/core/model/chat/push.ts'
import { channelOf, createRig, quietPorts } from '../rig.ts'

const create = 'POST /open-apis/im/v1/messages'
const token = 'POST /open-apis/auth/v3/tenant_access_token/internal'

test('only what came through the dispatcher leaves, and every other outgoing is recorded', async () => {
  const { server, channel, outgoing, tripped } = await createRig()
  const own: OutgoingMessage = { ...outgoing('smuggled') }
  expect(await channel.deliver(own)).toMatchObject({ kind: 'failed' })
  expect([tripped, server.calls()]).toEqual([['feishu v1.message.create'], []])
})

test('a text goes to its own chat, also to a group', async () => {
  const { server, channel, outgoing } = await createRig()
  server.group('oc_team')
  await channel.deliver(outgoing('to all', { chat_id: 'oc_team' }))
  expect([server.texts('oc_team'), server.texts(server.chatOf())]).toEqual([['to all'], []])
  for (const chat_id of ['', 'a b', '../x', 'x'.repeat(129)])
    expect(await channel.deliver(outgoing('x', { chat_id }))).toMatchObject({
      kind: 'failed',
      why: expect.stringContaining('Expected a Feishu chat id') as string,
    })
  expect(await channel.deliver(outgoing('x'.repeat(4001)))).toMatchObject({ kind: 'failed' })
  expect(server.calls(create)).toHaveLength(1)
})

test.each<[number, object, RegExp]>([
  [230001, { kind: 'failed' }, /^Feishu answered 230001: a planned refusal$/],
  [230002, { kind: 'failed' }, /not in this chat any more/],
  [230006, { kind: 'failed' }, /Add the feature "Bot"/],
  [230013, { kind: 'failed' }, /availability of the app/],
  [230018, { kind: 'failed' }, /Only some people may write/],
  [230022, { kind: 'failed' }, /because of its content/],
  [230028, { kind: 'failed' }, /because of its content/],
  [230025, { kind: 'failed' }, /too long/],
  [230027, { kind: 'failed' }, /lacks a permission/],
  [99991672, { kind: 'failed' }, /lacks a permission/],
  [99991401, { kind: 'failed' }, /list of allowed addresses/],
  [230020, { kind: 'retry', isLimit: true, afterMs: 2000 }, /230020/],
  [99991400, { kind: 'retry', isLimit: true, afterMs: 2000 }, /99991400/],
  [11232, { kind: 'retry', isLimit: true }, /11232/],
  [99991663, { kind: 'retry' }, /99991663/],
  [99991677, { kind: 'retry' }, /99991677/],
  [2200, { kind: 'retry' }, /2200/],
  [230049, { kind: 'retry' }, /230049/],
])('the code %i is the outcome %j', async (code, outcome, why) => {
  const { server, channel, outgoing, logs } = await createRig()
  server.fail(create, 1, { code })
  const delivery = await channel.deliver(outgoing('hello'))
  expect(delivery).toMatchObject({ ...outcome, why: expect.stringMatching(why) as string })
  expect('isLimit' in delivery).toBe('isLimit' in outcome)
  expect(logs()).toContain('feishu send failed')
})

test('a limit waits as long as Feishu says, and so does every status 429', async () => {
  const { server, channel, outgoing } = await createRig()
  server.fail(create, 1, { code: 99991400, headers: { 'x-ogw-ratelimit-reset': '7' } })
  expect(await channel.deliver(outgoing('x'))).toMatchObject({ afterMs: 7000, isLimit: true })
  server.fail(create, 1, { code: 5, status: 429 })
  expect(await channel.deliver(outgoing('x'))).toMatchObject({ afterMs: 2000, isLimit: true })
  server.world.perSecond = 1
  expect((await channel.deliver(outgoing('x'))).kind).toBe('delivered')
  expect(await channel.deliver(outgoing('y', { outgoing_id: 'p2' }))).toMatchObject({
    kind: 'retry',
    isLimit: true,
  })
})

test('a message whose answer was lost comes once, however often it is sent again', async () => {
  const { server, channel, outgoing } = await createRig()
  const one = outgoing('hello')
  for (const fault of ['cut_after', 'cut_after', 'cut', 'garbage'] as const) {
    server.fail(create, 1, fault)
    expect((await channel.deliver(one)).kind).toBe('retry')
  }
  expect((await channel.deliver(one)).kind).toBe('delivered')
  expect(server.texts()).toEqual(['hello'])
  const uuids = server.calls(create).map(({ body }) => body['uuid'])
  expect(new Set(uuids).size).toBe(1)
  expect(String(uuids[0]).length).toBeLessThanOrEqual(50)
  expect((await channel.deliver(outgoing('hello', { outgoing_id: 'p2' }))).kind).toBe('delivered')
  expect(server.texts()).toEqual(['hello', 'hello'])
})

test('after 50 minutes nobody knows whether a lost message arrived, and it is not sent again', async () => {
  const { server } = await createRig()
  let nowMs = 0
  const channel = await channelOf(server, { ...quietPorts, elapsedMs: () => nowMs })
  const outgoing = (await createRig()).outgoing('hello', { chat_id: server.chatOf() })
  server.fail(create, 2, 'cut')
  expect((await channel.deliver(outgoing)).kind).toBe('retry')
  nowMs = 49 * 60_000
  expect((await channel.deliver(outgoing)).kind).toBe('retry')
  nowMs = 50 * 60_000
  expect(await channel.deliver(outgoing)).toMatchObject({ kind: 'unknown' })
  expect([server.calls(create).length, server.texts()]).toEqual([2, []])
})

test('without a platform or a token nothing was sent, and it is tried again', async () => {
  const { server, channel, outgoing } = await createRig()
  for (const fault of ['cut', 'garbage', { code: 99991400 }] as const) {
    server.fail(token, 1, fault)
    expect((await channel.deliver(outgoing('x'))).kind).toBe('retry')
  }
  await server.stop()
  expect(await channel.deliver(outgoing('x'))).toMatchObject({
    kind: 'retry',
    why: expect.stringMatching(/^Feishu cannot be reached \(\w+\)\.$/) as string,
  })
  await server.restart()
  expect((await channel.deliver(outgoing('x'))).kind).toBe('delivered')
})

test('a token that ended is replaced with the next try', async () => {
  const { server, channel, outgoing } = await createRig()
  await channel.deliver(outgoing('one'))
  server.expireTokens()
  const two = outgoing('two', { outgoing_id: 'p2' })
  expect((await channel.deliver(two)).kind).toBe('retry')
  expect((await channel.deliver(two)).kind).toBe('delivered')
  expect(server.texts()).toEqual(['one', 'two'])
})

test('a message that Feishu took without a name for it may have arrived', async () => {
  const { server, channel, outgoing } = await createRig()
  server.fail(create, 1, { code: 0, status: 200 })
  expect(await channel.deliver(outgoing('x'))).toMatchObject({ kind: 'unknown' })
})

test('no log and no reason holds a text of the outgoing, though Feishu quotes it', async () => {
  const { server, channel, outgoing, logs } = await createRig()
  const text = 'the judged words'
  server.fail(create, 1, { code: 230001, msg: `cannot send ${text} by ${server.appSecret}` })
  const delivery = await channel.deliver(outgoing(text))
  expect(`${logs()} ${JSON.stringify(delivery)}`).not.toMatch(/judged words|secret-of-the-fake-app/)
})

test('the limits, the forms and the blocked methods are told as data', async () => {
  const { channel } = await createRig()
  expect(channel.limits).toEqual([
    { of: 'all', sends: 50, withinMs: 1000 },
    { of: 'all', sends: 1000, withinMs: 60_000 },
    { of: 'chat', sends: 5, withinMs: 1000 },
  ])
  expect([channel.name, channel.hasButtons, channel.methods?.().unnamed]).toEqual(['feishu', true, undefined])
  expect(channel.forms).toEqual(['text', 'error', 'edit', 'photo', 'document', 'voice', 'album', 'reaction'])
})
