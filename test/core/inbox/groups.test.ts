import { afterAll, beforeAll, expect, test } from 'vitest'
import { startPlane, until, type Plane } from '../../plane.ts'

let plane: Plane
beforeAll(async () => {
  plane = await startPlane('hooks:\n  - {event: on_stop, command: ./x.sh}\n', { 'x.sh': '#!/bin/sh\n' })
})
afterAll(() => plane.stop())

const inGroup = { chat_id: 'group', isPrivate: false }
const heardIn = (chat: string, from = 0): readonly string[] =>
  plane.memory
    .sent()
    .slice(from)
    .filter(({ chat_id }) => chat_id === chat)
    .map(({ text }) => text)
const oneLine =
  '🛡 I answered you in private. If nothing came, write /start to me in a private chat, then ask again.'

test.each(['/hooks', '/hooks log', '/hooks pending', '/hooks show ./x.sh', '/hooks doctor'])(
  'the answer to %s in a group goes to the private chat, and the group gets one line without a handle',
  async (text) => {
    const from = plane.memory.sent().length
    plane.say(text, inGroup)
    await until('the line in the group', () => heardIn('group', from)[0])
    await until('the answer in private', () => heardIn('owner', from)[0])
    expect(heardIn('group', from)).toEqual([oneLine])
    expect(plane.memory.sent().filter(({ chat_id, buttons }) => chat_id === 'group' && buttons)).toEqual([])
  },
)

test('what is about the chat and its agent is answered in the group', async () => {
  const from = plane.memory.sent().length
  plane.say('/whoami', inGroup)
  expect(await until('the answer', () => heardIn('group', from)[0])).toContain('You are memory:owner')
})
