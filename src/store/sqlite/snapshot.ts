import { existsSync } from 'node:fs'
import { DatabaseSync, type DatabaseSyncOptions } from 'node:sqlite'
import { ProblemError } from '../../core/model/gate/problem.ts'
import { errorText } from './database.ts'

/** A gate that works holds its file for a moment at each commit. In milliseconds. */
const busyMs = 30_000

const failed = (file: string, what: string, error: unknown): ProblemError =>
  new ProblemError({
    code: 'store.snapshot',
    message: `Expected a database that can be ${what}, got "${errorText(error)}".`,
    fix: 'Nothing was changed. Check the free space, the permissions and the health of its disk.',
    file,
  })

const withFile = <Result>(
  file: string,
  what: string,
  options: DatabaseSyncOptions,
  use: (db: DatabaseSync) => Result,
): Result => {
  let db: DatabaseSync | undefined
  try {
    db = new DatabaseSync(file, options)
    return use(db)
  } catch (error) {
    throw failed(file, what, error)
  } finally {
    db?.close()
  }
}

/**
 * Copies a database as it is at one moment into a new file, also while a gate works with it. Returns false
 * when there is none.
 */
export const snapshot = (from: string, to: string): boolean => {
  if (!existsSync(from)) return false
  withFile(from, 'copied', { readOnly: true, timeout: busyMs }, (db) => db.prepare('VACUUM INTO ?').run(to))
  return true
}

/** What waits for its turn. When a copy is used one day, it has had its turn. */
const waiting = ['outbox', 'prompt', 'question']

/** Removes what waits from a copy of the store, and returns how much it was. */
export const dropWaiting = (copy: string): number =>
  withFile(copy, 'changed', {}, (db) => {
    const known = db.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all()
    let count = 0
    db.exec('PRAGMA secure_delete = ON')
    for (const table of waiting.filter((one) => known.some(({ name }) => name === one)))
      count += Number(db.prepare(`DELETE FROM ${table}`).run().changes)
    return count
  })

/** Throws a ProblemError when the file is no sound database. */
export const checkDatabase = (file: string): void =>
  withFile(file, 'read', { readOnly: true }, (db) => {
    const found = db.prepare('PRAGMA quick_check(1)').get()?.['quick_check']
    if (found !== 'ok') throw new Error(String(found))
  })
