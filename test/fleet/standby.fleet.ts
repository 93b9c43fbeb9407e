import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { startProgram, until, type Program } from '../e2e/program.ts'
import { arm, openPage, openPhone, ownedEnv, put, startInVain, token, type Chat } from '../e2e/rig.ts'
import { startBotApi, type BotApi } from '../fixtures/bot-api/server.ts'
import { useDatabase } from '../store/postgres-server.ts'
import { startRelay } from '../store/relay.ts'
import { copyOf, waitingGates } from './gates.ts'

const takeOverMs = 15_000
const guard = '#!/bin/sh\necho \'{"decision": "block", "reason": "the guard said no"}\'\n'

const database = useDatabase()
let api: BotApi
let programs: Program[] = []
let phone: Chat
beforeEach(async () => {
  api = await startBotApi({ token })
  phone = openPhone(api)
})
afterEach(async () => {
  for (const program of programs) await program.remove()
  programs = []
  await api.stop()
})

const start = async (prepare?: (home: string) => void, at = database.url()): Promise<Program> => {
  const env = { ...ownedEnv(api), HOOKGATE_DATABASE: at }
  const program = await startProgram(env, undefined, prepare === undefined ? {} : { prepare })
  programs.push(program)
  return program
}
const holder = async (): Promise<string> =>
  String((await database.run('SELECT holder FROM hookgate.lease'))[0]?.['holder'])

test('a gate that stops hands over within seconds', async () => {
  const first = await start()
  await phone.ask('/whoami', /an owner/)
  const starting = start(copyOf(first))
  await until('the second gate to wait', async () => (await waitingGates(database.run)) > 0)
  const stoppedMs = performance.now()
  expect(await first.stop()).toBe(0)
  await starting
  expect(performance.now() - stoppedMs).toBeLessThan(8000)
  await phone.ask('/whoami', /an owner/)
}, 90_000)

test('a gate that stood still, and was followed, ends and says why; what it was told meanwhile is not lost', async () => {
  const first = await start()
  await phone.ask('/whoami', /an owner/)
  const starting = start(copyOf(first))
  await until('the second gate to wait', async () => (await waitingGates(database.run)) > 0)
  const stoodMs = performance.now()
  first.child.kill('SIGSTOP')
  const second = await starting
  expect(performance.now() - stoodMs).toBeLessThan(takeOverMs)
  await phone.ask('!echo after', /^after/)
  const ended = new Promise<number | null>((resolve) => first.child.once('exit', resolve))
  first.child.kill('SIGCONT')
  expect(await ended).toBe(1)
  expect(first.output()).toContain('This hookgate has ended: another hookgate has taken over the database.')
  await phone.ask('!echo still here', /^still here/)
  expect(await holder()).toContain(String(second.child.pid))
}, 120_000)

test('a gate that is cut off from the database, and was followed, does not say that hooks are on after they were switched off', async () => {
  const relay = await startRelay(database.url())
  try {
    const first = await start(undefined, relay.through(database.url()))
    await put(first, 'guard.sh', guard)
    await arm(first, phone, [{ event: 'pre_tool_call', command: './guard.sh', matcher: 'forbidden' }])
    const page = await openPage(first)
    const starting = start(copyOf(first))
    await until('the second gate to wait', async () => (await waitingGates(database.run)) > 0)
    relay.silence()
    await starting
    await phone.ask('/hooks off', /Hooks are OFF/)
    expect(await page.ask('/hooks', /Hooks are O|LOCKDOWN/)).toMatch(
      /LOCKDOWN: its database cannot be reached[^]*It ends when the database can be reached again/,
    )
    page.close()
  } finally {
    await relay.stop()
  }
}, 120_000)

test('sealed bytes that somebody changed in the database are a lockdown of the gate that takes over', async () => {
  const first = await start()
  await put(first, 'guard.sh', guard)
  await arm(first, phone, [{ event: 'pre_tool_call', command: './guard.sh', matcher: 'forbidden' }])
  await first.stop()
  await database.run("UPDATE hookgate.sealed_file SET content = '#!/bin/sh'")
  const second = await start(copyOf(first))
  await phone.reply(/LOCKDOWN: tampered seal/)
  expect(second.output()).toContain('has other bytes in the database')
}, 90_000)

test('without the key of the ledger a second gate does not start, and says what to copy', async () => {
  const first = await start()
  await phone.ask('/whoami', /an owner/)
  expect(await first.stop()).toBe(0)
  const home = first.home
  rmSync(join(first.gate), { recursive: true })
  const { code, output } = await startInVain(home, { ...ownedEnv(api), HOOKGATE_DATABASE: database.url() })
  expect(code).toBe(1)
  expect(output).toContain('Copy that file from a gate that works with this database.')
}, 90_000)

test('a wrong address, a wrong password and a database that is away end a start with what to do', async () => {
  const first = await start()
  await first.stop()
  const other = new URL(database.url())
  other.password = 'wrong'
  for (const [address, words] of [
    ['mysql://somewhere', 'Expected HOOKGATE_DATABASE to be like postgres://'],
    [other.href, 'Check the user and the password'],
    ['postgres://user@127.0.0.1:9/none', 'Check that the server runs'],
  ] as const) {
    const { code, output } = await startInVain(first.home, { ...ownedEnv(api), HOOKGATE_DATABASE: address })
    expect(code).toBe(1)
    expect(output).toContain(words)
    expect(output).not.toContain('wrong@')
  }
}, 90_000)
