import type { DatabaseSync, StatementSync } from 'node:sqlite'
// It makes `JSON.stringify` write a bigint as a number.
import '../core/model/base/json.ts'
import { hasColumn, openSqlite, usualPragmas } from '../shared/disk/sqlite.ts'
import { createEvents } from './events.ts'
import { columns, type DeedRow, type KeptValue } from './row.ts'
import { createStats } from './stats.ts'
import type { EventsFilter, EventsFound, EventsQuery, HistoryStats } from '../shared/events/kept.ts'

export interface DatabaseOptions {
  readonly path: string
  /** Events are kept for so long, in milliseconds. */
  readonly keptMs: number
  /** The file becomes about so large. The oldest events leave it for the newest. */
  readonly maxBytes: number
}

/** A question to the thread of the history, as plain data. */
export type HistoryQuestion =
  | { readonly about: 'events'; readonly query: EventsQuery }
  | { readonly about: 'stats'; readonly query: EventsFilter }

export type HistoryAnswer = EventsFound | Omit<HistoryStats, 'missed'>

/** The history as a file. Every method may throw what SQLite throws. */
export interface HistoryDatabase {
  /**
   * Writes events in one transaction, and removes what is too old or too much. `values`: all columns of one
   * event after another.
   */
  keep(values: readonly KeptValue[], nowMs: number): void
  answer(question: HistoryQuestion): HistoryAnswer | Promise<HistoryAnswer>
  close(): void
}

/** The columns of an event are few and short, so that a search reads no payload. */
const schema = `
  CREATE TABLE IF NOT EXISTS event (row INTEGER PRIMARY KEY, id TEXT NOT NULL, at INTEGER NOT NULL,
    name TEXT NOT NULL, agent TEXT NOT NULL, session TEXT NOT NULL, tool TEXT, verdict TEXT NOT NULL, decider TEXT,
    reason TEXT, ms REAL NOT NULL, isChanged INTEGER NOT NULL, missed INTEGER, shadows INTEGER, revision INTEGER);
  CREATE INDEX IF NOT EXISTS event_at ON event (at);
  CREATE TABLE IF NOT EXISTS payload (row INTEGER PRIMARY KEY, whole TEXT, changed TEXT, isCut INTEGER NOT NULL);
  CREATE TABLE IF NOT EXISTS deed (row INTEGER NOT NULL, nth INTEGER NOT NULL, fingerprint TEXT NOT NULL,
    label TEXT NOT NULL, deed TEXT NOT NULL, ms REAL, PRIMARY KEY (row, nth)) WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS deed_hook ON deed (fingerprint, row);`

/** Columns that the file of an older hookgate does not have. */
const added = ['missed', 'shadows', 'revision']

/** So many of the oldest events leave at once when the file is too large, at least. */
const leastRemoved = 64
/** A shadow answers about one of so many of the newest events. */
const lastEvents = 20_000
/** One batch removes at most so many times. The next one goes on. */
const maxRounds = 20

const asText = (value: KeptValue): Exclude<KeptValue, object> =>
  typeof value === 'object' && value !== null ? JSON.stringify(value) : value

/** The columns before this one are those of the table of events. */
const ofEvent = columns.indexOf('payload')
const eventColumns = ['row', ...columns.slice(0, ofEvent), 'isChanged']

const prepare = (db: DatabaseSync, maxBytes: number): DatabaseSync => {
  db.exec(`PRAGMA auto_vacuum = INCREMENTAL; ${usualPragmas}; PRAGMA cache_size = -1024;
    PRAGMA journal_size_limit = ${Math.min(16 * 1024 * 1024, maxBytes)}; BEGIN; ${schema}`)
  for (const name of added)
    if (!hasColumn(db, 'event', name)) db.exec(`ALTER TABLE event ADD COLUMN ${name} INTEGER`)
  db.exec('COMMIT')
  return db
}

/** The only value of the only row. */
const numberOf = (statement: StatementSync): number => Number(Object.values(statement.get() ?? {})[0] ?? 0)

