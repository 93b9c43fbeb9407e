import { parseArgs } from 'node:util'
import { fail, print, type Verb } from './verb.ts'

export const migrate: Verb = {
  usage: 'hookgate migrate --to|--from <address>',
  does: ["carries the gate's folder into a PostgreSQL database, or back"],
  help: `--to postgres://user@host:5432/database    fills an empty database from the folder HOOKGATE_HOME
--from postgres://user@host:5432/database  fills a folder without a ledger from a database

It carries everything that the gate keeps: the ledger, the sealed files of approved hooks, the history, and
what waits. It verifies the ledger with secrets/ledger.key before and after. That key is never in the
database: for --from, copy it into the folder first.

Stop the gates of the folder and of the database first. Where something fails, nothing has changed.
Set PGPASSWORD instead of writing the password into the address: other programs of this machine can see the
words of a command.`,
  run: async (args) => {
    const { to, from } = parseArgs({
      args: [...args],
      options: { to: { type: 'string' }, from: { type: 'string' } },
    }).values
    const { loadConfig } = await import('../config/load.ts')
    const { migrateTo, migrateFrom } = await import('../compose/verbs/migrate.ts')
    if (to !== undefined && from === undefined)
      return print(await migrateTo(loadConfig(process.env).home, to))
    if (from !== undefined && to === undefined)
      return print(await migrateFrom(loadConfig(process.env).home, from))
    return fail(
      `Expected "hookgate migrate --to <address>" or "hookgate migrate --from <address>", got ${to === undefined ? 'neither' : 'both'}.`,
    )
  },
}
