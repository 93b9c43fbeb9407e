import type { Context } from 'grammy'
import type { Update } from 'grammy/types'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { apiMethods } from '../../../../bots/telegram/tripwire/library.ts'
import { startBotApi, type BotApi } from '../../../fixtures/bot-api/server.ts'
import { rawCall, token, menu, wire } from '../rig.ts'

let server: BotApi
let tripped: string[]

beforeEach(async () => {
  server = await startBotApi({ token })
  tripped = []
})
afterEach(() => server.stop())

const wired = () => wire(server, (what) => tripped.push(what))

test('every method of the Bot API is refused with a text that nobody judged, and never reaches the network', async () => {
  const { bot } = wired()
  // grammY sends these without a payload, whatever it is given.
  const names = [...apiMethods()].filter((name) => name !== 'getMe' && name !== 'getWebhookInfo')
  expect(names.length).toBeGreaterThan(180)
  for (const name of names) {
    await expect(rawCall(bot.api, name)({ chat_id: 7, text: 'x', caption: 'x' }), name).rejects.toMatchObject(
      { error_code: 403 },
    )
  }
  expect(tripped).toEqual(names)
  expect(server.calls()).toEqual([])
})

test('no way of grammY leads around it', async () => {
  const { bot } = wired()
  const ways: ((context: Context) => Promise<unknown>)[] = [
    (context) => context.reply('x'),
    (context) => context.api.sendMessage(7, 'x'),
    (context) => context.api.raw.sendMessage({ chat_id: 7, text: 'x' }),
    (context) => context.editMessageText('x'),
    () => bot.api.sendMessage(7, 'x'),
    () => bot.api.raw.sendMessage({ chat_id: 7, text: 'x' }),
  ]
  let refused = 0
  bot.use(async (context) => {
    for (const way of ways) await way(context).catch(() => refused++)
  })
  await bot.handleUpdate({ update_id: 1, message: server.say('hello') } as Update)
  expect(refused).toBe(ways.length)
  expect(server.calls()).toEqual([])
})

test('a method that only looks free is refused when it carries more than its one form', async () => {
  const { bot } = wired()
  const calls: [string, unknown][] = [
    ['getUpdates', { allowed_updates: ['secret'] }],
    ['getUpdates', { offset: 'secret' }],
    ['getUpdates', { timeout: 0, secret: 1 }],
    ['setMyCommands', { commands: [{ command: 'hooks', description: 'secret' }] }],
    ['setMyCommands', { commands: menu, scope: { type: 'all_private_chats' } }],
    ['setMyCommands', { commands: menu, scope: { type: 'chat', chat_id: '@secret' } }],
    ['setMyCommands', { commands: menu, scope: { type: 'chat', chat_id: 7, secret: 1 } }],
    [
      'setMyCommands',
      { commands: [{ command: 'hooks', description: 'secret' }], scope: { type: 'chat', chat_id: 7 } },
    ],
    ['sendChatAction', { chat_id: '@secret', action: 'typing' }],
    ['sendChatAction', { chat_id: 7, action: 'secret' }],
    ['getChat', { chat_id: '@secret' }],
    ['getChat', { chat_id: 7, text: 'secret' }],
    ['answerCallbackQuery', { callback_query_id: '42', text: 'secret' }],
    ['answerCallbackQuery', { callback_query_id: '42', url: 'https://secret' }],
    ['answerCallbackQuery', { callback_query_id: 'secret' }],
    ['answerCallbackQuery', { callback_query_id: '4'.repeat(21) }],
    ['answerCallbackQuery', { callback_query_id: { secret: 1 } }],
    ['answerCallbackQuery', {}],
    ['sendChatAction', { chat_id: 7, message_thread_id: 'secret', action: 'typing' }],
    ['setWebhook', { url: 'https://secret' }],
    ['setWebhook', {}],
    ['getFile', { file_id: 'secret' }],
    ['unpinChatMessage', {}],
    ['unpinChatMessage', { chat_id: 7 }],
    ['unpinChatMessage', { chat_id: '@secret', message_id: 1 }],
    ['unpinChatMessage', { chat_id: 7, message_id: 'secret' }],
    ['unpinChatMessage', { chat_id: 7, message_id: 1, business_connection_id: 'secret' }],
    ['unpinAllChatMessages', { chat_id: 7 }],
    ['deleteWebhook', { drop_pending_updates: true }],
    ['deleteWebhook', { drop_pending_updates: 'secret' }],
  ]
  for (const [method, payload] of calls) {
    await expect(rawCall(bot.api, method)(payload)).rejects.toMatchObject({ error_code: 403 })
  }
  expect(server.calls()).toEqual([])
  await bot.api.getMe()
  await bot.api.setMyCommands(menu)
  await bot.api.setMyCommands(menu, { scope: { type: 'chat', chat_id: 7 } })
  await bot.api.sendChatAction(7, 'typing')
  await bot.api.getUpdates({ timeout: 0 })
  await bot.api.getChat(7)
  await bot.api.answerCallbackQuery(server.press('a1', server.say('hello')))
  expect(server.calls()).toHaveLength(7)
})

