import { Api } from 'grammy'
import { expect, test } from 'vitest'
import { startBotApi } from '../../fixtures/bot-api/server.ts'
import { createRig, token } from './rig.ts'

test('it is the channel telegram, of 4096 UTF-16 units', () => {
  expect(createRig('http://127.0.0.1:9/').channel).toMatchObject({ name: 'telegram', maxUnits: 4096 })
})

test('its limits are those that Telegram names: thirty a second, one a second in a chat, twenty a minute in a group', () => {
  const { limits, groupOf } = createRig('http://127.0.0.1:9/').channel
  expect(limits?.map(({ of, sends, withinMs }) => `${of} ${sends} in ${withinMs}`)).toEqual([
    'all 30 in 1000',
    'chat 1 in 1000',
    'group 20 in 60000',
  ])
  expect(['7', '-100123', '-5', '-5/45'].map((chat) => groupOf?.(chat))).toEqual([
    undefined,
    '-100123',
    '-5',
    '-5',
  ])
})

test("a send planted inside the bot, on the bot's own client, is refused, told, and never reaches the network", async () => {
  const server = await startBotApi({ token })
  const rig = createRig(server.root)
  const original = Api.prototype.sendChatAction
  let refused: unknown
  Api.prototype.sendChatAction = async function (this: Api) {
    await this.sendMessage(7, 'past the door').catch((error: unknown) => {
      refused = error
    })
    return true
  }
  try {
    rig.channel.working?.('7', true)
    await server.waitFor(() => refused !== undefined)
  } finally {
    Api.prototype.sendChatAction = original
    await rig.channel.stop()
    await server.stop()
  }
  expect(refused).toMatchObject({ error_code: 403 })
  expect(rig.tripped).toEqual(['telegram sendMessage'])
  expect(server.calls()).toEqual([])
})
