import { expect, test } from 'vitest'
import { createRig } from './rig.ts'

test('a message of a person arrives once, with the name of who wrote it', async () => {
  const { server, received, connect } = await createRig()
  await connect()
  const id = server.say('hello')
  await server.waitFor(() => received.length > 0)
  expect(received).toEqual([
    {
      channel: 'feishu',
      chat_id: server.owner.open_id,
      message_id: id,
      sender_id: server.owner.open_id,
      sender_name: server.owner.name,
      language: 'en_US',
      isPrivate: true,
      origin: 'plain',
      isUnattested: true,
      sentAtMs: expect.any(Number) as number,
      text: 'hello',
    },
  ])
  await server.waitFor(() => server.pending().length === 0)
})

test('a text leaves as it is, without markup', async () => {
  const { server, channel, outgoing } = await createRig()
  const text = '**not bold** <at user_id="all"></at>\n\n  https://example.com 😀'
  expect(await channel.deliver(outgoing(text))).toMatchObject({ kind: 'delivered' })
  expect(server.texts()).toEqual([text])
})
