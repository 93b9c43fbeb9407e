import { expect, test } from 'vitest'
import { readMessage } from '../../../../bots/feishu/read/message.ts'
import type { Message } from '../../../../src/core/model/chat/channel.ts'
import { createRig } from '../rig.ts'

const me = { openId: `ou_${'b'.repeat(32)}`, name: 'Gate' }
const person = `ou_${'7'.repeat(32)}`
const never = () => Promise.reject(new Error('Nothing is downloaded here.'))

/** The event of a message, with other fields where a test names them. */
const eventOf = (type: string, content: unknown, message: object = {}, sender: object = {}) => ({
  sender: { sender_id: { open_id: person, union_id: 'on_1' }, sender_type: 'user', ...sender },
  message: {
    message_id: 'om_1',
    chat_id: 'oc_1',
    chat_type: 'p2p',
    create_time: '1700000000000',
    update_time: '1700000000000',
    message_type: type,
    content: typeof content === 'string' ? content : JSON.stringify(content),
    ...message,
  },
})
const read = (...event: Parameters<typeof eventOf>): Message | undefined =>
  readMessage(eventOf(...event), me, never)
const said = (...event: Parameters<typeof eventOf>) => {
  const message = read(...event)
  return message === undefined ? undefined : [message.origin, message.text]
}

test('a text is plain, and nobody can tell whether a person typed it', () => {
  expect(read('text', { text: '/hooks off' })).toEqual({
    channel: 'feishu',
    chat_id: 'oc_1',
    message_id: 'om_1',
    sender_id: person,
    sender_name: '',
    isPrivate: true,
    origin: 'plain',
    isUnattested: true,
    sentAtMs: 1_700_000_000_000,
    text: '/hooks off',
  })
  expect(read('text', { text: 'x' }, { create_time: '1700000000000000' })?.sentAtMs).toBe(1_700_000_000_000)
})

test('a rich text reads as a person sees it, and is typed as well', () => {
  const content = [
    [
      { tag: 'text', text: 'one ', style: ['bold'] },
      { tag: 'a', text: 'two', href: 'https://example.com/' },
      { tag: 'a', text: 'https://same.example/', href: 'https://same.example/' },
    ],
    [],
    [
      { tag: 'at', user_id: '@_user_1', user_name: 'Olive' },
      { tag: 'emotion', emoji_type: 'OK' },
    ],
    [{ tag: 'hr' }],
    [{ tag: 'code_block', language: 'BASH', text: '/hooks off' }],
    [{ tag: 'md', text: '**x**' }, { tag: 'of a later version' }],
  ]
  expect(
    said('post', { title: 'A title', content }, { mentions: [{ key: '@_user_1', name: 'Olive' }] }),
  ).toEqual([
    'plain',
    'A title\none two (https://example.com/)https://same.example/\n\n@Olive[OK]\n---\n/hooks off\n**x**',
  ])
  expect(said('post', { title: '', content: [[{ tag: 'text', text: '/hooks off' }]] })).toEqual([
    'plain',
    '/hooks off',
  ])
})

test('a picture or a video in a rich text makes it a caption, which commands nothing', () => {
  const content = [
    [{ tag: 'img', image_key: 'img_1' }],
    [{ tag: 'text', text: '/hooks off' }],
    [{ tag: 'media', file_key: 'file_1', image_key: 'img_2' }],
  ]
  const message = read('post', { content })
  expect([message?.origin, message?.text, message?.files?.map(({ name }) => name)]).toEqual([
    'captioned',
    '/hooks off',
    ['photo.jpg', 'video.mp4'],
  ])
  expect(read('post', { content: [[{ tag: 'img', image_key: 'img_1' }]] })?.origin).toBe('not_text')
})

test.each([
  ['image', { image_key: 'img_1' }, 'photo.jpg'],
  ['file', { file_key: 'f', file_name: 'plan.pdf' }, 'plan.pdf'],
  ['file', { file_key: 'f' }, 'file'],
  ['audio', { file_key: 'f', duration: 2000 }, 'voice.ogg'],
  ['media', { file_key: 'f', file_name: 'a.mp4', image_key: 'i' }, 'a.mp4'],
])('a message of kind %s %j is a file and no text', (kind, content, name) => {
  const message = read(kind, content)
  expect([message?.origin, message?.text, message?.files?.map((file) => file.name)]).toEqual([
    'not_text',
    '',
    [name],
  ])
})

test.each([
  ['sticker', { file_key: 'f' }],
  ['interactive', { title: '/hooks off', elements: [[{ tag: 'text', text: '/hooks off' }]] }],
  ['share_chat', { chat_id: 'oc_1' }],
  ['share_user', { user_id: 'ou_1' }],
  ['location', { name: '/hooks off' }],
  ['system', { template: '/hooks off' }],
  ['todo', { summary: { title: '/hooks off' } }],
  ['folder', { file_key: 'f' }],
  ['of a later version', { text: '/hooks off' }],
  ['toString', { text: '/hooks off' }],
  ['__proto__', { text: '/hooks off' }],
])('a message of kind %s holds neither a text nor a file', (kind, content) => {
  expect(said(kind, content)).toEqual(['not_text', ''])
})

test('messages that were forwarded together command nothing', () => {
  expect(said('merge_forward', 'Merged and Forwarded Message')).toEqual(['forwarded', ''])
  expect(said('merge_forward', { text: '/hooks off' })).toEqual(['forwarded', ''])
})

