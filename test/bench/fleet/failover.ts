import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { cli, startProgram, until, type Program } from '../../e2e/program.ts'
import { openPhone, ownedEnv, token } from '../../e2e/rig.ts'
import { startBotApi } from '../../fixtures/bot-api/server.ts'
import { copyOf, waitingGates } from '../../fleet/gates.ts'
import { writeLong } from '../ledger.ts'
import { single, type Measured } from '../measure.ts'
import { withServer } from './database.ts'

const times = 5
const ledgerLines = 10_000

/** Puts a long ledger into the database, and leaves the folder of a gate that works there. */
const bringLedger =
  (database: string) =>
  (home: string): void => {
    writeLong(join(home, '.hookgate'), ledgerLines)
    execFileSync(process.execPath, [cli, 'migrate', '--to', database], { env: { HOME: home } })
  }

/** From `kill -9` of the gate that works until the one that waited has answered in the chat. */
export const measureFailover = (): Promise<Measured> =>
  withServer(async (server) => {
    const database = await server.database()
    const api = await startBotApi({ token })
    const phone = openPhone(api)
    const env = { ...ownedEnv(api), HOOKGATE_DATABASE: database }
    const programs: Program[] = []
    const tookMs: number[] = []
    try {
      const first = await startProgram(env, undefined, { prepare: bringLedger(database) })
      programs.push(first)
      await phone.ask('/whoami', /an owner/)
      const prepare = copyOf(first)
      for (let time = 0, working = first; time < times; time++) {
        const starting = startProgram(env, undefined, { prepare, withinMs: 60_000 }).then((program) => {
          programs.push(program)
          return program
        })
        // A failure is told where it is waited for.
        starting.catch(() => undefined)
        await until(
          'the second gate to wait',
          async () => (await waitingGates((sql) => server.run(database, sql))) > 0,
        )
        const killedMs = performance.now()
        await working.kill()
        await phone.ask('/whoami', /an owner/)
        tookMs.push(performance.now() - killedMs)
        working = await starting
      }
    } finally {
      for (const program of programs) await program.remove()
      await api.stop()
    }
    return { times: [single(`the longest of ${times}`, Math.max(...tookMs) * 1000)] }
  })
