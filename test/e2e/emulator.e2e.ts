import { TelegramServer } from 'telegram-test-api/lib/telegramServer.js'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { freePort } from '../../src/attack/gate/free-port.ts'
import { startProgram, until, type Program } from './program.ts'

// An independent judge: other people's idea of the Bot API. It knows sendMessage and getUpdates but no menu,
// answers each poll at once, and forgets nothing that a bot sent.

const token = '123456:emulated-token'
const secretBody = 'MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj'
const secret = `-----BEGIN PRIVATE KEY-----\n${secretBody}\n-----END PRIVATE KEY-----`

let emulator: TelegramServer
let program: Program

/** Everything that the bot sent, to whichever chat. */
const texts = (): readonly string[] => emulator.storage.botMessages.map(({ message }) => message.text)
const write = async (text: string, userId = 7): Promise<void> => {
  const client = emulator.getClient(token, { userId, chatId: userId, firstName: 'Olive' })
  // A client marks the command's word by an entity; only a line that is one goes out as one.
  await (text.startsWith('/')
    ? client.sendCommand(client.makeCommand(text))
    : client.sendMessage(client.makeMessage(text)))
}
const ask = async (text: string, holds: (answer: string) => boolean): Promise<string> => {
  const from = texts().length
  await write(text)
  return until(`an answer to ${text}`, () => texts().slice(from).find(holds))
}

beforeAll(async () => {
  const port = await freePort()
  // In seconds; the emulator otherwise forgets after one minute.
  emulator = new TelegramServer({ port, host: '127.0.0.1', storeTimeout: 600 })
  await emulator.start()
  program = await startProgram({ TELEGRAM_BOT_TOKEN: token, TELEGRAM_API_ROOT: `http://127.0.0.1:${port}` })
})
afterAll(async () => {
  await program.remove()
  await emulator.stop()
})

describe('the main job against an emulator of the Bot API that others wrote', () => {
  test('a person pairs with the code of the console; a stranger gets nothing', async () => {
    await write('/hooks', 666)
    await ask(`/pair ${program.pairing()}`, (text) => text.includes('Paired'))
    // The card with one tap may be there already, too.
    const chats = emulator.storage.botMessages.map(({ message }) => String(message.chat_id))
    expect(new Set(chats)).toEqual(new Set(['7']))
  })

  test('the list shows what waits', async () => {
    await ask('/hooks@TestNameBot', (text) => /Hooks are OFF\..*\n\d+ wait for you$/.test(text))
  })

  test('the owner approves, and switches on', async () => {
    await ask('/hooks approve on_outbound_message ./.hookgate-examples/block_secrets.py', (text) =>
      text.includes('✓ Approved: on_outbound_message'),
    )
    await ask('/hooks approve on_outbound_message redact_pii', (text) =>
      text.includes('✓ Approved: on_outbound_message'),
    )
    await ask('/hooks on', (text) => text.includes('Hooks are ON'))
  })

  test('a private key that the agent says is withheld, and the owner is told', async () => {
    const told = await ask(`say ${secret}`, (text) => text.includes('Blocked: '))
    expect(told).toContain('Block secrets in messages: ')
    expect(texts().filter((text) => text.includes(secretBody.slice(0, 40)))).toEqual([])
  })

  test('only the rewritten text arrives', async () => {
    expect(await ask('say write to ada@example.com please', (text) => text.includes('please'))).toBe(
      'write to [redacted: email address] please',
    )
    expect(texts().filter((text) => text.includes('ada@example.com'))).toEqual([])
  })
})
