import { once } from 'node:events'
import {
  access,
  appendFile,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  symlink,
  writeFile,
} from 'node:fs/promises'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { startBotApi, type BotApi } from '../fixtures/bot-api/server.ts'
import { startProgram, until, type Program } from './program.ts'
import {
  arm,
  findChild,
  openPage,
  openPhone,
  ownedEnv,
  put,
  startInVain,
  token,
  untilGone,
  type Chat,
} from './rig.ts'

const refusal = '#!/bin/sh\necho \'{"decision": "block", "reason": "the guard said no"}\'\n'
const guard = { event: 'pre_tool_call', command: './guard.sh', matcher: 'forbidden', on_error: 'block' }

const homes: string[] = []
const bareHome = async (): Promise<string> => {
  const home = await mkdtemp(join(tmpdir(), 'hookgate-e2e-'))
  homes.push(home)
  return home
}
afterAll(async () => {
  for (const home of homes) await rm(home, { recursive: true, force: true })
})

/** Exit 1, the words on one line, no stack, nothing left. */
const expectRefused = async (home: string, env: Record<string, string>, words: RegExp): Promise<void> => {
  const { code, output, started } = await startInVain(home, env)
  expect(output.trim()).toMatch(words)
  expect(output.trim().split('\n')).toHaveLength(1)
  expect(output).not.toMatch(/\n\s+at |node:internal|Error:/)
  expect(code).toBe(1)
  await untilGone(started)
}

describe('a start that cannot work ends with exit code 1 and one line that says what to do', () => {
  test("a file where the gate's folder should be", async () => {
    const home = await bareHome()
    await writeFile(join(home, '.hookgate'), 'not a folder')
    await expectRefused(home, {}, /^Expected .*\.hookgate.* to be a folder.*HOOKGATE_HOME/)
    expect(await readFile(join(home, '.hookgate'), 'utf8')).toBe('not a folder')
  })

  test('files where folders of the gate or of the workspace should be', async () => {
    for (const name of ['.hookgate/run', '.hookgate/seal', '.hookgate/run/empty']) {
      const home = await bareHome()
      await mkdir(join(home, name, '..'), { recursive: true })
      await writeFile(join(home, name), '')
      await expectRefused(home, {}, /^Expected .* to be a folder.*HOOKGATE_HOME/)
    }
    for (const name of [
      'hookgate',
      'hookgate/config',
      'hookgate/.hookgate-examples',
      'hookgate/config/context',
    ]) {
      const home = await bareHome()
      await mkdir(join(home, name, '..'), { recursive: true })
      await writeFile(join(home, name), '')
      await expectRefused(home, {}, /^Expected .* to be a folder.*HOOKGATE_WORKSPACE/)
    }
  })

  test('a folder where a file of the gate should be', async () => {
    for (const name of ['state.db', 'gate.yaml']) {
      const home = await bareHome()
      await mkdir(join(home, '.hookgate', name), { recursive: true })
      await expectRefused(home, {}, new RegExp(`${name}.*Expected `))
    }
  })

  test('a wrong value or broken YAML in gate.yaml, and a wrong environment', async () => {
    const home = await bareHome()
    const file = join(home, '.hookgate/gate.yaml')
    await mkdir(join(home, '.hookgate'))
    await writeFile(file, 'channels: {web: {port: lots}}\n')
    await expectRefused(
      home,
      {},
      /^\S*gate\.yaml:1:18: Expected "channels\.web\.port" to be a port from 0 to 65535, got "lots" \(string\)\. Correct/,
    )
    await writeFile(file, 'channels: {web: {prot: 1}}\n')
    await expectRefused(
      home,
      {},
      /^\S*gate\.yaml:1:18: Expected only known options under "channels\.web", got "prot"\./,
    )
    await writeFile(file, 'channels:\n  web: {port: 1\n')
    await expectRefused(home, {}, /^\S*gate\.yaml:3:1: Expected YAML, but /)
    await rm(file)
    await expectRefused(home, { HOOKGATE_PORT: 'x' }, /^Expected HOOKGATE_PORT to be a port/)
    await expectRefused(
      home,
      { HOOKGATE_OWNERS: '7' },
      /^Expected HOOKGATE_OWNERS to be a list such as telegram:7/,
    )
    await expectRefused(
      home,
      { TELEGRAM_API_ROOT: 'nowhere' },
      /^Expected TELEGRAM_API_ROOT to be an address/,
    )
  })

  test('a port that another program holds, with nothing left running', async () => {
    const home = await bareHome()
    const other = createServer().listen(0, '127.0.0.1')
    await once(other, 'listening')
    const { port } = other.address() as AddressInfo
    await expectRefused(
      home,
      { HOOKGATE_PORT: String(port) },
      new RegExp(
        `^The web page cannot use port ${port} of 127\\.0\\.0\\.1: another program uses it\\. .*HOOKGATE_PORT=`,
      ),
    )
    other.close()
  })

  test('a second hookgate on the same folder, and the first one goes on', async () => {
    const program = await startProgram()
    try {
      await expectRefused(
        program.home,
        {},
        new RegExp(
          `Expected the gate's folder to be free, got one that another hookgate uses \\(process ${program.child.pid}\\)\\..*HOOKGATE_HOME`,
        ),
      )
      const page = await openPage(program)
      await page.ask('say still here', /^still here$/)
      page.close()
    } finally {
      await program.remove()
    }
  })
})

