import { expect, onTestFinished, test } from 'vitest'
import { createFeishu } from '../../bots/feishu/feishu.ts'
import { loadSdk } from '../../bots/feishu/sdk.ts'
import { createTelegram } from '../../bots/telegram/telegram.ts'
import { createWeb } from '../../bots/web/web.ts'
import type { OutgoingMessage } from '../../src/core/model/chat/push.ts'
import { startBotApi } from '../fixtures/bot-api/server.ts'
import { startFeishu } from '../fixtures/feishu/server.ts'
import { openClient } from '../fixtures/page-client.ts'
import { holdsSecret, pushAll } from './guarded.ts'
import { token } from './telegram/rig.ts'
import { preferences } from './web/scripted-web.ts'

/** The guard that we ship, approved and on, between random pushes of every form and each real bot. */
const ignored = (): void => undefined

const portsOf = (isAdmitted: (outgoing: OutgoingMessage) => boolean) => ({
  receive: ignored,
  isAdmitted,
  tripped: ignored,
  trouble: ignored,
  menu: [],
  now: Date.now,
  elapsedMs: () => performance.now(),
  log: ignored,
})

test('Telegram: with block_secrets.py approved and on, no byte of a secret in any text, name or file of any form arrives', async () => {
  const server = await startBotApi({ token })
  onTestFinished(() => server.stop())
  await pushAll(1000, async (isAdmitted) => ({
    channel: createTelegram({ token, apiRoot: server.root, chats: [] }, portsOf(isAdmitted)),
    chat: '7',
    reacted: String(server.say('hi').message_id),
  }))
  expect(server.bodies().length).toBeGreaterThan(200)
  expect(server.bodies().filter(holdsSecret)).toEqual([])
  expect(server.calls().filter(({ method, body }) => holdsSecret(`${method} ${body}`))).toEqual([])
}, 240_000)

test('Feishu: with block_secrets.py approved and on, no byte of a secret in any text, name or file of any form arrives', async () => {
  const server = await startFeishu()
  onTestFinished(() => server.stop())
  await pushAll(500, async (isAdmitted) => ({
    channel: createFeishu(
      {
        appId: server.appId,
        appSecret: server.appSecret,
        platform: 'feishu',
        apiRoot: server.root,
        sdk: await loadSdk(),
      },
      portsOf(isAdmitted),
    ),
    chat: server.chatOf(),
    reacted: server.say('hi'),
  }))
  expect(server.bodies().length).toBeGreaterThan(200)
  expect(server.bodies().filter(holdsSecret)).toEqual([])
  expect(server.calls().filter(({ path, query }) => holdsSecret(`${path} ${JSON.stringify(query)}`))).toEqual(
    [],
  )
}, 240_000)

test('the web page: with block_secrets.py approved and on, no byte of a secret in any text, name or file of any form is shown', async () => {
  const made: { seen: string; end?: Promise<void> } = { seen: '' }
  const filesSeen: string[] = []
  await pushAll(500, async (isAdmitted) => {
    const web = createWeb(
      { host: '127.0.0.1', port: 0 },
      {
        ...portsOf(isAdmitted),
        preferences: () => Promise.resolve(preferences),
        onPreferences: () => ignored,
        loginMisused: ignored,
      },
    )
    await web.start()
    onTestFinished(() => web.stop())
    const client = await openClient(`${web.url()}/#${web.mintLogin()}`)
    const { body } = await client.stream()
    const read = async (): Promise<void> => {
      for await (const piece of body ?? []) {
        const lines = Buffer.from(piece).toString('latin1')
        made.seen += lines
        for (const [, id = ''] of lines.matchAll(/"files":\[\{"id":"([^"]+)"/g)) {
          const response = await fetch(`${web.url()}/api/files/${id}`, {
            headers: client.headers('GET', `/api/files/${id}`),
          })
          filesSeen.push(Buffer.from(await response.arrayBuffer()).toString('latin1'))
        }
      }
    }
    void read().catch(ignored)
    return { channel: web, chat: 'main' }
  })
  expect([made.seen.length > 10_000, filesSeen.length > 50]).toEqual([true, true])
  expect([made.seen, ...filesSeen].filter(holdsSecret)).toEqual([])
}, 240_000)
