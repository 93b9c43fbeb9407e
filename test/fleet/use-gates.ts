import { afterEach, beforeEach } from 'vitest'
import { startProgram, until, type Program } from '../e2e/program.ts'
import { openPhone, ownedEnv, token, type Chat } from '../e2e/rig.ts'
import { startBotApi, type BotApi } from '../fixtures/bot-api/server.ts'
import { useDatabase } from '../store/postgres-server.ts'
import { copyOf, waitingGates } from './gates.ts'

/** A guard that blocks every step. */
export const guard = '#!/bin/sh\necho \'{"decision": "block", "reason": "the guard said no"}\'\n'

/** Gives each test of a file a database, a Bot API with the owner's phone, and the gates that it starts. */
export const useGates = () => {
  const database = useDatabase()
  let api: BotApi
  let phone: Chat
  let programs: Program[] = []
  beforeEach(async () => {
    api = await startBotApi({ token })
    phone = openPhone(api)
  })
  afterEach(async () => {
    for (const program of programs) await program.remove()
    programs = []
    await api.stop()
  })
  /** The environment of a gate with that owner, on the database that is at this address. */
  const env = (at = database.url()) => ({ ...ownedEnv(api), HOOKGATE_DATABASE: at })
  const start = async (prepare?: (home: string) => void, at?: string): Promise<Program> => {
    const program = await startProgram(env(at), undefined, prepare === undefined ? {} : { prepare })
    programs.push(program)
    return program
  }
  return {
    database,
    get phone() {
      return phone
    },
    get api() {
      return api
    },
    env,
    start,
    /** Starts a second gate beside this one, and resolves as soon as it waits. `taken`: it has taken over. */
    wait: async (first: Program): Promise<{ readonly home: string; readonly taken: Promise<Program> }> => {
      let home = ''
      const taken = start((at) => {
        home = at
        copyOf(first)(at)
      })
      await until('the second gate to wait', async () => (await waitingGates(database.run)) > 0)
      return { home, taken }
    },
    /** Who has the lease, in the words of the database. */
    holder: async (): Promise<string> =>
      String((await database.run('SELECT holder FROM hookgate.lease'))[0]?.['holder']),
  }
}
