import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { startBotApi, type BotApi } from '../../../fixtures/bot-api/server.ts'
import { createClock, createRig, token, type Rig } from '../rig.ts'
import { plain } from '../../../../src/core/model/chat/content.ts'

let server: BotApi
let rig: Rig

beforeEach(async () => {
  server = await startBotApi({ token })
  rig = createRig(server.root)
})
afterEach(async () => {
  await rig.channel.stop()
  await server.stop()
})

const deliver = (text: string) => rig.channel.deliver(rig.outgoing(text))

test('a outgoing leaves as one message, byte for byte, without parse_mode and without a preview', async () => {
  const text = '<b>not bold</b> *nor this* https://example.com\n  😀'
  expect(await deliver(text)).toMatchObject({ kind: 'delivered' })
  expect(server.texts(7)).toEqual([text])
  expect(server.calls('sendMessage')[0]?.params).toEqual({
    chat_id: 7,
    text,
    entities: [],
    link_preview_options: { is_disabled: true },
  })
})

test('a code range becomes a code entity in UTF-16 units, so that a command in it cannot be tapped', async () => {
  const text = '😀 send /hooks_on now'
  await rig.channel.deliver(rig.outgoing(text, { code: [{ offset: 8, length: 9 }], chat_id: '-1001' }))
  expect(server.sent(-1001)[0]?.entities).toEqual([{ type: 'code', offset: 8, length: 9 }])
})

test('more code ranges than Telegram keeps make the whole text code', async () => {
  const text = '/a '.repeat(150)
  const code = Array.from({ length: 150 }, (_, index) => ({ offset: index * 3, length: 2 }))
  expect(await rig.channel.deliver(rig.outgoing(text, { code }))).toMatchObject({ kind: 'delivered' })
  expect(server.sent(7)[0]?.entities).toEqual([{ type: 'code', offset: 0, length: text.length }])
})

test('a text of 4096 units is delivered, and one unit more fails without a call', async () => {
  expect(await deliver('x'.repeat(4096))).toMatchObject({ kind: 'delivered' })
  expect(await deliver('x'.repeat(4097))).toMatchObject({
    kind: 'failed',
    why: expect.stringContaining('4096') as string,
  })
  expect(server.calls('sendMessage')).toHaveLength(1)
})

test('a chat id that is not a number fails without a call', async () => {
  expect(await rig.channel.deliver(rig.outgoing('hello', { chat_id: '@somewhere' }))).toMatchObject({
    kind: 'failed',
  })
  expect(server.calls()).toEqual([])
})

test('a outgoing that did not come through the door is refused, told, and never sent', async () => {
  const stranger = {
    channel: 'telegram',
    chat_id: '7',
    outgoing_id: 'x',
    kind: 'push',
    ...plain('text', 'hello'),
    code: [],
  } as const
  expect(await rig.channel.deliver(stranger)).toMatchObject({ kind: 'failed' })
  const copy = { ...rig.outgoing('hello') }
  expect(await rig.channel.deliver(copy)).toMatchObject({ kind: 'failed' })
  expect(rig.tripped).toEqual(['telegram sendMessage', 'telegram sendMessage'])
  expect(server.calls()).toEqual([])
})

test('an admitted outgoing can be sent again when the dispatcher retries it', async () => {
  server.fail('sendMessage', 1, { error: 429, retryAfterS: 3 })
  const outgoing = rig.outgoing('hello')
  expect(await rig.channel.deliver(outgoing)).toMatchObject({ kind: 'retry', afterMs: 3000, isLimit: true })
  expect(await rig.channel.deliver(outgoing)).toMatchObject({ kind: 'delivered' })
  expect(rig.tripped).toEqual([])
})

