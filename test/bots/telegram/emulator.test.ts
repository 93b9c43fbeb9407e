import diagnostics from 'node:diagnostics_channel'
import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { TelegramServer } from 'telegram-test-api/lib/telegramServer.js'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { freePort } from '../../../src/attack/gate/free-port.ts'
import { waitFor } from '../../fixtures/on-demand.ts'
import { createRig, token, type Rig } from './rig.ts'

// An independent judge: other people's idea of the Bot API. It answers each poll at once and dates in
// milliseconds.

let emulator: TelegramServer
let rig: Rig
let root: string
let requests: string[]
const note = (event: unknown) => {
  requests.push((event as { readonly request: IncomingMessage }).request.url ?? '')
}

beforeEach(async () => {
  const port = await freePort()
  root = `http://127.0.0.1:${port}`
  requests = []
  emulator = new TelegramServer({ port, host: '127.0.0.1' })
  await emulator.start()
  diagnostics.subscribe('http.server.request.start', note)
  rig = createRig(root)
  await rig.channel.start()
})
afterEach(async () => {
  diagnostics.unsubscribe('http.server.request.start', note)
  await rig.channel.stop()
  await emulator.stop()
})

const client = () => emulator.getClient(token, { userId: 7, chatId: 7, firstName: 'Olive' })

test("a person's text comes in as they wrote it, on the platform's clock", async () => {
  const saidAtMs = Date.now()
  await client().sendMessage(client().makeMessage('hello from the emulator'))
  await waitFor(() => rig.received.length === 1)
  const [message] = rig.received
  expect(message).toMatchObject({
    chat_id: '7',
    sender_id: '7',
    isPrivate: true,
    origin: 'plain',
    text: 'hello from the emulator',
  })
  // The platform's clock has whole seconds.
  expect(message?.sentAtMs).toBeGreaterThan(saidAtMs - 1000)
  expect(message?.sentAtMs).toBeLessThanOrEqual(Date.now() + 1000)
})

test("a command with the bot's own name comes in without it", async () => {
  await client().sendCommand(client().makeCommand('/hooks@TestNameBot on'))
  await waitFor(() => rig.received.length === 1)
  expect(rig.received[0]?.text).toBe('/hooks on')
})

test('a date in milliseconds is understood', async () => {
  const sentAtMs = Date.now()
  await client().sendMessage(client().makeMessage('in milliseconds', { date: sentAtMs }))
  await waitFor(() => rig.received.length === 1)
  expect(rig.received[0]?.sentAtMs).toBe(sentAtMs)
})

test('a outgoing goes out as its text, and nothing else does', async () => {
  expect(await rig.channel.deliver(rig.outgoing('hello from the gate'))).toMatchObject({ kind: 'delivered' })
  expect(await rig.channel.deliver({ ...rig.outgoing('not through the door') })).toMatchObject({
    kind: 'failed',
  })
  const updates = (await client().getUpdatesHistory()) as readonly {
    readonly message: { readonly text: string; readonly chat_id: number }
  }[]
  expect(updates.map(({ message }) => [message.chat_id, message.text])).toEqual([[7, 'hello from the gate']])
})

test('a server that answers every poll at once is asked at most fifty times a second', async () => {
  const polls = () => requests.filter((url) => url.endsWith('/getUpdates')).length
  await waitFor(() => polls() > 0)
  const before = polls()
  const startedMs = performance.now()
  await waitFor(() => performance.now() - startedMs > 1000)
  const rate = ((polls() - before) * 1000) / (performance.now() - startedMs)
  expect(rate).toBeGreaterThan(1)
  expect(rate).toBeLessThan(50)
})

test('a server that repeats an update for ever is heard once and not asked without a pause', async () => {
  let polls = 0
  const update = {
    update_id: 5,
    message: {
      message_id: 1,
      date: 1,
      chat: { id: 7, type: 'private' },
      from: { id: 7, is_bot: false, first_name: 'Olive' },
      text: 'again',
    },
  }
  const rude = createServer((request, response) => {
    const isPoll = request.url?.endsWith('/getUpdates') === true
    if (isPoll) polls++
    request.resume()
    response.end(
      JSON.stringify({ ok: true, result: isPoll ? [update] : { id: 1, is_bot: true, first_name: 'Rude' } }),
    )
  }).listen(0, '127.0.0.1')
  await once(rude, 'listening')
  const other = createRig(`http://127.0.0.1:${(rude.address() as AddressInfo).port}`)
  await other.channel.start()
  const startedMs = performance.now()
  await waitFor(() => polls > 5)
  expect(performance.now() - startedMs).toBeGreaterThan(300)
  expect(other.received).toHaveLength(1)
  await other.channel.stop()
  rude.close()
  rude.closeAllConnections()
})
