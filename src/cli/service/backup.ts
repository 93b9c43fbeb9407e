import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { ProblemError } from '../../core/model/gate/problem.ts'
import { fail, print, type Verb } from '../verb.ts'
import { passphraseFor } from './passphrase.ts'

/** The one file that both verbs take, and where the passphrase is. */
const wordsOf = (verb: string, args: readonly string[]) => {
  const { values, positionals } = parseArgs({
    args: [...args],
    options: { 'passphrase-file': { type: 'string' } },
    allowPositionals: true,
  })
  const [file, more] = positionals
  if (file === undefined || file === '' || more !== undefined)
    return fail(
      `Expected "hookgate ${verb} FILE", got ${file === undefined || file === '' ? 'no file' : 'several files'}.`,
    )
  return { file: resolve(file), passphraseFile: values['passphrase-file'] }
}

/** The gate's folder, and whether its ledger is in a database. gate.yaml may be missing or damaged here. */
const placeOf = async () => {
  const { homeOf } = await import('../../config/home.ts')
  const { databaseOf } = await import('../../config/env-values.ts')
  return { home: homeOf(process.env), isInDatabase: databaseOf(process.env) !== undefined }
}

const fixes: Readonly<Record<string, string>> = {
  EACCES: 'Run it as root, or as the user whose gate it is: sudo HOOKGATE_HOME=… hookgate …',
  ENOSPC: 'Free some space on that disk.',
}

/** The system refused something. What was begun was undone. */
const explained = (done: Promise<string>): Promise<string> =>
  done.catch((error: unknown) => {
    if (!(error instanceof Error && 'syscall' in error && 'code' in error)) throw error
    throw new ProblemError({
      code: 'backup.system',
      message: `Expected to read and write the files of the gate, got "${error.message}".`,
      fix: `Nothing was changed. ${fixes[String(error.code)] ?? 'Check the disk and the rights.'}`,
    })
  })

export const backup: Verb = {
  usage: 'hookgate backup FILE',
  does: ["writes an encrypted backup of the gate's folder, also while the gate runs"],
  help: `  --passphrase-file FILE   takes the passphrase from the first line of this file, and asks nobody

It holds what puts a gate back: the ledger, the sealed files of approved hooks, gate.yaml, secrets, records and
history. It is encrypted with the passphrase (scrypt, AES-256-GCM). The file must not exist yet.

The workspace, environment variables such as TELEGRAM_BOT_TOKEN and the homes of agents and hooks are not in it.
With HOOKGATE_DATABASE the ledger and the records are in the database: back that up with pg_dump.

A service's gate has its folder elsewhere:
  sudo HOOKGATE_HOME=/var/lib/hookgate/gate hookgate backup /var/backups/hookgate.backup`,
  run: async (args) => {
    const { file, passphraseFile } = wordsOf('backup', args)
    const place = await placeOf()
    const { backUp, checkFree } = await import('../../compose/verbs/backup/backup.ts')
    checkFree(file)
    const passphrase = await passphraseFor(passphraseFile, true)
    print(await explained(backUp({ ...place, file, passphrase })))
  },
}

export const restore: Verb = {
  usage: 'hookgate restore FILE',
  does: ["puts a backup into the gate's folder while no gate runs there"],
  help: `  --passphrase-file FILE   takes the passphrase from the first line of this file, and asks nobody

The folder HOOKGATE_HOME is empty, or one of the same gate. Everything is checked before anything is changed.
What was there is kept in a folder before-restore-… of it. Messages, prompts and questions that waited are not put back.

A restore never brings back an older ledger in silence. Where the folder knows a newer one, hookgate starts in
lockdown until an owner types /hooks recover. On a new machine the pinned checkpoint in an owner's chat reveals
it, and the owners are told in any case.`,
  run: async (args) => {
    const { file, passphraseFile } = wordsOf('restore', args)
    const place = await placeOf()
    const { checkBackup, restore: putBack } = await import('../../compose/verbs/backup/restore.ts')
    checkBackup(file)
    const passphrase = await passphraseFor(passphraseFile, false)
    print(await explained(putBack({ ...place, file, passphrase })))
  },
}