test.each([
  [{ error: 500 }, { kind: 'retry', afterMs: 2000 }],
  [{ error: 502 }, { kind: 'retry', afterMs: 2000 }],
  [
    { error: 400, description: 'Bad Request: chat not found' },
    { kind: 'failed', why: 'Telegram answered 400: Bad Request: chat not found' },
  ],
  [{ error: 403, description: 'Forbidden: bot was blocked by the user' }, { kind: 'failed' }],
  [{ error: 401, description: 'Unauthorized' }, { kind: 'failed' }],
])('%j becomes %j, after one call', async (fault, delivery) => {
  server.fail('sendMessage', 1, fault)
  expect(await deliver('hello')).toMatchObject(delivery)
  expect(server.calls('sendMessage')).toHaveLength(1)
})

test('when nobody listens the outgoing surely did not leave, so it may be tried again', async () => {
  await server.stop()
  expect(await deliver('hello')).toMatchObject({
    kind: 'retry',
    afterMs: 2000,
    why: expect.stringContaining('ECONNREFUSED') as string,
  })
})

test.each(['drop_before', 'drop_after', 'html'] as const)(
  'a connection that breaks (%s) leaves the outcome unknown, and nothing is repeated',
  async (fault) => {
    server.fail('sendMessage', 1, fault)
    expect(await deliver('hello')).toMatchObject({ kind: 'unknown' })
    expect(server.calls('sendMessage')).toHaveLength(1)
    expect(server.texts()).toEqual(fault === 'drop_after' ? ['hello'] : [])
  },
)

test('a redirect is not followed: the text goes to the Bot API or nowhere', async () => {
  const elsewhere = await startBotApi({ token })
  const redirecting = createServer((_request, response) => {
    response.writeHead(307, { location: `${elsewhere.root}/bot${token}/sendMessage` }).end()
  }).listen(0, '127.0.0.1')
  await once(redirecting, 'listening')
  rig = createRig(`http://127.0.0.1:${(redirecting.address() as AddressInfo).port}/`)
  expect(await deliver('hello')).toMatchObject({ kind: 'unknown' })
  expect(elsewhere.calls()).toEqual([])
  redirecting.close()
  redirecting.closeAllConnections()
  await elsewhere.stop()
})

test('an absurd flood wait is cut to a day', async () => {
  server.fail('sendMessage', 1, { error: 429, retryAfterS: 1e9 })
  expect(await deliver('hello')).toMatchObject({ kind: 'retry', afterMs: 86_400_000 })
})

test('a server that never answers is given up after 30 seconds, with an unknown outcome', async () => {
  const clock = createClock()
  rig = createRig(server.root, { clock })
  server.fail('sendMessage', 1, 'hang')
  const delivery = deliver('hello')
  await server.waitFor(() => server.calls('sendMessage').length === 1)
  clock.advance(30_000)
  expect(await delivery).toMatchObject({ kind: 'unknown' })
  expect(clock.count()).toBe(0)
})

test('neither the token nor the text is in an outcome or a log, even when the server repeats them', async () => {
  const text = 'the launch code is 0000'
  server.fail('sendMessage', 1, { error: 400, description: `Bad Request: cannot send ${text} with ${token}` })
  const outcomes = [await deliver(text)]
  server.fail('sendMessage', 1, 'drop_after')
  outcomes.push(await deliver(text))
  await server.stop()
  outcomes.push(await deliver(text))
  const told = JSON.stringify(outcomes) + rig.logs()
  expect(outcomes.map(({ kind }) => kind)).toEqual(['failed', 'unknown', 'retry'])
  for (const secret of [token, 'rig-secret', 'launch', '0000', server.root])
    expect(told).not.toContain(secret)
})

test('a notice that is a file leaves as a document with its caption', async () => {
  const files = [new File(['#!/bin/sh'], 'guard.sh.txt')]
  const outgoing = rig.outgoing('🛡 k7f2q', { kind: 'notice', type: 'document', files })
  expect(await rig.channel.deliver(outgoing)).toMatchObject({ kind: 'delivered' })
  expect(server.calls('sendDocument')[0]?.params).toMatchObject({ chat_id: '7', caption: '🛡 k7f2q' })
  expect(server.calls('sendMessage')).toEqual([])
})
