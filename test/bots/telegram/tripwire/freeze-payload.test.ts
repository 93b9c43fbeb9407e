import { Readable } from 'node:stream'
import { InputFile } from 'grammy'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { startBotApi, type BotApi } from '../../../fixtures/bot-api/server.ts'
import { rawCall, token, wire } from '../rig.ts'

let server: BotApi
let tripped: string[]

beforeEach(async () => {
  server = await startBotApi({ token })
  tripped = []
})
afterEach(() => server.stop())

const wired = () => wire(server, (what) => tripped.push(what))
const refused = { error_code: 403 }

/** Payloads that would be something else when they are sent than when they were looked at. */
const shifty: Readonly<Record<string, () => object>> = {
  'a getter': () => {
    let looks = 0
    return {
      action: 'typing',
      get chat_id() {
        return looks++ === 0 ? 7 : 'smuggled'
      },
    }
  },
  'a proxy': () => {
    let looks = 0
    return new Proxy(
      { chat_id: 7, action: 'typing' },
      { get: (target, key) => (key === 'chat_id' && looks++ > 0 ? 'smuggled' : Reflect.get(target, key)) },
    )
  },
  'a proxy that shows one thing and reads another': () =>
    new Proxy(
      { chat_id: 7, action: 'typing' },
      {
        get: (target, key) => (key === 'toJSON' ? () => ({ chat_id: 'smuggled' }) : Reflect.get(target, key)),
      },
    ),
  'a toJSON of its own': () => ({ chat_id: 7, action: 'typing', toJSON: () => ({ chat_id: 'smuggled' }) }),
  'a hidden toJSON': () =>
    Object.defineProperty({ chat_id: 7, action: 'typing' }, 'toJSON', {
      value: () => ({ chat_id: 'smuggled' }),
    }),
  'an inherited toJSON': () =>
    Object.assign(Object.create({ toJSON: () => ({ chat_id: 'smuggled' }) }) as object, {
      chat_id: 7,
      action: 'typing',
    }),
  'a class of its own': () =>
    new (class {
      chat_id = 7
      action = 'typing'
    })(),
  'a list': () => Object.assign([], { chat_id: 7, action: 'typing' }),
}

test.each(Object.entries(shifty))(
  'a free call is judged as what is sent: %s is refused and recorded, and nothing arrives',
  async (_, make) => {
    const { bot } = wired()
    await expect(rawCall(bot.api, 'sendChatAction')(make())).rejects.toMatchObject(refused)
    expect([tripped, server.calls()]).toEqual([['sendChatAction'], []])
  },
)

test.each(Object.entries(shifty))(
  'what is not plain data is not minted: %s is refused and recorded, and nothing arrives',
  async (_, make) => {
    const { bot, tripwire } = wired()
    for (const payload of [
      make(),
      { chat_id: 7, text: 'judged', reply_markup: make() },
      { chat_id: 7, text: 'judged', entities: [make()] },
    ]) {
      await expect(
        rawCall(bot.api, 'sendMessage')(tripwire.mint('sendMessage', payload)),
      ).rejects.toMatchObject(refused)
    }
    expect([tripped, server.calls()]).toEqual([['sendMessage', 'sendMessage', 'sendMessage'], []])
  },
)

test('a symbol and a hidden field are not sent, and nothing of a payload can be a function, a hole or without an end', async () => {
  const { bot, tripwire } = wired()
  const quiet = Object.defineProperty(
    { chat_id: 7, text: 'judged', [Symbol('text')]: 'smuggled' },
    'caption',
    { value: 'smuggled' },
  )
  await rawCall(bot.api, 'sendMessage')(tripwire.mint('sendMessage', quiet))
  expect(server.bodies()).toEqual([JSON.stringify({ chat_id: 7, text: 'judged' })])
  const endless: Record<string, unknown> = { chat_id: 7 }
  endless['reply_markup'] = endless
  for (const payload of [
    { text: () => 'smuggled' },
    { entities: Object.assign([], { length: 3 }) },
    { text: 7n },
    { text: Symbol('x') },
    { text: new String('x') },
    { text: new Date() },
    JSON.parse('{"chat_id": 7, "__proto__": {"text": "smuggled"}}') as object,
    endless,
  ]) {
    await expect(
      rawCall(bot.api, 'sendMessage')(tripwire.mint('sendMessage', payload)),
    ).rejects.toMatchObject(refused)
  }
  expect(server.calls()).toHaveLength(1)
})

