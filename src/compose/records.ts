import { messageOf } from '../core/model/gate/problem.ts'
import type { EventsQuery, HistoryReader } from '../shared/events/kept.ts'
import type { EventRecord } from '../core/model/events/record.ts'
import type { RecordQuery } from '../shared/events/record-class.ts'
import { recordOf } from '../shared/events/kept-record.ts'
import type { Store } from '../store/store.ts'

/** The history adds at most so many events to a list, because each comes with its payload. */
const maxKept = 12

/**
 * Reads the records, and from the history the events of which no hook said anything, which have none.
 * `agentId`: the history answers for this agent alone, which must not learn of shadows.
 */
export const createRecords = (
  store: Pick<Store, 'records'>,
  history: Pick<HistoryReader, 'events'> | undefined,
  now: () => number,
) => {
  const keptOf = async (query: Omit<EventsQuery, 'sinceMs'>): Promise<readonly EventRecord[]> => {
    try {
      return (await history?.events({ sinceMs: 0, ...query }))?.events.map(recordOf) ?? []
    } catch (error) {
      const reason = `Events of which no hook said anything are missing here. ${messageOf(error)}`
      const failure = { kind: 'trouble', subject: 'history', outcome: 'failed', reason } as const
      return [{ ...failure, event_id: 'history', atMs: now() }]
    }
  }
  return async (query: RecordQuery, agentId?: string): Promise<readonly EventRecord[]> => {
    const { limit, kinds, eventId, ofClass = 'rest' } = query
    const records = await store.records(query)
    if (ofClass !== 'rest' || kinds?.includes('event') === false) return records
    if (eventId !== undefined)
      return records.some(({ kind }) => kind === 'event')
        ? records
        : [...records, ...(await keptOf({ id: eventId, agent: agentId, limit: 1 }))]
    const kept = await keptOf(
      agentId === undefined
        ? { silent: 'any', limit: Math.min(limit, maxKept) }
        : { silent: 'hook', agent: agentId, limit: 1 },
    )
    return [...records, ...kept].toSorted((a, b) => b.atMs - a.atMs).slice(0, limit)
  }
}
