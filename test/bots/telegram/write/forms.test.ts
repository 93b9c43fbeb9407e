import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Mark, PushType } from '../../../../src/core/model/chat/content.ts'
import type { OutgoingMessage } from '../../../../src/core/model/chat/push.ts'
import { startBotApi, type BotApi } from '../../../fixtures/bot-api/server.ts'
import { createRig, token, type Rig } from '../rig.ts'

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

const deliver = (type: PushType, text: string, rest: Partial<OutgoingMessage> = {}) =>
  rig.channel.deliver(rig.outgoing(text, { type, ...rest }))
const parts = (of: Readonly<Record<string, string>>) =>
  Object.entries(of).map(([field, text]) => ({ field, text }))
const file = (name: string, type: string, content: string | Uint8Array<ArrayBuffer> = 'bytes of it') =>
  new File([content], name, { type })
const params = (method: string) => server.calls(method)[0]?.params
const button = parts({
  'button.0.label': 'Open',
  'button.0.url': 'https://example.com/a',
  'button.1.label': 'More',
  'button.1.url': 'https://example.com/b',
})
const keyboard = {
  inline_keyboard: [
    [{ text: 'Open', url: 'https://example.com/a' }],
    [{ text: 'More', url: 'https://example.com/b' }],
  ],
}
const off = { is_disabled: true }

test('a text leaves with its marks, and with a row for each button', async () => {
  const marks: readonly Mark[] = [{ type: 'link', offset: 0, length: 3, field: 'link.0' }]
  expect(
    await deliver('text', 'see this', {
      marks,
      parts: [...parts({ 'link.0': 'https://example.com/' }), ...button],
    }),
  ).toEqual({ kind: 'delivered', message_id: '1' })
  expect(params('sendMessage')).toEqual({
    chat_id: 7,
    text: 'see this',
    entities: [{ type: 'text_link', offset: 0, length: 3, url: 'https://example.com/' }],
    link_preview_options: off,
    reply_markup: keyboard,
  })
})

test.each([
  ['photo', 'sendPhoto', 'image/png'],
  ['document', 'sendDocument', 'text/plain'],
  ['voice', 'sendVoice', 'audio/ogg'],
] as const)(
  'a %s leaves by %s, its bytes and name as they were judged, its caption with it',
  async (type, method, mime) => {
    const bytes = new Uint8Array([0, 13, 10, 45, 45, 255, 0])
    const caption = {
      marks: [{ type: 'bold', offset: 0, length: 4 }],
      code: [{ offset: 9, length: 6 }],
    } as const
    expect(
      await deliver(type, 'here: to /hooks', {
        ...caption,
        files: [file('näme (1) = x.bin', mime, bytes)],
        parts: button,
      }),
    ).toEqual({ kind: 'delivered', message_id: '1' })
    expect(params(method)).toMatchObject({
      chat_id: '7',
      caption: 'here: to /hooks',
      caption_entities: [
        { type: 'bold', offset: 0, length: 4 },
        { type: 'code', offset: 9, length: 6 },
      ],
      reply_markup: keyboard,
    })
    const upload = Object.values(params(method) ?? {}).find(
      (value) => typeof value === 'object' && value !== null && 'bytes' in value,
    )
    expect(upload).toEqual({ file_name: 'näme (1) = x.bin', file_size: 7, bytes: Buffer.from(bytes) })
    expect(await deliver(type, '', { files: [file('a.bin', mime)] })).toEqual({
      kind: 'delivered',
      message_id: '2',
    })
    expect(server.calls(method)[1]?.params).not.toHaveProperty('caption')
  },
)

const media = () =>
  (params('sendMediaGroup')?.['media'] ?? []) as readonly { type: string; caption?: string }[]
const kinds = () => media().map(({ type }) => type)
const captions = () => media().map(({ caption }) => caption)

test('an album of photos and videos shows them with one caption, and names no one message', async () => {
  expect(
    await deliver('album', 'both', {
      files: [file('a.png', 'image/png'), file('b.mp4', 'video/mp4')],
      chat_id: '-1001/5',
    }),
  ).toEqual({ kind: 'delivered' })
  expect([kinds(), captions()]).toEqual([
    ['photo', 'video'],
    ['both', undefined],
  ])
  expect(server.sent(-1001).map(({ message_thread_id }) => message_thread_id)).toEqual([5, 5])
})

