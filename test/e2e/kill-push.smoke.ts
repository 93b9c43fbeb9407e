import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startBotApi, type BotApi } from '../fixtures/bot-api/server.ts'
import { startProgram, until, type Program } from './program.ts'
import { openPhone, ownedEnv, stored, token, type Chat } from './rig.ts'

let api: BotApi
let program: Program
let phone: Chat
beforeAll(async () => {
  api = await startBotApi({ token })
  program = await startProgram(ownedEnv(api))
  phone = openPhone(api)
  // It is sent as well, and a fault is for the next message that is sent.
  await until('the pinned head of the ledger', () => api.pinned())
  // So is a word about an agent that does not run yet.
  await phone.ask('say ready', /^ready$/)
})
afterAll(async () => {
  await program.remove()
  await api.stop()
})

const count = (what: (text: string) => boolean): number => phone.texts().filter(what).length

describe('kill -9 of the gate', () => {
  test('a message that waits to be sent is delivered once after the next start', async () => {
    const from = phone.texts().length
    api.fail('sendMessage', 1, { error: 429, retryAfterS: 600 })
    api.say('say patient words')
    await until('it to be put off', () => program.output().includes('"outcome":"retry"'))
    // Until that is on disk it is one that was being sent.
    await until(
      'that to be on disk',
      () => stored(program, "SELECT id FROM outbox WHERE state = 'queued'").length > 0,
    )
    await program.kill()
    program = await program.again()
    await phone.reply(/^patient words$/, from)
    await phone.ask('say next', /^next$/)
    expect(count((text) => text === 'patient words')).toBe(1)
  })

  test('a message that was being sent is told as unknown, and not repeated', async () => {
    const from = phone.texts().length
    const before = api.calls('sendMessage').length
    api.fail('sendMessage', 1, 'hang')
    api.say('say uncertain words')
    await until('the send', () =>
      api
        .calls('sendMessage')
        .slice(before)
        .some(({ params }) => params['text'] === 'uncertain words'),
    )
    await program.kill()
    program = await program.again()
    expect(await phone.reply(/May not have arrived/, from)).toContain(
      'hookgate stopped while it was being sent',
    )
    await phone.ask('say next', /^next$/)
    expect(count((text) => text === 'uncertain words')).toBe(0)
  })
})
