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
  expect(grants.split('\n').filter(Boolean)).toHaveLength(3)
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
  for (const statement of ['UPDATE hookgate.ledger_line SET n = n', 'DELETE FROM hookgate.ledger_line'])
    await expect(database.run(`SET ROLE ${role}; ${statement}`)).rejects.toThrow('permission denied')
  for (const statement of ['TRUNCATE hookgate.ledger_line', 'DROP TABLE hookgate.ledger_line'])
    await expect(database.run(`SET ROLE ${role}; ${statement}`)).rejects.toThrow(
      /permission denied|must be owner/,
    )
}, 90_000)
