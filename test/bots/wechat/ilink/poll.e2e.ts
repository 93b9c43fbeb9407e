import { expect, onTestFinished, test } from 'vitest'
import type { ChannelPorts } from '../../../../src/core/model/chat/channel.ts'
import { startILink, type Fault } from '../../../fixtures/ilink/server.ts'
import { createRig } from './rig.ts'

const text = (words: string) => ({ type: 1, text_item: { text: words } })

test('what a person writes comes in as theirs, with its exact id and time', async () => {
  const { hear, channel, ilink } = await createRig()
  const before = Date.now()
  const message = await hear('hello\nthere ')
  expect(message).toEqual({
    channel: 'wechat',
    chat_id: 'o9cq80yyPersonOne@im.wechat',
    message_id: '9007199254740993',
    sender_id: 'o9cq80yyPersonOne@im.wechat',
    sender_name: 'WeChat …nOne',
    language: 'zh',
    isPrivate: true,
    origin: 'plain',
    sentAtMs: expect.any(Number),
    text: 'hello\nthere ',
  })
  expect(message.sentAtMs).toBeGreaterThanOrEqual(before)
  expect(channel.login?.()).not.toBe('')
  expect(ilink.wrongs).toEqual([])
})

test('each message is handled once and in order, over dropped polls and restarts', async () => {
  const { ilink, hear, received, channel, again } = await createRig()
  const cuts: readonly Fault[] = [
    { kind: 'cut', isAfter: true },
    { kind: 'cut', isAfter: false },
    { kind: 'cut', isAfter: true },
  ]
  for (const count of [1, 2, 3, 4, 5]) {
    ilink.fail('getupdates', ...cuts.slice(count % 3))
    ilink.say(`first of ${count}`)
    await hear(`second of ${count}`)
  }
  await channel.stop()
  ilink.say('while it was away')
  const later = await again()
  await hear('after it', later)
  const texts = [...received, ...later.received].map((message) => message.text)
  expect(texts).toEqual([
    ...[1, 2, 3, 4, 5].flatMap((count) => [`first of ${count}`, `second of ${count}`]),
    'while it was away',
    'after it',
  ])
})

test('a message that is not yet on disk is given again after a crash, and not twice before', async () => {
  const never: Partial<ChannelPorts> = { receive: () => new Promise(() => undefined) }
  const taken: string[] = []
  const { ilink, channel, again, hear } = await createRig({
    ports: { receive: (message) => (taken.push(message.text), never.receive?.(message)) },
    ilink: { storeTimeoutMs: 20_000 },
  })
  ilink.say('not kept')
  await ilink.waitFor(() => taken.length === 1)
  await channel.stop()
  const later = await again({})
  expect(await hear('kept', later)).toBeDefined()
  expect([taken, later.received.map((message) => message.text)]).toEqual([['not kept'], ['not kept', 'kept']])
})

test('a message that nobody keeps holds up no other one, and is given up after a while, which the log says', async () => {
  const taken: string[] = []
  const receive = (message: { text: string }) => (
    taken.push(message.text),
    message.text === 'stuck' ? new Promise(() => undefined) : undefined
  )
  const { ilink, logs } = await createRig({ ports: { receive }, ilink: { storeTimeoutMs: 30 } })
  ilink.say('stuck')
  ilink.say('free')
  await ilink.waitFor(() => logs.some((line) => line.includes('not stored in time')))
  expect(taken).toEqual(['stuck', 'free'])
  expect(ilink.calls.filter((path) => path === 'getupdates').length).toBeGreaterThanOrEqual(3)
})

