import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { forgeries } from '../../src/doctor/attack/table.ts'
import { startProgram, until, type Program } from '../e2e/program.ts'
import { alive } from '../process-list.ts'
import { arm, openPhone, ownedEnv, put, token, type Chat } from '../e2e/rig.ts'
import { startBotApi, type BotApi } from '../fixtures/bot-api/server.ts'

let api: BotApi
let program: Program
let phone: Chat

beforeAll(async () => {
  api = await startBotApi({ token })
  program = await startProgram(ownedEnv(api))
  phone = openPhone(api)
  await put(
    program,
    'guard.sh',
    '#!/bin/sh\ngrep -q FORBIDDEN && echo \'{"decision":"block","reason":"no"}\'\nexit 0\n',
  )
  await arm(program, phone, [{ event: 'pre_tool_call', command: './guard.sh', on_error: 'block' }])
  // The file shows the switch some moments after the answer.
  await until('the file to show the switch', () =>
    kept().some((one) => String(one).includes('{ enabled: true }')),
  )
})
afterAll(async () => {
  await program.remove()
  await api.stop()
})

const files = ['config/shell_hooks.yaml', 'config/agent.yaml', 'guard.sh'] as const
const kept = (): readonly unknown[] => [
  ...files.map((name) => readFileSync(join(program.workspace, name), 'utf8')),
  readFileSync(join(program.gate, 'ledger.jsonl'), 'utf8'),
  readFileSync(join(program.gate, 'secrets', 'ledger.key')),
  ...[
    program.home,
    program.workspace,
    program.gate,
    join(program.gate, 'run'),
    join(program.gate, 'run', 'empty'),
    join(program.gate, 'secrets'),
    join(program.gate, 'seal'),
  ].map((folder) =>
    readdirSync(folder)
      .filter((name) => !/-(wal|shm)$/.test(name))
      .toSorted(),
  ),
]
/** Handles are minted anew for each list. */
const list = async (): Promise<string> =>
  (await phone.ask('/hooks', /Hooks are ON/)).replaceAll(/^\w{5} (?=[✓✗])/gm, '')

test('the gate is tried from the phone while it runs: every forgery has its line, all is left as it was, and nothing else is told meanwhile', async () => {
  const before = kept()
  const listed = await list()
  const from = phone.texts().length
  const first = await phone.ask('/hooks doctor —attack all', /forgeries(, tried| were tried)/, 75_000)
  expect(first).toMatch(/^🛡 1\/\d\nThe gate held/u)
  // It is several messages long.
  await expect
    .poll(
      () =>
        phone
          .texts()
          .slice(from)
          .some((text) => text.includes(forgeries.at(-1)?.title ?? '-')),
      { timeout: 15_000 },
    )
    .toBe(true)
  const lines = phone.texts().slice(from).join('\n').split('\n')
  expect(lines.filter((line) => /^[✓✗–] /.test(line)).length).toBeGreaterThan(100)
  expect(
    phone
      .texts()
      .slice(from)
      .filter((text) => /waits? for you|Web login|agent\.yaml (was|says)|LOCKDOWN/.test(text)),
  ).toEqual([])
  expect(kept()).toEqual(before)
  // What the attempts made the gate look at is still being counted for some seconds.
  await expect.poll(list, { timeout: 20_000, interval: 1000 }).toBe(listed)
  expect(
    alive().filter(
      ({ command }) => /doctor\/attack\/program/.test(command) && command.includes(program.home),
    ),
  ).toEqual([])
  // What was put off is told, what was of the attempts' making is not.
  const asked = phone.texts().length
  await put(
    program,
    'config/shell_hooks.yaml',
    JSON.stringify({
      hooks: [
        { event: 'pre_tool_call', command: './guard.sh', on_error: 'block' },
        { event: 'on_stop', command: 'true' },
      ],
    }),
    0o644,
  )
  expect(await phone.reply(/waits for you/, asked)).toContain('on_stop')
}, 120_000)