describe('a running gate', () => {
  let api: BotApi
  let program: Program
  let phone: Chat

  beforeAll(async () => {
    api = await startBotApi({ token })
    program = await startProgram(ownedEnv(api))
    phone = openPhone(api)
    await put(program, 'guard.sh', refusal)
    await arm(program, phone, [guard])
  })
  afterEach(() => api.heal())
  afterAll(async () => {
    await program.remove()
    await api.stop()
  })

  const file = (): string => join(program.workspace, 'config/shell_hooks.yaml')

  test('a YAML error is told with line and column, what was approved goes on, and mending it is noticed', async () => {
    const from = phone.texts().length
    // A reader may see an empty file before it sees what `writeFile` puts into it.
    await writeFile(`${file()}.new`, 'hooks:\n  - event: pre_tool_call\n    command: "./guard.sh\n')
    await rename(`${file()}.new`, file())
    const told = await phone.reply(/⚠/, from)
    expect(told).toMatch(
      /config\/shell_hooks\.yaml:4:1: Expected YAML, but .*\. Correct the file\. Approved hooks stay in force\./,
    )
    expect(await phone.ask('/hooks', /Hooks are ON/)).toMatch(
      /Hooks are ON\n⚠ config\/shell_hooks\.yaml:4:1:[^]*\n✓ \.\/guard\.sh/,
    )
    expect(await phone.ask('!echo forbidden', /^I did not run bash/)).toMatch(/bash[.:]/)
    await writeFile(file(), JSON.stringify({ hooks: [guard] }))
    await phone.reply(/config\/shell_hooks\.yaml can be read again/, from)
    expect(await phone.ask('/hooks', /Hooks are ON/)).not.toContain('⚠')
    expect(
      phone
        .texts()
        .slice(from)
        .filter((text) => text.includes('⚠') && !text.includes('Hooks are')),
    ).toHaveLength(1)
  })

  test('a proposal file that is a folder, a link or gone takes nothing away', async () => {
    for (const spoil of [() => mkdir(file()), () => symlink('/etc/passwd', file())]) {
      const from = phone.texts().length
      await rm(file())
      await spoil()
      expect(await phone.reply(/⚠/, from)).toMatch(/Expected a readable file.* it is not a regular file\./)
      expect(await phone.ask('!echo forbidden', /^I did not run bash/)).toMatch(/bash[.:]/)
      await rm(file(), { recursive: true })
      await writeFile(file(), JSON.stringify({ hooks: [guard] }))
      await phone.reply(/can be read again/, from)
    }
    await rm(file())
    await until('the file to be missed', async () =>
      (await phone.ask('/hooks', /Hooks are/)).includes('✓ ./guard.sh: no file proposes it any longer'),
    )
    expect(await phone.ask('!echo forbidden', /^I did not run bash/)).toMatch(/bash[.:]/)
  })

  test('updates with fields and kinds that nobody knows are passed over', async () => {
    api.inject({ telepathy: { from: 7, thought: '/hooks off' } })
    api.inject({ message: 'no message' })
    api.inject({ message: { message_id: 'x', chat: null } })
    api.inject({
      message: {
        message_id: 9_000_001,
        date: 1,
        chat: { id: 7, type: 'private' },
        from: { id: 7, is_bot: false, first_name: 'O' },
        hologram: {},
      },
    })
    api.inject({ edited_message: {} })
    expect(await phone.ask('say still here', /^still here$/)).toBe('still here')
    expect(await phone.ask('/hooks', /Hooks are/)).toContain('Hooks are ON')
  })

  test('Telegram asks to wait: that is obeyed, and the message arrives once', async () => {
    api.fail('sendMessage', 1, { error: 429, retryAfterS: 2 })
    const since = api.calls('sendMessage').length
    expect(await phone.ask('say patience', /^patience$/)).toBe('patience')
    const [refused, sent] = api.calls('sendMessage').slice(since)
    expect((sent?.atMs ?? 0) - (refused?.atMs ?? 0)).toBeGreaterThanOrEqual(1990)
    await phone.ask('say next', /^next$/)
    expect(phone.texts().filter((text) => text === 'patience')).toHaveLength(1)
  })

  test('the connection breaks after a message was accepted: told as unknown, and not repeated', async () => {
    const from = phone.texts().length
    api.fail('sendMessage', 1, 'drop_after')
    const told = await phone.ask('say once only', /May not have arrived/)
    expect(told).toContain('The connection to Telegram broke before the answer arrived')
    expect(told).not.toContain('Not delivered')
    await phone.ask('say next', /^next$/)
    expect(
      phone
        .texts()
        .slice(from)
        .filter((text) => text === 'once only'),
    ).toHaveLength(1)
    expect(api.calls('sendMessage').filter(({ params }) => params['text'] === 'once only')).toHaveLength(1)
  })

  test('Telegram is away for a while: what was said meanwhile arrives once, on both sides', async () => {
    const from = phone.texts().length
    const page = await openPage(program)
    await api.stop()
    api.say('say written while away')
    await page.ask('/hooks', /Hooks are ON/)
    await page.ask('say the page works on', /^the page works on$/)
    await api.restart()
    await phone.reply(/^written while away$/, from)
    await phone.ask('say back again', /^back again$/)
    expect(
      phone
        .texts()
        .slice(from)
        .filter((text) => text === 'written while away'),
    ).toHaveLength(1)
    page.close()
  })

  test('Telegram goes away in the middle of a turn: the answer waits and arrives once', async () => {
    const from = phone.texts().length
    api.say('!sleep 1; echo slow answer')
    await findChild(program, /sleep 1/)
    await api.stop()
    await until('a send in vain', () => program.output().includes('"outcome":"retry"'))
    await api.restart()
    await phone.reply(/^slow answer\n$/, from)
    await phone.ask('say after it', /^after it$/)
    expect(
      phone
        .texts()
        .slice(from)
        .filter((text) => text.includes('slow answer')),
    ).toHaveLength(1)
  })

  test('a second poller is told in plain words, and when it is gone messages arrive again', async () => {
    const from = phone.texts().length
    const enough = new AbortController()
    const other = (async () => {
      while (!enough.signal.aborted)
        await fetch(`${api.root}/bot${token}/getUpdates?timeout=1&offset=-1`, {
          signal: enough.signal,
        }).catch(() => undefined)
    })()
    expect(await phone.reply(/polls/, from)).toContain(
      'another program polls this bot, too, so each message reaches only one of the two. Stop the other program',
    )
    enough.abort()
    await other
    await until('the only poller to be back', () => api.isPolled())
    expect(await phone.ask('say mine again', /^mine again$/)).toBe('mine again')
    expect(
      phone
        .texts()
        .slice(from)
        .filter((text) => text.includes('another program polls')),
    ).toHaveLength(1)
  })

  test('a message of 200 kB from the owner reaches the agent', async () => {
    const size = 200_000
    const page = await openPage(program)
    for (const chat of [phone, page]) {
      const words = `write big.txt ${'x'.repeat(size)}`
      expect(await chat.ask(words, /Wrote/)).toBe(`Wrote ${size} bytes to big.txt.`)
      expect(await readFile(join(program.workspace, 'big.txt'), 'utf8')).toBe('x'.repeat(size))
    }
    await page.ask(`/hooks ${'x'.repeat(size)}`, /is not a command/)
    await expect(page.ask('x'.repeat(1_100_000), /never/)).rejects.toThrow(
      /413.*Expected at most 1048576 bytes, got more/,
    )
    expect(await phone.ask('y'.repeat(1_000_001), /characters/)).toContain(
      'Your message has 1000001 characters, and at most 1000000 can be read. Send a shorter one.',
    )
    page.close()
  })

  test("an agent's message of 200 kB is refused to the agent in words, and the person learns of it", async () => {
    const from = phone.texts().length
    expect(await phone.ask(`say ${'z'.repeat(200_000)}`, /could not|refused/)).toContain(
      'Expected a text of at most 100000 characters, got 200000. Send less',
    )
    await phone.ask('say and on', /^and on$/)
    expect(phone.texts().slice(from).join('')).not.toContain('zzzz')
  })
})

