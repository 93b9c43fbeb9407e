import { afterEach, beforeEach, expect, test } from 'vitest'
import { startProgram, until, type Program } from '../e2e/program.ts'
import { arm, openPhone, ownedEnv, put, token, type Chat } from '../e2e/rig.ts'
import { startBotApi, type BotApi } from '../fixtures/bot-api/server.ts'
import { useDatabase } from '../store/postgres-server.ts'
import { copyOf, waitingGates } from './gates.ts'

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

const start = async (prepare?: (home: string) => void): Promise<Program> => {
  const env = { ...ownedEnv(api), HOOKGATE_DATABASE: database.url() }
  const program = await startProgram(env, undefined, prepare === undefined ? {} : { prepare })
  programs.push(program)
  return program
}
const holder = async (): Promise<string> =>
  String((await database.run('SELECT holder FROM hookgate.lease'))[0]?.['holder'])

test('a gate that is killed is followed by the one that waits, with its switch, its hooks and their bytes', async () => {
  const first = await start()
  await put(first, 'guard.sh', guard)
  await arm(first, phone, [{ event: 'pre_tool_call', command: './guard.sh', matcher: 'forbidden' }])
  await phone.ask('!echo forbidden', /I did not run bash/)

  const starting = start(copyOf(first))
  await until('the second gate to look for the lease', async () => (await waitingGates(database.run)) > 0)
  expect(await holder()).toContain(String(first.child.pid))
  expect(await phone.ask('/nodes', /The gate runs on/)).toMatch(/Waiting to take over: process \d+ on /)
  await first.kill()
  const second = await starting
  expect(second.output()).toContain(`Another hookgate works on this database (process ${first.child.pid} on `)
  expect(await holder()).toContain(String(second.child.pid))

  // Only the database has the sealed bytes: the script of the workspace is another one by now.
  await put(second, 'guard.sh', '#!/bin/sh\nexit 0\n')
  await phone.ask('!echo forbidden', /I did not run bash/)
  await phone.ask('/hooks', /Hooks are ON/)
  await phone.ask('/hooks off', /Hooks are OFF/)
  await phone.ask('!echo forbidden', /^forbidden/)
})
