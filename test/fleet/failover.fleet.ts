import { cpSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { startProgram, until, type Program } from '../e2e/program.ts'
import { arm, openPhone, ownedEnv, put, token, type Chat } from '../e2e/rig.ts'
import { startBotApi, type BotApi } from '../fixtures/bot-api/server.ts'
import { startRelay, type Relay } from '../store/relay.ts'
import { startPair, type ServerPair } from './server-pair.ts'
import { fireAt } from './socket-client.ts'

const guard = '#!/bin/sh\necho \'{"decision": "block", "reason": "the guard said no"}\'\n'
const fireMs = 5000

let api: BotApi
let phone: Chat
let servers: ServerPair
/** The gates reach the database through it, as through an address that moves to the new primary server. */
let address: Relay
let programs: Program[] = []
beforeEach(async () => {
  api = await startBotApi({ token })
  phone = openPhone(api)
  servers = await startPair()
  address = await startRelay(servers.primary)
}, 60_000)
afterEach(async () => {
  for (const program of programs) await program.remove()
  programs = []
  await address.stop()
  await servers.stop()
  await api.stop()
})

const start = async (prepare?: (home: string) => void): Promise<Program> => {
  const env = { ...ownedEnv(api), HOOKGATE_DATABASE: address.through(servers.primary) }
  const program = await startProgram(env, undefined, prepare === undefined ? {} : { prepare })
  programs.push(program)
  return program
}
const revisionAt = async (url: string): Promise<number> =>
  Number((await servers.run(url, 'SELECT revision FROM hookgate.ledger'))[0]?.['revision'])
const verdictOf = async ({ gate }: Program): Promise<readonly unknown[]> => {
  const answer = await fireAt(gate, 'echo forbidden', fireMs)
  return [answer?.body['verdict'], answer?.body['reason']]
}

/** A gate whose last act, a revoke, never reached the standby that takes the place of the primary server. */
const losesTheRevoke = async (): Promise<Program> => {
  const gate = await start()
  await put(gate, 'guard.sh', guard)
  await arm(gate, phone, [{ event: 'pre_tool_call', command: './guard.sh', matcher: 'forbidden' }])
  expect(await verdictOf(gate)).toEqual(['block', 'the guard said no'])
  const revision = await revisionAt(servers.primary)
  await until('the standby to have the ledger', async () => (await revisionAt(servers.standby)) === revision)
  servers.part()
  await phone.ask('/hooks revoke ./guard.sh', /Revoked/)
  expect(await revisionAt(servers.primary)).toBe(revision + 1)
  return gate
}
const failOver = async (): Promise<void> => {
  const lines = await revisionAt(servers.primary)
  address.turn(servers.standby)
  await servers.failOver()
  expect(await revisionAt(servers.standby)).toBe(lines - 1)
}

test('a failover that lost the last act is a lockdown of the gate that has seen it, also after its next start', async () => {
  const gate = await losesTheRevoke()
  await failOver()
  // Until it reads the ledger again, the revoke that it was told counts.
  expect(await verdictOf(gate)).toEqual(['allow', undefined])
  const from = phone.texts().length
  api.say('/hooks on')
  expect(await phone.reply(/LOCKDOWN|Hooks are O/, from)).toMatch(
    /LOCKDOWN: the ledger is damaged: it should have 4 lines or more and ends with line 3/,
  )
  expect(await verdictOf(gate)).toEqual(['block', expect.stringContaining('hookgate is in lockdown')])

  await gate.kill()
  const next = await gate.again()
  programs.push(next)
  expect(await phone.ask('/hooks', /LOCKDOWN/)).toMatch(/it should have 4 lines and has 3/)
  expect(await verdictOf(next)).toEqual(['block', expect.stringContaining('hookgate is in lockdown')])
  expect(await revisionAt(servers.standby)).toBe(3)
}, 120_000)

test('a gate that waited, and has never seen the act, learns of it from the pinned checkpoint', async () => {
  const gate = await losesTheRevoke()
  await until(
    'the checkpoint to follow',
    () => api.pinned()?.text?.startsWith('🛡 hookgate ledger\nrevision 4 ') === true,
  )
  await gate.kill()
  await failOver()
  const from = phone.texts().length
  const other = await start((home) => {
    mkdirSync(join(home, '.hookgate', 'secrets'), { recursive: true })
    cpSync(join(gate.gate, 'secrets', 'ledger.key'), join(home, '.hookgate', 'secrets', 'ledger.key'))
    cpSync(gate.workspace, join(home, 'hookgate'), { recursive: true })
  })
  expect(await phone.reply(/LOCKDOWN/, from)).toMatch(
    /LOCKDOWN: rolled back: the checkpoint in telegram:7 has revision 4, .*the ledger here has revision 3, /,
  )
  expect(await verdictOf(other)).toEqual(['block', expect.stringContaining('hookgate is in lockdown')])
}, 120_000)