describe('Telegram that does not work from the start', () => {
  test('a wrong token is told on the console and on the page, and the page works on', async () => {
    const api = await startBotApi({ token })
    const program = await startProgram({ ...ownedEnv(api), TELEGRAM_BOT_TOKEN: '123456:wrong-token' })
    try {
      const page = await openPage(program)
      expect(await page.reply(/Telegram/)).toContain(
        'Telegram: not connected, the bot token is refused. Put the token that @BotFather shows',
      )
      await until('the words in the log', () =>
        program.output().includes('Telegram: not connected, the bot token is refused.'),
      )
      expect(await page.ask('say on the page', /^on the page$/)).toBe('on the page')
      expect(await page.ask('/hooks', /Hooks are/)).toContain('Hooks are OFF')
      expect(program.output()).not.toContain('wrong-token')
      expect(program.child.exitCode).toBeNull()
      page.close()
    } finally {
      await program.remove()
      await api.stop()
    }
  })

  test('Telegram out of reach: hookgate starts, the page works, and what was written meanwhile arrives once', async () => {
    const api = await startBotApi({ token })
    await api.stop()
    const program = await startProgram(ownedEnv(api))
    try {
      const phone = openPhone(api)
      const page = await openPage(program)
      expect(await page.ask('say on the page', /^on the page$/)).toBe('on the page')
      api.say('say early bird')
      api.say('/hooks')
      await api.restart()
      await phone.reply(/^early bird$/)
      await phone.reply(/Hooks are OFF/)
      await phone.ask('say next', /^next$/)
      expect(
        phone.texts().filter((text) => text === 'early bird' || text.includes('Hooks are')),
      ).toHaveLength(2)
      page.close()
    } finally {
      await program.remove()
      await api.stop()
    }
  })
})