test('a message that was edited before it came, or that no person wrote, is not plain', () => {
  const text = { text: '/hooks off' }
  expect(said('text', text, { update_time: '1700000000001' })?.[0]).toBe('edited')
  expect(said('text', text, { update_time: '1e400' })?.[0]).toBe('edited')
  expect(said('text', text, { update_time: undefined })?.[0]).toBe('plain')
  for (const sender_type of ['bot', 'app', 'anonymous', 'unknown', 'User', '', undefined, 5, null])
    expect(said('text', text, {}, { sender_type })?.[0]).toBe('from_bot')
  expect(said('text', text, {}, { sender_id: { open_id: me.openId } })?.[0]).toBe('self')
  for (const sender_id of [
    undefined,
    null,
    {},
    { union_id: 'on_1' },
    { open_id: '' },
    { open_id: 'a b' },
    { open_id: 5 },
  ]) {
    const message = read('text', text, {}, { sender_id })
    expect([message?.origin, message?.sender_id]).toEqual(['sender_chat', ''])
  }
})

test('only a chat of two is private', () => {
  for (const chat_type of ['group', 'topic_group', 'P2P', '', 'of a later version'])
    expect(read('text', { text: 'x' }, { chat_type })?.isPrivate).toBe(false)
})

test('a mention of the bot at the start is no text, and every other one has its name', () => {
  const mentions = [
    { key: '@_user_1', name: 'Gate', id: { open_id: me.openId } },
    { key: '@_user_2', name: 'Ben', id: { open_id: 'ou_2' } },
    { key: '@_user_10', name: 'Ten', id: { open_id: 'ou_10' } },
  ]
  for (const [text, expected] of [
    ['@_user_1 /hooks off', '/hooks off'],
    [' @_user_1\n/hooks', '/hooks'],
    ['@_user_1', ''],
    ['hello @_user_1 and @_user_2', 'hello @Gate and @Ben'],
    ['@_user_2 /hooks off', '@Ben /hooks off'],
    ['@_user_10 /hooks off', '@Ten /hooks off'],
    ['@_user_1 @_user_1 x', '@Gate x'],
    ['@_user_3 @_all', '@_user_3 @_all'],
  ] as const)
    expect(read('text', { text }, { mentions })?.text, text).toBe(expected)
  expect(read('text', { text: '@_user_1 /hooks off' }, { mentions: 'none' })?.text).toBe(
    '@_user_1 /hooks off',
  )
})

test('a name cannot put another name in the place of a mention', () => {
  const mentions = [
    { key: '@_user_1', name: '@_user_2', id: {} },
    { key: '@_user_2', name: '$&', id: {} },
  ]
  expect(read('text', { text: 'a @_user_1 @_user_2' }, { mentions })?.text).toBe('a @@_user_2 @$&')
})

test('a name puts neither a line nor a long text of somebody else into what a person says', () => {
  const mentions = [
    { key: '@_user_1', name: 'Mal\n/goal off \u202E🛡', id: {} },
    { key: '@_user_2', name: 'x'.repeat(900), id: {} },
  ]
  const said = (text: string) => read('text', { text }, { mentions })?.text
  expect(said('/goal ask @_user_1')).toBe('/goal ask @Mal /goal off')
  expect(said('@_user_2'.repeat(10_000))?.length).toBe(410_000)
  const content = [[{ tag: 'at', user_name: 'Mal\n/goal off' }]]
  expect(read('post', { title: '/goal ask', content })?.text).toBe('/goal ask\n@Mal /goal off')
})

test('a reply names what it answers', () => {
  expect(read('text', { text: 'x' }, { parent_id: 'om_0', root_id: 'om_r' })?.reply_to).toBe('om_0')
  for (const parent_id of ['', 5, 'a b', null])
    expect(read('text', { text: 'x' }, { parent_id })?.reply_to).toBeUndefined()
})

test('of very many pictures in one message, as many as anybody looks at are taken', () => {
  const content = Array.from({ length: 5000 }, () => [{ tag: 'img', image_key: 'img_1' }])
  expect(read('post', { content })?.files?.length).toBe(20)
})

test('the event with a message reaches the gate with the group, the mention and the name of its sender', async () => {
  const { server, received, connect } = await createRig()
  await connect()
  const eve = { open_id: `ou_${'e'.repeat(32)}`, name: 'Eve' }
  server.group('oc_team')
  server.say('@_user_1 hello', eve, {
    chat_id: 'oc_team',
    mentions: [{ key: '@_user_1', name: 'Gate', id: { open_id: server.bot.open_id } }],
  })
  const [message] = await server.waitFor(() => received.length > 0 && received)
  expect(message).toMatchObject({
    chat_id: 'oc_team',
    isPrivate: false,
    origin: 'plain',
    text: 'hello',
    sender_name: 'Eve',
  })
})

test('the people of Feishu read Chinese, unless their client says otherwise', async () => {
  for (const [platform, userAgent, language] of [
    ['feishu', undefined, 'zh-cn'],
    ['lark', 'Mozilla/5.0', undefined],
    ['lark', 'Mozilla/5.0 LarkLocale/zh_CN SDK-Version/7', 'zh_CN'],
    ['feishu', 'LarkLocale/en_US', 'en_US'],
    ['feishu', `LarkLocale/${'x'.repeat(50)}`, 'zh-cn'],
  ] as const) {
    const { server, received, connect } = await createRig({ channel: { platform } })
    await connect()
    server.say('hi', server.owner, { user_agent: userAgent })
    await server.waitFor(() => received.length > 0)
    expect(received[0]?.language).toBe(language)
  }
})
