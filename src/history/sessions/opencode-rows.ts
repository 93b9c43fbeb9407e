import { statSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { pathToFileURL } from 'node:url'
import type { JsonObject } from '../../core/model/base/json.ts'
import { inputOf } from './session.ts'

const sizeOf = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0

/**
 * Whether somebody can read the database as it is now without making a file. What is newest in it may be in a
 * log beside it, and reading that takes a second file.
 */
const isShared = (path: string): boolean => sizeOf(`${path}-shm`) > 0
export const hidesNewest = (path: string): boolean => sizeOf(`${path}-wal`) > 0 && !isShared(path)

/**
 * The parts of the database that are tool calls, the newest first. The agent can write the file, so a table
 * that computes its columns is not read. Throws what SQLite throws.
 */
export const rowsOf = function* (path: string, sinceMs: number, maxUnits: number): Generator<JsonObject> {
  const place = pathToFileURL(path)
  if (!isShared(path)) place.searchParams.set('immutable', '1')
  const db = new DatabaseSync(place, { readOnly: true, timeout: 1000 })
  try {
    db.exec('PRAGMA trusted_schema = OFF')
    for (const table of ['part', 'session']) {
      const [made] = db
        .prepare("SELECT name FROM sqlite_schema WHERE name = ? AND type = 'table' AND rootpage > 0")
        .all(table)
      const columns = db.prepare('SELECT hidden FROM pragma_table_xinfo(?)').all(table)
      if (made === undefined || columns.some(({ hidden }) => hidden !== 0))
        throw new Error(`Expected ${table} to be a table, got something else.`)
    }
    const rows = db.prepare(
      `SELECT part.data AS data, part.time_created AS at, part.session_id AS session, session.directory AS cwd
      FROM part LEFT JOIN session ON session.id = part.session_id
      WHERE part.time_created >= ? AND length(part.data) <= ? AND instr(part.data, '"tool"') > 0
      ORDER BY part.rowid DESC`,
    )
    for (const { data, at, session, cwd } of rows.iterate(sinceMs, maxUnits))
      yield {
        ...inputOf(typeof data === 'string' ? data : undefined),
        at: typeof at === 'number' ? at : null,
        cwd: typeof cwd === 'string' ? cwd : '',
        sessionID: typeof session === 'string' ? session : '',
      }
  } finally {
    db.close()
  }
}
