const { closeSync, existsSync, fchmodSync, openSync, renameSync } = process.getBuiltinModule('node:fs')
const { DatabaseSync } = process.getBuiltinModule('node:sqlite')

type DatabaseSync = InstanceType<typeof DatabaseSync>

/** The time to wait for another process that has locked the file, in milliseconds. */
export const busyMs = 5000

/**
 * WAL with NORMAL: a commit survives the end of the process at once. A power cut may lose the last moments
 * but cannot damage the file. Deleted data is overwritten, so that it cannot be read in the file.
 */
export const usualPragmas = `PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA secure_delete = ON;
  PRAGMA temp_store = MEMORY; PRAGMA trusted_schema = OFF`

/** The file of an older hookgate has no column for what it did not know. */
export const hasColumn = (db: DatabaseSync, table: string, column: string): boolean =>
  db.prepare('SELECT 1 FROM pragma_table_info(?) WHERE name = ?').get(table, column) !== undefined

// Primary result codes of SQLite (sqlite.org/rescode.html): ERROR (the tables are not ours), CORRUPT, NOTADB.
const damageCodes = [1, 11, 26]
const isDamage = (error: unknown): error is Error =>
  error instanceof Error && 'errcode' in error && damageCodes.includes(Number(error.errcode) & 0xff)

const open = <Opened>(path: string, prepare: (db: DatabaseSync) => Opened): Opened => {
  // SQLite gives its side files the mode of the main one.
  const file = openSync(path, 'a', 0o600)
  try {
    fchmodSync(file, 0o600)
  } finally {
    closeSync(file)
  }
  const db = new DatabaseSync(path, { timeout: busyMs })
  try {
    return prepare(db)
  } catch (error) {
    db.close()
    throw error
  }
}

/**
 * Opens a file that only its owner reads. Throws when it cannot be opened or prepared. One that SQLite cannot
 * read is moved to `aside` with its side files, so that SQLite's tools can still read it, and `moved` is told
 * why.
 */
export const openSqlite = <Opened>(
  path: string,
  aside: string,
  prepare: (db: DatabaseSync) => Opened,
  moved: (why: string) => void,
): Opened => {
  try {
    return open(path, prepare)
  } catch (error) {
    if (!isDamage(error)) throw error
    for (const side of ['', '-wal', '-shm'])
      if (existsSync(path + side)) renameSync(path + side, aside + side)
    moved(error.message)
    return open(path, prepare)
  }
}
