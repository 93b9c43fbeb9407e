import { spawnSync } from 'node:child_process'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startBotApi, type BotApi } from '../fixtures/bot-api/server.ts'
import { cli, startProgram, until, type Program } from './program.ts'
import { arm, openPhone, ownedEnv, put, token, type Chat } from './rig.ts'

let api: BotApi
let program: Program
let phone: Chat
beforeAll(async () => {
  api = await startBotApi({ token })
  program = await startProgram(ownedEnv(api))
  phone = openPhone(api)
  await writeFile(join(program.home, 'passphrase'), 'six words that nobody knows\n', { mode: 0o600 })
})
afterAll(async () => {
  await program.remove()
  await api.stop()
})

const verb = (...words: readonly string[]): { readonly status: number | null; readonly said: string } => {
  const passphrase = ['--passphrase-file', join(program.home, 'passphrase')]
  const { status, stdout, stderr } = spawnSync(process.execPath, [cli, ...words, ...passphrase], {
    cwd: program.home,
    env: { PATH: process.env['PATH'], HOME: program.home },
    encoding: 'utf8',
    timeout: 60_000,
  })
  return { status, said: `${stdout}${stderr}` }
}
/** No hook was asked. */
const inert = [{ fired: false, why: 'the gate is in lockdown' }]
const pinned = (): string => api.pinned()?.text ?? 'nothing'
const revision = (): number => Number(/\nrevision (\d+) · /.exec(pinned())?.[1] ?? 0)
/** Asks the gate about a call that the guard blocks where it fires. */
const asked = (): Record<string, unknown> => {
  const { status, stdout } = spawnSync(process.execPath, [cli, 'fire', 'pre_tool_call', '--payload', '-'], {
    cwd: program.home,
    env: { PATH: process.env['PATH'], HOME: program.home },
    input: JSON.stringify({ tool_name: 'shell', tool_input: { command: 'ls' } }),
    encoding: 'utf8',
    timeout: 60_000,
  })
  return { status, ...(JSON.parse(stdout) as object) }
}

test(
  'a backup of a running gate is whole, and it cannot be put back while the gate runs',
  { timeout: 120_000 },
  async () => {
    await put(program, 'guard.sh', '#!/bin/sh\necho \'{"decision": "block", "reason": "no"}\'\n')
    await arm(program, phone, [{ event: 'pre_tool_call', command: './guard.sh', on_error: 'block' }])
    await until('the anchor to follow', () => revision() === 3)
    const { status, said } = verb('backup', 'one.backup')
    expect([status, said]).toEqual([0, expect.stringContaining('ledger: 3 lines, each verified')])
    expect(said).toContain('1 approval in force with 1 sealed file')
    expect(verb('restore', 'one.backup')).toEqual({
      status: 1,
      said: expect.stringContaining('got one that another hookgate uses'),
    })
    expect(asked()).toMatchObject({ verdict: 'block', reason: expect.stringContaining('no') })
  },
)

test(
  'after a revoke and a restore the gate is in lockdown: nothing fires as approved, and the owner recovers',
  { timeout: 120_000 },
  async () => {
    await phone.ask('/hooks revoke ./guard.sh', /Revoked/)
    await until('the anchor to follow', () => revision() === 4)
    await program.stop()
    const { status, said } = verb('restore', 'one.backup')
    expect([status, said]).toEqual([0, expect.stringContaining('hookgate starts in LOCKDOWN')])
    const from = phone.texts().length
    program = await program.again()
    expect(program.output()).toContain('it should have 4 lines and has 3')
    expect(await phone.reply(/LOCKDOWN/, from)).toContain('it should have 4 lines and has 3')
    // The gate blocks by itself.
    expect(asked()).toMatchObject({ verdict: 'block', hooks: inert })
    expect(await phone.reply(/put back from a backup/, from)).toMatch(
      /^🛡 ⚠ hookgate was put back from a backup: revision 3, made at .+\nWhat owners decided after that is not in it\./,
    )
    expect(await phone.ask('/hooks recover', /A new ledger/)).toContain(
      'Nothing is approved and hooks are OFF',
    )
    await until('the anchor of the new ledger', () => revision() === 1)
    expect(asked()).toMatchObject({ verdict: 'allow' })
  },
)

test(
  'on a new machine the pinned checkpoint reveals that the backup is older',
  { timeout: 120_000 },
  async () => {
    await program.stop()
    await rm(program.gate, { recursive: true })
    const { status, said } = verb('restore', 'one.backup')
    expect([status, said]).toEqual([0, expect.stringContaining('cannot see here whether an owner revoked')])
    const from = phone.texts().length
    program = await program.again()
    expect(await phone.reply(/LOCKDOWN/, from)).toContain('rolled back: the checkpoint in telegram:7')
    expect(await phone.reply(/put back from a backup/, from)).toContain('revision 3')
    expect(asked()).toMatchObject({ verdict: 'block', hooks: inert })
    await phone.ask('/hooks recover', /A new ledger/)
    // It is told once.
    const later = phone.texts().length
    await program.stop()
    program = await program.again()
    await phone.ask('/hooks', /Hooks are OFF/)
    expect(phone.texts().slice(later).join('\n')).not.toContain('put back from a backup')
  },
)
