import { afterEach, beforeEach, expect, test } from 'vitest'
import { startBotApi, type BotApi } from '../../../fixtures/bot-api/server.ts'
import { createClock, createRig, token, type Clock, type Rig } from '../rig.ts'

let server: BotApi
let clock: Clock
let rig: Rig

beforeEach(async () => {
  server = await startBotApi({ token })
  clock = createClock()
  rig = createRig(server.root, { clock })
})
afterEach(async () => {
  await rig.channel.stop()
  await server.stop()
  expect(clock.count()).toBe(0)
})

const actions = () => server.calls('sendChatAction').map(({ params }) => params)
/** The calls were made and answered: only the pauses of five seconds are left, one a chat. */
const waitForActions = (count: number, chats = 1) =>
  server.waitFor(() => actions().length === count && clock.count() === chats && !clock.isWaiting(4000))

test('typing is shown at once and every five seconds, until the agent is done', async () => {
  rig.channel.working?.('7', true)
  await waitForActions(1)
  clock.advance(4999)
  expect(actions()).toHaveLength(1)
  clock.advance(1)
  await waitForActions(2)
  expect(actions()).toEqual([
    { chat_id: 7, action: 'typing' },
    { chat_id: 7, action: 'typing' },
  ])
  rig.channel.working?.('7', false)
  expect(clock.count()).toBe(0)
})

test('saying it twice is one timer, and each chat has its own', async () => {
  rig.channel.working?.('7', true)
  rig.channel.working?.('7', true)
  await waitForActions(1)
  rig.channel.working?.('-8', true)
  await waitForActions(2, 2)
  rig.channel.working?.('7', false)
  clock.advance(5000)
  await waitForActions(3)
  expect(actions()[2]).toEqual({ chat_id: -8, action: 'typing' })
})

test('in a topic typing is shown in that topic', async () => {
  rig.channel.working?.('-100123/45', true)
  await waitForActions(1)
  expect(actions()).toEqual([{ chat_id: -100123, message_thread_id: 45, action: 'typing' }])
  expect(rig.tripped).toEqual([])
})

test('an agent that never says that it is done types for ten minutes', async () => {
  rig.channel.working?.('7', true)
  for (let count = 1; count <= 120; count++) {
    await waitForActions(count)
    clock.advance(5000)
  }
  await rig.channel.deliver(rig.outgoing('a call later'))
  expect(actions()).toHaveLength(120)
  expect(clock.count()).toBe(0)
})

test('a call that fails changes nothing', async () => {
  server.fail('sendChatAction', 1, { error: 429, retryAfterS: 60 })
  server.fail('sendChatAction', 1, 'drop_before')
  rig.channel.working?.('7', true)
  await waitForActions(1)
  clock.advance(5000)
  await waitForActions(2)
  clock.advance(5000)
  await waitForActions(3)
  expect(rig.troubles).toEqual([])
})

test('stopping the channel ends it, and a chat id that is none is ignored', async () => {
  rig.channel.working?.('@somewhere', true)
  rig.channel.working?.('7', true)
  await waitForActions(1)
  await rig.channel.stop()
  expect(clock.count()).toBe(0)
  expect(actions()).toHaveLength(1)
})
