import { readFileSync, rmSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { until } from '../e2e/program.ts'
import { arm, openPage, put, startInVain } from '../e2e/rig.ts'
import { startRelay } from '../store/relay.ts'
import { copyOf } from './gates.ts'
import { guard, useGates } from './use-gates.ts'

const takeOverMs = 15_000
const gates = useGates()
const { database, start, holder } = gates

test('a gate that stops hands over within seconds', async () => {
  const first = await start()
  await gates.phone.ask('/whoami', /an owner/)
  const { taken } = await gates.wait(first)
  const stoppedMs = performance.now()
  expect(await first.stop()).toBe(0)
  await taken
  expect(performance.now() - stoppedMs).toBeLessThan(8000)
  await gates.phone.ask('/whoami', /an owner/)
}, 90_000)

test('a gate that stood still, and was followed, ends and says why; what it was told meanwhile is not lost', async () => {
  const first = await start()
  await gates.phone.ask('/whoami', /an owner/)
  const { taken } = await gates.wait(first)
  const stoodMs = performance.now()
  first.child.kill('SIGSTOP')
  const second = await taken
  expect(performance.now() - stoodMs).toBeLessThan(takeOverMs)
  await gates.phone.ask('!echo after', /^after/)
  const ended = new Promise<number | null>((resolve) => first.child.once('exit', resolve))
  first.child.kill('SIGCONT')
  expect(await ended).toBe(1)
  expect(first.output()).toContain('This hookgate has ended: another hookgate has taken over the database.')
  await gates.phone.ask('!echo still here', /^still here/)
  expect(await holder()).toContain(String(second.child.pid))
}, 120_000)

test('a gate that is cut off from the database, and was followed, does not say that hooks are on after they were switched off', async () => {
  const relay = await startRelay(database.url())
  try {
    const first = await start(undefined, relay.through(database.url()))
    await put(first, 'guard.sh', guard)
    await arm(first, gates.phone, [{ event: 'pre_tool_call', command: './guard.sh', matcher: 'forbidden' }])
    const page = await openPage(first)
    const { taken } = await gates.wait(first)
    relay.silence()
    await taken
    await gates.phone.ask('/hooks off', /Hooks are OFF/)
    expect(await page.ask('/hooks', /Hooks are O|LOCKDOWN/)).toMatch(
      /LOCKDOWN: its database cannot be reached[^]*It ends when the database can be reached again/,
    )
    page.close()
  } finally {
    await relay.stop()
  }
}, 120_000)

test.each([
  ['away', 'cut'],
  ['silent for longer than a lease', 'hold'],
] as const)(
  'what its owner writes while the database is %s reaches the agent once afterwards, and commands count meanwhile, once',
  async (_, how) => {
    const relay = await startRelay(database.url())
    try {
      await start(undefined, relay.through(database.url()))
      await gates.phone.ask('!echo before', /^before/)
      const { phone, api } = gates
      relay[how]()
      const cut = phone.texts().length
      api.say('!echo written meanwhile')
      await phone.ask('/whoami', /an owner/)
      api.say('!echo and this')
      await phone.ask('/agents', /main/)
      relay.restore()
      await phone.reply(/^written meanwhile/, cut)
      await phone.reply(/^and this/, cut)
      await phone.ask('!echo afterwards', /^afterwards/)
      const since = phone.texts().slice(cut)
      const count = (pattern: RegExp): number => since.filter((text) => pattern.test(text)).length
      expect([/^written meanwhile/, /^and this/, /an owner/, /demo · /].map(count)).toEqual([1, 1, 1, 1])
      expect(since.join('\n')).not.toMatch(/hookgate failed|did not reach me/)
    } finally {
      await relay.stop()
    }
  },
  120_000,
)

test('a revoke that the database lost with the first gate is a lockdown of the one that takes over', async () => {
  const first = await start()
  await put(first, 'guard.sh', guard)
  await arm(first, gates.phone, [{ event: 'pre_tool_call', command: './guard.sh', matcher: 'forbidden' }])
  const { home, taken } = await gates.wait(first)
  await gates.phone.ask('/hooks revoke ./guard.sh', /Revoked/)
  const revision = Number((await database.run('SELECT revision FROM hookgate.ledger'))[0]?.['revision'])
  const head = join(home, '.hookgate', 'secrets', 'ledger.head')
  await until('the second gate to know of it', () => readFileSync(head, 'utf8').includes(`/${revision} `))
  await first.kill()
  await database.run(`ALTER TABLE hookgate.ledger_line DISABLE TRIGGER ALL;
    DELETE FROM hookgate.ledger_line WHERE n = ${revision};
    UPDATE hookgate.ledger SET revision = ${revision - 1}, head =
      (SELECT encode(sha256(convert_to(line, 'UTF8')), 'hex') FROM hookgate.ledger_line WHERE n = ${revision - 1})`)
  await taken
  await gates.phone.ask('/hooks', /LOCKDOWN: the ledger is damaged/)
}, 90_000)

test('the answer to an act waits for the gate that waits, and names it when it does not hear', async () => {
  const first = await start()
  await gates.phone.ask('/whoami', /an owner/)
  const { taken } = await gates.wait(first)
  expect(await gates.phone.ask('/hooks off', /Hooks are OFF/)).not.toContain('Not known yet')
  const [{ holder: second }] = (await database.run('SELECT holder FROM hookgate.standby')) as [
    { holder: string },
  ]
  const pid = Number(/\d+/.exec(second)?.[0])
  process.kill(pid, 'SIGSTOP')
  expect(await gates.phone.ask('/hooks on', /Hooks are ON/)).toContain(
    `Not known yet to the gates that wait: ${second}.`,
  )
  process.kill(pid, 'SIGCONT')
  await until('the second gate to know of it', async () => {
    const [row] = await database.run(
      'SELECT s.revision = l.revision AS "isSame" FROM hookgate.standby s, hookgate.ledger l',
    )
    return row?.['isSame'] === true
  })
  await first.stop()
  await taken
}, 90_000)

test('a gate that could not take over does not wait: without the key, or with a port that is taken', async () => {
  const first = await start()
  await gates.phone.ask('/whoami', /an owner/)
  const without = await mkdtemp(join(tmpdir(), 'hookgate-standby-'))
  const { code, output } = await startInVain(without, gates.env())
  expect([code, output]).toEqual([1, expect.stringContaining('Copy that file from a gate that works')])
  copyOf(first)(without)
  const { port } = new URL(first.login())
  const second = await startInVain(without, { ...gates.env(), HOOKGATE_PORT: port })
  expect([second.code, second.output]).toEqual([1, expect.stringContaining(`cannot use port ${port}`)])
  rmSync(without, { recursive: true })
}, 90_000)

test('sealed bytes that somebody changed in the database are a lockdown of the gate that takes over', async () => {
  const first = await start()
  await put(first, 'guard.sh', guard)
  await arm(first, gates.phone, [{ event: 'pre_tool_call', command: './guard.sh', matcher: 'forbidden' }])
  await first.stop()
  await database.run("UPDATE hookgate.sealed_file SET content = '#!/bin/sh'")
  const second = await start(copyOf(first))
  await gates.phone.reply(/LOCKDOWN: tampered seal/)
  expect(second.output()).toContain('has other bytes in the database')
}, 90_000)

test('without the key of the ledger a second gate does not start, and says what to copy', async () => {
  const first = await start()
  await gates.phone.ask('/whoami', /an owner/)
  expect(await first.stop()).toBe(0)
  const home = first.home
  rmSync(join(first.gate), { recursive: true })
  const { code, output } = await startInVain(home, gates.env())
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
    const { code, output } = await startInVain(first.home, gates.env(address))
    expect(code).toBe(1)
    expect(output).toContain(words)
    expect(output).not.toContain('wrong@')
  }
}, 90_000)
