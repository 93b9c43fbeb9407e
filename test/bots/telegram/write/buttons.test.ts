import type { Message as Sent } from 'grammy/types'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Button, OutgoingMessage } from '../../../../src/core/model/chat/push.ts'
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

const approve = [[{ label: 'Approve', press: 'a1_-' }]]
const deliver = (text: string, rest: Partial<OutgoingMessage> = {}) =>
  rig.channel.deliver(rig.outgoing(text, { kind: 'notice', ...rest }))
const card = async (): Promise<Sent> => {
  await deliver('a card', { buttons: approve })
  const sent = server.sent(7).at(-1)
  if (sent === undefined) throw new Error('The card was not sent.')
  return sent
}
const edit = (message: Sent, text: string, rest: Partial<OutgoingMessage> = {}) =>
  deliver(text, { replaces: String(message.message_id), ...rest })

test('the buttons of a notice stand under it, row by row, and give back what they were given', async () => {
  expect(rig.channel.hasButtons).toBe(true)
  const rows = [
    [...approve.flat(), { label: 'Approve and fail closed', press: 'x'.repeat(40) }],
    [],
    [{ label: 'Show', press: 'S-0_' }],
  ]
  expect(await deliver('a card', { buttons: rows })).toMatchObject({ kind: 'delivered' })
  expect(server.labels()).toEqual([['Approve', 'Approve and fail closed'], ['Show']])
  expect(server.calls('sendMessage')[0]?.params['reply_markup']).toEqual({
    inline_keyboard: [
      [
        { text: 'Approve', callback_data: 'a1_-' },
        { text: 'Approve and fail closed', callback_data: 'x'.repeat(40) },
      ],
      [{ text: 'Show', callback_data: 'S-0_' }],
    ],
  })
})

test('no buttons are no keyboard', async () => {
  for (const buttons of [[], [[]]]) await deliver('plain', { buttons })
  expect(server.calls('sendMessage').map(({ params }) => 'reply_markup' in params)).toEqual([false, false])
})

const one = (button: Partial<Button>) => [[{ label: 'Approve', press: 'a1', ...button }]]
test.each<[string, Partial<OutgoingMessage>]>([
  ['an empty press', { buttons: one({ press: '' }) }],
  ['a press of 41 characters', { buttons: one({ press: 'x'.repeat(41) }) }],
  ['a command as a press', { buttons: one({ press: '/hooks off' }) }],
  ['a press with a line end', { buttons: one({ press: 'a1\n' }) }],
  ['a press that is not ASCII', { buttons: one({ press: 'ａ１' }) }],
  ['a button without a label', { buttons: one({ label: '  ' }) }],
  ['a label of 65 units', { buttons: one({ label: 'x'.repeat(65) }) }],
  ['nine buttons in a row', { buttons: [Array.from({ length: 9 }, () => ({ label: 'a', press: 'a' }))] }],
  ['101 buttons', { buttons: Array.from({ length: 101 }, () => [{ label: 'a', press: 'a' }]) }],
  ['buttons on a push', { kind: 'push', buttons: approve }],
  ['an edit by a push', { kind: 'push', replaces: '1' }],
  ['a push that asks for a reply', { kind: 'push', asksReply: true }],
  ['a push that wants to be pinned', { kind: 'push', isAnchor: true }],
  ['a push that wants to be kept in sight', { kind: 'push', isPinned: true }],
])('%s fails without a call', async (_what, rest) => {
  expect(await deliver('words', rest)).toMatchObject({
    kind: 'failed',
    why: expect.stringMatching(/^Expected .+\.$/) as string,
  })
  expect(server.calls()).toEqual([])
})

test('a notice takes the place of another, with its own buttons or none, and nothing new appears', async () => {
  const message = await card()
  expect(await edit(message, 'the next card', { buttons: [[{ label: 'Show', press: 's1' }]] })).toMatchObject(
    { kind: 'delivered' },
  )
  expect([server.texts(7), server.labels()]).toEqual([['the next card'], [['Show']]])
  expect(await edit(message, '✓ /receipt', { code: [{ offset: 2, length: 8 }] })).toMatchObject({
    kind: 'delivered',
  })
  expect([server.texts(7), server.labels()]).toEqual([['✓ /receipt'], []])
  expect(server.sent(7)[0]?.entities).toEqual([{ type: 'code', offset: 2, length: 8 }])
  expect(server.calls('editMessageText')[1]?.params).toEqual({
    chat_id: 7,
    message_id: message.message_id,
    text: '✓ /receipt',
    entities: [{ type: 'code', offset: 2, length: 8 }],
    link_preview_options: { is_disabled: true },
  })
  expect(server.calls('sendMessage')).toHaveLength(1)
})

test('an edit that changes nothing is delivered', async () => {
  const message = await card()
  expect(await edit(message, 'a card', { buttons: approve })).toMatchObject({ kind: 'delivered' })
  expect(server.texts(7)).toEqual(['a card'])
  expect(server.calls('sendMessage')).toHaveLength(1)
})

