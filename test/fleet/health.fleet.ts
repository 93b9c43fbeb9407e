import { cpSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { freePort } from '../../src/attack/gate/free-port.ts'
import { startProgram, until, type Program } from '../e2e/program.ts'
import { openPhone, ownedEnv, token } from '../e2e/rig.ts'
import { startBotApi, type BotApi } from '../fixtures/bot-api/server.ts'
import { useDatabase } from '../store/postgres-server.ts'
import { startRelay } from '../store/relay.ts'

const database = useDatabase()
let api: BotApi
let programs: Program[] = []
let ends: (() => Promise<unknown>)[] = []
beforeEach(async () => {
  api = await startBotApi({ token })
})
afterEach(async () => {
  for (const program of programs) await program.remove()
  for (const end of ends) await end()
  programs = []
  ends = []
  await api.stop()
})

const start = async (
  port: number,
  url = database.url(),
  prepare?: (home: string) => void,
): Promise<Program> => {
  const env = { ...ownedEnv(api), HOOKGATE_DATABASE: url, HOOKGATE_PORT: String(port) }
  const program = await startProgram(env, undefined, prepare === undefined ? {} : { prepare })
  programs.push(program)
  return program
}
const withKeyOf =
  ({ gate }: Program) =>
  (home: string): void => {
    mkdirSync(join(home, '.hookgate', 'secrets'), { recursive: true })
    cpSync(join(gate, 'secrets', 'ledger.key'), join(home, '.hookgate', 'secrets', 'ledger.key'))
  }

/** Undefined: nobody answers. */
const healthOf = async (port: number): Promise<readonly [number, number, string] | undefined> => {
  try {
    const [alive, ready] = await Promise.all(
      ['/healthz', '/readyz'].map((path) => fetch(`http://127.0.0.1:${port}${path}`)),
    )
    return alive === undefined || ready === undefined
      ? undefined
      : [alive.status, ready.status, await ready.text()]
  } catch {
    return undefined
  }
}
const untilHealth = (what: string, port: number, status: number, words: RegExp) =>
  until(what, async () => {
    const [, ready, text = ''] = (await healthOf(port)) ?? []
    return ready === status && words.test(text)
  })

test('the gate that works is ready, the one that waits is alive and not ready, until it has taken over', async () => {
  const [one, two] = [await freePort(), await freePort()]
  const first = await start(one)
  await untilHealth('the first gate to be ready', one, 200, /^ok$/)
  const starting = start(two, database.url(), withKeyOf(first))
  await untilHealth('the second gate to say that it waits', two, 503, /^This hookgate waits/)
  expect((await healthOf(two))?.[0]).toBe(200)
  expect(await healthOf(one)).toEqual([200, 200, 'ok'])
  expect(await first.stop()).toBe(0)
  await starting
  await untilHealth('the second gate to be ready', two, 200, /^ok$/)
  expect(await healthOf(one)).toBeUndefined()
}, 90_000)

test('a gate that cannot reach its database is not ready, and is again when the database is back', async () => {
  const relay = await startRelay(database.url())
  ends.push(relay.stop)
  const port = await freePort()
  await start(port, relay.through(database.url()))
  await untilHealth('the gate to be ready', port, 200, /^ok$/)
  const phone = openPhone(api)
  api.say('!sleep 3; echo this waited')
  await phone.reply(/sleep 3/)
  relay.silence()
  relay.cut()
  await untilHealth('the gate to say so', port, 503, /cannot reach its database/)
  expect((await healthOf(port))?.[0]).toBe(200)
  relay.restore()
  await untilHealth('the gate to be ready again', port, 200, /^ok$/)
  // What came while nothing could be judged is not left behind.
  await phone.reply(/^this waited/)
}, 90_000)

test('a gate in lockdown is alive and not ready, and does not say why to everybody', async () => {
  const phone = openPhone(api)
  const port = await freePort()
  await start(port)
  await phone.ask('/whoami', /an owner/)
  await database.run("UPDATE hookgate.ledger SET head = 'forged'")
  await phone.ask('/hooks on', /LOCKDOWN|lockdown/)
  await untilHealth('the gate to say so', port, 503, /^This hookgate is in lockdown\. Its owners know why\.$/)
  expect((await healthOf(port))?.[0]).toBe(200)
}, 90_000)
