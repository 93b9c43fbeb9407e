import { expect, test } from 'vitest'
import { readUpdate } from '../../../../bots/telegram/read/message.ts'
import { measureProcessor } from '../../../processor-time.ts'
import { stretched } from '../../../stretched.ts'

const me = { id: 1234, username: 'GateTestBot' }
const olive = { id: 7, is_bot: false, first_name: 'Olive', last_name: 'Owner' }
const base = {
  message_id: 5,
  date: 1_700_000_000,
  from: olive,
  chat: { id: 7, type: 'private' },
  text: '/hooks on',
}
const read = (extra: Record<string, unknown> = {}, kind = 'message') =>
  readUpdate({ update_id: 1, [kind]: { ...base, ...extra } }, me)
const originOf = (extra: Record<string, unknown>, kind?: string) => read(extra, kind)?.origin

test('a plain message is read whole, its ids as decimal strings', () => {
  expect(read()).toEqual({
    channel: 'telegram',
    chat_id: '7',
    message_id: '5',
    sender_id: '7',
    sender_name: 'Olive Owner',
    isPrivate: true,
    origin: 'plain',
    sentAtMs: 1_700_000_000_000,
    text: '/hooks on',
  })
})

test('ids of 52 bits keep every digit', () => {
  const id = 2 ** 52 - 1
  expect(read({ from: { ...olive, id }, chat: { id: -id, type: 'supergroup' } })).toMatchObject({
    sender_id: '4503599627370495',
    chat_id: '-4503599627370495',
    isPrivate: false,
  })
})

test('a date in milliseconds is taken as such', () => {
  expect(read({ date: 1_700_000_000_123 })?.sentAtMs).toBe(1_700_000_000_123)
})

test.each<[string, Record<string, unknown>, string?]>([
  ['edited', {}, 'edited_message'],
  ['edited', { sender_chat: { id: -1, type: 'channel' } }, 'edited_channel_post'],
  ['forwarded', { forward_origin: { type: 'hidden_user', sender_user_name: 'x', date: 1 } }],
  ['forwarded', { forward_date: 1 }],
  ['forwarded', { forward_from: { id: 9 } }],
  ['automatic', { is_automatic_forward: true }],
  ['via_bot', { via_bot: { id: 9, is_bot: true, first_name: 'inline' } }],
  ['sender_chat', { sender_chat: { id: -1, type: 'supergroup' } }],
  ['business', { business_connection_id: 'b1' }],
  ['business', {}, 'business_message'],
  ['channel_post', { from: undefined, chat: { id: -1, type: 'channel', title: 'News' } }, 'channel_post'],
  ['offline', { is_from_offline: true }],
  ['from_bot', { from: { ...olive, is_bot: true } }],
  ['self', { from: { ...olive, id: 1234 } }],
  ['captioned', { text: undefined, caption: '/hooks on', photo: [] }],
  ['quoted', { entities: [{ type: 'blockquote', offset: 0, length: 9 }] }],
  [
    'quoted',
    { text: 'look:\n /hooks on', entities: [{ type: 'expandable_blockquote', offset: 6, length: 10 }] },
  ],
  ['not_text', { text: undefined, sticker: { file_id: 'x' } }],
])('what a person may not have meant as a command is not plain: %s %j %s', (origin, extra, kind) => {
  expect(originOf(extra, kind)).toBe(origin)
})

test('the first origin that fits counts', () => {
  expect(originOf({ via_bot: { id: 9 }, forward_date: 1, is_from_offline: true }, 'edited_message')).toBe(
    'edited',
  )
  expect(originOf({ via_bot: { id: 9 }, forward_date: 1 })).toBe('forwarded')
  expect(originOf({ text: undefined, caption: 'x', forward_date: 1 })).toBe('forwarded')
})

test('a reply, a bold command and a quote beside a command are plain', () => {
  expect(
    originOf({
      reply_to_message: { ...base, from: { id: 1234, is_bot: true } },
      quote: { text: 'a', position: 0 },
    }),
  ).toBe('plain')
  expect(originOf({ entities: [{ type: 'bold', offset: 0, length: 9 }] })).toBe('plain')
  expect(
    originOf({ text: 'they said\n/hooks on', entities: [{ type: 'blockquote', offset: 0, length: 9 }] }),
  ).toBe('plain')
})

test('a reply names the message of this bot in this chat, and no other', () => {
  const card = { ...base, message_id: 41, from: { id: 1234, is_bot: true } }
  const replyTo = (reply_to_message: unknown, extra: object = {}): string | undefined =>
    read({ reply_to_message, ...extra })?.reply_to
  expect(replyTo(card)).toBe('41')
  expect(replyTo(card, { quote: { text: 'May main', position: 2 } })).toBe('41')
  expect(replyTo(undefined)).toBeUndefined()
  expect(replyTo({ ...card, from: { id: 7 } })).toBeUndefined()
  expect(replyTo({ ...card, from: { id: 1234 } })).toBeUndefined()
  expect(replyTo({ ...card, from: { id: 99, is_bot: true } })).toBeUndefined()
  expect(replyTo({ ...card, chat: { id: 8, type: 'private' } })).toBeUndefined()
  expect(replyTo({ ...card, date: 0 })).toBeUndefined()
  expect(replyTo(card, { external_reply: { origin: {} } })).toBeUndefined()
  for (const odd of [null, 'x', 7, [], {}, { message_id: 'x' }]) expect(replyTo(odd)).toBeUndefined()
})

