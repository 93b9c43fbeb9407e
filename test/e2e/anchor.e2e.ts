import { cp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startBotApi, type BotApi } from '../fixtures/bot-api/server.ts'
import { startProgram, until, type Program } from './program.ts'
import { openPhone, ownedEnv, put, arm, token, type Chat } from './rig.ts'

let api: BotApi
let program: Program
let phone: Chat
beforeAll(async () => {
  api = await startBotApi({ token })
  program = await startProgram(ownedEnv(api))
  phone = openPhone(api)
})
afterAll(async () => {
  await program.remove()
  await api.stop()
})

const pinned = (): string => api.pinned()?.text ?? 'nothing'
const revision = (): number =>
  Number(/^🛡 hookgate ledger\nrevision (\d+) · head [0-9a-f]{12}\n/.exec(pinned())?.[1] ?? 0)

test('one message of the chat is kept pinned, and follows the ledger', { timeout: 90_000 }, async () => {
  await until('the first anchor', () => revision() === 1)
  await put(program, 'guard.sh', '#!/bin/sh\necho \'{"decision": "block", "reason": "no"}\'\n')
  await arm(program, phone, [{ event: 'pre_tool_call', command: './guard.sh', on_error: 'block' }])
  await until('the anchor to follow', () => revision() === 3)
  expect(phone.texts().filter((text) => text.includes('hookgate ledger'))).toHaveLength(1)
})

test(
  'the folder of before the revoke, put back: lockdown that names both, told on the phone, and the anchor stays',
  { timeout: 120_000 },
  async () => {
    await program.stop()
    const copy = join(program.home, 'copy')
    await cp(program.gate, copy, { recursive: true, filter: (path) => !path.endsWith('.sock') })
    program = await program.again()
    await phone.ask('/hooks revoke ./guard.sh', /Revoked/)
    await until('the anchor to follow', () => revision() === 4)
    const anchor = pinned()
    await program.stop()
    await rm(program.gate, { recursive: true })
    await cp(copy, program.gate, { recursive: true })
    const from = phone.texts().length
    program = await program.again()
    expect(await phone.reply(/LOCKDOWN/, from)).toMatch(
      /^🛡 LOCKDOWN: rolled back: the checkpoint in telegram:7 has revision 4, head [0-9a-f]{12}; the ledger here has revision 3, head [0-9a-f]{12}\.\nGated steps are blocked and messages are held\.\n→ \/hooks recover$/,
    )
    expect(await phone.ask('/hooks on', /LOCKDOWN/)).not.toContain('Hooks are ON')
    expect(pinned()).toBe(anchor)
    expect(await phone.ask('/hooks recover', /A new ledger/)).toContain(
      'Nothing is approved and hooks are OFF',
    )
    await until('the anchor of the new ledger', () => revision() === 1)
  },
)
