import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startBotApi, type BotApi } from '../fixtures/bot-api/server.ts'
import { cli, startProgram, until, type Program } from './program.ts'
import { openPhone, ownedEnv, token } from './rig.ts'

const group = { id: -100123, type: 'supergroup', title: 'Family' }
const mia = { id: 9, first_name: 'Mia' }
const anonymous = { id: 1_087_968_824, is_bot: true, first_name: 'Group', username: 'GroupAnonymousBot' }

/** Several people, one of them the owner, in a group that gate.yaml names. */
describe('a group', { timeout: 60_000 }, () => {
  let api: BotApi
  let program: Program
  beforeAll(async () => {
    api = await startBotApi({ token })
    program = await startProgram(ownedEnv(api), cli, {
      prepare: (home) => {
        mkdirSync(join(home, '.hookgate'), { mode: 0o700 })
        writeFileSync(join(home, '.hookgate', 'gate.yaml'), `channels: {telegram: {chats: [${group.id}]}}\n`)
      },
    })
  })
  afterAll(async () => {
    await program.remove()
    await api.stop()
  })

  const inGroup = (text: string, from: Parameters<BotApi['say']>[1] = mia, extra: object = {}) =>
    api.say(text, from, { chat: group, ...extra })
  const shown = (): readonly string[] => api.texts(group.id)
  let seen = 0
  const ready = async (): Promise<void> => {
    await openPhone(api).ask('say ready', /^ready$/)
  }
  /**
   * What the group shows since the last time, once the agent has answered what was said last. The gate
   * answers commands beside the agent, so `answers` says for how many of its answers this waits.
   */
  const since = async (answers = 0): Promise<readonly string[]> => {
    const end = `end of ${seen}`
    inGroup(`say ${end}`)
    const isWhole = (): boolean => shown().slice(seen).includes(end) && shown().length - seen > answers
    await until(`${answers} answers and ${end} in ${JSON.stringify(shown().slice(seen))}`, isWhole)
    const news = shown()
      .slice(seen)
      .filter((text) => text !== end)
    seen = shown().length
    return news
  }

  test('everybody is served, addressed by name or not, each once', async () => {
    await ready()
    inGroup('say hello Mia')
    inGroup('@GateTestBot say hello again')
    inGroup('say hello owner', 7)
    inGroup('say hello nobody', anonymous, { sender_chat: group })
    expect(await since()).toEqual(['hello Mia', 'hello again', 'hello owner', 'hello nobody'])
  })

  test("commands are the owner's alone, and who is none hears nothing", async () => {
    for (const text of [
      '/hooks',
      '/hooks on',
      '/new',
      '/stop',
      '@GateTestBot /hooks',
      '/hooks@GateTestBot',
      '/pair GUESS',
    ])
      inGroup(text)
    inGroup('/hooks', anonymous, { sender_chat: group })
    inGroup('/whoami', 7)
    expect(await since(1)).toEqual([expect.stringContaining('This chat is telegram:-100123, with others.')])
  })

  test('what changes the gate is refused there, with one line that says where it counts, and nothing can be tapped', async () => {
    inGroup('/hooks on', 7)
    inGroup('/hooks', 7)
    const [refusal, list] = await since(2)
    expect(refusal).toMatch(
      /\/hooks on was not carried out: Others can read and write here\. Send the command in the private chat with the bot\.$/,
    )
    expect(list).toContain('I answered you in private.')
    expect(api.labels(group.id)).toEqual([])
  })

  test("what another bot is told is nobody's, and so is what Telegram says", async () => {
    for (const from of [7, mia])
      for (const text of ['/hooks@OtherBot on', '/roll@OtherBot', '@GateTestBot /roll@OtherBot'])
        inGroup(text, from)
    inGroup('', 7, { new_chat_members: [mia] })
    inGroup('', 7, { new_chat_title: 'Friends' })
    expect(await since()).toEqual([])
  })

  test('a tap there counts for nobody', async () => {
    await openPhone(api).ask('/hooks', /Hooks are OFF/)
    const card = api.sent(7).at(-1)
    if (card === undefined) throw new Error('Expected the list.')
    api.press('guess', { ...card, chat: { ...group, type: 'supergroup' } }, mia)
    expect(await since()).toEqual([])
  })

  test('strangers are served in no private chat and in no other group', async () => {
    api.say('say hello', mia)
    api.say('say hello', mia, { chat: { ...group, id: -100999 } })
    api.say('say hello', anonymous, {
      chat: { ...group, id: -100999 },
      sender_chat: { ...group, id: -100999 },
    })
    expect(await since()).toEqual([])
    expect([api.texts(9), api.texts(-100999)]).toEqual([[], []])
  })
})
