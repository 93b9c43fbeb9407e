import type { EventEmitter } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { WechatyBuilder } from 'wechaty'
import type { WechatyInterface } from 'wechaty/impls'
import { log as wechatyLog } from 'wechaty-puppet'
import { mock, PuppetMock } from 'wechaty-puppet-mock'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createWechat } from '../../../bots/wechat/wechat.ts'
import { loadConfig } from '../../../src/config/load.ts'
import type { Parts } from '../../../src/compose/parts.ts'
import { assemble } from '../../../src/main.ts'
import { until } from '../../e2e/program.ts'

wechatyLog.level('silent')

const secretBody = 'MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj'
const secret = `-----BEGIN PRIVATE KEY-----\n${secretBody}\n-----END PRIVATE KEY-----`

let home: string
let running: Parts
let bot: WechatyInterface
const mocker = new mock.Mocker()
const puppet = new PuppetMock({ mocker })
const me = mocker.createContact({ id: 'me', name: 'The bot' })
const alice = mocker.createContact({ id: 'alice', name: 'Alice' })
const mallory = mocker.createContact({ id: 'mallory', name: 'Mallory' })

/** Everything that left the bot's account, to whomever. */
const arrived: { readonly at: string; readonly text: string }[] = []
const texts = (at = 'alice'): readonly string[] =>
  arrived.filter((message) => message.at === at).map(({ text }) => text)
const ask = async (text: string, holds: (answer: string) => boolean): Promise<string> => {
  const from = texts().length
  alice.say(text).to(me)
  return until(`an answer to ${text}`, () => texts().slice(from).find(holds))
}
const approve = (event: string, command: string): Promise<string> =>
  ask(`/hooks approve ${event} ${command}`, (text) => text.includes('✓ Approved') && text.includes(command))

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'hookgate-e2e-'))
  for (const contact of [alice, mallory]) {
    // The mock's own types have lost their emitter.
    ;(contact as object as EventEmitter).on(
      'message',
      (message: ReturnType<typeof mocker.MessageMock.load>) => {
        if (message.talker().id === 'me') arrived.push({ at: contact.id, text: message.text() ?? '' })
      },
    )
  }
  const load = async () => ({
    WechatyBuilder: {
      build: (given: Parameters<typeof WechatyBuilder.build>[0]) => (bot = WechatyBuilder.build(given)),
    },
  })
  running = await assemble(
    loadConfig({
      HOOKGATE_HOME: join(home, 'gate'),
      HOOKGATE_WORKSPACE: join(home, 'workspace'),
      HOOKGATE_PORT: '0',
    }),
    {
      log: () => undefined,
      channels: (ports) => [createWechat({ puppet, load }, ports)],
    },
  )
  mocker.login(me)
})
afterAll(async () => {
  await running.stop()
  await rm(home, { recursive: true, force: true })
})

