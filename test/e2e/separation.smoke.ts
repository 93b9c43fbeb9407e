import { afterAll, afterEach, beforeEach, describe, test } from 'vitest'
import { startBotApi, type BotApi } from '../fixtures/bot-api/server.ts'
import { needs } from '../needs.ts'
import { startedDirty } from './dirty-start.ts'
import { cli, startProgram, type Program } from './program.ts'
import { openPhone, ownedEnv, token } from './rig.ts'
import { people, provesSeparation, sandbox, usersOfService, type Kind } from './separation-rig.ts'

afterAll(() => people?.remove())

let api: BotApi
let program: Program | undefined
beforeEach(async () => {
  api = await startBotApi({ token })
})
afterEach(async () => {
  await program?.remove()
  program = undefined
  await api.stop()
})

const proves = async (kind: Kind): Promise<void> => {
  program = await startProgram(ownedEnv(api), cli, startedDirty(kind.starter()))
  await provesSeparation(program, openPhone(api), kind)
}

describe("the agent's tools, by whatever separation", () => {
  const holds =
    'the console says so, hooks and switch work, an intruder gets nothing, and the hosts come back'
  test(`${sandbox.title}: ${holds}`, needs('bwrap', 'bash'), () => proves(sandbox))
  test(`${usersOfService.title}: ${holds}`, needs('root', 'setpriv', 'bash'), () => proves(usersOfService))
})
