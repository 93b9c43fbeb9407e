import { afterEach, beforeEach, expect, test } from 'vitest'
import { startBotApi, type BotApi } from '../../../fixtures/bot-api/server.ts'
import { createClock, createRig, menu, token, type Clock, type Rig } from '../rig.ts'
import { stretched } from '../../../stretched.ts'

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

const use = (options: Omit<NonNullable<Parameters<typeof createRig>[1]>, 'clock'>) => {
  rig = createRig(server.root, { clock, ...options })
}
const connected = async () => {
  await rig.channel.start()
  await server.waitFor(() => server.isPolled())
}
const receivedTexts = () => rig.received.map(({ text }) => text)
const waitForTexts = (...texts: string[]) =>
  server.waitFor(() => JSON.stringify(receivedTexts()) === JSON.stringify(texts))
/** Waits until the polling sleeps for exactly `ms`, and lets that time pass. */
const sleepThrough = async (ms: number) => {
  await server.waitFor(() => clock.isWaiting(ms))
  clock.advance(ms)
}

test('a message comes in while a poll waits', async () => {
  await connected()
  const said = server.say('hello')
  await waitForTexts('hello')
  expect(rig.received[0]).toMatchObject({
    channel: 'telegram',
    chat_id: '7',
    message_id: String(said.message_id),
    sender_id: '7',
    origin: 'plain',
  })
})

test('messages come in the order in which they were written, each once', async () => {
  const texts = Array.from({ length: 150 }, (_, index) => `message ${index}`)
  for (const text of texts) server.say(text)
  await connected()
  expect(receivedTexts()).toEqual(texts)
})

test('Telegram is told to forget a message only when it is on disk', async () => {
  const onDisk = Promise.withResolvers<void>()
  use({ receive: () => onDisk.promise })
  await connected()
  server.say('hello')
  await waitForTexts('hello')
  for (let index = 0; index < 5; index++) await fetch(`${server.root}/bot${token}/getMe`)
  expect([server.pending().length, server.isPolled()]).toEqual([1, false])
  onDisk.resolve()
  await server.waitFor(() => server.pending().length === 0 && server.isPolled())
})

test('a message that is left to another gate is not forgotten by Telegram, also when this one stops', async () => {
  use({ receive: () => Promise.resolve('left') })
  await connected()
  server.say('hello')
  await sleepThrough(500)
  await waitForTexts('hello', 'hello')
  await rig.channel.stop()
  expect(server.pending()).toHaveLength(1)
})

test('what could not be kept comes again after a second, and nothing that was taken beside it', async () => {
  let isAway = true
  use({ receive: ({ text }) => Promise.resolve(isAway && text.startsWith('keep') ? 'unkept' : undefined) })
  await connected()
  for (const text of ['keep this', '/hooks off', 'keep that']) server.say(text)
  await sleepThrough(1000)
  await server.waitFor(() => clock.isWaiting(1000))
  server.say('/hooks')
  isAway = false
  clock.advance(1000)
  await server.waitFor(() => server.pending().length === 0)
  const count = (text: string) => receivedTexts().filter((one) => one === text).length
  expect(['/hooks off', '/hooks'].map(count)).toEqual([1, 1])
  expect(
    receivedTexts()
      .filter((text) => text.startsWith('keep'))
      .slice(-2),
  ).toEqual(['keep this', 'keep that'])
  expect(count('keep this')).toBe(3)
})

test('an edited message and a channel post come in as what they are', async () => {
  await connected()
  server.edit(server.say('/hooks on'), '/hooks off')
  server.post('/hooks off')
  await waitForTexts('/hooks on', '/hooks off', '/hooks off')
  expect(rig.received.map(({ origin }) => origin)).toEqual(['plain', 'edited', 'sender_chat'])
})

test('a text of 200 kB comes in whole', async () => {
  await connected()
  const text = 'long '.repeat(40_000)
  server.say(text)
  await waitForTexts(text)
})

