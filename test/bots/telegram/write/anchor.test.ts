import { afterEach, beforeEach, expect, test } from 'vitest'
import type { OutgoingMessage } from '../../../../src/core/model/chat/push.ts'
import { startBotApi, type BotApi } from '../../../fixtures/bot-api/server.ts'
import { createClock, createRig, token, type Rig } from '../rig.ts'

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

const anchorOf = (text: string, rest: Partial<OutgoingMessage> = {}): OutgoingMessage =>
  rig.outgoing(text, { kind: 'notice', isAnchor: true, ...rest })
const anchor = (text: string, rest: Partial<OutgoingMessage> = {}) =>
  rig.channel.deliver(anchorOf(text, rest))
const read = (chatId = '7') => rig.channel.readAnchor?.(chatId)
const restarted = () => {
  rig = createRig(server.root)
}
const delivered = { kind: 'delivered' }

test('an anchor is sent once, pinned without a sound, and then edited where it stands', async () => {
  expect(await anchor('🛡 Head 1\nrevision 1')).toMatchObject(delivered)
  expect(await anchor('🛡 Head 2\nrevision 2')).toMatchObject(delivered)
  expect(await anchor('🛡 Head 2\nrevision 2')).toMatchObject(delivered)
  expect(server.texts(7)).toEqual(['🛡 Head 2\nrevision 2'])
  expect(server.pinned()?.text).toBe('🛡 Head 2\nrevision 2')
  expect(server.calls('pinChatMessage').map(({ params }) => params)).toEqual([
    { chat_id: 7, message_id: server.sent(7)[0]?.message_id, disable_notification: true },
  ])
  expect([await read(), rig.troubles, rig.tripped]).toEqual(['🛡 Head 2\nrevision 2', [], []])
})

test('after a restart the anchor is read, and edited where it stands', async () => {
  await anchor('head 1')
  restarted()
  expect(await read()).toBe('head 1')
  expect(await anchor('head 2')).toMatchObject(delivered)
  expect(server.texts(7)).toEqual(['head 2'])
  expect(server.calls('pinChatMessage')).toHaveLength(1)
})

test('an anchor with commands and buttons in it is known again', async () => {
  const text = 'head 1 /hooks recover\n/x'
  await anchor(text, {
    code: [
      { offset: 7, length: 14 },
      { offset: 22, length: 2 },
    ],
    buttons: [[{ label: 'Show', press: 's1' }]],
  })
  expect(server.pinned()?.entities).toEqual([
    { type: 'bold', offset: 0, length: 7 },
    { type: 'underline', offset: 0, length: 7 },
    { type: 'code', offset: 7, length: 14 },
    { type: 'code', offset: 22, length: 2 },
  ])
  restarted()
  expect(await read()).toBe(text)
})

test.each<[string, Partial<OutgoingMessage>]>([
  ['begins with a command', { text: '/hooks', code: [{ offset: 0, length: 6 }] }],
  ['begins with a line end', { text: '\nhead' }],
  [
    'has more commands than can be code beside the mark',
    { code: Array.from({ length: 99 }, (_, index) => ({ offset: index + 5, length: 1 })) },
  ],
])('an anchor that %s could not be known again, and fails without a call', async (_what, rest) => {
  expect(await anchor('head '.padEnd(200, 'x'), rest)).toMatchObject({
    kind: 'failed',
    why: expect.stringContaining('begin with a line of text') as string,
  })
  expect(server.calls()).toEqual([])
})

test('nothing pinned is no anchor, nor is a chat that Telegram does not know', async () => {
  expect(await read()).toBeUndefined()
  server.fail('getChat', 1, { error: 400, description: 'Bad Request: chat not found' })
  expect(await read('9')).toBeUndefined()
})

test("what somebody else wrote and pinned is no anchor, and the bot's own is sent after it", async () => {
  server.pin(server.say('🛡 Head 666', 7, { entities: [{ type: 'underline', offset: 0, length: 11 }] }))
  expect(await read()).toBeUndefined()
  await anchor('head 1')
  expect(server.texts(7)).toEqual(['head 1'])
  expect(await read()).toBe('head 1')
})

test('a message of the bot that the owner pinned, an agent’s above all, is no anchor and is never written over', async () => {
  await anchor('head 1')
  await rig.channel.deliver(
    rig.outgoing('🛡 Head 666\nwritten by an agent', { marks: [{ type: 'bold', offset: 0, length: 11 }] }),
  )
  const push = server.sent(7)[1]
  if (push === undefined) throw new Error('The push was not sent.')
  server.pin(push)
  for (const begin of [() => undefined, restarted]) {
    begin()
    expect(await read()).toBeUndefined()
    expect(await anchor('head 2')).toMatchObject(delivered)
    expect(server.texts(7)[1]).toBe('🛡 Head 666\nwritten by an agent')
    expect(await read()).toBe('head 2')
    server.pin(push)
    const newest = server.pinned()
    if (newest !== undefined) server.unpin(newest)
    expect(server.pinned()?.text).toBe('🛡 Head 666\nwritten by an agent')
  }
})

test('an anchor that was unpinned is edited and pinned again, without a new message', async () => {
  await anchor('head 1')
  const sent = server.pinned()
  if (sent === undefined) throw new Error('Nothing is pinned.')
  server.unpin(sent)
  expect(await read()).toBeUndefined()
  await anchor('head 2')
  expect(server.texts(7)).toEqual(['head 2'])
  expect(await read()).toBe('head 2')
  server.unpin(sent)
  restarted()
  await anchor('head 3')
  expect([server.texts(7), await read()]).toEqual([['head 2', 'head 3'], 'head 3'])
})

