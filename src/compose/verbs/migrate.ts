import { join } from 'node:path'
import { plural } from '../../commands/words.ts'
import { prepareHome } from '../../core/gatekeeper/home.ts'
import { shortHead } from '../../core/model/gate/anchor.ts'
import { takeHome } from '../../shared/disk/lock.ts'
import { draftFolder } from './backup/into-folder.ts'
import { sealedFilesIn, wholeLedgerIn, wholeLedgerOf, type WholeLedger } from './backup/whole-ledger.ts'
import { ProblemError } from '../../core/model/gate/problem.ts'
import { copyStore, type Counts } from '../../store/whole.ts'

/** The driver and SQLite take memory, so only this verb loads them. */
const engines = async () => ({
  ...(await import('../../store/postgres/whole.ts')),
  ...(await import('../../store/sqlite/whole.ts')),
})

/** What a row of each table is. */
const nouns: Readonly<Record<string, string>> = {
  record: 'record',
  outbox: 'unsent message',
  ended: 'outcome',
  prompt: 'prompt',
  question: 'question',
  seen: 'seen message',
  fact: 'fact',
}

const told = ({ lines, head, approvals }: WholeLedger, files: number, counts: Counts): string =>
  [
    `  ledger: ${plural(lines.length, 'line')}, each verified, head ${shortHead(head)}`,
    `  ${plural(approvals.length, 'approval')} in force with ${plural(files, 'sealed file')}`,
    ...Object.entries(counts).map(([table, count]) => `  ${plural(count, nouns[table] ?? table)}`),
  ].join('\n')

const notEmpty = (): ProblemError =>
  new ProblemError({
    code: 'move.filled',
    message: 'Expected a database without anything of hookgate, got one where a gate has worked.',
    fix: 'Nothing was changed. Give the address of a new database. Or, if nobody needs what is there, run this in it: DROP SCHEMA hookgate CASCADE',
  })

/** Carries the folder into an empty database, in one transaction. Resolves with what to tell. */
export const migrateTo = async (home: string, url: string): Promise<string> => {
  // A folder that is no gate's gets no lock.
  wholeLedgerIn(home)
  const { release } = takeHome(home)
  try {
    const ledger = wholeLedgerIn(home)
    const { inQuietDatabase, readStoreFile } = await engines()
    const counted = await inQuietDatabase(url, 'COMMIT', async (database) => {
      if (!(await database.isEmpty())) throw notEmpty()
      await database.putLedger(ledger.lines)
      let files = 0
      for (const file of sealedFilesIn(home, ledger.approvals)) {
        await database.putFile(file)
        files += 1
      }
      const counts = await copyStore(readStoreFile(join(home, 'state.db')), database)
      // It is verified once more as a gate would read it.
      wholeLedgerOf(home, await database.ledger())
      return told(ledger, files, counts)
    })
    return `This folder is in the database now:
${counted}
Set HOOKGATE_DATABASE to that address, and start hookgate.
The files in ${home} are as they were. Do not start hookgate without HOOKGATE_DATABASE any more: it would go on from them.`
  } finally {
    release()
  }
}

/** Brings a database back into a folder that has no ledger yet. Resolves with what to tell. */
export const migrateFrom = async (named: string, url: string): Promise<string> => {
  const { home } = prepareHome(named)
  const { release } = takeHome(home)
  try {
    const { inQuietDatabase, createStoreFile } = await engines()
    const draft = draftFolder(home)
    try {
      const [ledger, counts] = await inQuietDatabase(url, 'ROLLBACK', async (database) => {
        const read = wholeLedgerOf(home, await database.ledger())
        await draft.write(read, { get: database.getFile })
        const store = createStoreFile(draft.store)
        try {
          return [read, await copyStore(database, store)] as const
        } finally {
          store.close()
        }
      })
      draft.place(ledger)
      const files = new Set(
        ledger.approvals.flatMap((approval) => approval.files.map(({ sha256 }) => sha256)),
      )
      const counted = told(ledger, files.size, counts)
      return `The database is in ${home} now:
${counted}
Start hookgate without HOOKGATE_DATABASE.
The database is as it was. Do not start a gate on it any more: it would go on from there.`
    } finally {
      draft.remove()
    }
  } finally {
    release()
  }
}
