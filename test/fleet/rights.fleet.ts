import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { startProgram, type Program } from '../e2e/program.ts'
import { arm, openPhone, ownedEnv, put, token } from '../e2e/rig.ts'
import { startBotApi, type BotApi } from '../fixtures/bot-api/server.ts'
import { prepareDatabase } from '../../src/store/postgres/prepare.ts'
import { useDatabase } from '../store/postgres-server.ts'

const page = readFileSync(resolve(import.meta.dirname, '../../config/service/README.md'), 'utf8')
const role = `gate_${process.pid}`
/** The statements of the page, for a user of this test. */
const grants = (/```text\n(GRANT [^]+?)```/.exec(page)?.[1] ?? '').replaceAll(
  / (TO|FROM) gate;/g,
  ` $1 ${role};`,
)

const database = useDatabase()
let api: BotApi
let program: Program | undefined
beforeEach(async () => {
  api = await startBotApi({ token })
})
afterEach(async () => {
  await program?.remove()
  await api.stop()
  await database.run(`DROP OWNED BY ${role}; DROP USER ${role}`)
})

test('with the rights that the page names a gate does all its work, and cannot change what is in the ledger', async () => {
  const phone = openPhone(api)
  await prepareDatabase(database.url())
  expect(grants.split('\n').filter(Boolean)).toHaveLength(4)
  await database.run(`CREATE USER ${role} PASSWORD 'gate'; ${grants}`)
  const address = Object.assign(new URL(database.url()), { username: role, password: 'gate' }).href
  program = await startProgram({ ...ownedEnv(api), HOOKGATE_DATABASE: address })
  await put(program, 'guard.sh', '#!/bin/sh\necho \'{"decision": "block", "reason": "no"}\'\n')
  await arm(program, phone, [{ event: 'pre_tool_call', command: './guard.sh', matcher: 'forbidden' }])
  await phone.ask('!echo forbidden', /I did not run bash/)
  await phone.ask('/hooks revoke ./guard.sh', /[Rr]evoked/)
  expect(await program.stop()).toBe(0)
  program = await program.again()
  await phone.ask('!echo forbidden', /^forbidden/)
  for (const statement of [
    'UPDATE hookgate.ledger_line SET n = n',
    'DELETE FROM hookgate.ledger_line',
    'INSERT INTO hookgate.ledger_line SELECT generation + 1, n, line FROM hookgate.ledger_line',
    'UPDATE hookgate.ledger SET generation = generation + 1',
    'DELETE FROM hookgate.ledger',
  ])
    await expect(database.run(`SET ROLE ${role}; ${statement}`)).rejects.toThrow('permission denied')
  // What it may call adds to the ledger, and neither puts it back nor copies an older one to a new place.
  const call = (to: string, lines: string): string => `SET ROLE ${role};
    SELECT hookgate.write_ledger(generation, revision, head, ${to}, (SELECT json_agg(line ORDER BY n)
      FROM hookgate.ledger_line WHERE ${lines})) FROM hookgate.ledger`
  for (const [to, lines, words] of [
    ['generation + 1', 'n <= 2', 'only an owner begins a ledger anew'],
    ['generation', 'n <= 2', 'does not follow the line before it'],
    ['generation + 2', 'n <= 2', 'cannot follow ledger'],
    ['generation - 1', 'n <= 2', 'cannot follow ledger'],
  ] as const)
    await expect(database.run(call(to, lines))).rejects.toThrow(words)
  for (const statement of ['TRUNCATE hookgate.ledger_line', 'DROP TABLE hookgate.ledger_line'])
    await expect(database.run(`SET ROLE ${role}; ${statement}`)).rejects.toThrow(
      /permission denied|must be owner/,
    )
}, 90_000)
