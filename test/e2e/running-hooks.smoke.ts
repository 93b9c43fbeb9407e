import { randomInt } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startBotApi, type BotApi } from '../fixtures/bot-api/server.ts'
import type { ProcessRow } from '../process-list.ts'
import { startProgram, type Program } from './program.ts'
import { arm, findChild, openPhone, ownedEnv, put, token, untilGone, type Chat } from './rig.ts'

let api: BotApi
let program: Program
let phone: Chat

/** No other program sleeps for so long, and no test takes so long. */
const seconds = 20_000 + randomInt(9999)
/** They never end by themselves, so a busy machine may take its time. */
const patientMs = 90_000
/** It does not heed SIGTERM, has a child in a session of its own, and would block in the end. */
const stays = (name: string): string =>
  `#!/bin/sh\ntrap "" TERM\nsetsid sleep ${seconds}.${name}1 &\nsleep ${seconds}.${name}2\necho '{"decision": "block", "reason": "too late"}'\n`
/** A hook may run for as long as hookgate lets it, and its faults block. */
const long = { timeout: 120, on_error: 'block' } as const

beforeAll(async () => {
  api = await startBotApi({ token })
  program = await startProgram(ownedEnv(api))
  phone = openPhone(api)
  await put(program, 'first.sh', stays('1'))
  await put(program, 'call.sh', stays('2'))
  await put(program, 'letter.sh', stays('3'))
  await put(program, 'guard.sh', '#!/bin/sh\necho \'{"decision": "block", "reason": "the guard said no"}\'\n')
  await arm(program, phone, [
    { event: 'pre_tool_call', command: './first.sh', matcher: 'begin', ...long },
    { event: 'pre_tool_call', command: './call.sh', matcher: 'stay', ...long },
    { event: 'pre_tool_call', command: './guard.sh', matcher: 'forbidden', on_error: 'block' },
    { event: 'on_outbound_message', command: './letter.sh', matcher: 'Dear', ...long },
  ])
})
afterAll(async () => {
  await program.remove()
  await api.stop()
})

/** What this hook has started, when all of it runs. */
const running = (name: string): Promise<readonly ProcessRow[]> =>
  Promise.all([1, 2].map((part) => findChild(program, new RegExp(`^sleep ${seconds}\\.${name}${part}$`))))

describe('a hook runs, and its owner does not want it any more', () => {
  test('revoked: all that it started is gone, the call goes on without its answer', async () => {
    const from = phone.texts().length
    api.say('!echo begin the work')
    const hook = await running('1')
    expect(await phone.ask('/hooks revoke ./first.sh', /Revoked/)).toBe(
      '🛡 Revoked: pre_tool_call\n  ./first.sh\nIt does not fire any longer. Programs that still ran were stopped.',
    )
    await phone.reply(/^begin the work/, from)
    await untilGone(hook, patientMs)
    await phone.ask('!echo begin again', /^begin again/)
  })

  test('revoked, while another hook is still in force: that one is asked, and blocks', async () => {
    const from = phone.texts().length
    api.say('!echo stay forbidden')
    const hook = await running('2')
    await phone.ask('/hooks revoke ./call.sh', /Revoked/)
    await phone.reply(/the guard said no/, from)
    await phone.reply(/^I did not run bash/, from)
    await untilGone(hook, patientMs)
    expect(phone.texts().slice(from).join()).not.toMatch(/^stay forbidden/m)
  })

  test('switched off: the message that it judges arrives once, no hook is left, and none is asked until hooks are on again', async () => {
    const from = phone.texts().length
    api.say('say Dear customer')
    const hook = await running('3')
    expect(phone.texts().slice(from).join()).not.toContain('Dear customer')
    await phone.ask('/hooks off', /Hooks are OFF/)
    await phone.reply(/^Dear customer$/, from)
    await untilGone(hook, patientMs)
    await phone.ask('!echo forbidden', /^forbidden/)
    await phone.ask('/hooks on', /Hooks are ON/)
    await phone.ask('!echo forbidden', /the guard said no/)
    expect(phone.texts().filter((text) => text === 'Dear customer')).toHaveLength(1)
    // The cards of the approvals show the programs, and so these words as well.
    const told = phone.texts().filter((text) => !text.includes('#!/bin/sh'))
    expect(told.join()).not.toContain('too late')
  })
})
