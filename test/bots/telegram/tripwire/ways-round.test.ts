import type { Context, Transformer } from 'grammy'
import type { Update } from 'grammy/types'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { callSignal } from '../../../../bots/telegram/timers.ts'
import { startBotApi, type BotApi } from '../../../fixtures/bot-api/server.ts'
import { rawCall, token, wire } from '../rig.ts'

let server: BotApi
let tripped: string[]

beforeEach(async () => {
  server = await startBotApi({ token })
  tripped = []
})
afterEach(() => server.stop())

const wired = (canUseWebhookReply = false) => wire(server, (what) => tripped.push(what), canUseWebhookReply)
const update = (): Update => ({ update_id: 1, message: server.say('hello') }) as Update
const refused = { error_code: 403 }

test('an answer inside the webhook’s response is refused and recorded as any other, and only a minted one is given to it', async () => {
  const { bot, tripwire } = wired(true)
  const replies: string[] = []
  const ways: ((context: Context) => Promise<unknown>)[] = [
    (context) => context.reply('smuggled'),
    (context) => context.replyWithPoll('smuggled', [{ text: 'a' }, { text: 'b' }]),
    (context) => context.api.raw.sendMessage({ chat_id: 7, text: 'smuggled' }),
    (context) => context.api.raw.answerCallbackQuery({ callback_query_id: '42', text: 'smuggled' }),
    (context) => context.api.raw.sendMessage(tripwire.mint('sendMessage', { chat_id: 7, text: 'judged' })),
  ]
  let failures = 0
  bot.use(async (context) => {
    for (const way of ways) await way(context).catch(() => failures++)
  })
  await bot.handleUpdate(update(), { send: (body) => void replies.push(body) })
  expect(failures).toBe(4)
  expect(tripped).toEqual(['sendMessage', 'sendPoll', 'sendMessage', 'answerCallbackQuery'])
  expect(replies).toEqual([JSON.stringify({ chat_id: 7, text: 'judged', method: 'sendMessage' })])
  expect(server.calls()).toEqual([])
})

/** What somebody may put between the bot and the tripwire later on. */
const plugins: Readonly<Record<string, Transformer>> = {
  'puts other words into it': (prev, method, payload, signal) =>
    prev(method, { ...payload, text: 'smuggled' } as typeof payload, signal),
  'sends it by another method': (prev, _, payload, signal) =>
    prev('sendMessageDraft' as never, payload, signal) as never,
  'sends one of its own before it': async (prev, method, payload, signal) => {
    const before = await prev('sendMessage' as never, { chat_id: 7, text: 'smuggled' } as never)
    return before.ok ? prev(method, payload, signal) : before
  },
  'sends it to another chat': (prev, method, payload, signal) =>
    prev(method, { ...payload, chat_id: 8 } as typeof payload, signal),
}

test.each(Object.entries(plugins))(
  'a transformer that is installed later and %s is refused and recorded',
  async (_, plugin) => {
    const { bot, tripwire } = wired()
    bot.api.config.use(plugin)
    await expect(
      rawCall(bot.api, 'sendMessage')(tripwire.mint('sendMessage', { chat_id: 7, text: 'judged' })),
    ).rejects.toMatchObject(refused)
    expect(tripped).toHaveLength(1)
    expect(server.calls()).toEqual([])
  },
)

test('a plugin for one context alone stands behind the tripwire too', async () => {
  const { bot } = wired()
  bot.use(async (context) => {
    context.api.config.use((prev, method, payload, signal) => prev(method, payload, signal))
    await context.reply('smuggled').catch(() => undefined)
  })
  await bot.handleUpdate(update())
  expect([tripped, server.calls()]).toEqual([['sendMessage'], []])
})

test('a retry does not pass: what was minted is good for one try, and the door mints the next', async () => {
  const { bot, tripwire } = wired()
  bot.api.config.use(async (prev, method, payload, signal) => {
    const first = await prev(method, payload, signal)
    return first.ok ? first : prev(method, payload, signal)
  })
  server.fail('sendMessage', 1, { error: 429, retryAfterS: 1 })
  const mine = { chat_id: 7, text: 'judged' }
  await expect(bot.api.raw.sendMessage(tripwire.mint('sendMessage', mine))).rejects.toMatchObject(refused)
  expect([tripped, server.calls().length, server.texts()]).toEqual([['sendMessage'], 1, []])
  await bot.api.raw.sendMessage(tripwire.mint('sendMessage', mine))
  expect(server.texts()).toEqual(['judged'])
})

test('a payload that was sent is not sent again, not even while the first is still under way', async () => {
  const { bot, tripwire } = wired()
  const ticket = tripwire.mint('sendMessage', { chat_id: 7, text: 'judged' })
  const both = await Promise.allSettled([bot.api.raw.sendMessage(ticket), bot.api.raw.sendMessage(ticket)])
  expect(both.map(({ status }) => status)).toEqual(['fulfilled', 'rejected'])
  await expect(bot.api.raw.sendMessage(ticket)).rejects.toMatchObject(refused)
  expect([tripped, server.texts()]).toEqual([['sendMessage', 'sendMessage'], ['judged']])
})

test('a timer that fires while an allowed send is under way is refused and recorded', async () => {
  const { bot, tripwire } = wired()
  server.fail('sendMessage', 1, 'hang')
  const life = new AbortController()
  const allowed = bot.api.raw
    .sendMessage(tripwire.mint('sendMessage', { chat_id: 7, text: 'judged' }), callSignal(life.signal))
    .catch(() => undefined)
  await server.waitFor(() => server.calls().length === 1)
  const stray = await new Promise((resolve) => {
    setTimeout(() => void bot.api.sendMessage(7, 'smuggled').then(resolve, resolve), 0)
  })
  expect(stray).toMatchObject(refused)
  expect([tripped, server.calls().length]).toEqual([['sendMessage'], 1])
  life.abort()
  await allowed
})

test('what waits in one queue with an allowed send is refused and recorded, before it and after it', async () => {
  const { bot, tripwire } = wired()
  const queue: (() => void)[] = []
  bot.api.config.use(async (prev, method, payload, signal) => {
    await new Promise<void>((turn) => queue.push(turn))
    return prev(method, payload, signal)
  })
  const sends = ['smuggled', 'judged', 'smuggled'].map((text) => {
    const payload = { chat_id: 7, text }
    return bot.api.raw.sendMessage(text === 'judged' ? tripwire.mint('sendMessage', payload) : payload)
  })
  const settled = Promise.allSettled(sends)
  await server.waitFor(() => queue.length === 3)
  for (const turn of queue) turn()
  expect((await settled).map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'rejected'])
  expect([tripped, server.texts()]).toEqual([['sendMessage', 'sendMessage'], ['judged']])
  expect(server.bodies().join()).not.toContain('smuggled')
})

test('what never leaves does not leave minted either', async () => {
  const { bot, tripwire } = wired()
  for (const method of [
    'forwardMessage',
    'sendGift',
    'setChatTitle',
    'setWebhook',
    'answerCallbackQuery',
    'setMyCommands',
  ]) {
    await expect(
      rawCall(bot.api, method)(tripwire.mint(method, { chat_id: 7, text: 'smuggled' })),
    ).rejects.toMatchObject(refused)
  }
  expect(tripped).toHaveLength(6)
  expect(server.calls()).toEqual([])
})