test('a caption becomes the text, and what has neither has an empty text', () => {
  expect(read({ text: undefined, caption: 'see this' })?.text).toBe('see this')
  expect(read({ text: undefined })?.text).toBe('')
})

test("the bot's own name is taken off commands in any case, and another bot's stays", () => {
  expect(read({ text: '/hooks@GateTestBot on' })?.text).toBe('/hooks on')
  expect(read({ text: '／hooks@gatetestbot' })?.text).toBe('／hooks')
  expect(read({ text: '/hooks@GateTestBot list\n/hooks@GATETESTBOT off' })?.text).toBe(
    '/hooks list\n/hooks off',
  )
  expect(read({ text: '```\n/hooks@GateTestBot on\n```' })?.text).toBe('```\n/hooks on\n```')
  for (const text of [
    '/hooks@Other on',
    '/hooks@GateTestBotX on',
    'ask /hooks@GateTestBot',
    'prose\n/hooks@GateTestBot on',
  ]) {
    expect(read({ text })?.text).toBe(text)
  }
})

test("a mention of the bot at the beginning is not part of what is said to it, and anybody else's is", () => {
  expect(read({ text: '@GateTestBot what now?' })?.text).toBe('what now?')
  expect(read({ text: ' @gatetestbot, what now?' })?.text).toBe('what now?')
  expect(read({ text: '@GateTestBot:\nwhat now?' })?.text).toBe('what now?')
  for (const text of [
    '@Other what now?',
    '@GateTestBotX hi',
    "@GateTestBot's idea",
    'ask @GateTestBot that',
    '@GateTestBot',
    '@GateTestBot ',
  ])
    expect(read({ text })?.text).toBe(text)
})

test('a command behind a mention of the bot is a command, and a quoted one is quoted all the same', () => {
  expect(read({ text: '@GateTestBot /hooks@GateTestBot list' })).toMatchObject({
    text: '/hooks list',
    origin: 'plain',
  })
  for (const text of [
    '@GateTestBot /hooks on',
    '\u200B/hooks on',
    '`/hooks on',
    '\u200B @GateTestBot, \u200B`/hooks on',
    '@Other_Bot ／hooks on',
  ]) {
    expect(originOf({ text, entities: [{ type: 'blockquote', offset: 0, length: text.length }] }), text).toBe(
      'quoted',
    )
  }
})

test('a topic of a group is a conversation of its own; its General topic, a thread of replies and a private chat are not', () => {
  const group = { id: -100123, type: 'supergroup', title: 'A group', is_forum: true }
  const chatOf = (extra: object) => read({ chat: group, ...extra })?.chat_id
  expect(chatOf({ message_thread_id: 45, is_topic_message: true })).toBe('-100123/45')
  expect(chatOf({})).toBe('-100123')
  expect(chatOf({ message_thread_id: 45 })).toBe('-100123')
  expect(chatOf({ message_thread_id: 1, is_topic_message: true })).toBe('-100123')
  expect(chatOf({ message_thread_id: 45, is_topic_message: 'yes' })).toBe('-100123')
  expect(chatOf({ message_thread_id: '45/../7', is_topic_message: true })).toBe('-100123')
  expect(read({ message_thread_id: 45, is_topic_message: true })?.chat_id).toBe('7')
})

test.each([
  'new_chat_members',
  'left_chat_member',
  'new_chat_title',
  'migrate_to_chat_id',
  'forum_topic_created',
  'video_chat_started',
  'pinned_message',
])("what Telegram itself says of a chat (%s) is nobody's message", (name) => {
  expect(read({ text: undefined, [name]: {} })).toBeUndefined()
})

test('a text of 200 kB comes whole, and a hostile one costs no time', () => {
  const long = '/hooks '.padEnd(200_000, 'x')
  expect(read({ text: long })?.text).toBe(long)
  const tookMs = measureProcessor()
  for (const text of [
    '@_'.repeat(100_000),
    `@a${'_'.repeat(200_000)}`,
    '@'.repeat(200_000),
    '\n'.repeat(200_000),
    '`'.repeat(200_000),
    `/${' /'.repeat(100_000)}`,
    `/${'a@'.repeat(100_000)}`,
  ]) {
    expect(
      read({ text, entities: [{ type: 'blockquote', offset: 0, length: text.length }] })?.text,
    ).toHaveLength(text.length)
  }
  expect(tookMs()).toBeLessThan(stretched(5000))
})

test.each([
  ['an unknown kind', { update_id: 1, message_of_the_future: base }],
  ['a button press', { update_id: 1, callback_query: { id: '1', from: olive, message: base, data: 'x' } }],
  ['no message at all', { update_id: 1, message: null }],
  ['a message without a chat', { update_id: 1, message: { ...base, chat: undefined } }],
  [
    'an id that a number cannot hold',
    { update_id: 1, message: { ...base, chat: { id: 2 ** 60, type: 'private' } } },
  ],
  ['a text that is no text', { update_id: 1, message: { ...base, text: { toString: 'x' } } }],
  ['no object', 'hello'],
  ['nothing', null],
])('%s is no message', (_what, update) => {
  expect(readUpdate(update, me)).toBeUndefined()
})

test('fields that nobody knows change nothing', () => {
  expect(read({ field_of_a_later_version: { deep: [null] } })).toEqual(read())
})
