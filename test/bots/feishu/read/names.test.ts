import { expect, test } from 'vitest'
import { createRig } from '../rig.ts'

const user = 'GET /open-apis/contact/v3/users/:user_id'
const members = 'GET /open-apis/im/v1/chats/:chat_id/members'

test('a name is asked for once', async () => {
  const { server, received, connect } = await createRig()
  await connect()
  for (const text of ['one', 'two', 'three']) server.say(text)
  await server.waitFor(() => received.length === 3)
  server.say('four')
  await server.waitFor(() => received.length === 4)
  expect(received.map(({ sender_name }) => sender_name)).toEqual(['Olive', 'Olive', 'Olive', 'Olive'])
  expect(server.calls(user)).toHaveLength(1)
})

test('without the permission for names, the members of the chat have them', async () => {
  for (const why of [99991672, 41050, 'hidden'] as const) {
    const { server, received, connect } = await createRig()
    server.world.namesRefused = why
    await connect()
    server.say('hi')
    await server.waitFor(() => received.length === 1)
    expect([received[0]?.sender_name, server.calls(members).length]).toEqual(['Olive', 1])
  }
})

test('a message whose sender has no name arrives without one, and nobody is asked again soon', async () => {
  const { server, received, connect } = await createRig()
  server.world.namesRefused = 99991672
  server.fail(members, 9, { code: 232011 })
  await connect()
  server.say('one')
  await server.waitFor(() => received.length === 1)
  server.say('two')
  await server.waitFor(() => received.length === 2)
  expect(received.map(({ sender_name }) => sender_name)).toEqual(['', ''])
  expect(server.calls(user)).toHaveLength(1)
})

test('a name that takes long does not hold up a message, and the messages of one person stay in order', async () => {
  const { server, received, connect } = await createRig()
  await connect()
  server.fail(user, 1, 'hang')
  for (const text of ['one', 'two', 'three']) server.say(text)
  await server.waitFor(() => received.length === 3)
  expect(received.map(({ text, sender_name }) => [text, sender_name])).toEqual([
    ['one', ''],
    ['two', ''],
    ['three', ''],
  ])
})

test('very many strangers at once do not make as many questions', async () => {
  const { server, received, connect } = await createRig()
  await connect()
  server.fail(user, 200, 'hang')
  for (let nth = 0; nth < 50; nth++)
    server.say('hi', { open_id: `ou_${String(nth).padStart(32, '0')}`, name: `S${nth}` })
  await server.waitFor(() => received.length === 50)
  expect(server.calls(user).length).toBeLessThanOrEqual(10)
})

test('an absurd name is cut', async () => {
  const { server, received, connect } = await createRig()
  await connect()
  server.say('hi', { open_id: `ou_${'a'.repeat(32)}`, name: '😀'.repeat(5000) })
  await server.waitFor(() => received.length === 1)
  expect(received[0]?.sender_name.length).toBe(200)
})