test('an album with anything else in it is one of documents', async () => {
  await deliver('album', '', { files: [file('a.png', 'image/png'), file('b.pdf', 'application/pdf')] })
  expect([kinds(), server.sent(7).map(({ document }) => document?.file_name)]).toEqual([
    ['document', 'document'],
    ['a.png', 'b.pdf'],
  ])
})

test('a poll shows who voted', async () => {
  await deliver('poll', 'Which?', { parts: parts({ 'option.1': 'coffee', 'option.0': 'tea' }) })
  expect(params('sendPoll')).toEqual({
    chat_id: 7,
    question: 'Which?',
    options: [{ text: 'tea' }, { text: 'coffee' }],
    is_anonymous: false,
  })
})

test('a place is a point, or one with a name and an address; one of the two fails without a call', async () => {
  const at = { latitude: '52.5', longitude: '-13.4' }
  await deliver('location', '', { parts: parts(at) })
  await deliver('location', '', { parts: parts({ ...at, title: 'Home', address: 'Main street 1' }) })
  expect(params('sendLocation')).toEqual({ chat_id: 7, latitude: 52.5, longitude: -13.4 })
  expect(params('sendVenue')).toEqual({
    chat_id: 7,
    latitude: 52.5,
    longitude: -13.4,
    title: 'Home',
    address: 'Main street 1',
  })
  expect(await deliver('location', '', { parts: parts({ ...at, title: 'Home' }) })).toEqual({
    kind: 'failed',
    why: 'Expected both a title and an address of a place or neither, got only one of them. Send both, or neither.',
  })
})

test('a contact leaves as a card', async () => {
  await deliver('contact', '', { parts: parts({ phone: '+49 30 1', first_name: 'Ada', last_name: 'L' }) })
  expect(params('sendContact')).toEqual({
    chat_id: 7,
    phone_number: '+49 30 1',
    first_name: 'Ada',
    last_name: 'L',
  })
})

test('a topic comes to be a chat of its own, into which everything can be sent', async () => {
  server.say('hi')
  const made = await deliver('topic', 'Builds', { chat_id: '-1001' })
  expect(made).toEqual({ kind: 'delivered', chat_id: '-1001/2' })
  expect(await deliver('text', 'hello', { chat_id: '-1001/2' })).toMatchObject({ kind: 'delivered' })
  expect(server.sent(-1001)[0]).toMatchObject({ text: 'hello', message_thread_id: 2 })
})

test.each<[string, PushType, string, Partial<OutgoingMessage>, string, string]>([
  [
    'a topic that is closed',
    'text',
    'sendMessage',
    { chat_id: '-1001/2' },
    'TOPIC_CLOSED',
    'The topic is closed. Open it again in Telegram, or write to another chat.',
  ],
  [
    'a topic that is deleted',
    'text',
    'sendMessage',
    { chat_id: '-1001/2' },
    'TOPIC_DELETED',
    'The topic was deleted. Write to another topic, or open a new one.',
  ],
  [
    'a topic that never was',
    'text',
    'sendMessage',
    { chat_id: '-1001/2' },
    'message thread not found',
    'The topic was deleted. Write to another topic, or open a new one.',
  ],
  [
    'a group without topics',
    'topic',
    'createForumTopic',
    { chat_id: '-1001' },
    'the chat is not a forum',
    'This group has no topics. Turn them on in its settings, or write to the group itself.',
  ],
  [
    'a photo that is none',
    'photo',
    'sendPhoto',
    { files: [file('a.png', 'image/png')] },
    'IMAGE_PROCESS_FAILED',
    'Telegram cannot show this file as a photo. Send it as a document.',
  ],
  [
    'a person without voice',
    'voice',
    'sendVoice',
    { files: [file('a.ogg', 'audio/ogg')] },
    'VOICE_MESSAGES_FORBIDDEN',
    'This person does not accept voice messages. Send the file as a document.',
  ],
])('%s is told in plain words', async (_what, type, method, rest, said, why) => {
  server.fail(method, 1, { error: 400, description: `Bad Request: ${said}` })
  expect(await deliver(type, 'hello', rest)).toEqual({ kind: 'failed', why })
})