test('what could not be kept is given again until it is, and nothing that was taken beside it', async () => {
  const taken: string[] = []
  let isAway = true
  const receive = ({ text }: { text: string }) => {
    taken.push(text)
    return Promise.resolve(isAway && text === 'keep' ? 'unkept' : undefined)
  }
  const { ilink, channel } = await createRig({ ports: { receive }, ilink: { pauseMs: 20 } })
  ilink.say('keep')
  ilink.say('/hooks off')
  const count = (text: string) => taken.filter((one) => one === text).length
  await ilink.waitFor(() => count('keep') > 5)
  isAway = false
  const kept = count('keep')
  ilink.say('last')
  await ilink.waitFor(() => count('last') === 1)
  expect(count('/hooks off')).toBe(1)
  expect(count('keep')).toBeLessThanOrEqual(kept + 1)
  await channel.stop()
})

test('an echo of the bot’s own words is no news, and what its account says otherwise is never a command', async () => {
  const { ilink, hear, say, received } = await createRig()
  await hear('hello')
  await say('/hooks off')
  const own = { message_type: 2, from_user_id: 'bot1@im.bot', to_user_id: 'o9cq80yyPersonOne@im.wechat' }
  ilink.inject({ ...own, item_list: [text('/hooks off')] })
  ilink.inject({ ...own, item_list: [text('/hooks on')] })
  await hear('after it')
  expect(received.map(({ origin, text }) => [origin, text])).toEqual([
    ['plain', 'hello'],
    ['self', '/hooks on'],
    ['plain', 'after it'],
  ])
})

test.each([
  [
    'a quote, with its words',
    {
      item_list: [
        { ...text('/hooks on'), ref_msg: { title: 'Bot', message_item: text('say\n- - -\n/hooks off') } },
      ],
    },
    'quoted',
    '/hooks on',
  ],
  ['a quote without words', { item_list: [{ ...text('/hooks on'), ref_msg: {} }] }, 'quoted', '/hooks on'],
  [
    'a quote in a strange form',
    { item_list: [{ ...text('/hooks on'), ref_msg: 'x' }] },
    'quoted',
    '/hooks on',
  ],
  [
    'a quote of the whole message',
    { item_list: [text('/hooks on')], ref_msg: { title: 'x' } },
    'quoted',
    '/hooks on',
  ],
  [
    'voice, with what WeChat understood',
    { item_list: [{ type: 3, voice_item: { text: '/hooks on', encode_type: 6 } }] },
    'voice',
    '',
  ],
  ['voice and text', { item_list: [text('/hooks on'), { type: 3, voice_item: {} }] }, 'voice', ''],
  ['a caption', { item_list: [{ type: 2, image_item: {} }, text('/hooks on')] }, 'not_text', ''],
  ['a file', { item_list: [{ type: 4, file_item: { file_name: '/hooks on' } }] }, 'not_text', ''],
  ['something new', { item_list: [{ type: 19, text_item: { text: '/hooks on' } }] }, 'not_text', ''],
  ['nothing', { item_list: [] }, 'not_text', ''],
  ['no items at all', { item_list: 'x' }, 'not_text', ''],
  ['a message that was taken back', { item_list: [text('/hooks on')], delete_time_ms: 5 }, 'recalled', ''],
  [
    'one with a strange time for that',
    { item_list: [text('/hooks on')], delete_time_ms: '5' },
    'recalled',
    '',
  ],
])('%s is never a command', async (_, message, origin, words) => {
  const { ilink, received, hear } = await createRig()
  ilink.inject(message)
  await hear('after it')
  expect(received.map((found) => [found.origin, found.text])).toEqual([
    [origin, words],
    ['plain', 'after it'],
  ])
})

test('several texts are one message; without a time it is too old for any command', async () => {
  const { ilink, received, hear } = await createRig()
  ilink.inject({ item_list: [text('one'), text('two')], create_time_ms: 'now' })
  await hear('after it')
  expect(received[0]).toMatchObject({ text: 'one\ntwo', sentAtMs: 0, origin: 'plain' })
})

