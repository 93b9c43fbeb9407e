import { execFile } from 'node:child_process'
import { lstatSync, readdirSync, readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { promisify } from 'node:util'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { cli, startProgram, until, type Program } from '../e2e/program.ts'
import { arm, openPhone, ownedEnv, put, token, type Chat, type Proposal } from '../e2e/rig.ts'
import { startBotApi, type BotApi } from '../fixtures/bot-api/server.ts'
import { alive } from '../process-list.ts'

let api: BotApi
let program: Program
let phone: Chat
let elsewhere: string

beforeEach(async () => {
  elsewhere = await mkdtemp(join(tmpdir(), 'hg-elsewhere-'))
  api = await startBotApi({ token })
  program = await startProgram(ownedEnv(api))
  phone = openPhone(api)
  await put(
    program,
    'guard.py',
    '#!/usr/bin/env python3\nimport sys\nif "FORBIDDEN" in sys.stdin.read(): print(\'{"decision":"block","reason":"no"}\')\n',
  )
  await put(program, 'hold.sh', '#!/bin/sh\nexit 0\n')
})
afterEach(async () => {
  await program.remove()
  await api.stop()
  await rm(elsewhere, { recursive: true, force: true })
})

const guard: Proposal = { event: 'pre_tool_call', command: './guard.py', on_error: 'block' }
const outbound: Proposal = { event: 'on_outbound_message', command: './hold.sh', on_error: 'block' }

/** The store writes these two as it likes. What they hold is compared as rows. */
const isOfStore = (name: string): boolean => /state\.db(-wal|-shm)?$/.test(name)

/** Every file below the person's home, with its kind, mode and bytes. */
const files = (): ReadonlyMap<string, string> =>
  new Map(
    readdirSync(program.home, { recursive: true, encoding: 'utf8' })
      .filter((name) => !isOfStore(name))
      .toSorted()
      .map((name) => {
        const path = join(program.home, name)
        const { mode, ino } = lstatSync(path)
        const bytes = lstatSync(path).isFile() ? readFileSync(path, 'base64') : ''
        return [name, `${mode} ${ino} ${bytes}`]
      }),
  )

const rows = (): Readonly<Record<string, unknown>> => {
  const store = new DatabaseSync(join(program.gate, 'state.db'), { readOnly: true })
  try {
    const tables = store.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").all()
    return Object.fromEntries(
      tables.map(({ name }) => [name, store.prepare(`SELECT * FROM "${String(name)}"`).all()]),
    )
  } finally {
    store.close()
  }
}

test.each([
  ['the guard first', [guard, outbound]],
  ['the guard last', [outbound, guard]],
])(
  'law 11: an attack beside a gate in use, hooks approved with %s, changes no file, approval, switch or message there',
  async (_, hooks) => {
    await arm(program, phone, hooks)
    const agentFile = join(program.workspace, 'config', 'agent.yaml')
    await until('the switch in its file', () => readFileSync(agentFile, 'utf8').includes('enabled: true'))
    // The list mints handles and is kept, so it is asked for before what is compared.
    const listed = await phone.ask('/hooks', /Hooks are ON/)
    // The head of the last change is pinned some seconds later, and what is told of that is stored.
    const revision = readFileSync(join(program.gate, 'ledger.jsonl'), 'utf8').trimEnd().split('\n').length
    await until('its pinned head', () =>
      phone.texts().some((text) => text.includes(`revision ${revision} ·`)),
    )
    await until('the row about it', () => JSON.stringify(rows()).includes('"anchored"'))
    await new Promise((done) => setTimeout(done, 3000))
    const before = { files: files(), rows: rows(), texts: phone.texts() }

    const only = ['seal.', 'entry.', 'program.home', 'switch.', 'ledger.bit', 'signal.kill', 'page.brute']
    const { stdout } = await promisify(execFile)(
      process.execPath,
      [cli, 'attack', 'none', '--all', ...only.flatMap((part) => ['--only', part])],
      {
        cwd: elsewhere,
        env: { ...process.env, HOME: program.home, TMPDIR: elsewhere },
        timeout: 300_000,
      },
    ).catch((error: { readonly stdout: string }) => {
      throw new Error(error.stdout, { cause: error })
    })

    expect(stdout).toMatch(/^The gate blocked \d+ of \d+ bypasses/)
    expect(stdout.split('\n').filter((line) => /^[✓✗–] /.test(line)).length).toBeGreaterThan(20)
    expect(stdout).not.toContain('Please report it')
    const after = files()
    const names = new Set([...before.files.keys(), ...after.keys()])
    expect([...names].filter((name) => before.files.get(name) !== after.get(name))).toEqual([])
    expect({ rows: rows(), texts: phone.texts() }).toEqual({ rows: before.rows, texts: before.texts })
    expect(await phone.ask('/hooks', /Hooks are ON/)).toBe(listed)
    // It takes away what it made, and leaves no process.
    expect(readdirSync(elsewhere)).toEqual([])
    expect(alive().filter(({ command }) => command.includes(elsewhere))).toEqual([])
  },
  360_000,
)
