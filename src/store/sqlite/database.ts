import { closeSync, existsSync, fchmodSync, openSync, renameSync } from 'node:fs'
import { DatabaseSync, type StatementSync } from 'node:sqlite'
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

/** The time to wait for another process that has locked the file, in milliseconds. */
const busyMs = 5000

// Primary result codes of SQLite (sqlite.org/rescode.html): ERROR (the tables are not ours), CORRUPT, NOTADB.
const damageCodes = new Set([1, 11, 26])

const isDamage = (error: unknown): error is Error =>
  error instanceof Error &&
  'errcode' in error &&
  typeof error.errcode === 'number' &&
  damageCodes.has(error.errcode & 0xff)

export const errorText = (error: unknown): string => (error instanceof Error ? error.message : String(error))

/** The reply to most requests. One shared object is serialised only once in the message of a batch. */
const done: StatementReply = { rows: [] }

interface OpenDatabase {
  readonly db: DatabaseSync
  readonly statements: ReadonlyMap<string, StatementSync>
}

const open = ({ path, records }: DatabaseOptions): OpenDatabase => {
  // SQLite gives its side files the mode of the main one.
  const file = openSync(path, 'a', 0o600)
  try {
    fchmodSync(file, 0o600)
  } finally {
    closeSync(file)
  }
  const db = new DatabaseSync(path, { timeout: busyMs })
  try {
    // WAL with NORMAL: a commit survives the end of the process at once. A power cut may lose the last
    // moments but cannot damage the file. Deleted data is overwritten, so that a message that was sent cannot
    // be read in the file.
    db.exec(
      'PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA secure_delete = ON; PRAGMA temp_store = MEMORY; PRAGMA trusted_schema = OFF',
    )
    // The log is usually copied over while no request comes. Under load this happens rarely, at 16 MB of log,
    // because each copy waits for the disk.
    db.exec('PRAGMA wal_autocheckpoint = 4000')
    const check = db.prepare('PRAGMA quick_check(1)').get()?.['quick_check']
    if (check !== 'ok') throw Object.assign(new Error(String(check)), { errcode: 11 })
    // One transaction, so that a file with foreign tables is moved aside without additions.
    db.exec(`BEGIN; ${SCHEMA}`)
    const isThere = db.prepare('SELECT 1 FROM pragma_table_info(?) WHERE name = ?')
    for (const { table, column, type } of ADDED_COLUMNS)
      if (isThere.get(table, column) === undefined)
        db.exec(`ALTER TABLE ${table} ADD COLUMN ${column} ${type}`)
    db.function('class_of', classOfText)
    db.exec(CLASSIFY)
    const statements = new Map(Object.entries(STATEMENTS).map(([name, sql]) => [name, db.prepare(sql)]))
    db.exec(`COMMIT; ${boundsOf(records)}`)
    return { db, statements }
  } catch (error) {
    db.close()
    throw error
  }
}

/** Renames the file with its side files, so that SQLite's tools can still read it. */
const moveAside = (path: string): string => {
  const aside = `${path}.damaged-${new Date().toISOString().replaceAll(':', '-')}`
  for (const side of ['', '-wal', '-shm']) {
    if (existsSync(path + side)) renameSync(path + side, aside + side)
  }
  return aside
}

const openOrReplace = (
  options: DatabaseOptions,
): OpenDatabase & { readonly recovered: string | undefined } => {
  try {
    return { ...open(options), recovered: undefined }
  } catch (error) {
    if (!isDamage(error)) throw error
    const aside = moveAside(options.path)
    const recovered = `The store was damaged (${error.message.slice(0, 200)}) and was moved to ${aside}. A new, empty store was started. The earlier history, waiting messages and prompts are only in the moved file. Approvals are stored elsewhere and stay in force.`
    return { ...open(options), recovered }
  }
}

/** Opens the file. Throws when it cannot be opened or written. A damaged file is moved aside instead. */
export const openDatabase = (options: DatabaseOptions): Database => {
  const { db, statements, recovered } = openOrReplace(options)

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