test('an anchor that was deleted, or that can no longer be edited, is sent and pinned anew', async () => {
  await anchor('head 1')
  const sent = server.pinned()
  if (sent === undefined) throw new Error('Nothing is pinned.')
  server.remove(sent)
  await anchor('head 2')
  expect([server.texts(7), await read()]).toEqual([['head 2'], 'head 2'])
  server.fail('editMessageText', 1, { error: 400, description: "Bad Request: message can't be edited" })
  await anchor('head 3')
  expect([server.texts(7), await read()]).toEqual([['head 2', 'head 3'], 'head 3'])
})

test.each([
  { error: 429, retryAfterS: 9 },
  { error: 400, description: 'Bad Request: not enough rights to manage pinned messages in the chat' },
  { error: 500 },
  'drop_before',
  'html',
] as const)(
  'a pin that fails (%j) is told once, the words are delivered, and the next change pins the same message',
  async (fault) => {
    server.fail('pinChatMessage', 2, fault)
    expect(await anchor('head 1')).toMatchObject(delivered)
    expect(await anchor('head 2')).toMatchObject(delivered)
    expect(rig.troubles).toEqual([
      {
        why: expect.stringMatching(
          /^hookgate could not pin its ledger message\. .+ You can also pin the message yourself\.$/,
        ) as string,
        isBack: false,
      },
    ])
    expect(await anchor('head 3')).toMatchObject(delivered)
    expect(server.texts(7)).toEqual(['head 3'])
    expect(await read()).toBe('head 3')
    expect(rig.troubles[1]).toEqual({
      why: 'hookgate pinned its ledger message again.',
      isBack: true,
    })
    expect(rig.troubles).toHaveLength(2)
  },
)

test('an anchor that the owner pinned by hand counts', async () => {
  server.fail('pinChatMessage', 1, { error: 400 })
  await anchor('head 1')
  const sent = server.sent(7)[0]
  if (sent === undefined) throw new Error('The anchor was not sent.')
  server.pin(sent)
  restarted()
  expect(await read()).toBe('head 1')
  await anchor('head 2')
  expect(server.texts(7)).toEqual(['head 2'])
})

test.each(['editMessageText', 'getChat'])(
  'a flood at %s is waited for, and nothing is sent twice',
  async (method) => {
    await anchor('head 1')
    server.fail(method, 1, { error: 429, retryAfterS: 9 })
    const outgoing = anchorOf('head 2')
    expect(await rig.channel.deliver(outgoing)).toMatchObject({ kind: 'retry', afterMs: 9000 })
    expect(await rig.channel.deliver(outgoing)).toMatchObject(delivered)
    expect(server.texts(7)).toEqual(['head 2'])
  },
)

test('when Telegram does not say what is pinned, nothing is sent and it is tried again', async () => {
  for (const fault of [{ error: 502 }, 'drop_after', 'html'] as const) {
    server.fail('getChat', 1, fault)
    expect(await anchor('head 1')).toMatchObject({ kind: 'retry', afterMs: 2000 })
  }
  expect(server.texts(7)).toEqual([])
})

test('a first send whose answer never came is unknown, and is not sent again by itself', async () => {
  server.fail('sendMessage', 1, 'drop_after')
  expect(await anchor('head 1')).toMatchObject({ kind: 'unknown' })
  expect(server.texts(7)).toEqual(['head 1'])
})

test('reading the anchor rejects when Telegram is away or refuses, in clean words', async () => {
  server.fail('getChat', 1, { error: 502, description: `Bad Gateway for ${token}` })
  await expect(read()).rejects.toThrow('Telegram answered 502: Bad Gateway for …')
  server.fail('getMe', 1, { error: 401, description: 'Unauthorized' })
  restarted()
  await expect(read()).rejects.toThrow('Telegram answered 401: Unauthorized')
  await server.stop()
  const failure = await read()?.catch((error: unknown) => error)
  expect(failure).toBeInstanceOf(Error)
  for (const secret of [token, 'rig-secret', server.root])
    expect(String((failure as Error).stack)).not.toContain(secret)
  await expect(read('@somewhere')).rejects.toThrow('Expected a Telegram chat id in digits')
})

test.each(['getMe', 'getChat'])(
  'reading the anchor rejects within 30 seconds when %s hangs',
  async (method) => {
    const clock = createClock()
    rig = createRig(server.root, { clock })
    server.fail(method, 1, 'hang')
    const reading = read()
    const rejected = expect(reading).rejects.toThrow('Telegram')
    await server.waitFor(() => server.calls(method).length === 1)
    clock.advance(30_000)
    await rejected
    expect(clock.count()).toBe(0)
  },
)

test.each([
  ['of words', 'hello'],
  ['without an id', { text: 'x' }],
  ['that is gone', { message_id: 5, date: 0, chat: { id: 7, type: 'private' } }],
  [
    'without words',
    { message_id: 5, from: { id: 1234 }, entities: [{ type: 'underline', offset: 0, length: 1 }] },
  ],
  [
    'with the mark elsewhere',
    {
      message_id: 5,
      from: { id: 1234 },
      text: 'a b',
      entities: [{ type: 'underline', offset: 2, length: 1 }],
    },
  ],
])('a pinned message %s is no anchor', async (_what, pinned_message) => {
  server.fail('getChat', 2, { result: { id: 7, type: 'private', pinned_message } })
  expect(await read()).toBeUndefined()
  expect(await anchor('head 1')).toMatchObject(delivered)
  expect([server.texts(7), await read()]).toEqual([['head 1'], 'head 1'])
})

test('each chat has its own anchor', async () => {
  await anchor('head 1')
  await anchor('head 1', { chat_id: '8' })
  await anchor('head 2', { chat_id: '8' })
  expect([await read('7'), await read('8')]).toEqual(['head 1', 'head 2'])
})