test.each(['-1001/', '-1001/0', '-1001/1', '7/2', '-1001/-5', '-1001/5/6', '/5', '-1001/x', '1e3', ''])(
  '"%s" is no chat, and nothing is called',
  async (chat_id) => {
    expect(await deliver('text', 'hello', { chat_id })).toMatchObject({
      kind: 'failed',
      why: expect.stringContaining('chat id in digits') as string,
    })
    expect(server.calls()).toEqual([])
  },
)

test('a reaction is put under the message that it names', async () => {
  const { message_id } = server.say('hi')
  expect(await deliver('reaction', '❤️', { target: String(message_id) })).toEqual({ kind: 'delivered' })
  expect(params('setMessageReaction')).toEqual({
    chat_id: 7,
    message_id,
    reaction: [{ type: 'emoji', emoji: '❤' }],
  })
  expect(await deliver('reaction', '👍', { target: '999' })).toEqual({
    kind: 'failed',
    why: 'The message was deleted, so it cannot get a reaction. Send a text.',
  })
  expect(await deliver('reaction', '🧪', { target: String(message_id) })).toEqual({
    kind: 'failed',
    why: 'Telegram does not have this reaction. Send another one, such as 👍.',
  })
})

test.each([
  ['👍👍', '1'],
  ['yes', '1'],
  ['👍', 'press 1'],
  ['👍', '-1'],
  ['👍', ''],
])('a reaction of %s to "%s" fails without a call', async (text, target) => {
  expect(await deliver('reaction', text, { target })).toMatchObject({
    kind: 'failed',
    why: expect.stringContaining('Expected') as string,
  })
  expect(server.calls()).toEqual([])
})

test('drafts of a chat take each other’s place, and a group has none', async () => {
  for (const text of ['so', 'so far'])
    expect(await deliver('draft', text, { marks: [{ type: 'bold', offset: 0, length: 2 }] })).toEqual({
      kind: 'delivered',
    })
  expect(server.calls('sendMessageDraft').map(({ params }) => params)).toEqual(
    ['so', 'so far'].map((text) => ({
      chat_id: 7,
      draft_id: 1,
      text,
      entities: [{ type: 'bold', offset: 0, length: 2 }],
    })),
  )
  expect(await deliver('draft', 'so', { chat_id: '-1001' })).toMatchObject({
    kind: 'failed',
    why: expect.stringContaining('private chat') as string,
  })
})

test('an edit takes the place of what it names, with its buttons', async () => {
  await deliver('text', 'first')
  expect(await deliver('edit', 'second', { target: '1', parts: button })).toEqual({
    kind: 'delivered',
    message_id: '1',
  })
  expect(params('editMessageText')).toEqual({
    chat_id: 7,
    message_id: 1,
    text: 'second',
    entities: [],
    link_preview_options: off,
    reply_markup: keyboard,
  })
  expect(await deliver('edit', 'second', { target: '1', parts: button })).toEqual({
    kind: 'delivered',
    message_id: '1',
  })
  expect(server.texts(7)).toEqual(['second'])
})

test('an edit of what is gone fails, and never becomes a message of its own', async () => {
  expect(await deliver('edit', 'second', { target: '1' })).toEqual({
    kind: 'failed',
    why: 'The message was deleted or can no longer be edited. Send a new one.',
  })
  await deliver('document', '', { files: [file('a.txt', 'text/plain')] })
  expect(await deliver('edit', 'second', { target: '1' })).toEqual({
    kind: 'failed',
    why: 'The message holds a file or a poll, so its text cannot be edited. Send a new message.',
  })
  expect(server.calls('sendMessage')).toEqual([])
})

