import { mkdtempSync, rmSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openHistoryDatabase } from '../../src/history/database.ts'
import { openHistory } from '../../src/history/history.ts'

test('a million different hooks in the file make a short answer, in a thread of little memory', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'hookgate-history-'))
  const options = { path: join(folder, 'history.db'), keptMs: 1e15, maxBytes: 1e9 }
  openHistoryDatabase(options, () => undefined).close()
  const db = new DatabaseSync(options.path)
  const million = `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000000)`
  db.exec(`BEGIN;
    INSERT INTO event (row, id, at, name, agent, session, verdict, ms, isChanged)
      SELECT value, 'e' || value, 1000 * value, 'pre_tool_call', 'agent ' || value, 's', 'allow', 1, 0 FROM (WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n
      WHERE i < 100000) SELECT i AS value FROM n);
    ${million} INSERT INTO deed SELECT 1 + i / 10, i % 10, printf('%064d', i), 'hook ' || i, 'passed', i % 90
      FROM n WHERE i < 1000000;
    COMMIT`)
  db.close()
  const history = openHistory({ ...options, withPayload: true, now: Date.now, log: () => undefined })
  try {
    const stats = await history.stats({ sinceMs: 0 })
    expect(stats.verdicts.allow).toBe(100_000)
    expect([stats.hooks.length, stats.agents.length]).toEqual([50, 50])
    expect(JSON.stringify(stats).length).toBeLessThan(50_000)
  } finally {
    await history.stop()
    rmSync(folder, { recursive: true, force: true })
  }
})
