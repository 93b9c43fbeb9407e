import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { busyMs, hasColumn, openSqlite, usualPragmas } from '../../shared/disk/sqlite.ts'
import { classOfText, type Op, type RecordBounds, type SqlRow, type StatementReply } from '../operations.ts'
import { ADDED_COLUMNS, boundsOf, CLASSIFY, SCHEMA, STATEMENTS } from './statements.ts'

export interface DatabaseOptions {
  readonly path: string
  readonly records: RecordBounds
}

export interface Database {
  /**
   * Runs all ops in one transaction. When one op fails by itself, the others are still committed. Never
   * throws.
   */
  commit(ops: readonly Op[]): readonly StatementReply[]
  /** Copies the write-ahead log into the file and empties it, unless another process reads. Never throws. */
  rest(): void
  close(): void
  /** The notice for the owner when a damaged file was moved aside. */
  readonly recovered: string | undefined
}

export const errorText = (error: unknown): string => (error instanceof Error ? error.message : String(error))

/** The reply to most requests. One shared object is serialised only once in the message of a batch. */
const done: StatementReply = { rows: [] }

interface OpenDatabase {
  readonly db: DatabaseSync
  readonly statements: ReadonlyMap<string, StatementSync>
}

const prepare = (db: DatabaseSync, records: RecordBounds): OpenDatabase => {
  // The log is usually copied over while no request comes. Under load this happens rarely, at 16 MB of log,
  // because each copy waits for the disk.
  db.exec(`${usualPragmas}; PRAGMA wal_autocheckpoint = 4000`)
  const check = db.prepare('PRAGMA quick_check(1)').get()?.['quick_check']
  if (check !== 'ok') throw Object.assign(new Error(String(check)), { errcode: 11 })
  // One transaction, so that a file with foreign tables is moved aside without additions.
  db.exec(`BEGIN; ${SCHEMA}`)
  for (const { table, column, type } of ADDED_COLUMNS)
    if (!hasColumn(db, table, column)) db.exec(`ALTER TABLE ${table} ADD COLUMN ${column} ${type}`)
  db.function('class_of', classOfText)
  db.exec(CLASSIFY)
  const statements = new Map(Object.entries(STATEMENTS).map(([name, sql]) => [name, db.prepare(sql)]))
  db.exec(`COMMIT; ${boundsOf(records)}`)
  return { db, statements }
}

/** Opens the file. Throws when it cannot be opened or written. A damaged file is moved aside instead. */
export const openDatabase = ({ path, records }: DatabaseOptions): Database => {
  const aside = `${path}.damaged-${new Date().toISOString().replaceAll(':', '-')}`
  let recovered: string | undefined
  const { db, statements } = openSqlite(
    path,
    aside,
    (opened) => prepare(opened, records),
    (why) => {
      recovered = `The store was damaged (${why.slice(0, 200)}) and was moved to ${aside}. A new, empty store was started. The earlier history, waiting messages and prompts are only in the moved file. Approvals are stored elsewhere and stay in force.`
    },
  )

  const run = ([statement, ...values]: Op): StatementReply => {
    try {
      const rows = (statements.get(statement)?.all(...values) ?? []) as SqlRow[]
      return rows.length === 0 ? done : { rows }
    } catch (error) {
      // A full or failing disk ends the whole transaction. An invalid value fails only its own statement.
      if (!db.isTransaction) throw error
      return { error: errorText(error) }
    }
  }

  const rollBack = (): void => {
    try {
      if (db.isTransaction) db.exec('ROLLBACK')
    } catch {
      // SQLite rolls back by itself when the file is opened again.
    }
  }

  return {
    recovered,
    close: () => db.close(),
    rest: () => {
      try {
        db.exec('PRAGMA busy_timeout = 0; PRAGMA wal_checkpoint(TRUNCATE)')
      } catch {
        // A disk that fails here also fails the next commit, and that commit reports it.
      } finally {
        db.exec(`PRAGMA busy_timeout = ${busyMs}`)
      }
    },
    commit: (ops) => {
      try {
        db.exec('BEGIN')
        const replies = ops.map(run)
        db.exec('COMMIT')
        return replies
      } catch (error) {
        rollBack()
        return ops.map(() => ({ error: errorText(error) }))
      }
    },
  }
}