describe('a ledger that is not as it was left', () => {
  let api: BotApi
  let program: Program
  let phone: Chat
  const ledger = (): string => join(program.gate, 'ledger.jsonl')
  const pushesOf = ({ gate }: Program): number => {
    const store = new DatabaseSync(join(gate, 'state.db'), { readOnly: true })
    const rows = store.prepare("SELECT id FROM outbox WHERE kind = 'push'").all()
    store.close()
    return rows.length
  }

  beforeAll(async () => {
    api = await startBotApi({ token })
    program = await startProgram(ownedEnv(api))
    phone = openPhone(api)
    await put(program, 'guard.sh', refusal)
    await arm(program, phone, [guard])
  })
  afterAll(async () => {
    await program.remove()
    await api.stop()
  })

  test('a torn last line was never acknowledged: hookgate runs on with all that was', async () => {
    await program.kill()
    await appendFile(ledger(), '{"n":99,"at":"2026-01-01T00:0')
    program = await program.again()
    expect(program.output()).toContain('Hooks are ON')
    expect(await phone.ask('/hooks', /Hooks are/)).toMatch(/Hooks are ON\n✓ \.\/guard\.sh/)
    expect(await phone.ask('!echo forbidden', /^I did not run bash/)).toMatch(/bash[.:]/)
    expect(await phone.ask('/hooks off', /Hooks are/)).toContain('OFF')
    await program.kill()
    program = await program.again()
    expect(await phone.ask('/hooks on', /Hooks are/)).toContain('ON')
  })

  test('an edited line is lockdown: told with what to do, steps blocked, messages held, commands live', async () => {
    await program.stop()
    const lines = (await readFile(ledger(), 'utf8')).split('\n')
    await writeFile(ledger(), [lines[0]?.replace('telegram:7', 'telegram:8'), ...lines.slice(1)].join('\n'))
    const from = phone.texts().length
    program = await program.again()
    expect(program.output()).toMatch(
      /LOCKDOWN: the ledger is damaged: line 1 has a wrong signature\. Type \/hooks recover in the chat\./,
    )
    const told = await phone.reply(/LOCKDOWN/, from)
    expect(told).toMatch(
      /line 1 has a wrong signature[^]*steps are blocked and messages are held[^]*\/hooks recover/,
    )
    expect(await phone.ask('/hooks', /LOCKDOWN[^]*1 waits for you/)).toContain('→ /hooks recover')
    expect(await phone.ask('/hooks on', /LOCKDOWN/)).not.toContain('Hooks are ON')
    expect(
      await phone.ask('/hooks approve pre_tool_call ./guard.sh', /✗|Nothing|not approved/),
    ).not.toContain('✓')
    const mark = join(program.workspace, 'ran.txt')
    api.say(`!touch ${mark}`)
    await until("the agent's answer to wait", () => pushesOf(program) > 0)
    expect(
      phone
        .texts()
        .slice(from)
        .filter((text) => !text.startsWith('🛡')),
    ).toEqual([])
    await expect(access(mark)).rejects.toThrow('ENOENT')
  })

  test('recover ends it: what was held is judged again and arrives, nothing is approved, the old ledger is kept', async () => {
    const from = phone.texts().length
    expect(await phone.ask('/hooks recover', /A new ledger/)).toContain(
      'Nothing is approved and hooks are OFF',
    )
    expect(
      await phone.reply(/^I could not start a session|^Your message was blocked and did not reach me/, from),
    ).toContain('lockdown')
    expect(await phone.ask('/hooks', /Hooks are/)).toMatch(
      /Hooks are OFF\. Nothing protects you yet\.\n1 waits for you/,
    )
    expect(await phone.ask('!echo works again', /works/)).toContain('works again')
    expect((await readdir(program.gate)).filter((name) => name.startsWith('ledger.damaged-'))).toHaveLength(1)
    // In the lockdown its card was shown without its quotes.
    await phone.ask('/hooks show ./guard.sh', /fingerprint/)
    await phone.ask('/hooks approve pre_tool_call ./guard.sh', /✓ Approved/)
    await phone.ask('/hooks on', /Hooks are ON/)
    await program.stop()
    program = await program.again()
    expect(program.output()).toContain('Hooks are ON: 1 approved')
    expect(await phone.ask('!echo forbidden', /^I did not run bash/)).toMatch(/bash[.:]/)
    expect(
      phone
        .texts()
        .slice(from)
        .filter((text) => text.includes('lockdown')),
    ).toHaveLength(1)
  })

  test('a key that is gone is lockdown too', async () => {
    await program.stop()
    await rm(join(program.gate, 'secrets/ledger.key'))
    const from = phone.texts().length
    program = await program.again()
    expect(await phone.reply(/LOCKDOWN/, from)).toContain('its key is missing')
    expect(await phone.ask('/hooks recover', /A new ledger/)).toContain('Nothing is approved')
    expect(await phone.ask('say open again', /^open again$/)).toBe('open again')
  })
})
