import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startBotApi, type BotApi } from '../fixtures/bot-api/server.ts'
import { redeem } from '../fixtures/page-client.ts'
import { cli, startProgram, until, type Program } from './program.ts'
import { agentHost, familyOf, openPage, openPhone, token, type Chat } from './rig.ts'

/** The hardest case: the agent could read the console. */
const together = (home: string): void => {
  mkdirSync(join(home, '.hookgate'))
  writeFileSync(join(home, '.hookgate', 'gate.yaml'), 'separation: none\n')
}
const hasAgent = (program: Program): boolean =>
  familyOf(program.child.pid).some(({ command }) => agentHost.test(command))
const tried = async (link: string): Promise<{ readonly status: number; readonly body: string }> => {
  const { origin, hash } = new URL(link)
  const answer = await redeem(origin, hash.slice(1))
  return { status: answer.status, body: await answer.text() }
}

describe('a gate that somebody claims from a phone', () => {
  let api: BotApi
  let program: Program
  let phone: Chat
  beforeAll(async () => {
    api = await startBotApi({ token })
    program = await startProgram({ TELEGRAM_BOT_TOKEN: token, TELEGRAM_API_ROOT: api.root }, cli, {
      prepare: together,
    })
    phone = openPhone(api)
  })
  afterAll(async () => {
    await program.remove()
    await api.stop()
  })

  test('no agent runs while a code stands on the console', async () => {
    expect(program.output()).toMatch(
      /Open http\S+#\S+\n {2}\(valid once, for 5 minutes; Enter prints a new one\)\nOr pair a chat: \/pair \S{8}\n {2}The first person who uses one of them owns this gate\. The agent starts then\.\n/,
    )
    api.say('/pair AAAAAAAA', 66)
    await until('the wrong code to be told on the console', () =>
      program.output().includes('a pairing failed'),
    )
    expect(hasAgent(program)).toBe(false)
  })

  test('START says what to do, and a wrong code gets one hint', async () => {
    const hint =
      'The console where hookgate was started shows a code. Enter there prints a new one.\nType here: /pair <code>'
    api.say('/start', 66)
    api.say('/start AAAAAAAA', 66)
    await until('the greeting', () => api.texts(66).length === 2)
    expect(api.texts(66)).toEqual([
      `🛡 Not paired: the code is not valid.\n${hint}`,
      `🛡 This bot belongs to a hookgate that nobody owns yet.\n${hint}`,
    ])
    // The console names the bot and a link that pairs.
    expect(program.output()).toContain(`?start=${program.pairing()}\n`)
    expect(program.output()).toMatch(/^Telegram: @\w+\. This link pairs your phone, once\./m)
  })

  test('whoever pairs owns it: the agent starts, and code and link are dead', async () => {
    const [code, link] = [program.pairing(), program.login()]
    // A tap on START behind the link of the console sends this.
    await phone.ask(`/start ${code}`, /Paired: you are now an owner of this gate/)
    expect(await phone.ask('/start', /This is hookgate/)).toContain('\nConnected: ')
    expect(await phone.ask(`/start ${code}`, /came with a link/)).toContain('nothing was done with it')
    // Said at once, perhaps before the agent is up: it is kept, and answered.
    await phone.ask('say I am here', /^I am here$/)
    expect(hasAgent(program)).toBe(true)
    expect(program.output()).toContain(
      'telegram:7 owns this gate now. The link and the code above have expired, and the agent starts.\nEnter prints a new link.\n',
    )
    expect(await tried(link)).toMatchObject({
      status: 403,
      body: expect.stringContaining('web.login_expired'),
    })
    const before = api.texts(66).length
    for (const words of [`/pair ${code}`, `/start ${code}`, '/start']) api.say(words, 66)
    await until('it to be read', () => api.pending().length === 0)
    program.enter()
    await until('a new link', () => program.login() !== link)
    expect(program.pairing()).toBe(code)
    expect(api.texts(66)).toHaveLength(before)
  })

  test('a later start prints nothing that opens the gate, and starts the agent at once; an owner gets a link in the chat', async () => {
    await program.stop()
    program = await program.again()
    await until('the agent', () => hasAgent(program))
    expect(program.output()).toContain(
      'Enter prints a link to the web page; /login in your chat answers with one.\n',
    )
    expect(program.login() + program.pairing()).toBe('')
    const link = /^🛡 (http\S+)$/m.exec(await phone.ask('/login', /#/))?.[1] ?? ''
    expect(program.output()).not.toContain(link)
    expect(await tried(link)).toMatchObject({ status: 200 })
    expect(await tried(link)).toMatchObject({ status: 403, body: expect.stringContaining('web.login_used') })
    await phone.reply(/Web login: Somebody tried a used login of the web page again/)
  })

  test('the page adds the second owner', async () => {
    const page = await openPage(program)
    const code =
      /^\/pair (\S+)$/m.exec(await page.ask('/pair', /A pairing code for one more person/))?.[1] ?? ''
    api.say(`/pair ${code}`, { id: 8, first_name: 'Ben' })
    const asked = await page.reply(/“Ben” \(telegram:8\) typed your code/)
    await page.ask(`/y ${/^→ \/y (\S+)$/m.exec(asked)?.[1]}`, /Ben is new in this gate: owner/)
    await phone.reply(/Ben is new in this gate: owner, by web:owner\./)
    await until('word to Ben', () =>
      api.texts(8).find((text) => text.includes('you are now an owner of this gate')),
    )
    expect(await phone.ask('/owners', /^🛡 3 people have a role/)).toMatch(
      /^🛡 3 people have a role\n\w{5} web:owner, owner\n {2}\S+ from the start\n\w{5} .+ \(you\), owner\n {2}\S+ with the console’s code\n\w{5} Ben, owner\n {2}\S+ by web:owner\n/,
    )
    page.close()
  })
})

describe('a gate that somebody claims at the desk', () => {
  let program: Program
  beforeAll(async () => {
    program = await startProgram({}, cli, { prepare: together })
  })
  afterAll(() => program.remove())

  test('a start that nobody claimed waits again the next time', async () => {
    await program.stop()
    program = await program.again()
    expect(hasAgent(program)).toBe(false)
    expect(program.pairing()).toMatch(/^\S{8}$/)
  })

  test('the first use of the login claims it, and what is said at once is answered', async () => {
    const page = await openPage(program)
    await page.ask('say hello', /^hello$/)
    expect(program.output()).toContain(
      'You opened the page, so you own this gate now. The code above has expired, and the agent starts.\nTo add a phone, type /pair on the page.\n',
    )
    page.close()
  })

  test('later, where no chat leads in and nobody sits there, the link is printed after all', async () => {
    await program.stop()
    program = await program.again()
    await until('the agent', () => hasAgent(program))
    expect(program.login()).toContain('#')
    expect(program.output()).not.toContain('Or pair a chat')
  })
})
