import { expect, test } from 'vitest'
import { createRig } from '../rig.ts'

const eve = { open_id: `ou_${'e'.repeat(32)}`, name: 'Eve' }
const rows = [
  [
    { label: 'Yes', press: 'y1' },
    { label: 'No', press: 'n1' },
  ],
  [{ label: 'More', press: 'm1' }],
]

/** The channel with a card of three buttons in the owner's chat. */
const withCard = async () => {
  const rig = await createRig()
  await rig.connect()
  await rig.channel.deliver(rig.outgoing('Approve?', { kind: 'notice', buttons: rows }))
  const [card] = rig.server.sent()
  if (card === undefined) throw new Error('The card was not sent.')
  const taps = async (count: number) => {
    await rig.server.waitFor(() => rig.received.length >= count)
    return rig.received
  }
  return { ...rig, card, taps }
}

test('a tap comes with its data, its message and who tapped, and the answer changes nothing', async () => {
  const { server, card, taps } = await withCard()
  const before = Date.now()
  const eventId = server.tap('No')
  const [tap] = await taps(1)
  expect(tap).toEqual({
    channel: 'feishu',
    chat_id: server.owner.open_id,
    message_id: `press ${eventId}`,
    sender_id: server.owner.open_id,
    sender_name: 'Olive',
    isPrivate: true,
    origin: 'plain',
    sentAtMs: expect.any(Number) as number,
    text: '',
    press: { data: 'n1', on_message_id: card.id },
  })
  expect(tap?.sentAtMs).toBeGreaterThanOrEqual(before - 1000)
  await server.waitFor(() => server.acks().length === 1)
  expect(server.acks()[0]).toMatchObject({ code: 200, data: undefined })
  expect(server.sent()).toEqual([card])
})

test('a tap in a group is not private, and one of a stranger bears the stranger', async () => {
  const rig = await createRig()
  await rig.connect()
  rig.server.group('oc_team')
  rig.server.say('hi', eve, { chat_id: 'oc_team' })
  await rig.channel.deliver(rig.outgoing('Approve?', { kind: 'notice', chat_id: 'oc_team', buttons: rows }))
  rig.server.tap('Yes', eve, { chat_id: 'oc_team' })
  const tap = await rig.server.waitFor(() => rig.received.find(({ press }) => press !== undefined))
  expect(tap).toMatchObject({ isPrivate: false, sender_id: eve.open_id, chat_id: 'oc_team' })
})

test('a tap of which Feishu does not say where it was is not private', async () => {
  const { server, taps } = await withCard()
  server.fail('GET /open-apis/im/v1/chats/:chat_id', 9, { code: 232006 })
  server.tap('Yes')
  expect((await taps(1))[0]?.isPrivate).toBe(false)
  server.heal()
  server.tap('Yes')
  expect((await taps(2))[1]?.isPrivate).toBe(true)
})

test('a tap does not wait for a question that Feishu does not answer', async () => {
  const { server, taps } = await withCard()
  server.fail('GET /open-apis/im/v1/chats/:chat_id', 1, 'hang')
  server.fail('GET /open-apis/contact/v3/users/:user_id', 1, 'hang')
  server.tap('Yes')
  expect((await taps(1))[0]).toMatchObject({ isPrivate: false, sender_name: '' })
})

test('what no button of ours made has no data', async () => {
  const { server, card, taps } = await withCard()
  const values: readonly unknown[] = [
    { press: 'x'.repeat(65) },
    { press: 5 },
    'y1',
    null,
    ['y1'],
    { other: 'y1' },
    {},
  ]
  for (const value of values) server.press(value, card.id)
  server.press({ press: 'y1' }, card.id, undefined, { action: { tag: 'input', value: { press: 'y1' } } })
  for (const tap of await taps(8))
    expect([tap.origin, tap.press]).toEqual(['not_text', { data: '', on_message_id: card.id }])
})

test('a tap without an operator, a message or a chat is answered and dropped', async () => {
  const { server, card, received } = await withCard()
  for (const extra of [
    { operator: {} },
    { operator: null },
    { context: {} },
    { context: { open_chat_id: 'a b' } },
  ])
    server.press({ press: 'y1' }, card.id, undefined, extra)
  await server.waitFor(() => server.acks().length === 4)
  expect([received, server.acks().map(({ code }) => code)]).toEqual([[], [200, 200, 200, 200]])
})