test.each([
  ['of a group', { group_id: 'group@im.wechat' }],
  ['of a group with a number', { group_id: 7 }],
  ['of a group in a strange form', { group_id: ['group@im.wechat'] }],
  ['without an id', { message_id: null }],
  ['with an id that is none', { message_id: 'a b\n' }],
  ['from nobody', { from_user_id: '' }],
  ['from a name that is endless', { from_user_id: 'x'.repeat(1000) }],
])('a message %s is left out, and the log says so', async (_, message) => {
  const { ilink, received, hear, logs } = await createRig()
  ilink.inject({ item_list: [text('/hooks on')], ...message })
  await hear('after it')
  expect(received.map((found) => found.text)).toEqual(['after it'])
  expect(logs.filter((line) => line.includes('ignored messages'))).toEqual([
    expect.stringContaining('"count":1'),
  ])
})

test.each<[string, Fault]>([
  ['that is no JSON', { kind: 'raw', body: '<html>' }],
  ['that is a list', { kind: 'raw', body: '[]' }],
  ['that is nested without end', { kind: 'raw', body: `{"msgs":${'['.repeat(200_000)}` }],
  ['that is empty', { kind: 'raw', body: '' }],
  ['larger than any', { kind: 'huge' }],
  ['of a gateway that gave up', { kind: 'raw', body: 'x', status: 524 }],
  ['that there is no such thing', { kind: 'raw', body: 'x', status: 404 }],
  ['that says elsewhere', { kind: 'raw', body: '', status: 302 }],
  ['that refuses', { kind: 'answer', answer: { ret: -1 } }],
  [
    'whose messages are anything',
    { kind: 'answer', answer: { msgs: [1, null, 'x', [], {}], get_updates_buf: 5 } },
  ],
])('an answer %s loses nothing', async (_, fault) => {
  const { ilink, received, hear } = await createRig()
  ilink.fail('getupdates', fault, fault)
  ilink.say('one')
  await hear('two')
  expect(received.map((found) => found.text)).toEqual(['one', 'two'])
})

test('the session’s token follows no redirect', async () => {
  const { ilink, hear } = await createRig()
  const elsewhere = await startILink()
  onTestFinished(() => elsewhere.stop())
  const fault = {
    kind: 'raw',
    body: '',
    status: 307,
    location: `${elsewhere.root}/ilink/bot/getupdates`,
  } as const
  ilink.fail('getupdates', fault, fault)
  ilink.say('one')
  await hear('two')
  expect(elsewhere.calls).toEqual([])
})

test('that WeChat does not answer is told once, and so is that it is back', async () => {
  const { ilink, troubles, hear, again, channel } = await createRig()
  await ilink.stop()
  await ilink.waitFor(() => troubles.some(({ why }) => why.startsWith('it does not answer')))
  await ilink.restart()
  await hear('hello')
  expect(troubles.filter(({ why }) => /answer/.test(why))).toEqual([
    {
      why: expect.stringMatching(/^it does not answer \(.+\)\. Messages in both directions wait\.$/),
      isBack: false,
    },
    { why: 'it answers again. Messages arrive and leave.', isBack: true },
  ])
  await channel.stop()
  expect((await again()).whys()).toEqual([])
})

test('a poll that is held longer than we wait brought nothing, and is no trouble', async () => {
  const { ilink, hear, isIn, whys } = await createRig({ ilink: { holdMs: 200 }, isLoggedIn: false })
  ilink.fail('getupdates', ...Array.from({ length: 4 }, () => ({ kind: 'hang' }) as const))
  await ilink.waitFor(() => ilink.codes() === 1)
  ilink.confirm()
  await isIn()
  ilink.say('one')
  await hear('two')
  expect(whys().filter((why) => why.includes('answer'))).toEqual([])
})

test('a server that answers at once with nothing is not asked without a pause', async () => {
  const { ilink, hear, isIn } = await createRig({ ilink: { pauseMs: 50 }, isLoggedIn: false })
  ilink.fail(
    'getupdates',
    ...Array.from({ length: 6 }, () => ({ kind: 'answer', answer: { ret: 0, msgs: [] } }) as const),
  )
  await ilink.waitFor(() => ilink.codes() === 1)
  ilink.confirm()
  await isIn()
  const from = performance.now()
  await hear('hello')
  expect(performance.now() - from).toBeGreaterThan(250)
})