const big = (mb: number) => new Uint8Array(mb * 1024 * 1024 + 1)
test.each<[string, PushType, string, Partial<OutgoingMessage>, string]>([
  [
    'a question',
    'poll',
    'x'.repeat(301),
    { parts: parts({ 'option.0': 'a', 'option.1': 'b' }) },
    'Expected a question of at most 300 UTF-16 units, got 301. Shorten it.',
  ],
  [
    'an option',
    'poll',
    'x',
    { parts: parts({ 'option.0': 'a', 'option.1': 'b'.repeat(101) }) },
    'Expected an option of at most 100 UTF-16 units, got 101. Shorten it.',
  ],
  [
    'a topic',
    'topic',
    'x'.repeat(129),
    { chat_id: '-1001' },
    "Expected a topic's name of at most 128 UTF-16 units, got 129. Shorten it.",
  ],
  [
    'a label',
    'text',
    'x',
    { parts: parts({ 'button.0.label': 'x'.repeat(65), 'button.0.url': 'https://example.com' }) },
    "Expected a button's label of 1 to 64 UTF-16 units, got 65. Shorten it.",
  ],
  [
    'a caption',
    'photo',
    'x'.repeat(1025),
    { files: [file('a.png', 'image/png')] },
    'Expected a text beside a file of at most 1024 UTF-16 units, got 1025. Shorten it.',
  ],
  [
    'a photo',
    'photo',
    '',
    { files: [file('a.png', 'image/png', big(10))] },
    'Expected a photo of at most 10 MB, got 10.1 MB. Send a smaller one.',
  ],
  [
    'a document',
    'document',
    '',
    { files: [file('a.bin', '', big(50))] },
    'Expected a file of at most 50 MB, got 50.1 MB. Send a smaller one.',
  ],
  [
    'a photo of an album',
    'album',
    '',
    { files: [file('a.png', 'image/png'), file('b.png', 'image/png', big(10))] },
    'Expected a photo of at most 10 MB, got 10.1 MB. Send a smaller one.',
  ],
  [
    'an empty file',
    'document',
    '',
    { files: [file('a.bin', '', '')] },
    'Expected a file that is not empty, got 0 bytes. Send it when it is written.',
  ],
  [
    'a name that is another field to Telegram',
    'document',
    '',
    { files: [file('a; name=b', '')] },
    'Expected a file name without ; and ", got one that has them. Rename the file.',
  ],
])('%s that Telegram does not take fails in words, without a call', async (_what, type, text, rest, why) => {
  expect(await deliver(type, text, rest)).toEqual({ kind: 'failed', why })
  expect(server.calls()).toEqual([])
})

const anyForm: readonly (readonly [PushType, string, string, Partial<OutgoingMessage>, boolean])[] = [
  ['document', 'sendDocument', 'a caption', { files: [file('a.txt', 'text/plain')] }, false],
  [
    'album',
    'sendMediaGroup',
    'a caption',
    { files: [file('a.txt', 'text/plain'), file('b.txt', 'text/plain')] },
    false,
  ],
  [
    'poll',
    'sendPoll',
    'a question',
    { parts: parts({ 'option.0': 'first one', 'option.1': 'second one' }) },
    false,
  ],
  ['topic', 'createForumTopic', 'a topic', { chat_id: '-1001' }, false],
  ['edit', 'editMessageText', 'an edit', { target: '1' }, true],
  ['draft', 'sendMessageDraft', 'a draft', {}, true],
  ['reaction', 'setMessageReaction', '👍', { target: '1' }, true],
]
test.each(anyForm)(
  'a %s whose answer never came is repeated only where that does no harm, and a flood is waited for',
  async (type, method, text, rest, isRepeatable) => {
    for (const fault of ['drop_after', 'html'] as const) {
      server.fail(method, 1, fault)
      expect(await deliver(type, text, rest)).toMatchObject({ kind: isRepeatable ? 'retry' : 'unknown' })
    }
    server.fail(method, 1, { error: 429, retryAfterS: 3 })
    const outgoing = rig.outgoing(text, { type, ...rest })
    expect(await rig.channel.deliver(outgoing)).toMatchObject({ kind: 'retry', afterMs: 3000, isLimit: true })
    server.fail(method, 1, { error: 500 })
    expect(await rig.channel.deliver(outgoing)).toMatchObject({ kind: 'retry', afterMs: 2000 })
    expect(rig.tripped).toEqual([])
  },
)

test('no text of any part is in an outcome or a log, even when Telegram repeats it', async () => {
  const secrets = { 'option.0': 'first secret', 'option.1': 'first secret and more' }
  server.fail('sendPoll', 1, {
    error: 400,
    description: `Bad Request: what is first secret and more, first secret, or the whole question, with ${token}`,
  })
  const outcome = await deliver('poll', 'the whole question', { parts: parts(secrets) })
  expect(outcome).toEqual({
    kind: 'failed',
    why: 'Telegram answered 400: Bad Request: what is …, …, or …, with …',
  })
  expect(rig.logs()).not.toMatch(/secret|question/)
})
