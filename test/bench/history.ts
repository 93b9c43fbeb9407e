import { mkdtempSync, rmSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openHistoryDatabase } from '../../src/history/database.ts'
import { openHistory, type History } from '../../src/history/history.ts'
import type { EventsFilter } from '../../src/shared/events/kept.ts'
import { deepFreeze } from '../../src/core/model/base/json.ts'
import type { Payload } from '../../src/core/model/events/payload.ts'
import { fill } from '../history/filled.ts'
import { eventOf } from '../handlers/armed.ts'
import { awaited, inTurn, measure, type Measured } from './measure.ts'

/** So many events of a busy week make the file about as large as it may be. */
const manyEvents = 100_000
/** So many characters has the payload of each of them. */
const payloadUnits = 1000
const atOnce = 50

/** A history with so many events of the last week, in a folder of its own. */
const withHistory = async (
  events: number,
  measured: (history: History, path: string) => Promise<Measured>,
): Promise<Measured> => {
  const folder = mkdtempSync(join(tmpdir(), 'hookgate-bench-'))
  const options = { path: join(folder, 'history.db'), keptMs: 1e12, maxBytes: 1e9 }
  const database = openHistoryDatabase(options, () => undefined)
  fill(database, { events, untilMs: Date.now(), payloadUnits })
  database.close()
  const history = openHistory({ ...options, withPayload: true, now: Date.now, log: () => undefined })
  try {
    return await measured(history, options.path)
  } finally {
    await history.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

/**
 * What the History page asks for: the list of events, alone where a filter finds none and looks at all, or
 * with the numbers of both plots.
 */
export const measurePage = (): Promise<Measured> =>
  withHistory(manyEvents, async (history, path) => {
    const bare = new DatabaseSync(path, { readOnly: true })
    const scan = bare.prepare('SELECT count(*), sum(isChanged) FROM event NOT INDEXED')
    const list = (filter: Partial<EventsFilter>): Promise<unknown> =>
      history.events({ sinceMs: 0, limit: atOnce, ...filter })
    const withPlots = (filter: Partial<EventsFilter>): Promise<unknown> =>
      Promise.all([list(filter), history.stats({ sinceMs: 0, ...filter })])
    try {
      const times = await measure(
        [
          inTurn('bare scan of the table of events', 1, () => scan.get()),
          awaited('list of a hook that was never asked', () => list({ fingerprint: 'none' })),
          awaited('list of a text that nobody wrote', () => list({ text: 'no such words' })),
          awaited('list and plots of one agent', () => withPlots({ agent: 'agent 1' })),
          awaited('list and plots of everything', () => withPlots({})),
        ],
        { rounds: 8, burst: 1, warmUps: 2 },
      )
      return { times }
    } finally {
      bare.close()
    }
  })

const inARow = 100
const toolCall = (): Payload =>
  deepFreeze({
    ...eventOf('pre_tool_call', { tool_name: 'bash', tool_input: { command: 'x'.repeat(4000) } }),
    event_id: 'bench',
  })

/**
 * What it costs the gate's thread to keep an event. Each is an object of its own, and all of a sample are
 * posted to the thread of the history before the sample ends, as a question makes the history do.
 */
export const measureKept = (): Promise<Measured> =>
  withHistory(0, async (history) => {
    const nothing = { isConsent: false, contexts: [], notes: [], warnings: [], hooks: [], revision: 1 }
    const payload = toolCall()
    const times = await measure(
      [
        inTurn('JSON.stringify of its payload', inARow, () => JSON.stringify(payload)),
        {
          name: 'kept',
          sample: async () => {
            const payloads = Array.from({ length: inARow }, toolCall)
            const from = performance.now()
            for (const each of payloads)
              history.keep(each, { ...nothing, verdict: 'allow', payload: each }, 1)
            const asked = history.events({ sinceMs: 0, limit: 1 })
            const tookMs = performance.now() - from
            await asked
            return (tookMs * 1000) / inARow
          },
        },
      ],
      { rounds: 20, burst: 5, warmUps: 20 },
    )
    return { times }
  })
