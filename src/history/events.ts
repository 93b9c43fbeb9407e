import type { DatabaseSync } from 'node:sqlite'
import type { EventsFound, EventsQuery, KeptEvent } from '../model/events/kept.ts'
import type { Json, JsonObject } from '../model/base/json.ts'

/** A question looks at the payloads of at most so many events, so that it is answered soon. */
const maxSearched = 5000

const objectIn = (text: unknown): JsonObject | undefined =>
  typeof text === 'string' ? (JSON.parse(text) as JsonObject) : undefined

/** A text as a pattern of LIKE that fits every text with it inside. */
const inside = (text: string): string => `%${text.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`

/** Finds events. The returned function may throw what SQLite throws. */
export const createEvents = (db: DatabaseSync): ((query: EventsQuery) => EventsFound) => {
  const deeds = db.prepare('SELECT fingerprint, label, deed, ms FROM deed WHERE row = ? ORDER BY nth')
  const conditions = `row < ?1 AND at >= ?2 AND (?3 IS NULL OR agent = ?3) AND (?4 IS NULL OR name = ?4)
    AND (?5 IS NULL OR verdict = ?5)
    AND (?6 IS NULL OR EXISTS (SELECT 1 FROM deed WHERE fingerprint = ?6 AND deed.row = event.row))`
  const found = db.prepare(
    `SELECT event.*, whole, changed, isCut FROM (SELECT * FROM event WHERE ${conditions}
      ORDER BY row DESC LIMIT ?8) AS event LEFT JOIN payload USING (row)
    WHERE ?7 IS NULL OR whole LIKE ?7 ESCAPE '\\' OR tool LIKE ?7 ESCAPE '\\' OR reason LIKE ?7 ESCAPE '\\'
    ORDER BY row DESC LIMIT ?9`,
  )
  const end = db.prepare(
    `SELECT min(row) AS last, count(*) AS n FROM (SELECT row FROM event WHERE ${conditions}
      ORDER BY row DESC LIMIT ?7)`,
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
      ...(tool === undefined ? {} : { tool }),
      ...(by === undefined ? {} : { by }),
      ...(reason === undefined ? {} : { reason }),
      ...(payload === undefined ? {} : { payload }),
      ...(changed === undefined ? {} : { changed }),
      ...(row['isCut'] === 1 ? { isCut: true as const } : {}),
      hooks: deeds.all(Number(row['row'])).map(({ fingerprint, label, deed, ms }) => ({
        fingerprint: String(fingerprint),
        label: String(label),
        deed: String(deed) as KeptEvent['hooks'][number]['deed'],
        ...(typeof ms === 'number' ? { durationMs: ms } : {}),
      })),
    }
  }
  return ({ sinceMs, agent, event, verdict, fingerprint, text, limit, before }) => {
    const most = Math.min(limit, maxSearched)
    const conditioned = [
      before ?? Number.MAX_SAFE_INTEGER,
      sinceMs,
      agent ?? null,
      event ?? null,
      verdict ?? null,
      fingerprint ?? null,
    ]
    const looked = text === undefined ? most : maxSearched
    const rows = found.all(...conditioned, text === undefined ? null : inside(text), looked, most)
    const events = rows.map(eventOf)
    const last = rows.at(-1)
    // The answer is full, or what was looked at has ended.
    if (rows.length === most && last !== undefined) return { events, next: Number(last['row']) }
    const bound = end.get(...conditioned, looked)
    return Number(bound?.['n']) < looked ? { events } : { events, next: Number(bound?.['last']) }
  }
}

/** A kept event as a line of an export. */
export const exported = (event: KeptEvent): string => {
  const { atMs, ...rest } = event
  return JSON.stringify({
    at: new Date(atMs).toISOString(),
    ...(rest as unknown as { [name: string]: Json }),
  })
}
