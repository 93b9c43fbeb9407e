import type { DatabaseSync } from 'node:sqlite'
import type { HistoryStats, HookDeed, HookStats, StatsQuery } from '../model/events/kept.ts'

const maxHooks = 50

/** Counts what is in the file. The returned function may throw what SQLite throws. */
export const createStats = (db: DatabaseSync): ((query: StatsQuery) => Omit<HistoryStats, 'missed'>) => {
  const timeAt = (fingerprint: string, sinceMs: number, share: number): number | undefined => {
    const from = `FROM deed JOIN event USING (row) WHERE fingerprint = ? AND at >= ? AND deed.ms IS NOT NULL`
    const count = Number(db.prepare(`SELECT count(*) AS n ${from}`).get(fingerprint, sinceMs)?.['n'])
    if (count === 0) return undefined
    const nth = Math.min(count - 1, Math.floor(count * share))
    const found = db
      .prepare(`SELECT deed.ms AS ms ${from} ORDER BY deed.ms LIMIT 1 OFFSET ?`)
      .get(fingerprint, sinceMs, nth)
    return Number(found?.['ms'])
  }

  const hookStats = ({ sinceMs, fingerprint }: StatsQuery): readonly HookStats[] => {
    const counts = (['passed', 'wrote', 'asked', 'blocked', 'failed'] as const satisfies readonly HookDeed[])
      .map((deed) => `sum(deed = '${deed}') AS ${deed}`)
      .join(', ')
    const rows = db
      .prepare(
        `SELECT fingerprint, max(row) AS last, ${counts}, max(CASE deed WHEN 'blocked' THEN row END) AS stopped
        FROM deed JOIN event USING (row) WHERE at >= ?1 AND (?2 IS NULL OR fingerprint = ?2)
        GROUP BY fingerprint ORDER BY count(*) DESC, last DESC LIMIT ${maxHooks}`,
      )
      .all(sinceMs, fingerprint ?? null)
    return rows.map((row) => {
      const of = String(row['fingerprint'])
      const last = db
        .prepare('SELECT label, name FROM deed JOIN event USING (row) WHERE row = ? AND fingerprint = ?')
        .get(Number(row['last']), of)
      const stopped = row['stopped']
      const blocked =
        stopped === null ? undefined : db.prepare('SELECT id FROM event WHERE row = ?').get(Number(stopped))
      const p50Ms = timeAt(of, sinceMs, 0.5)
      const p95Ms = timeAt(of, sinceMs, 0.95)
      return {
        fingerprint: of,
        label: String(last?.['label']),
        event: String(last?.['name']),
        deeds: {
          passed: Number(row['passed']),
          wrote: Number(row['wrote']),
          asked: Number(row['asked']),
          blocked: Number(row['blocked']),
          failed: Number(row['failed']),
        },
        ...(p50Ms === undefined ? {} : { p50Ms }),
        ...(p95Ms === undefined ? {} : { p95Ms }),
        ...(blocked === undefined ? {} : { lastBlocked: String(blocked['id']) }),
      }
    })
  }

  return (query) => {
    const [sinceMs, fingerprint] = [query.sinceMs, query.fingerprint ?? null]
    const of = `FROM event WHERE at >= ?1 AND (?2 IS NULL OR row IN
        (SELECT row FROM deed WHERE fingerprint = ?2))`
    const counted = db
      .prepare(
        `SELECT min(at) AS since, sum(isChanged) AS changed, sum(verdict = 'allow') AS allow,
          sum(verdict = 'ask') AS ask, sum(verdict = 'block') AS block ${of}`,
      )
      .get(sinceMs, fingerprint)
    const since = counted?.['since']
    return {
      ...(typeof since === 'number' ? { sinceMs: since } : {}),
      verdicts: {
        allow: Number(counted?.['allow']),
        ask: Number(counted?.['ask']),
        block: Number(counted?.['block']),
      },
      changed: Number(counted?.['changed']),
      hooks: hookStats(query),
    }
  }
}