/** Opens the file. One that SQLite cannot read is moved aside, and `moved` gets its new name. */
export const openHistoryDatabase = (
  { path, keptMs, maxBytes }: DatabaseOptions,
  moved: (aside: string) => void,
): HistoryDatabase => {
  const aside = `${path}.damaged`
  const db = openSqlite(
    path,
    aside,
    (opened) => prepare(opened, maxBytes),
    () => moved(aside),
  )
  const addEvent = db.prepare(
    `INSERT INTO event (${eventColumns.join(', ')}) VALUES (${eventColumns.map(() => '?').join(', ')})`,
  )
  const addPayload = db.prepare('INSERT INTO payload VALUES (?, ?, ?, ?)')
  const addDeed = db.prepare('INSERT INTO deed VALUES (?, ?, ?, ?, ?, ?)')

  let lastRow = numberOf(db.prepare('SELECT max(row) FROM event'))
  // Events come in their order, so the event of this id is one of the last.
  const rowOf = db.prepare(`SELECT row, (SELECT 1 + max(nth) FROM deed WHERE deed.row = event.row) AS nth
    FROM event WHERE row > ? AND id = ? ORDER BY row DESC LIMIT 1`)
  const addDeeds = (row: number, firstNth: number, deeds: KeptValue | undefined): void => {
    if (!Array.isArray(deeds)) return
    for (const [nth, [fingerprint, label, deed, ms]] of (deeds as readonly DeedRow[]).entries())
      addDeed.run(row, firstNth + nth, fingerprint, label, deed, ms)
  }

  const add = (values: readonly KeptValue[]): void => {
    const [id = null, , name] = values
    if (name === null) {
      const kept = rowOf.get(lastRow - lastEvents, asText(id))
      if (kept !== undefined) addDeeds(Number(kept['row']), Number(kept['nth'] ?? 0), values.at(-1))
      return
    }
    const [payload = null, changed = null, isCut = 0, deeds] = values.slice(ofEvent)
    const row = (lastRow += 1)
    addEvent.run(row, ...values.slice(0, ofEvent).map(asText), changed === null ? 0 : 1)
    if (payload !== null || changed !== null)
      addPayload.run(row, asText(payload), asText(changed), asText(isCut))
    addDeeds(row, 0, deeds)
  }

  /** The condition names events by a column of their table. */
  const remove = (condition: string, value: number): void => {
    for (const table of ['payload', 'deed'])
      db.prepare(`DELETE FROM ${table} WHERE row IN (SELECT row FROM event WHERE ${condition})`).run(value)
    db.prepare(`DELETE FROM event WHERE ${condition}`).run(value)
  }
  const oldestAt = db.prepare('SELECT coalesce(min(at), 9e15) FROM event')
  const allPages = db.prepare('PRAGMA page_count')
  const freePages = db.prepare('PRAGMA freelist_count')
  const pageSize = numberOf(db.prepare('PRAGMA page_size'))
  const isTooLarge = (): boolean => (numberOf(allPages) - numberOf(freePages)) * pageSize > maxBytes
  const trim = (nowMs: number): void => {
    remove('at < ?', nowMs - keptMs)
    for (let round = 0; round < maxRounds && isTooLarge(); round += 1) {
      const count = numberOf(db.prepare('SELECT count(*) FROM event'))
      if (count === 0) return
      const many = Math.max(leastRemoved, Math.floor(count / 50))
      remove('row <= (SELECT max(row) FROM (SELECT row FROM event ORDER BY row LIMIT ?))', many)
    }
  }

  const events = createEvents(db)
  const stats = createStats(db, Date.now)

  const inOne = (work: () => void): void => {
    db.exec('BEGIN')
    try {
      work()
      db.exec('COMMIT')
    } catch (error) {
      if (db.isTransaction) db.exec('ROLLBACK')
      throw error
    }
  }

  return {
    keep: (values, nowMs) => {
      inOne(() => {
        for (let from = 0; from < values.length; from += columns.length)
          add(values.slice(from, from + columns.length))
      })
      if (numberOf(oldestAt) < nowMs - keptMs || isTooLarge()) inOne(() => trim(nowMs))
      // Free pages that are not needed again at once go back to the disk, a few at a time.
      if (numberOf(freePages) > 0) db.exec('PRAGMA incremental_vacuum(256)')
    },
    answer: (question) => (question.about === 'events' ? events(question.query) : stats(question.query)),
    close: () => db.close(),
  }
}