test.each<[string, (message: Sent) => string]>([
  ['is gone', (message) => (server.remove(message), String(message.message_id))],
  ["is a person's", () => String(server.say('mine').message_id)],
  ['never was', () => '99999'],
  ['has no number for an id', () => 'press 42'],
  ['has an id beyond numbers', () => '9'.repeat(30)],
])(
  'what should take the place of a message that %s is sent as a new one, with its buttons',
  async (_what, replaced) => {
    const replaces = replaced(await card())
    expect(await deliver('the receipt', { replaces, buttons: approve })).toMatchObject({ kind: 'delivered' })
    expect(server.texts(7).at(-1)).toBe('the receipt')
    expect(server.labels()).toEqual([['Approve']])
  },
)

test.each([
  "Bad Request: message can't be edited",
  'Bad Request: MESSAGE_ID_INVALID',
  'Bad Request: there is no text in the message to edit',
])('when Telegram says "%s" the words come as a new message', async (description) => {
  const message = await card()
  server.fail('editMessageText', 1, { error: 400, description })
  expect(await edit(message, 'the receipt')).toMatchObject({ kind: 'delivered' })
  expect(server.texts(7)).toEqual(['a card', 'the receipt'])
})

test('an edit in a flood waits as long as Telegram asks, and is then done once', async () => {
  const message = await card()
  server.fail('editMessageText', 1, { error: 429, retryAfterS: 9 })
  const outgoing = rig.outgoing('the receipt', { kind: 'notice', replaces: String(message.message_id) })
  expect(await rig.channel.deliver(outgoing)).toMatchObject({ kind: 'retry', afterMs: 9000 })
  expect(await rig.channel.deliver(outgoing)).toMatchObject({ kind: 'delivered' })
  expect(server.texts(7)).toEqual(['the receipt'])
  expect(rig.tripped).toEqual([])
})

test.each(['drop_before', 'drop_after', 'html'] as const)(
  'an edit whose answer never came (%s) is tried again, since a second one does no harm',
  async (fault) => {
    const message = await card()
    server.fail('editMessageText', 1, fault)
    const outgoing = rig.outgoing('the receipt', { kind: 'notice', replaces: String(message.message_id) })
    expect(await rig.channel.deliver(outgoing)).toMatchObject({ kind: 'retry', afterMs: 2000 })
    expect(await rig.channel.deliver(outgoing)).toMatchObject({ kind: 'delivered' })
    expect(server.texts(7)).toEqual(['the receipt'])
  },
)

test('an edit in a chat that shut the bot out fails, and one without a network is tried again', async () => {
  const message = await card()
  server.fail('editMessageText', 1, { error: 403, description: 'Forbidden: bot was blocked by the user' })
  expect(await edit(message, 'the receipt')).toMatchObject({ kind: 'failed' })
  await server.stop()
  expect(await edit(message, 'the receipt')).toMatchObject({ kind: 'retry', afterMs: 2000 })
})

test('an edit that hangs is given up after 30 seconds', async () => {
  const message = await card()
  const clock = createClock()
  rig = createRig(server.root, { clock })
  server.fail('editMessageText', 1, 'hang')
  const delivery = edit(message, 'the receipt')
  await server.waitFor(() => server.calls('editMessageText').length === 1)
  clock.advance(30_000)
  expect(await delivery).toMatchObject({ kind: 'retry' })
  expect(clock.count()).toBe(0)
})

test('a new notice can ask for a reply, and an edit leaves that out', async () => {
  const asked = await deliver('your reason', { asksReply: true })
  expect(server.calls('sendMessage').at(-1)?.params['reply_markup']).toEqual({ force_reply: true })
  const [message] = server.sent(7)
  expect([asked.kind, message?.text, message?.reply_markup]).toEqual(['delivered', 'your reason', undefined])
  if (message === undefined) throw new Error('There is no message.')
  await edit(message, 'another reason', { asksReply: true })
  expect(server.calls('editMessageText').at(-1)?.params['reply_markup']).toBeUndefined()
})

test('a notice with buttons that did not come through the door is refused and never sent', async () => {
  const message = await card()
  const stranger = { ...rig.outgoing('hello', { kind: 'notice', buttons: approve }) }
  for (const form of [{}, { replaces: String(message.message_id) }, { isAnchor: true } as const]) {
    expect(await rig.channel.deliver({ ...stranger, ...form })).toMatchObject({ kind: 'failed' })
  }
  expect(rig.tripped).toHaveLength(3)
  expect(server.calls()).toHaveLength(1)
})

test('neither what a button gives back nor the text nor the token is in an outcome or a log', async () => {
  const description = `Bad Request: launch code 0000 with secret_press_1 and ${token}`
  const message = await card()
  server.fail('editMessageText', 1, { error: 403, description })
  server.fail('sendMessage', 1, { error: 400, description })
  const buttons = [[{ label: 'Go', press: 'secret_press_1' }]]
  const outcomes = [
    await edit(message, 'launch code 0000', { buttons }),
    await deliver('launch code 0000', { buttons }),
  ]
  const told = JSON.stringify(outcomes) + rig.logs()
  expect(outcomes.map(({ kind }) => kind)).toEqual(['failed', 'failed'])
  for (const secret of ['secret_press_1', 'launch', 'rig-secret']) expect(told).not.toContain(secret)
})
