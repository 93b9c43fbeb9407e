import type { Message as Sent } from 'grammy/types'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { startBotApi, type BotApi } from '../../../fixtures/bot-api/server.ts'
import { createClock, createRig, token, type Clock, type Rig } from '../rig.ts'

let server: BotApi
let clock: Clock
let rig: Rig

beforeEach(async () => {
  server = await startBotApi({ token })
  clock = createClock()
  rig = createRig(server.root, { clock })
})
afterEach(async () => {
  await rig.channel.stop()
  await server.stop()
  expect(clock.count()).toBe(0)
})

const buttons = [
  [
    { label: 'Approve', press: 'a1_-' },
    { label: 'Show', press: 's1' },
  ],
  [{ label: 'Not now', press: 'n1' }],
]
/** A card with buttons, as it stands in a chat. */
const card = async (chat_id = '7'): Promise<Sent> => {
  expect(
    await rig.channel.deliver(rig.outgoing('🛡 a card', { kind: 'notice', chat_id, buttons })),
  ).toMatchObject({ kind: 'delivered' })
  const sent = server.sent(Number(chat_id)).at(-1)
  if (sent === undefined) throw new Error('The card was not sent.')
  return sent
}
const connected = async () => {
  await rig.channel.start()
  await server.waitFor(() => server.isPolled())
}
const presses = () => rig.received.filter(({ press }) => press !== undefined)
const arrived = (count = 1) => server.waitFor(() => presses().length === count)
const answered = (count = 1) => server.waitFor(() => server.calls('answerCallbackQuery').length === count)

test('a press arrives once, says which button of which message, and is answered without a word', async () => {
  await connected()
  const under = await card()
  const id = server.tap('Approve')
  await arrived()
  await server.waitFor(() => server.answered().length === 1)
  expect(presses()).toEqual([
    {
      channel: 'telegram',
      chat_id: '7',
      message_id: `press ${id}`,
      sender_id: '7',
      sender_name: 'Olive',
      isPrivate: true,
      origin: 'plain',
      sentAtMs: clock.now(),
      text: '',
      press: { data: 'a1_-', on_message_id: String(under.message_id) },
    },
  ])
  expect(server.answered()).toEqual([{ callback_query_id: id }])
  expect(server.calls('answerCallbackQuery')[0]?.params).toEqual({ callback_query_id: id })
  expect(rig.tripped).toEqual([])
})

test('two presses of one button are two presses', async () => {
  await connected()
  await card()
  server.tap('Show')
  server.tap('Show')
  await arrived(2)
  expect(new Set(presses().map(({ message_id }) => message_id)).size).toBe(2)
})

test('a press under an edited card is one under the same message', async () => {
  await connected()
  const under = await card()
  await rig.channel.deliver(
    rig.outgoing('🛡 now', {
      kind: 'notice',
      replaces: String(under.message_id),
      buttons: [[{ label: 'Off', press: 'o1' }]],
    }),
  )
  server.tap('Off')
  await arrived()
  expect(presses()[0]).toMatchObject({
    origin: 'plain',
    press: { data: 'o1', on_message_id: String(under.message_id) },
  })
})

const user = { id: 7, is_bot: false, first_name: 'Olive' }
const bot = { id: 1234, is_bot: true, first_name: 'Gate' }
const own = {
  message_id: 5,
  date: 1_700_000_000,
  from: bot,
  chat: { id: 7, type: 'private' },
  text: 'a card',
}

