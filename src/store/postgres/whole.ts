import { budgets } from '../../shared/base/budgets.ts'
import type { LedgerLines } from '../../core/model/gate/shared.ts'
import type { SqlRow } from '../operations.ts'
import { opOf, rowsAtATime, TABLES, type WholeStore } from '../whole.ts'
import { createClient, type PostgresClient } from './client.ts'
import { runOps } from './engine.ts'
import { isOfServer } from './failures.ts'
import { addLines, linesAfter } from './ledger-lines.ts'
import { SCHEMA_NAME } from './migrations.ts'
import { beginPrepared } from './prepare.ts'
import { getFile, putFile } from './shared-files.ts'

/** A database in which no gate works, until the transaction ends. */
export interface QuietDatabase extends WholeStore {
  /** True when nothing of a gate is there: no ledger, no sealed file, and no row of the store. */
  isEmpty(): Promise<boolean>
  ledger(): Promise<LedgerLines | undefined>
  /** Begins the first ledger. */
  putLedger(lines: readonly string[]): Promise<void>
  putFile(file: { readonly sha256: string; readonly content: Buffer }): Promise<void>
  getFile(sha256: string): Promise<Buffer | undefined>
}

/** The time limit for a whole copy, in milliseconds. */
const copyMs = 30 * 60_000

/** Each transaction of a gate begins with its row in this table, so no gate can write until this one ends. */
const STOP_GATES = `LOCK TABLE ${SCHEMA_NAME}.lease IN EXCLUSIVE MODE`
const HOLDER = `SELECT holder FROM ${SCHEMA_NAME}.lease WHERE until > clock_timestamp()`

const tablesOf = ['ledger', 'ledger_line', 'sealed_file', ...TABLES.map(({ name }) => name)]
const IS_EMPTY = `SELECT NOT (${tablesOf
  .map((name) => `EXISTS (SELECT FROM ${SCHEMA_NAME}.${name})`)
  .join(' OR ')}) AS "isEmpty"`

const quietDatabase = (client: PostgresClient): QuietDatabase => {
  const { query } = client
  return {
    isEmpty: async () => (await query<{ readonly isEmpty: boolean }>(IS_EMPTY))[0]?.isEmpty === true,
    ledger: () => linesAfter(client, 0),
    putLedger: async (lines) => {
      for (let after = 0; after < lines.length; after += rowsAtATime) {
        const some = lines.slice(after, after + rowsAtATime)
        const end = (await linesAfter(client, after))?.end
        if ((await addLines(client, end, { generation: 1, lines: some })) === 'moved')
          throw new Error('somebody else writes to the ledger')
      }
    },
    putFile: (file) => putFile(client, file),
    getFile: (sha256) => getFile(client, sha256),
    rows: async function* (table) {
      const columns = table.columns.map((name) => `"${name}"`).join(', ')
      await query(
        `DECLARE copied NO SCROLL CURSOR FOR SELECT ${columns} FROM ${SCHEMA_NAME}.${table.name} ORDER BY "${table.order}"`,
      )
      for (;;) {
        const rows = await query<SqlRow>(`FETCH ${rowsAtATime} FROM copied`)
        if (rows.length === 0) break
        yield rows.map((row) => opOf(table, row))
      }
      await query('CLOSE copied')
    },
    add: async (ops) => {
      await runOps(client, ops, budgets.records)
    },
    count: async ({ name }) => {
      const [row] = await query<{ readonly rows: number }>(
        `SELECT count(*) AS rows FROM ${SCHEMA_NAME}.${name}`,
      )
      return row?.rows ?? 0
    },
  }
}

/**
 * Does the work in one transaction, while no gate works on the database and none can begin. `end`: what then
 * becomes of the transaction. When the work fails, the database stays as it was, without even a new schema.
 * Rejects with what the work rejects with, or with a ProblemError of the database.
 */
export const inQuietDatabase = async <Result>(
  url: string,
  end: 'COMMIT' | 'ROLLBACK',
  work: (database: QuietDatabase) => Promise<Result>,
): Promise<Result> => {
  const client = createClient(url, copyMs)
  const { failures, inTime, query } = client
  const open = async (): Promise<void> => {
    await beginPrepared(client)
    await query(STOP_GATES)
    const [working] = await query<{ readonly holder: string }>(HOLDER)
    if (working !== undefined) throw failures.inUse(working.holder)
  }
  const run = async (): Promise<Result> => {
    const result = await work(quietDatabase(client))
    await query(end)
    return result
  }
  try {
    await inTime(open()).catch((error: unknown) => {
      throw failures.unopened(error)
    })
    return await inTime(run()).catch((error: unknown) => {
      // Whatever else fails in the work is no error of the database.
      throw client.isEnded() || isOfServer(error) ? failures.failed(error, 'a copy') : error
    })
  } finally {
    await client.end()
  }
}
