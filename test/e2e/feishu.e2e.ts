import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startFeishu, type Feishu } from '../fixtures/feishu/server.ts'
import { cli, startProgram, until, type Program } from './program.ts'
import { chatOf, type Chat } from './rig.ts'

const team = 'oc_0123456789abcdef0123456789abcdef'
const ann = { open_id: 'ou_0123456789abcdef0123456789abcdef', name: 'Ann' }

/** The whole program over a platform on loopback. Its owner comes with the first start. */
describe('hookgate over Lark', { timeout: 120_000 }, () => {
  let feishu: Feishu
  let program: Program
  let phone: Chat
  beforeAll(async () => {
    feishu = await startFeishu({ ackMs: 1000 })
    feishu.group(team, 'The team')
    program = await startProgram(
      {
        FEISHU_APP_ID: feishu.appId,
        FEISHU_APP_SECRET: feishu.appSecret,
        FEISHU_API_ROOT: feishu.root,
        HOOKGATE_OWNERS: `feishu:${feishu.owner.open_id}`,
      },
      cli,
      {
        prepare: (home) => {
          mkdirSync(join(home, '.hookgate'))
          appendFileSync(
            join(home, '.hookgate', 'gate.yaml'),
            `channels: {feishu: {platform: lark, chats: [${team}]}}\n`,
          )
        },
      },
    )
    phone = chatOf(
      (words) => feishu.say(words),
      () => feishu.texts(),
    )
    await until('the connection', () => feishu.isConnected())
    await phone.ask('say ready', /^ready$/)
  })
  afterAll(async () => {
    await program.remove()
    await feishu.stop()
  })

  /** A button does not count in its first second. */
  const tap = async (label: string): Promise<void> => {
    await until(`the button ${label}`, () =>
      feishu.sent().some(({ buttons }) => buttons.flat().includes(label)),
    )
    await pause(1100)
    feishu.tap(label)
  }

  test('a typed or forwarded command changes nothing without a tap', async () => {
    for (const [line, done] of [
      ['/hooks on', /Hooks are ON/],
      ['/hooks off', /Hooks are OFF/],
    ] as const) {
      const card = await phone.ask(line, /counts only with your tap/)
      expect(card).toContain(line)
      const from = phone.texts().length
      expect(await phone.ask('/hooks', /Hooks are O/)).toContain(
        line === '/hooks on' ? 'Hooks are OFF' : 'Hooks are ON',
      )
      await tap('Yes, do it')
      await phone.reply(done, from - 1)
    }
  })

  test('a file that a person sends is in the workspace, byte for byte', async () => {
    const bytes = Uint8Array.from({ length: 34_000 }, (_, index) => index % 251)
    const from = phone.texts().length
    feishu.send('file', feishu.attach(bytes, 'note.bin'))
    expect(await phone.reply(/^Received /, from)).toContain('inbox/note.bin')
    expect(readFileSync(join(program.workspace, 'inbox/note.bin')).equals(bytes)).toBe(true)
  })

  test('a group that gate.yaml names is served, a stranger’s private chat is not, and a command there counts for nothing', async () => {
    const mentions = [{ key: '@_user_1', id: { open_id: feishu.bot.open_id }, name: feishu.bot.app_name }]
    feishu.say('@_user_1 say hello team', ann, { chat_id: team, mentions })
    await until('the answer in the group', () => feishu.texts(team).includes('hello team'))
    feishu.say('@_user_1 /hooks on', feishu.owner, { chat_id: team, mentions })
    await until('the refusal', () =>
      feishu.texts(team).some((text) => text.includes('Send the command in the private chat')),
    )
    feishu.say('say nothing to me', ann)
    expect(await phone.ask('say next', /^next$/)).toBe('next')
    expect(feishu.texts(feishu.chatOf(ann))).toEqual([])
  })

  test('what arrives while hookgate is away is answered when it is back, and its pinned message is edited', async () => {
    const before = await until('the pinned message', () => feishu.pinned()[0])
    await program.kill()
    const from = phone.texts().length
    feishu.say('say still here')
    program = await program.again()
    await phone.reply(/^still here$/, from)
    await phone.ask('/hooks on', /counts only with your tap/)
    await tap('Yes, do it')
    await until('the switch', () => feishu.texts().some((text) => /revision \d+ · head/.test(text)))
    expect(feishu.pinned()).toEqual([before])
    expect(existsSync(join(program.gate, 'gate.yaml'))).toBe(true)
  })

  test('an outage of the platform is over by itself', async () => {
    await feishu.stop()
    await pause(500)
    await feishu.restart()
    await until('the connection', () => feishu.isConnected())
    expect(await phone.ask('say back again', /^back again$/)).toBe('back again')
  })
})
