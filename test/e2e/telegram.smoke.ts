import { readFile, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { execa } from 'execa'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startBotApi, type BotApi } from '../fixtures/bot-api/server.ts'
import { cli, startProgram, until, type Program } from './program.ts'
import { openPhone, type Chat } from './rig.ts'

const token = '123456:test-token'
const secret = `-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj\n-----END PRIVATE KEY-----`

let api: BotApi
let program: Program
let phone: Chat

/** What the owner's chat shows since a moment, as one text. */
const texts = (): readonly string[] => phone.texts()
const reply = (what: string, holds: (text: string) => boolean, from = 0): Promise<string> =>
  until(what, () => texts().slice(from).find(holds))
const ask = async (command: string, holds: (text: string) => boolean): Promise<string> => {
  const from = texts().length
  api.say(command)
  return reply(`an answer to ${command}`, holds, from)
}

beforeAll(async () => {
  api = await startBotApi({ token })
  program = await startProgram({ TELEGRAM_BOT_TOKEN: token, TELEGRAM_API_ROOT: api.root })
  phone = openPhone(api)
})
afterAll(async () => {
  await program.remove()
  await api.stop()
})

describe('the main job over Telegram', () => {
  test('a stranger gets nothing', async () => {
    api.say('/hooks')
    api.say('hello')
    await until('both to be read', () => api.pending().length === 0)
    expect(texts()).toEqual([])
  })

  test('a person pairs with the code of the console', async () => {
    expect(await ask(`/pair ${program.pairing()}`, (text) => text.includes('Paired'))).toContain('🛡')
  })

  test('the list shows what waits, and that hooks are off', async () => {
    // Right after a first start some of the files are still being checked.
    await until('a list of all that waits', async () => {
      const shown = await ask('/hooks', (text) => text.includes('Hooks are'))
      return shown === '🛡 Hooks are OFF. Nothing protects you yet.\n14 wait for you'
    })
  })

  test('before anything is approved, the agent says what it likes', async () => {
    expect(await ask('say good morning', (text) => text.includes('good morning'))).toBe('good morning')
  })

  test('the owner approves and switches on by pasting two lines', async () => {
    const from = texts().length
    api.say('```\n/hooks approve on_outbound_message ./.hookgate-examples/block_secrets.py\n/hooks on\n```')
    await reply('the receipt', (text) => text.includes('Approved: on_outbound_message'), from)
    await reply('the switch', (text) => text.includes('Hooks are ON'), from)
  })

  test('a private key that the agent says reaches no request body, and the owner is told', async () => {
    const from = texts().length
    api.say(`say ${secret}`)
    const told = await reply('word that something was withheld', (text) => text.includes('Blocked: '), from)
    expect(told).toContain('Block secrets in messages: ')
    await until('the turn to end', () => api.pending().length === 0)
    expect(api.bodies().filter((body) => body.includes('MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcw'))).toEqual([])
  })

  test("the secret of the README's tour is withheld as the README says", async () => {
    const readme = await readFile(resolve(import.meta.dirname, '../../README.md'), 'utf8')
    const [, typed = ''] = /Type `(say [^`]+)`/.exec(readme) ?? []
    const answer = await ask(typed, (text) => text.includes('Blocked: '))
    expect(answer).toContain(
      `Blocked: main’s message to the telegram chat.\nBlock secrets in messages: Held back, because it contains: seed phrase`,
    )
    expect(texts().join()).not.toContain('legal winner')
  })

  test('why explains the withheld message without its text', async () => {
    const why = await ask('/hooks why', (text) => text.includes('fired'))
    expect(why).toContain('on_outbound_message')
    expect(why).toContain('Block secrets in messages fired')
    expect(why).not.toContain('MIIEvQ')
  })

  test('a rewriting hook: only the rewritten text arrives', async () => {
    await ask('/hooks approve on_outbound_message redact_pii', (text) => text.includes('Approved'))
    const arrived = await ask('say write to ada@example.com please', (text) => text.includes('please'))
    expect(arrived).toBe('write to [redacted: email address] please')
    expect(api.bodies().filter((body) => body.includes('ada@example.com'))).toEqual([])
  })

  test('a destructive command is blocked, and the owner is told why', async () => {
    await ask('/hooks approve pre_tool_call guard_commands', (text) => text.includes('Approved'))
    const refused = await ask('!rm -rf /', (text) => text.includes('Blocked: main’s call of bash'))
    expect(refused).toContain('Guard commands: It ')
    expect(await ask('!echo still here', (text) => text.includes('still here'))).toContain('still here')
  })

  test('a new entry in the file shows up by itself and is announced once', async () => {
    const from = texts().length
    const file = join(program.workspace, 'config', 'shell_hooks.yaml')
    await writeFile(join(program.workspace, 'mine.sh'), '#!/bin/sh\necho {}\n', { mode: 0o755 })
    await writeFile(file, 'hooks:\n  - {event: on_outbound_message, command: ./mine.sh}\n')
    const told = await reply('the announcement', (text) => text.includes('hook waits for you'), from)
    expect(told).toContain('./mine.sh')
    expect(await ask('/hooks', (text) => text.includes('Hooks are'))).toContain(
      'no file proposes it any longer',
    )
    expect(
      texts()
        .slice(from)
        .filter((text) => text.includes('hook waits for you')),
    ).toHaveLength(1)
  })

  test('the menu, the typing sign and long messages are as Telegram wants them', async () => {
    expect(api.commands().map(({ command }) => command)).toContain('hooks')
    expect(api.calls('sendChatAction').length).toBeGreaterThan(0)
    const from = texts().length
    api.say(`!head -c 9000 /dev/zero | tr '\\0' x`)
    await until('all pieces', () => texts().slice(from).join('').replaceAll(/[^x]/g, '').length >= 9000)
    expect(Math.max(...texts().map((text) => text.length))).toBeLessThanOrEqual(4096)
  })

  test('a program at the desk can ask the running gate, and cannot command it', async () => {
    const fired = await execa(process.execPath, [cli, 'fire', 'pre_tool_call', '--payload', '-'], {
      input: '{"tool_name":"bash","tool_input":{"command":"rm -rf /"}}',
      env: { HOME: program.home },
      extendEnv: false,
      reject: false,
    })
    expect(JSON.parse(fired.stdout)).toMatchObject({ verdict: 'block', payload: { event: 'pre_tool_call' } })
    const verb = await execa(process.execPath, [cli, 'approve'], { reject: false })
    expect(verb).toMatchObject({ exitCode: 1 })
    expect(verb.stderr).toContain('None of these can approve a hook')
  })

  test('off works at once, and nothing fires any more', async () => {
    await ask('/hooks off', (text) => text.includes('Hooks are OFF'))
    expect(await ask('say to ada@example.com', (text) => text.includes('ada@'))).toBe('to ada@example.com')
  })
})