test('a payload that is changed after it was minted arrives as it was judged', async () => {
  const { bot, tripwire } = wired()
  const mine = {
    chat_id: 7,
    text: 'judged',
    reply_markup: { inline_keyboard: [[{ text: 'yes', callback_data: 'y' }]] },
  }
  const ticket = tripwire.mint('sendMessage', mine)
  mine.text = 'smuggled'
  mine.reply_markup.inline_keyboard[0]![0]!.text = 'smuggled'
  for (const change of [
    () => (ticket.text = 'smuggled'),
    () => ticket.reply_markup.inline_keyboard.push([]),
    () => Object.defineProperty(ticket, 'text', { get: () => 'smuggled' }),
    () => Object.setPrototypeOf(ticket, { toJSON: () => ({}) }),
  ]) {
    expect(change).toThrow(TypeError)
  }
  await bot.api.raw.sendMessage(ticket)
  expect(server.texts()).toEqual(['judged'])
  expect(server.bodies().join()).not.toContain('smuggled')
})

test('what a payload was minted from does not pass, and neither does anything that stands in for its ticket', async () => {
  const { bot, tripwire } = wired()
  const mine = { chat_id: 7, text: 'judged' }
  const ticket = tripwire.mint('sendMessage', mine)
  for (const payload of [
    mine,
    { ...ticket },
    structuredClone(ticket),
    new Proxy(ticket, {}),
    Object.create(ticket) as object,
  ]) {
    await expect(rawCall(bot.api, 'sendMessage')(payload)).rejects.toMatchObject(refused)
  }
  expect([tripped.length, server.calls()]).toEqual([5, []])
})

test('a file leaves as the bytes that it had when it was minted, under the name that it had', async () => {
  const { bot, tripwire } = wired()
  const bytes = Buffer.from('judged bytes')
  const file = new InputFile(bytes, 'judged.txt')
  const ticket = tripwire.mint('sendDocument', { chat_id: 7, document: file, caption: 'judged' })
  bytes.write('smuggled one')
  Object.assign(file, {
    fileData: Buffer.from('smuggled too'),
    filename: 'smuggled.txt',
    toRaw: () => Buffer.from('smuggled'),
  })
  expect(() => Object.assign(ticket.document, { fileData: Buffer.from('smuggled') })).toThrow(TypeError)
  await bot.api.raw.sendDocument(ticket)
  expect(server.bodies()).toHaveLength(1)
  expect(server.bodies()[0]).toContain('judged bytes')
  expect(server.bodies()[0]).toContain('filename=judged.txt')
  expect(server.bodies()[0]).not.toContain('smuggled')
})

const late: Readonly<Record<string, () => unknown>> = {
  'a path': () => '/etc/hostname',
  'an address': () => new URL('http://127.0.0.1:1/smuggled'),
  'a stream': () => Readable.from([Buffer.from('smuggled')]),
  'an iterator': () => [Buffer.from('smuggled')],
  'a function': () => () => Buffer.from('smuggled'),
}

test.each(Object.entries(late))(
  'a file that would only show when it is sent what it holds is refused and recorded: %s',
  async (_, make) => {
    const { bot, tripwire } = wired()
    const file = new InputFile(make() as ConstructorParameters<typeof InputFile>[0], 'x.txt')
    const album = [{ type: 'document' as const, media: file }]
    await expect(
      bot.api.raw.sendDocument(tripwire.mint('sendDocument', { chat_id: 7, document: file })),
    ).rejects.toMatchObject(refused)
    await expect(
      bot.api.raw.sendMediaGroup(tripwire.mint('sendMediaGroup', { chat_id: 7, media: album })),
    ).rejects.toMatchObject(refused)
    expect([tripped, server.calls()]).toEqual([['sendDocument', 'sendMediaGroup'], []])
  },
)