test('a chat whose people chose a language has a menu of its own, with each connection and when they choose', async () => {
  const languages = () => [
    { chat_id: '-100/5', language: 'zh' as const },
    { chat_id: '9', language: 'en' as const },
  ]
  use({ telegram: { languages } })
  server.fail('setMyCommands', 1, { error: 400 })
  await connected()
  expect([server.commands(9), server.commands(-100)]).toEqual([menu, []])
  rig.channel.readsIn?.('7', 'zh')
  await server.waitFor(() => server.commands(7).length > 0)
  expect([server.commands(7), rig.tripped]).toEqual([menu, []])
})

test('the menu is set, and without it everything else works', async () => {
  await connected()
  expect(server.commands()).toEqual(menu)
  await rig.channel.stop()
  server.fail('setMyCommands', 1, { error: 404 })
  await connected()
  server.say('hello')
  await waitForTexts('hello')
  expect(rig.troubles).toEqual([])
})

test('updates that cannot be read are passed over, and what follows comes in', async () => {
  await connected()
  server.inject({ message: { message_id: 1, text: 'without a chat' } })
  server.inject({ message: null })
  server.say('one')
  server.inject({ callback_query: { id: 7 } })
  server.inject({ edited_message: 42 })
  server.say('two')
  await waitForTexts('one', 'two')
})

test('a receiver that throws or rejects ends neither the polling nor the process', async () => {
  const unhandled: unknown[] = []
  const note = (reason: unknown) => unhandled.push(reason)
  process.on('unhandledRejection', note)
  let count = 0
  use({
    receive: () => {
      count++
      if (count === 1) throw new Error('it broke')
      return Promise.reject(new Error('it broke'))
    },
  })
  await connected()
  server.say('one')
  await waitForTexts('one')
  server.say('two')
  await waitForTexts('one', 'two')
  server.say('three')
  await waitForTexts('one', 'two', 'three')
  process.off('unhandledRejection', note)
  expect(unhandled).toEqual([])
})

test('it stops at once in the middle of a poll, confirms what came, and takes nothing twice after a new start', async () => {
  await connected()
  server.say('one')
  await waitForTexts('one')
  const startedMs = performance.now()
  await rig.channel.stop()
  expect(performance.now() - startedMs).toBeLessThan(stretched(8000))
  expect(server.pending()).toEqual([])
  await connected()
  server.say('two')
  await waitForTexts('one', 'two')
})

test('a message that ended the polling is confirmed before the stop is done', async () => {
  let stopped: Promise<void> | undefined
  use({
    receive: () => {
      stopped = rig.channel.stop()
    },
  })
  await connected()
  server.say('the last one')
  await waitForTexts('the last one')
  await stopped
  expect(server.pending()).toEqual([])
})

test('a start during a stop waits for it and then polls', async () => {
  await connected()
  const stopped = rig.channel.stop()
  await rig.channel.start()
  await stopped
  server.say('hello')
  await waitForTexts('hello')
  expect(server.calls('getMe')).toHaveLength(2)
})

test('starting twice is one connection, and stopping twice is no error', async () => {
  await rig.channel.start()
  await connected()
  expect(server.calls('getMe')).toHaveLength(1)
  await rig.channel.stop()
  await rig.channel.stop()
})

test('a server that is away at the start is tried after 1, 2, 4 … 60 seconds, told once after 30, and so is its return', async () => {
  await server.stop()
  await rig.channel.start()
  for (const s of [1, 2, 4, 8]) await sleepThrough(s * 1000)
  await server.waitFor(() => clock.isWaiting(16_000))
  expect(rig.troubles).toEqual([])
  clock.advance(16_000)
  for (const s of [32, 60, 60, 60]) await sleepThrough(s * 1000)
  await server.waitFor(() => clock.isWaiting(60_000))
  expect(rig.troubles).toEqual([
    { why: expect.stringContaining('cannot be reached') as string, isBack: false },
  ])
  server.say('while it was away')
  await server.restart()
  clock.advance(60_000)
  await waitForTexts('while it was away')
  expect(rig.troubles.slice(1)).toEqual([
    { why: expect.stringContaining('connected again') as string, isBack: true },
  ])
})

