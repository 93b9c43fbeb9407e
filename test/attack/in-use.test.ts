import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startProgram, type Program } from '../e2e/program.ts'
import { arm, openPhone, ownedEnv, put, token, type Chat } from '../e2e/rig.ts'
import { startBotApi, type BotApi } from '../fixtures/bot-api/server.ts'

let api: BotApi
let program: Program
let phone: Chat

beforeAll(async () => {
  api = await startBotApi({ token })
  program = await startProgram(ownedEnv(api))
  phone = openPhone(api)
  await put(program, 'guard.sh', '#!/bin/sh\ngrep -q FORBIDDEN && echo \'{"decision":"block","reason":"no"}\'\nexit 0\n')
  await arm(program, phone, [{ event: 'pre_tool_call', command: './guard.sh', on_error: 'block' }])
})
afterAll(async () => {
  await program.remove()
  await api.stop()
})

const files = ['config/shell_hooks.yaml', 'config/agent.yaml', 'guard.sh'] as const
const held = (): readonly string[] => [...files.map((name) => readFileSync(join(program.workspace, name), 'utf8')), readFileSync(join(program.gate, 'ledger.jsonl'), 'utf8')]

test('the gate is tried from the phone while it runs: nothing of it changes, and nothing else is told meanwhile', async () => {
  const before = held()
  const list = await phone.ask('/hooks', /Hooks are ON/)
  const from = phone.texts().length
  const startedAtMs = performance.now()
  const text = await phone.ask('/hooks doctor —attack all', /forgeries(, tried| were tried)/, 60_000)
  console.log(`${Math.round(performance.now() - startedAtMs)} ms\n${phone.texts().slice(from).join('\n-----\n')}`)
  expect(text).toMatch(/^The gate held/)
  expect(held()).toEqual(before)
  expect((await phone.ask('/hooks', /Hooks are ON/)).replaceAll(/\b\w{5}\b (?=[✓✗])/g, '')).toBe(list.replaceAll(/\b\w{5}\b (?=[✓✗])/g, ''))
}, 90_000)
