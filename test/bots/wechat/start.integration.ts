import { execa } from 'execa'
import { log } from 'wechaty-puppet'
import { expect, test } from 'vitest'
import { createWechat } from '../../../bots/wechat/wechat.ts'
import { createNotes } from './rig.ts'

const bot = new URL('../../../bots/wechat/wechat.ts', import.meta.url).href

/** Runs a program of its own, for what only a whole process shows. Its one line of output is JSON. */
const run = async (
  code: string,
  env: Record<string, string> = {},
): Promise<{ result: unknown; all: string }> => {
  const program = `
    import { createWechat } from ${JSON.stringify(bot)}
    const noted = []
    const note = (...parts) => noted.push(parts.join(' '))
    const ports = { receive: () => {}, isAdmitted: () => true, tripped: note, trouble: (_, why) => note(why), menu: [], now: Date.now, elapsedMs: () => performance.now(), log: (level, what) => note(what) }
    ${code}`
  const { stdout, all } = await execa(
    process.execPath,
    ['--input-type=module', '--no-warnings', '--eval', program],
    { all: true, env, timeout: 20_000, cwd: import.meta.dirname },
  )
  return { result: JSON.parse(stdout.split('\n').at(-1) ?? ''), all }
}

const missing: string = 'a-package-that-nobody-installed'

test('without wechaty the channel tells what to do, and nothing else happens', async () => {
  const { ports, troubles, admit, outgoing } = createNotes()
  const channel = createWechat({ puppet: 'wechaty-puppet-mock', load: () => import(missing) }, ports)
  await channel.start()
  expect(troubles).toEqual([
    {
      why: 'not connected, the package wechaty is not installed. Run "npm install --global wechaty wechaty-puppet" (in a clone: npm ci --prefix bots/wechat), then restart.',
      isBack: false,
    },
  ])
  expect(await channel.deliver(admit(outgoing('alice', 'hello')))).toMatchObject({ kind: 'retry' })
  await channel.stop()
})

test('a wechaty that fails to load is told apart from one that is not there', async () => {
  const { ports, troubles } = createNotes()
  await createWechat({ puppet: {}, load: () => Promise.reject(new SyntaxError('hush')) }, ports).start()
  expect(troubles).toEqual([
    { why: expect.stringContaining('could not be loaded (SyntaxError)'), isBack: false },
  ])
})

test.each([
  ['../../../bots/wechat/wechat.ts', 'name an installed npm package'],
  ['data:text/javascript,export default class {}', 'name an installed npm package'],
  ['', 'name an installed npm package'],
  ['wechaty-puppet-that-nobody-wrote', 'not installed'],
  ['yaml', 'exports no puppet'],
  [{}, 'messageSendText'],
])('a puppet %j is refused in words, and no other puppet steps in', async (puppet, words) => {
  const { ports, troubles } = createNotes()
  const built: unknown[] = []
  const load = async () => ({ WechatyBuilder: { build: (options: unknown) => built.push(options) as never } })
  await createWechat({ puppet, load }, ports).start()
  expect(troubles).toEqual([{ why: expect.stringContaining(words), isBack: false }])
  expect(built).toEqual([])
})

test('a puppet is found by its package’s name, and closed', async () => {
  const { ports, tripped, troubles } = createNotes()
  const seen: { messageSendText(chatId: string, text: string): Promise<unknown> }[] = []
  const { WechatyBuilder } = await import('wechaty')
  const load = async () => ({
    WechatyBuilder: {
      build: (options: Parameters<typeof WechatyBuilder.build>[0] & { puppet: (typeof seen)[number] }) => (
        seen.push(options.puppet),
        WechatyBuilder.build(options)
      ),
    },
  })
  const channel = createWechat({ puppet: 'wechaty-puppet-mock', load }, ports)
  await channel.start()
  await expect(seen[0]?.messageSendText('alice', 'smuggled')).rejects.toThrow('through the dispatcher')
  expect([tripped, troubles]).toEqual([['wechat messageSendText'], []])
  await channel.stop()
})

test('wechaty brings itself in when the channel starts, silent', async () => {
  const { ports, troubles } = createNotes()
  log.level('verbose')
  const channel = createWechat({ puppet: 'wechaty-puppet-mock' }, ports)
  await channel.start()
  expect(log.level()).toBe('silent')
  expect(troubles).toEqual([])
  await channel.stop()
})

test('nothing of wechaty is loaded before the channel starts', async () => {
  const { result } = await run(`
    import { registerHooks } from 'node:module'
    let count = 0
    registerHooks({ resolve: (what, context, next) => (/wechaty/.test(what) && (count += 1), next(what, context)) })
    const { createWechat: again } = await import(${JSON.stringify(`${bot}?again`)})
    const channel = again({ puppet: 'wechaty-puppet-mock' }, ports)
    const before = count
    await channel.start()
    console.log(JSON.stringify({ before, hasLoaded: count > 0 }))
    process.exit()`)
  expect(result).toEqual({ before: 0, hasLoaded: true })
})

test('wechaty takes over nothing of the process, however loud its log is asked to be', async () => {
  const { result, all } = await run(
    `
    const counts = () => ['uncaughtException', 'unhandledRejection'].map((name) => process.listenerCount(name))
    const before = counts()
    await createWechat({ puppet: 'wechaty-puppet-mock' }, ports).start()
    console.log(JSON.stringify([before, counts()]))
    process.exit()`,
    { WECHATY_LOG: 'verbose' },
  )
  expect(result).toEqual([
    [0, 0],
    [0, 0],
  ])
  expect(all).not.toContain('Wechaty ')
})

test('a handler that throws never ends the process', async () => {
  const { result } = await run(`
    import { mock, PuppetMock } from 'wechaty-puppet-mock'
    const mocker = new mock.Mocker()
    const puppet = new PuppetMock({ mocker })
    const fail = () => { throw new Error('broken') }
    await createWechat({ puppet }, { ...ports, receive: fail, trouble: fail }).start()
    const [me, alice] = ['me', 'alice'].map((id) => mocker.createContact({ id, name: id }))
    mocker.scan('https://login.example/abc')
    mocker.login(me)
    alice.say('/hooks on').to(me)
    puppet.emit('message', { messageId: 'nowhere' })
    puppet.emit('error', new Error('broken'))
    await puppet.logout()
    mocker.login(me)
    alice.say('/hooks off').to(me)
    for (const until = Date.now() + 10_000; noted.filter((line) => line.includes('"message"')).length < 2 && Date.now() < until; ) await new Promise(setImmediate)
    console.log(JSON.stringify([...new Set(noted.filter((line) => line.includes('failed')))].sort()))
    process.exit()`)
  expect(result).toEqual(
    ['login', 'logout', 'message', 'scan'].map((name) => `wechat: the handler of "${name}" failed`),
  )
})
