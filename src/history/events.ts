import type { DatabaseSync } from 'node:sqlite'
import type { EventsFound, EventsQuery, KeptEvent } from '../shared/events/kept.ts'
import { parseJson, type JsonObject } from '../core/model/base/json.ts'
import { hasColumn } from '../shared/disk/sqlite.ts'
import { conditionsOnAll, maxSearched, patternOf, textCondition, valuesOfFilter } from './filter.ts'
import { deedIn } from './row.ts'

const objectIn = (text: unknown): JsonObject | undefined =>
  typeof text === 'string' ? (parseJson(text) as JsonObject) : undefined

/** Finds events. The returned function may throw what SQLite throws. */
export const createEvents = (db: DatabaseSync): ((query: EventsQuery) => EventsFound) => {
  const deeds = db.prepare('SELECT fingerprint, label, deed, ms FROM deed WHERE row = ? ORDER BY nth')
  const isSilent = hasColumn(db, 'event', 'missed')
    ? `missed > 0 OR ?10 = 'any' AND shadows > 0
      OR missed = 0 AND EXISTS (SELECT 1 FROM deed WHERE deed.row = event.row AND deed = 'passed')`
    : 'false'
  const conditions = `${conditionsOnAll} AND (?9 IS NULL OR id = ?9) AND (?10 IS NULL OR ${isSilent})`
  const found = db.prepare(
    `SELECT event.*, whole, changed, isCut FROM (SELECT * FROM event NOT INDEXED WHERE ${conditions}
      ORDER BY row DESC LIMIT ?12) AS event LEFT JOIN payload USING (row)
    WHERE ${textCondition('?11')} ORDER BY row DESC LIMIT ?13`,
  )
  const end = db.prepare(
    `SELECT min(row) AS last, count(*) AS n FROM (SELECT row FROM event NOT INDEXED WHERE ${conditions}
      ORDER BY row DESC LIMIT ?11)`,
  )
  const eventOf = (row: Readonly<Record<string, unknown>>): KeptEvent => {
    const text = (name: string): string | undefined => {
      const value = row[name]
      return typeof value === 'string' ? value : undefined
    }
    const { missed, shadows, revision } = row
    return {
      id: String(row['id']),
      atMs: Number(row['at']),
      event: String(row['name']),
      agent: String(row['agent']),
      session: String(row['session']),
      verdict: String(row['verdict']) as KeptEvent['verdict'],
      durationMs: Number(row['ms']),
      tool: text('tool'),
      by: text('decider'),
      reason: text('reason'),
      payload: objectIn(row['whole']),
      changed: objectIn(row['changed']),
      isCut: row['isCut'] === 1 ? true : undefined,
      silent:
        typeof missed === 'number'
          ? { missed, shadows: Number(shadows), revision: Number(revision) }
          : undefined,
      hooks: deeds.all(Number(row['row'])).map(({ fingerprint, label, deed, ms }) => ({
        fingerprint: String(fingerprint),
        label: String(label),
        ...deedIn(String(deed)),
        durationMs: typeof ms === 'number' ? ms : undefined,
      })),
    }
  }
  return (query) => {
    const { text, limit, before, id = null, silent = null } = query
    const most = Math.min(limit, maxSearched)
    const looked = text === undefined ? most : maxSearched
    const values = [...valuesOfFilter(query, before), id, silent]
    const rows = found.all(...values, patternOf(query), looked, most)
    const events = rows.map(eventOf)
    const last = rows.at(-1)
    // The answer is full, or what was looked at has ended.
    if (rows.length === most && last !== undefined) return { events, next: Number(last['row']) }
    const bound = end.get(...values, looked)
    return Number(bound?.['n']) < looked ? { events } : { events, next: Number(bound?.['last']) }
  }
}