test('a minted payload passes once, with its own method, and only the very object', async () => {
  const { bot, tripwire } = wired()
  const payload = tripwire.mint('sendMessage', { chat_id: 7, text: 'judged' })
  expect(Object.isFrozen(payload)).toBe(true)
  await expect(bot.api.raw.sendMessage({ ...payload })).rejects.toMatchObject({ error_code: 403 })
  await expect(rawCall(bot.api, 'sendMessageDraft')(payload)).rejects.toMatchObject({ error_code: 403 })
  await bot.api.raw.sendMessage(payload)
  await expect(bot.api.raw.sendMessage(payload)).rejects.toMatchObject({ error_code: 403 })
  expect(server.texts()).toEqual(['judged'])
})

test('an edit, a pin and a keyboard pass only minted, each as what it was minted for', async () => {
  const { bot, tripwire } = wired()
  const sent = await bot.api.raw.sendMessage(tripwire.mint('sendMessage', { chat_id: 7, text: 'judged' }))
  const edit = { chat_id: 7, message_id: sent.message_id, text: 'other words' }
  const pin = { chat_id: 7, message_id: sent.message_id, disable_notification: true }
  const keyboard = { inline_keyboard: [[{ text: 'x', callback_data: 'y' }]] }
  for (const [method, payload] of [
    ['editMessageText', edit],
    ['pinChatMessage', pin],
    ['unpinChatMessage', pin],
    ['editMessageReplyMarkup', { ...edit, reply_markup: keyboard }],
    ['editMessageText', tripwire.mint('pinChatMessage', { ...edit })],
    ['pinChatMessage', tripwire.mint('editMessageText', { ...pin })],
    ['sendMessage', tripwire.mint('editMessageText', { ...edit })],
  ] as const) {
    await expect(rawCall(bot.api, method)(payload)).rejects.toMatchObject({ error_code: 403 })
  }
  expect(tripped).toHaveLength(7)
  expect(() =>
    Object.assign(
      tripwire.mint('editMessageText', { ...edit, reply_markup: keyboard }).reply_markup.inline_keyboard[0] ??
        {},
      { 0: 'z' },
    ),
  ).toThrow(TypeError)
  await rawCall(bot.api, 'editMessageText')(tripwire.mint('editMessageText', edit))
  await rawCall(bot.api, 'pinChatMessage')(tripwire.mint('pinChatMessage', pin))
  expect([server.texts(), server.pinned()?.text]).toEqual([['other words'], 'other words'])
})

test('a transformer installed later cannot put other words into a minted payload', async () => {
  const { bot, tripwire } = wired()
  bot.api.config.use((prev, method, payload, signal) =>
    prev(method, { ...payload, text: 'other words' } as typeof payload, signal),
  )
  await expect(
    bot.api.raw.sendMessage(tripwire.mint('sendMessage', { chat_id: 7, text: 'judged' })),
  ).rejects.toMatchObject({ error_code: 403 })
  expect(server.calls()).toEqual([])
})

test('what is told about a refused call never holds a text, not even as a method name', async () => {
  const { bot } = wired()
  await expect(rawCall(bot.api, 'send the secret 42')({})).rejects.toMatchObject({ error_code: 403 })
  for (const method of ['aMethodOfTheFuture', 'SENDMESSAGE', 'getMe?text=secret', 'toString', '__proto__']) {
    await expect(rawCall(bot.api, method)({})).rejects.toMatchObject({ error_code: 403 })
  }
  expect(tripped).toEqual(Array.from({ length: 6 }, () => 'an unknown method'))
  expect(server.calls()).toEqual([])
})
