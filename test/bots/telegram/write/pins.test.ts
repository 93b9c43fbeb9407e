import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Message } from 'grammy/types'
import type { OutgoingMessage } from '../../../../src/core/model/chat/push.ts'
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

const buttons = [[{ label: 'Allow once', press: 'p1' }]]
const notice = (text: string, rest: Partial<OutgoingMessage>) =>
  rig.channel.deliver(rig.outgoing(text, { kind: 'notice', ...rest }))
/** A card that waits, which is pinned when this resolves. */
const card = async (text: string): Promise<Message> => {
  const done = await notice(text, { buttons, isPinned: true })
  const sent = server.sent(7).at(-1)
  if (sent === undefined) throw new Error('The card was not sent.')
  expect(done).toEqual({ kind: 'delivered', message_id: String(sent.message_id) })
  await server.waitFor(() => server.pinned()?.message_id === sent.message_id)
  return sent
}
const over = (text: string, { message_id }: Message) =>
  notice(text, { replaces: String(message_id), isPinned: false })
const anchor = (text: string) => notice(text, { isAnchor: true })
const read = () => rig.channel.readAnchor?.('7')

test('a card is pinned while it waits, without a sound, and taken down when it is over', async () => {
  const sent = await card('k7f2q It deletes src.')
  expect(server.calls('pinChatMessage').map(({ params }) => params)).toEqual([
    { chat_id: 7, message_id: sent.message_id, disable_notification: true },
  ])
  await over('Allowed once by you.', sent)
  await server.waitFor(() => server.pinned() === undefined)
  expect(server.calls('unpinChatMessage').map(({ params }) => params)).toEqual([
    { chat_id: 7, message_id: sent.message_id },
  ])
  expect([server.texts(7), rig.tripped, rig.troubles]).toEqual([['Allowed once by you.'], [], []])
})

test('a card that changes in its place is pinned once', async () => {
  const sent = await card('k7f2q It deletes src.')
  await notice('k7f2q It deletes src.', {
    buttons: [[{ label: 'Back', press: 'p2' }]],
    replaces: String(sent.message_id),
    isPinned: true,
  })
  await over('Denied by you.', sent)
  await server.waitFor(() => server.pinned() === undefined)
  expect(server.calls('pinChatMessage')).toHaveLength(1)
})

test.each([
  { error: 400, description: 'Bad Request: not enough rights to manage pinned messages in the chat' },
  { error: 429, retryAfterS: 9 },
  { error: 500 },
  'drop_before',
] as const)('a pin that fails (%j) is no fault: the card stands, and nobody is told', async (fault) => {
  server.fail('pinChatMessage', 1, fault)
  server.fail('unpinChatMessage', 1, fault)
  expect(await notice('k7f2q It deletes src.', { buttons, isPinned: true })).toMatchObject({
    kind: 'delivered',
  })
  const sent = server.sent(7)[0]
  if (sent === undefined) throw new Error('The card was not sent.')
  expect(await over('Denied by you.', sent)).toMatchObject({ kind: 'delivered' })
  await server.waitFor(() => server.calls('unpinChatMessage').length === 1)
  expect([server.texts(7), rig.troubles, rig.tripped]).toEqual([['Denied by you.'], [], []])
})

test('the anchor is read beneath the cards, which then stand where they stood, also after a restart', async () => {
  await anchor('head 1')
  const cards = [await card('one'), await card('two')]
  for (const begin of [() => undefined, () => (rig = createRig(server.root))]) {
    begin()
    expect(await read()).toBe('head 1')
    await server.waitFor(() => server.pinned()?.text === 'two')
  }
  // A new anchor is written in the place of the old one, and is no second message.
  expect(await anchor('head 2')).toMatchObject({ kind: 'delivered' })
  await server.waitFor(() => server.pinned()?.text === 'two')
  expect(server.texts(7)).toEqual(['head 2', 'one', 'two'])
  expect(await read()).toBe('head 2')
  for (const sent of cards) await over('Denied by you.', sent)
  await server.waitFor(() => server.pinned()?.text === 'head 2')
})

test('a card that ends while the anchor beneath it is read is not put back', async () => {
  const clock = createClock()
  rig = createRig(server.root, { clock })
  await anchor('head 1')
  const sent = await card('one')
  server.fail('unpinChatMessage', 1, 'hang')
  const reading = read()?.catch(() => undefined)
  await server.waitFor(() => server.calls('unpinChatMessage').length === 1)
  await over('Denied by you.', sent)
  await server.waitFor(() => server.pinned()?.text === 'head 1')
  clock.advance(10_000)
  await reading
  expect(await read()).toBe('head 1')
  expect(server.calls('pinChatMessage')).toHaveLength(2)
})

test('an anchor that a card covers is not taken for gone when the card cannot be taken down', async () => {
  await anchor('head 1')
  await card('one')
  server.fail('unpinChatMessage', 1, { error: 400, description: 'Bad Request: no rights' })
  await expect(read()).rejects.toThrow('a card is pinned above')
  expect(await read()).toBe('head 1')
})

test('what the owner pinned stays pinned, an agent’s message above all', async () => {
  await anchor('head 1')
  await rig.channel.deliver(rig.outgoing('written by an agent'))
  const push = server.sent(7)[1]
  if (push === undefined) throw new Error('The push was not sent.')
  server.pin(push)
  expect(await read()).toBeUndefined()
  expect([server.pinned()?.text, server.calls('unpinChatMessage')]).toEqual(['written by an agent', []])
})
