import type { OutboxItem } from '../../src/core/model/events/record.ts'
import { openPostgresStore } from '../../src/store/postgres/open.ts'
import type { Costs } from './database.ts'

const rounds = 40
/** As many as one transaction takes. */
const together = 256

const item = (id: string): OutboxItem => ({
  id,
  seq: 1,
  channel: 'sim',
  chat_id: 'main',
  kind: 'push',
  state: 'queued',
  revision: 1,
  createdAtMs: 1,
  body: JSON.stringify({ text: 'x'.repeat(200) }),
})

/**
 * What statements and commits cost the server, from the times of transactions with one statement and with
 * many. The way there and back is part of the commit, so the server carries rather more than that says.
 */
export const measureCosts = async (url: string): Promise<Costs> => {
  const store = await openPostgresStore({ url, log: () => undefined })
  const timed = async (count: number): Promise<number> => {
    const startMs = performance.now()
    await Promise.all(Array.from({ length: count }, (_, at) => store.putOutbox(item(`item ${at}`))))
    return performance.now() - startMs
  }
  const many = async (count: number): Promise<number> => {
    const times: number[] = []
    for (let round = 0; round < rounds; round++) times.push(await timed(count))
    return times.toSorted((a, b) => a - b)[rounds / 2] ?? NaN
  }
  try {
    await many(together)
    const [oneMs, allMs] = [await many(1), await many(together)]
    const statementMs = (allMs - oneMs) / (together - 1)
    return { statementMs, commitMs: Math.max(0, oneMs - 3 * statementMs) }
  } finally {
    await store.close()
  }
}
