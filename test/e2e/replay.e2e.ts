import { afterEach, beforeEach, expect, test } from 'vitest'
import { startBotApi, type BotApi } from '../fixtures/bot-api/server.ts'
import { startProgram, until, type Program } from './program.ts'
import { openPhone, ownedEnv, token, type Chat } from './rig.ts'

let api: BotApi
let program: Program
let phone: Chat
beforeEach(async () => {
  api = await startBotApi({ token })
  program = await startProgram(ownedEnv(api))
  phone = openPhone(api)
})
afterEach(async () => {
  await program.remove()
  await api.stop()
})

const hourAgo = (): { date: number } => ({ date: Math.floor(Date.now() / 1000) - 3600 })

test.each(['stop', 'kill'] as const)(
  'an update is carried out once, also when it is given again after a %s',
  async (how) => {
    const from = phone.texts().length
    const on = api.say('/hooks on')
    await phone.reply(/Hooks are ON/, from)
    await phone.ask('/hooks off', /Hooks are OFF/)
    await program[how]()
    // Telegram gives again what it thinks was not confirmed, with the same or with another number.
    api.inject({ message: on })
    program = await program.again()
    await until('it to be read', () => api.pending().length === 0)
    expect(await phone.ask('/hooks', /Hooks are O/)).toContain('Hooks are OFF')
    expect(await phone.ask('/hooks log', /repeated/)).toContain('repeated')
  },
)

test('a backlog carries out nothing that is an hour old but off, and keeps what was said to the agent', async () => {
  await phone.ask('/hooks on', /Hooks are ON/)
  await program.stop()
  const from = phone.texts().length
  api.say('/hooks approve on_outbound_message redact_pii', 7, hourAgo())
  api.say('/new', 7, hourAgo())
  api.say('say this came late', 7, hourAgo())
  program = await program.again()
  await phone.reply(/^this came late$/, from)
  await phone.reply(/\/hooks approve was not carried out: That message is 60 minutes old/, from)
  await phone.reply(/\/new was not carried out: That message is 60 minutes old/, from)
  expect(await phone.ask('/hooks', /Hooks are/)).toContain('Nothing protects you yet.')
  api.say('/hooks off', 7, hourAgo())
  await phone.reply(/Hooks are OFF\./, from)
})
