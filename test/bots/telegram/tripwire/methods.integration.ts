import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { apiMethods } from '../../../../bots/telegram/tripwire/library.ts'
import { methods, type MethodClass } from '../../../../bots/telegram/tripwire/methods.ts'
import { startBotApi } from '../../../fixtures/bot-api/server.ts'
import { rawCall, token, wire } from '../rig.ts'
import { listed, nest, textFields } from '../text-fields.ts'

const root = resolve(import.meta.dirname, '../../../..')
const read = (file: string): string => readFileSync(join(root, file), 'utf8')
const names = (of: MethodClass): readonly string[] =>
  Object.entries(methods).flatMap(([name, is]) => (is === of ? [name] : []))

test('the methods that grammY is asked for are those of the installed types, and no other', () => {
  const [, types = ''] = read('node_modules/@grammyjs/types/methods.d.ts').split(
    'export type ApiMethods<F> = {\n',
  )
  const installed = [...(types.split('\n};')[0] ?? '').matchAll(/^ {4}([a-z][A-Za-z]+)[(:]/gm)].map(
    ([, name]) => name ?? '',
  )
  expect(installed.length).toBeGreaterThan(180)
  expect([...apiMethods()].sort()).toEqual(installed.sort())
})

test('what carries text is free in no form but the one that leaves it out', () => {
  expect(names('free')).toEqual([
    'getUpdates',
    'getMe',
    'setMyCommands',
    'sendChatAction',
    'getChat',
    'answerCallbackQuery',
    'getFile',
    'unpinChatMessage',
    'setWebhook',
    'deleteWebhook',
    'getWebhookInfo',
  ])
  for (const name of [...Object.keys(listed.methods), ...Object.keys(listed.indirect)])
    expect(apiMethods()).toContain(name)
  expect(names('free').filter((name) => name in listed.methods)).toEqual([
    'setMyCommands',
    'answerCallbackQuery',
  ])
})

test('only forms of a push can be minted', () => {
  expect(names('minted').join(' ')).toBe(
    'sendMessage editMessageText sendMessageDraft sendPhoto sendDocument sendVoice sendMediaGroup sendLocation sendVenue sendContact sendPoll setMessageReaction createForumTopic pinChatMessage',
  )
})

test('a secret in any text field of any method is refused and recorded, and no byte of it arrives', async () => {
  const server = await startBotApi({ token })
  const tripped: string[] = []
  try {
    const { bot } = wire(server, (what) => tripped.push(what))
    expect(textFields.length).toBeGreaterThan(600)
    for (const [name, path] of textFields) {
      // With a free method only the secret is wrong.
      const right = { setMyCommands: {}, answerCallbackQuery: { callback_query_id: '42' } }[name] ?? {
        chat_id: 7,
      }
      const payload = { ...right, ...(nest(path, 'canary') as object) }
      await expect(rawCall(bot.api, name)(payload), `${name} ${path}`).rejects.toMatchObject({
        error_code: 403,
      })
    }
    expect(tripped).toEqual(textFields.map(([name]) => name))
    expect(server.calls()).toEqual([])
  } finally {
    await server.stop()
  }
})
