import type { DatabaseSync } from 'node:sqlite'
import type { EventsFound, EventsQuery, KeptEvent } from '../model/events/kept.ts'
import { parseJson, type JsonObject } from '../model/base/json.ts'
import { conditionsOnAll, maxSearched, patternOf, textCondition, valuesOfFilter } from './filter.ts'
import { deedIn } from './row.ts'

const objectIn = (text: unknown): JsonObject | undefined =>
  typeof text === 'string' ? (parseJson(text) as JsonObject) : undefined

/** Finds events. The returned function may throw what SQLite throws. */
export const createEvents = (db: DatabaseSync): ((query: EventsQuery) => EventsFound) => {
  const deeds = db.prepare('SELECT fingerprint, label, deed, ms FROM deed WHERE row = ? ORDER BY nth')
  const found = db.prepare(
    `SELECT event.*, whole, changed, isCut FROM (SELECT * FROM event NOT INDEXED WHERE ${conditionsOnAll}
      ORDER BY row DESC LIMIT ?10) AS event LEFT JOIN payload USING (row)
    WHERE ${textCondition('?9')} ORDER BY row DESC LIMIT ?11`,
  )
  const end = db.prepare(
    `SELECT min(row) AS last, count(*) AS n FROM (SELECT row FROM event NOT INDEXED WHERE ${conditionsOnAll}
      ORDER BY row DESC LIMIT ?9)`,
  )
  const eventOf = (row: Readonly<Record<string, unknown>>): KeptEvent => {
    const text = (name: string): string | undefined => {
      const value = row[name]
      return typeof value === 'string' ? value : undefined
    }
    const [tool, by, reason] = [text('tool'), text('decider'), text('reason')]
    const [payload, changed] = [objectIn(row['whole']), objectIn(row['changed'])]
    return {
      id: String(row['id']),
      atMs: Number(row['at']),
      event: String(row['name']),
      agent: String(row['agent']),
      session: String(row['session']),
      verdict: String(row['verdict']) as KeptEvent['verdict'],
      durationMs: Number(row['ms']),
      tool,
      by,
      reason,
      payload,
      changed,
      isCut: row['isCut'] === 1 || undefined,
      hooks: deeds.all(Number(row['row'])).map(({ fingerprint, label, deed, ms }) => ({
        fingerprint: String(fingerprint),
        label: String(label),
        ...deedIn(String(deed)),
        ...(typeof ms === 'number' ? { durationMs: ms } : {}),
      })),
    }
  }
  return (query) => {
    const { text, limit, before } = query
    const most = Math.min(limit, maxSearched)
    const looked = text === undefined ? most : maxSearched
    const values = valuesOfFilter(query, before)
    const rows = found.all(...values, patternOf(query), looked, most)
    const events = rows.map(eventOf)
    const last = rows.at(-1)
    // The answer is full, or what was looked at has ended.
    if (rows.length === most && last !== undefined) return { events, next: Number(last['row']) }
    const bound = end.get(...values, looked)
    return Number(bound?.['n']) < looked ? { events } : { events, next: Number(bound?.['last']) }
  }
}