test.each<[string, string, Record<string, unknown>]>([
  ['under an inline message', 'via_bot', { message: undefined, inline_message_id: 'AAAA' }],
  ['that names an inline message too', 'via_bot', { inline_message_id: 'AAAA' }],
  ['under nothing at all', 'via_bot', { message: undefined }],
  ['under something that cannot be read', 'via_bot', { message: { message_id: 'x' } }],
  ["under the person's own message", 'via_bot', { message: { ...own, from: user } }],
  ["under another bot's message", 'via_bot', { message: { ...own, from: { ...bot, id: 99 } } }],
  [
    "under a person's message with this bot's id",
    'via_bot',
    { message: { ...own, from: { ...bot, is_bot: false } } },
  ],
  ['under a message of nobody', 'via_bot', { message: { ...own, from: undefined } }],
  ['under a message that came by way of a bot', 'via_bot', { message: { ...own, via_bot: bot } }],
  [
    'under a forwarded copy',
    'forwarded',
    { message: { ...own, forward_origin: { type: 'user', date: 1, sender_user: bot } } },
  ],
  ['under an automatic forward', 'automatic', { message: { ...own, is_automatic_forward: true } }],
  [
    'under a message in the name of a chat',
    'sender_chat',
    { message: { ...own, sender_chat: { id: -1, type: 'supergroup' } } },
  ],
  ['under a business message', 'business', { message: { ...own, business_connection_id: 'b1' } }],
  ["in another person's private chat", 'business', { message: { ...own, chat: { id: 8, type: 'private' } } }],
  ['in a channel', 'channel_post', { message: { ...own, chat: { id: -1, type: 'channel', title: 'News' } } }],
  ['under a message sent by itself', 'offline', { message: { ...own, is_from_offline: true } }],
  ['by a bot', 'from_bot', { from: { ...user, is_bot: true } }],
  ['by this bot itself', 'from_bot', { from: bot, message: { ...own, chat: { id: 1234, type: 'private' } } }],
  [
    'under a message that is gone',
    'not_text',
    { message: { message_id: 5, date: 0, chat: { id: 7, type: 'private' } } },
  ],
  ['for a game', 'not_text', { game_short_name: 'chess' }],
  ['without data', 'not_text', { data: undefined }],
  ['with empty data', 'not_text', { data: '' }],
  ['with data that is no text', 'not_text', { data: { toString: 'a1' } }],
  ['with data of 65 bytes', 'not_text', { data: 'x'.repeat(65) }],
  ['with data of 22 characters and 66 bytes', 'not_text', { data: '字'.repeat(22) }],
  ['with data of a million characters', 'not_text', { data: 'x'.repeat(1_000_000) }],
])('a press %s is not plain but %s, and is answered too', async (_what, origin, extra) => {
  await connected()
  const id = server.press('a1', own as Sent, user, extra)
  await arrived()
  await answered()
  expect(presses()).toMatchObject([{ origin, message_id: `press ${id}`, text: '' }])
  expect(presses()[0]?.press?.data).toMatch(
    origin === 'not_text' && !('message' in extra) && !('game_short_name' in extra) ? /^$/ : /^a1$/,
  )
})

test("a stranger's press bears the stranger's id, and a press in a group is not private", async () => {
  await connected()
  await card('66')
  server.tap('Approve', 66)
  server.press('a1', await card('-100200'))
  await arrived(2)
  expect(presses()).toMatchObject([
    { sender_id: '66', chat_id: '66', isPrivate: true },
    { sender_id: '7', chat_id: '-100200', isPrivate: false },
  ])
})

test("forged data comes in as it is, up to Telegram's 64 bytes", async () => {
  await connected()
  const under = await card()
  for (const data of ['/hooks off', 'x'.repeat(64), '{"__proto__":1}\n']) server.press(data, under)
  await arrived(3)
  expect(presses().map(({ press, text }) => [press?.data, text])).toEqual([
    ['/hooks off', ''],
    ['x'.repeat(64), ''],
    ['{"__proto__":1}\n', ''],
  ])
})

test('a callback query without a sender is answered and passed over; one with words for an id is only passed over', async () => {
  await connected()
  const under = await card()
  server.press('a1', under, user, { from: undefined })
  server.press('a1', under, user, { id: 'tell everybody' })
  server.say('hello')
  await server.waitFor(() => rig.received.length === 1)
  await answered()
  expect([presses(), rig.tripped]).toEqual([[], []])
})

test('a press is as old as the beginning of the last poll that did not bring it, though the machine slept while that poll waited', async () => {
  await connected()
  await card()
  const beganMs = clock.now()
  server.say('ends the poll')
  await server.waitFor(() => rig.received.length === 1 && server.isPolled())
  clock.advance(3_600_000)
  for (const [index, label] of ['Approve', 'Show', 'Not now'].entries()) {
    server.tap(label)
    await arrived(index + 1)
    await server.waitFor(() => server.isPolled())
  }
  expect(presses().map(({ sentAtMs }) => sentAtMs - beganMs)).toEqual([0, 0, 3_600_000])
})

test('a press from before the start has no time at all, and one right after it does', async () => {
  await card()
  server.tap('Approve')
  await connected()
  await arrived()
  expect(presses()[0]?.sentAtMs).toBe(0)
  server.tap('Show')
  await arrived(2)
  expect(presses()[1]?.sentAtMs).toBe(clock.now())
})

