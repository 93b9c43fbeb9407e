import { existsSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { ProblemError } from '../../model/gate/problem.ts'
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

/**
 * Copies a database as it is at one moment into a new file, also while a gate works with it. Returns false
 * when there is none.
 */
export const snapshot = (from: string, to: string): boolean => {
  if (!existsSync(from)) return false
  let db: DatabaseSync | undefined
  try {
    db = new DatabaseSync(from, { readOnly: true, timeout: busyMs })
    db.prepare('VACUUM INTO ?').run(to)
    return true
  } catch (error) {
    throw failed(from, 'copied', error)
  } finally {
    db?.close()
  }
}

/** What waits for its turn. When a copy is used one day, it has had its turn. */
const waiting = ['outbox', 'prompt', 'question']

/** Removes what waits from a copy of the store, and returns how much it was. */
export const dropWaiting = (copy: string): number => {
  let db: DatabaseSync | undefined
  try {
    db = new DatabaseSync(copy)
    const known = new Set(
      db
        .prepare("SELECT name FROM sqlite_schema WHERE type = 'table'")
        .all()
        .map((row) => row['name']),
    )
    let count = 0
    db.exec('PRAGMA secure_delete = ON')
    for (const table of waiting.filter((name) => known.has(name)))
      count += Number(db.prepare(`DELETE FROM ${table}`).run().changes)
    return count
  } catch (error) {
    throw failed(copy, 'changed', error)
  } finally {
    db?.close()
  }
}

/** Throws a ProblemError when the file is no sound database. */
export const checkDatabase = (file: string): void => {
  let db: DatabaseSync | undefined
  try {
    db = new DatabaseSync(file, { readOnly: true })
    const found = db.prepare('PRAGMA quick_check(1)').get()?.['quick_check']
    if (found !== 'ok') throw new Error(String(found))
  } catch (error) {
    throw failed(file, 'read', error)
  } finally {
    db?.close()
  }
}
