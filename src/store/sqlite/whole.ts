import { closeSync, existsSync, fsyncSync, openSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { budgets } from '../../shared/base/budgets.ts'
import { ProblemError } from '../../core/model/gate/problem.ts'
import { classOfText, type Op, type SqlRow } from '../operations.ts'
import { opOf, rowsAtATime, type Table, type WholeStore } from '../whole.ts'
import { errorText, openDatabase } from './database.ts'

const failed = (file: string, why: string): ProblemError =>
  new ProblemError({
    code: 'store.open',
    message: `Expected to copy the whole store, got "${why}".`,
    fix: 'Nothing was carried over. Check the free space, the permissions and the health of its disk. "hookgate start" moves a damaged store aside.',
    file,
  })

/** The columns of a table. One that an older hookgate did not have is NULL. Undefined: there is no table. */
const selectionOf = (db: DatabaseSync, { name, columns }: Table): string | undefined => {
  const known = new Set(
    db
      .prepare('SELECT name FROM pragma_table_info(?)')
      .all(name)
      .map((row) => row['name']),
  )
  if (known.size === 0) return undefined
  const nameOf = (column: string): string => (known.has(column) ? column : 'NULL')
  const valueOf = (column: string): string =>
    column === 'class' ? `coalesce(${nameOf('of_class')}, class_of(json))` : nameOf(column)
  return columns.map((column) => `${valueOf(column)} AS "${column}"`).join(', ')
}

const readRows = function* (db: DatabaseSync, table: Table): Generator<readonly Op[]> {
  const selection = selectionOf(db, table)
  if (selection === undefined) return
  const order = table.order === 'place' ? 'row' : table.order
  let batch: Op[] = []
  for (const row of db.prepare(`SELECT ${selection} FROM ${table.name} ORDER BY ${order}`).iterate()) {
    batch.push(opOf(table, row as SqlRow))
    if (batch.length === rowsAtATime) {
      yield batch
      batch = []
    }
  }
  if (batch.length > 0) yield batch
}

/** The rows of the store in a file, for a copy. */
export const readStoreFile = (path: string): Pick<WholeStore, 'rows'> => ({
  rows: async function* (table) {
    if (!existsSync(path)) return
    let db: DatabaseSync | undefined
    try {
      db = new DatabaseSync(path, { readOnly: true })
      db.function('class_of', classOfText)
      yield* readRows(db, table)
    } catch (error) {
      throw error instanceof ProblemError || !(error instanceof Error && 'errcode' in error)
        ? error
        : failed(path, errorText(error))
    } finally {
      db?.close()
    }
  },
})

/** A new store in a file. It is on disk when `close` returns. */
export const createStoreFile = (path: string): Pick<WholeStore, 'add' | 'count'> & { close(): void } => {
  const database = openDatabase({ path, records: budgets.records })
  return {
    add: async (ops) => {
      const refused = database.commit(ops).find((reply) => 'error' in reply)
      if (refused !== undefined) throw failed(path, refused.error)
    },
    count: async ({ name }) => {
      const db = new DatabaseSync(path, { readOnly: true })
      try {
        return Number(db.prepare(`SELECT count(*) AS rows FROM ${name}`).get()?.['rows'])
      } finally {
        db.close()
      }
    },
    close: () => {
      database.rest()
      database.close()
      const file = openSync(path, 'r')
      try {
        fsyncSync(file)
      } finally {
        closeSync(file)
      }
    },
  }
}