test('an outage of ten minutes in the middle loses nothing and is told once', async () => {
  await connected()
  await server.stop()
  server.say('during the outage')
  for (const s of [1, 2, 4, 8, 16, 32, ...Array<number>(10).fill(60)]) await sleepThrough(s * 1000)
  await server.restart()
  await sleepThrough(60_000)
  await waitForTexts('during the outage')
  expect(rig.troubles.map(({ isBack }) => isBack)).toEqual([false, true])
})

test('a return is told at once, not when the next long poll ends', async () => {
  await connected()
  server.fail('getUpdates', 6, { error: 502 })
  server.say('ends the poll')
  for (const s of [1, 2, 4, 8, 16, 32]) await sleepThrough(s * 1000)
  await server.waitFor(() => rig.troubles.length === 2)
  expect(rig.troubles[1]?.isBack).toBe(true)
})

test.each(['drop_before', 'drop_after', 'html'] as const)(
  'a poll that goes wrong (%s) is repeated and no message is lost or doubled',
  async (fault) => {
    await connected()
    server.say('one')
    await waitForTexts('one')
    await server.waitFor(() => server.isPolled())
    server.fail('getUpdates', 2, fault)
    server.say('two')
    server.say('three')
    await sleepThrough(1000)
    await sleepThrough(2000)
    await waitForTexts('one', 'two', 'three')
    expect(rig.troubles).toEqual([])
  },
)

test('a refused token is told once, in plain words, and tried again every five minutes', async () => {
  use({ token: '9999:wrong-secret' })
  await rig.channel.start()
  for (let round = 0; round < 3; round++) await sleepThrough(300_000)
  await server.waitFor(() => clock.isWaiting(300_000))
  expect(server.calls('getMe')).toHaveLength(4)
  expect(rig.troubles).toEqual([
    { why: expect.stringMatching(/^not connected, the bot token is refused\./) as string, isBack: false },
  ])
  expect(JSON.stringify(rig.troubles) + rig.logs()).not.toContain('wrong-secret')
})

test('a second poller is told once, and as gone only after a quiet minute', async () => {
  await connected()
  const conflict = { error: 409, description: 'Conflict: terminated by other getUpdates request' }
  server.fail('getUpdates', 1, conflict)
  server.say('ends the poll')
  await sleepThrough(1000)
  await waitForTexts('ends the poll')
  server.fail('getUpdates', 1, conflict)
  server.say('ends the next')
  await sleepThrough(2000)
  await waitForTexts('ends the poll', 'ends the next')
  expect(rig.troubles).toEqual([
    { why: expect.stringMatching(/^another program polls this bot/) as string, isBack: false },
  ])
  clock.advance(60_000)
  server.say('after a quiet minute')
  await server.waitFor(() => rig.troubles.length === 2)
  expect(rig.troubles[1]?.isBack).toBe(true)
})

test('a webhook in the way is told with what to do', async () => {
  server.fail('getUpdates', 1, {
    error: 409,
    description:
      "Conflict: can't use getUpdates method while webhook is active; use deleteWebhook to delete the webhook first",
  })
  await rig.channel.start()
  await server.waitFor(() => rig.troubles.length === 1)
  expect(rig.troubles[0]?.why).toMatch(/webhook.*Remove the webhook/)
  await sleepThrough(1000)
  await server.waitFor(() => rig.troubles.length === 2)
  expect(server.calls('deleteWebhook')).toEqual([])
})

test('a flood wait is kept', async () => {
  server.fail('getUpdates', 1, { error: 429, retryAfterS: 17 })
  await rig.channel.start()
  await sleepThrough(17_000)
  await server.waitFor(() => server.isPolled())
})

test('the token is in no log of a whole life', async () => {
  server.fail('getUpdates', 2, 'drop_before')
  server.fail('setMyCommands', 1, { error: 400, description: `no menu for ${token}` })
  await rig.channel.start()
  await sleepThrough(1000)
  await sleepThrough(2000)
  await server.waitFor(() => server.isPolled())
  await server.stop()
  await server.waitFor(() => clock.isWaiting(1000))
  await rig.channel.stop()
  expect(rig.logs()).toContain('telegram poll failed')
  for (const secret of [token, 'rig-secret', server.root]) expect(rig.logs()).not.toContain(secret)
})
