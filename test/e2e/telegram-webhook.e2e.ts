import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startBotApi, type BotApi } from '../fixtures/bot-api/server.ts'
import { freePort } from '../../src/attack/gate/free-port.ts'
import { cli, startProgram, until, type Program } from './program.ts'
import { openPhone, ownedEnv, token, type Chat } from './rig.ts'

const url = 'https://gate.example.org/telegram'

describe('Telegram by webhook', { timeout: 90_000 }, () => {
  let api: BotApi
  let program: Program
  let phone: Chat
  let port = 0
  const configure = (gate: string, mode: string) =>
    writeFileSync(
      join(gate, 'gate.yaml'),
      `channels: {telegram: {mode: ${mode}, webhook: {url: "${url}", port: ${port}}}}\n`,
    )

  beforeAll(async () => {
    port = await freePort()
    api = await startBotApi({ token })
    api.tunnel(`http://127.0.0.1:${port}`)
    program = await startProgram(ownedEnv(api), cli, {
      prepare: (home) => {
        mkdirSync(join(home, '.hookgate'), { mode: 0o700 })
        configure(join(home, '.hookgate'), 'webhook')
      },
    })
    phone = openPhone(api)
  })
  afterAll(async () => {
    await program.remove()
    await api.stop()
  })

  test('words, commands and taps work as in polling', async () => {
    expect(await phone.ask('say good morning', /morning/)).toBe('good morning')
    expect(await phone.ask('/hooks', /Hooks are/)).toContain('Hooks are OFF')
    // At the start a press counts only once Telegram has said that it holds no older one.
    const tap = async (): Promise<string> => {
      const from = phone.texts().length
      api.tap('Show pending')
      const answer = await phone.reply(/One tap protects you|hookgate does not know when you did that/, from)
      return answer.includes('does not know') ? tap() : answer
    }
    expect(await tap()).toContain('✗ Secrets do not leave')
    expect(api.calls('getUpdates')).toEqual([])
  })

  test('kill -9 again and again between messages: each is answered once', async () => {
    const said = Array.from({ length: 4 }, (_, round) => `kept ${round}`)
    for (const text of said) {
      api.say(`say ${text}`)
      if (text !== 'kept 0') await until('it to be on its way', () => api.posts().length > 0)
      await program.kill()
      api.say(`say ${text}, while away`)
      program = await program.again()
      await phone.reply(new RegExp(`^${text}, while away$`))
    }
    const told = (text: string): number => phone.texts().filter((shown) => shown === text).length
    for (const text of said) {
      expect(told(`${text}, while away`)).toBe(1)
      // Caught in the middle, it is told as cut short instead.
      expect(told(text)).toBeLessThanOrEqual(1)
    }
    const lost = said.filter((text) => told(text) === 0).length
    expect(phone.texts().filter((text) => text.includes('while it worked on')).length).toBeGreaterThanOrEqual(
      lost,
    )
    expect(new Set(api.calls('setWebhook').map(({ params }) => params['secret_token'])).size).toBe(5)
  })

  test('back to polling, nothing is lost and the webhook is gone', async () => {
    await program.stop()
    configure(program.gate, 'polling')
    api.say('say in between')
    program = await program.again()
    await phone.reply(/^in between$/)
    expect([api.webhook(), api.calls('deleteWebhook').length]).toEqual([undefined, 1])
  })
})