describe('the main job over WeChat', () => {
  test('a person pairs with the code of the console, and nobody else gets in with it', async () => {
    const { pairing } = running.invite()
    expect(await ask(`/pair ${pairing}`, (text) => text.includes('已配对'))).toContain('🛡')
    const { login = '' } = running.gatekeeper.state().owners.find(({ id }) => id === 'wechat:alice') ?? {}
    expect(login).toMatch(/^\d+ [0-9a-f]{16}$/)
    mallory.say(`/pair ${pairing}`).to(me)
    mallory.say('/hooks').to(me)
    mallory.say('hello').to(me)
    await until(
      'all three to be refused',
      async () =>
        (await running.store.records({ limit: 20 })).filter(({ reason }) =>
          reason?.endsWith('wechat:mallory'),
        ).length === 3,
    )
    expect(texts('mallory')).toEqual([])
    expect(running.gatekeeper.state().owners.map(({ id }) => id)).toEqual(['web:owner', 'wechat:alice'])
  })

  test('the person reads Chinese, and chooses English', async () => {
    await ask('/hooks', (text) => text.includes('钩子已关闭'))
    await ask('/lang en', (text) => text.includes('writes English'))
  })

  test('the list shows what waits, and that hooks are off', async () => {
    const list = await ask('／hooks', (text) => text.includes('Hooks are'))
    expect(list).toMatch(/Hooks are OFF\. Nothing protects you yet\.\n\d+ wait for you\n→ \/hooks pending$/)
  })

  test('before anything is approved, the agent says what it likes', async () => {
    await ask('say to eve@example.com', (text) => text === 'to eve@example.com')
  })

  test('the owner approves and switches on', async () => {
    await approve('on_outbound_message', './.hookgate-examples/block_secrets.py')
    await ask('/hooks on', (text) => text.includes('Hooks are ON'))
  })

  test('a private key that the agent says never arrives, and the owner is told', async () => {
    const told = await ask(`say ${secret}`, (text) => text.includes('Blocked: '))
    expect(told).toContain('Block secrets in messages: ')
    expect(arrived.filter(({ text }) => text.includes(secretBody.slice(0, 40)))).toEqual([])
  })

  test('a rewriting hook: only the rewritten text arrives', async () => {
    await approve('on_outbound_message', 'redact_pii')
    expect(await ask('say write to ada@example.com please', (text) => text.includes('please'))).toBe(
      'write to [redacted: email address] please',
    )
    expect(arrived.filter(({ text }) => text.includes('ada@example.com'))).toEqual([])
  })

  test('a destructive command is refused with the reason', async () => {
    await approve('pre_tool_call', 'guard_commands')
    expect(await ask('!rm -rf /', (text) => text.includes('Blocked: '))).toContain('Guard commands: It ')
    await ask('!echo still here', (text) => text.includes('still here'))
  })

  test('a tool call about which a hook asks: the card names what to type, and the answer is one message', async () => {
    await writeFile(
      join(home, 'workspace', 'ask.sh'),
      `#!/bin/sh\nprintf '%s' '{"decision": "ask", "reason": "it touches a file"}'\n`,
      { mode: 0o755 },
    )
    await writeFile(
      join(home, 'workspace', 'config', 'shell_hooks.yaml'),
      'hooks:\n  - {event: pre_tool_call, matcher: touch, command: ./ask.sh}\n',
    )
    await until('the card of the hook', () =>
      texts().some((text) => text.includes('A hook waits for you') && text.includes('./ask.sh')),
    )
    await approve('pre_tool_call', './ask.sh')
    const card = await ask('!touch a.txt', (text) => text.includes('main · bash · denied at'))
    const handle = /🛡 (\w{5}) /.exec(card)?.[1] ?? ''
    expect(card).toContain(`\n→ /y ${handle}\n→ /n ${handle}\nmore → /asks ${handle} more`)
    const from = texts().length
    await ask(`/n ${handle} use b.txt`, (text) =>
      text.startsWith('I did not run bash: The person said no: use b.txt'),
    )
    expect(
      texts()
        .slice(from)
        .filter((text) => text.includes('Denied')),
    ).toEqual([
      expect.stringMatching(/^🛡 Denied, with your reason\.\n│ command: touch a\.txt\nmain · bash\n/),
    ])
  })

  test('a command that the agent says comes back as its echo and is no command', async () => {
    const { revision } = running.gatekeeper.state()
    const from = texts().length
    await ask('say /hooks off', (text) => text === '/hooks off')
    // Typed with the bot's own account, on its phone, it is still none.
    me.say('/hooks off').to(alice)
    await ask('say after it', (text) => text === 'after it')
    const since = texts().slice(from)
    expect(since.filter((text) => text.includes('Hooks are OFF.'))).toEqual([])
    expect(running.gatekeeper.state()).toMatchObject({ isOn: true, revision })
  })

  test('a send past the gate is refused, recorded and told', async () => {
    const from = texts().length
    const contact = await bot.Contact.find({ id: 'alice' })
    await contact?.say('smuggled').catch(() => undefined)
    await expect(puppet.messageSendText('alice', 'smuggled')).rejects.toThrow('through the dispatcher')
    const told = await until('word of it', () =>
      texts()
        .slice(from)
        .find((text) => text.includes('bypassed the gate')),
    )
    expect(told).toContain('messageSendText')
    const alarms = (await running.store.records({ limit: 20 })).filter(
      ({ subject }) => subject === 'tripwire',
    )
    expect(alarms.map(({ kind, outcome }) => [kind, outcome])).toEqual(
      Array.from({ length: 2 }, () => ['alarm', 'told']),
    )
    for (const { reason } of alarms)
      expect(reason).toContain('on wechat that bypassed the gate (messageSendText)')
    expect(arrived.filter(({ text }) => text.includes('smuggled'))).toEqual([])
  })

  test('off works at once, and nothing fires any more', async () => {
    await ask('/hooks off', (text) => text.includes('Hooks are OFF'))
    await ask('say to ada@example.com', (text) => text === 'to ada@example.com')
  })
})