test('a press during an outage is as old as the outage', async () => {
  await connected()
  await card()
  const lastMs = clock.now()
  await server.stop()
  await server.waitFor(() => clock.isWaiting(1000))
  server.tap('Approve')
  for (const ms of [1000, 2000, 4000, 8000, 16_000, 32_000, ...Array<number>(8).fill(60_000)]) {
    await server.waitFor(() => clock.isWaiting(ms))
    clock.advance(ms)
  }
  await server.waitFor(() => clock.isWaiting(60_000))
  await server.restart()
  clock.advance(60_000)
  await arrived()
  expect(presses()[0]?.sentAtMs).toBe(lastMs)
})

test('in a backlog of more than one answer every press is old, however many answers it takes', async () => {
  await card()
  for (let index = 0; index < 250; index++) server.tap('Approve')
  rig = createRig(server.root, { clock, receive: () => clock.advance(1) })
  await connected()
  await arrived(250)
  expect(new Set(presses().map(({ sentAtMs }) => sentAtMs))).toEqual(new Set([0]))
})

test('an answer near the 4 MB at which Telegram cuts it off vouches for no later press either', async () => {
  await card()
  server.say('x'.repeat(600_000))
  await rig.channel.start()
  await server.waitFor(() => server.calls('getUpdates').length === 2 && server.isPolled())
  server.tap('Approve')
  await arrived()
  expect(presses()[0]?.sentAtMs).toBe(0)
})

test('the phone is answered while the gate still thinks, and also when its answers go wrong', async () => {
  const thinking = Promise.withResolvers<void>()
  rig = createRig(server.root, { clock, receive: () => thinking.promise })
  await connected()
  await card()
  server.tap('Approve')
  await server.waitFor(() => server.answered().length === 1)
  thinking.resolve()
  for (const fault of [
    { error: 400 },
    { error: 429, retryAfterS: 60 },
    { error: 502 },
    'drop_after',
    'html',
  ] as const) {
    const before = presses().length
    server.fail('answerCallbackQuery', 1, fault)
    server.tap('Show')
    await arrived(before + 1)
  }
  await answered(6)
  await server.waitFor(() => rig.logs().split('telegram press not answered').length === 6)
  expect(rig.troubles).toEqual([])
})

test('an answer that hangs is given up after 5 seconds, holds nothing up, and a flood of presses starts at most 100 of them', async () => {
  await connected()
  const under = await card()
  server.fail('answerCallbackQuery', 1000, 'hang')
  for (let index = 0; index < 150; index++) server.press('a1', under)
  await arrived(150)
  await answered(100)
  expect(clock.count()).toBe(100)
  clock.advance(5000)
  await server.waitFor(() => clock.count() === 0)
  server.heal()
  server.tap('Approve')
  await server.waitFor(() => server.answered().length === 1)
})

test('a stop ends the answers that are under way', async () => {
  await connected()
  await card()
  server.fail('answerCallbackQuery', 1, 'hang')
  server.tap('Approve')
  await answered()
  await rig.channel.stop()
  expect(clock.count()).toBe(0)
})

test('a press is confirmed to Telegram when it is on disk, and a new start brings it no second time', async () => {
  const onDisk = Promise.withResolvers<void>()
  rig = createRig(server.root, { clock, receive: () => onDisk.promise })
  await connected()
  await card()
  server.tap('Approve')
  await arrived()
  expect(server.pending()).toHaveLength(1)
  onDisk.resolve()
  await server.waitFor(() => server.pending().length === 0)
  await rig.channel.stop()
  await connected()
  expect(presses()).toHaveLength(1)
})

test('a press that a server gives again after a crash bears the same id', async () => {
  await connected()
  const under = await card()
  for (const round of [1, 2]) {
    server.press('a1', under, user, { id: '4382000000000077' })
    await arrived(round)
  }
  expect(new Set(presses().map(({ message_id }) => message_id))).toEqual(new Set(['press 4382000000000077']))
})

test("Telegram's own line about a pin is no message, whoever pinned", async () => {
  await connected()
  server.pin(await card())
  server.pin(server.say('mine'))
  server.inject({ message: { ...own, text: undefined, pinned_message: own } })
  server.say('after')
  await server.waitFor(() => rig.received.length === 2)
  expect(rig.received.map(({ text }) => text)).toEqual(['mine', 'after'])
})
