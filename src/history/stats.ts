import type { DatabaseSync } from 'node:sqlite'
import { setImmediate } from 'node:timers/promises'
import { quantile } from '../shared/events/quantile.ts'
import type {
  Deeds,
  EventEnd,
  EventsFilter,
  HistoryStats,
  HookStats,
  HookDeed,
} from '../shared/events/kept.ts'
import { conditions, maxSearched, patternOf, textCondition, valuesOfFilter } from './filter.ts'
import { deedIn } from './row.ts'
import { createTimeline, noEnds } from './timeline.ts'

/**
 * So many events are read at once. In between, the thread does its other work, and its small memory for young
 * objects holds no more.
 */
const atOnce = 500
const maxShown = 50
/** A timeline that begins with the oldest event is at least so long. */
const leastSpanMs = 10 * 60_000
/** The hooks, the agents and the names of events that are counted. Others that come later are left out. */
const maxKnown = 500
/** The times of so many of the newest answers of each hook are sorted. */
const maxTimes = 5000

type DeedCounts = Record<HookDeed, number>
const noDeeds = (): DeedCounts => ({ passed: 0, wrote: 0, asked: 0, blocked: 0, failed: 0 })

/** The row of an event, the fingerprint, the deed, and the time in milliseconds. */
type DeedOfEvent = readonly [number, string, string, unknown]
/** The row, the time, the name, the agent, the verdict, whether hooks changed it, whether the text fits. */
type FoundEvent = readonly [number, number, string, string, 'allow' | 'ask' | 'block', number, number]

interface HookCount {
  /** The newest event at which it was asked. */
  readonly row: number
  count: number
  readonly deeds: DeedCounts
  readonly would: DeedCounts
  readonly timesMs: number[]
  lastBlocked?: number
  lastWouldBlock?: number
}

const sumOf = (counts: Deeds): number => Object.values(counts).reduce((sum, each) => sum + each, 0)

/** Gets the value of a key, or makes one while there is room. */
const known = <Value>(values: Map<string, Value>, key: string, make: () => Value): Value | undefined => {
  const found = values.get(key)
  if (found !== undefined || values.size >= maxKnown) return found
  const made = make()
  values.set(key, made)
  return made
}

const keptDeeds = new Map(
  Object.keys(noDeeds()).flatMap((deed) =>
    [deed, `shadow ${deed}`].map((kept) => [kept, deedIn(kept)] as const),
  ),
)

const countDeed = (hook: HookCount, row: number, kept: string, ms: unknown): void => {
  hook.count += 1
  if (typeof ms === 'number' && hook.timesMs.length < maxTimes) hook.timesMs.push(ms)
  const known = keptDeeds.get(kept)
  if (known === undefined) return
  const { deed, isShadow = false } = known
  const counts = isShadow ? hook.would : hook.deeds
  counts[deed] += 1
  if (deed !== 'blocked') return
  if (isShadow) hook.lastWouldBlock ??= row
  else hook.lastBlocked ??= row
}

const endOf = (verdict: string, isChanged: boolean, hasFailed: boolean): EventEnd => {
  if (verdict === 'block') return 'blocked'
  if (verdict === 'ask') return 'asked'
  if (hasFailed) return 'failed'
  return isChanged ? 'changed' : 'allowed'
}

/**
 * Counts what is in the file, the newest events first. The returned function may throw what SQLite throws.
 */
export const createStats = (
  db: DatabaseSync,
  now: () => number,
): ((filter: EventsFilter) => Promise<Omit<HistoryStats, 'missed'>>) => {
  const oldest = db.prepare('SELECT min(at) AS at FROM event')
  const events = db.prepare(
    `SELECT row, at, name, agent, verdict, isChanged, ${textCondition('?9')} FROM event NOT INDEXED
      WHERE ${conditions} ORDER BY row DESC LIMIT ${atOnce}`,
  )
  const deeds = db.prepare(
    `SELECT deed.row, fingerprint, deed, deed.ms FROM event NOT INDEXED CROSS JOIN deed USING (row)
      WHERE ${conditions} AND row >= ?9 ORDER BY row DESC`,
  )
  for (const statement of [events, deeds]) statement.setReturnArrays(true)
  const lastOf = db.prepare(
    'SELECT label, name FROM deed JOIN event USING (row) WHERE row = ? AND fingerprint = ? LIMIT 1',
  )
  const idOf = db.prepare('SELECT id FROM event WHERE row = ?')
  const id = (row: number | undefined): string | undefined => {
    const found = row === undefined ? undefined : idOf.get(row)
    return found && String(found['id'])
  }

  const hookStats = ([fingerprint, hook]: readonly [string, HookCount]): HookStats => {
    const last = lastOf.get(hook.row, fingerprint)
    const sorted = Float64Array.from(hook.timesMs).sort()
    const [p50Ms, p95Ms] = [quantile(sorted, 0.5), quantile(sorted, 0.95)]
    return {
      fingerprint,
      label: String(last?.['label']),
      event: String(last?.['name']),
      deeds: hook.deeds,
      p50Ms,
      p95Ms,
      lastBlocked: id(hook.lastBlocked),
      shadow:
        sumOf(hook.would) === 0 ? undefined : { deeds: hook.would, lastBlocked: id(hook.lastWouldBlock) },
    }
  }

  return async (filter) => {
    const { sinceMs, untilMs = now(), fingerprint: only } = filter
    const pattern = patternOf(filter)
    const oldestAtMs = Number(oldest.get()?.['at'] ?? untilMs)
    const timeline = createTimeline(Math.max(sinceMs, Math.min(oldestAtMs, untilMs - leastSpanMs)), untilMs)
    const hooks = new Map<string, HookCount>()
    const names = new Map<string, Record<EventEnd, number>>()
    const agents = new Map<string, { count: number }>()
    const verdicts = { allow: 0, ask: 0, block: 0 }
    let [changed, looked] = [0, 0]
    let oldestMs: number | undefined
    let before: number | undefined

    // A file has many deeds, so nothing is made here for each of them.
    const countHooks = (isFound: (row: number) => boolean, from: number): ReadonlySet<number> => {
      const failed = new Set<number>()
      const rows = deeds.all(...valuesOfFilter(filter, before), from) as unknown as readonly DeedOfEvent[]
      for (let at = 0; at < rows.length; at += 1) {
        const values = rows[at]
        if (values === undefined || !isFound(values[0])) continue
        const row = values[0]
        const fingerprint = values[1]
        if (values[2] === 'failed') failed.add(row)
        if (only !== undefined && fingerprint !== only) continue
        const hook = known(hooks, fingerprint, () => ({
          row,
          count: 0,
          deeds: noDeeds(),
          would: noDeeds(),
          timesMs: [],
        }))
        if (hook !== undefined) countDeed(hook, row, values[2], values[3])
      }
      return failed
    }

    let isPart = false
    for (;;) {
      const read = events.all(...valuesOfFilter(filter, before), pattern) as unknown as readonly FoundEvent[]
      const last = read.at(-1)
      if (last === undefined) break
      const found = pattern === null ? read : read.filter(([, , , , , , isFound]) => isFound === 1)
      const foundRows = pattern === null ? undefined : new Set(found.map(([row]) => row))
      const failed = countHooks((row) => foundRows?.has(row) ?? true, last[0])
      for (const [row, atMs, name, agent, verdict, isChanged] of found) {
        const end = endOf(verdict, isChanged === 1, failed.has(row))
        verdicts[verdict] += 1
        changed += isChanged
        oldestMs = atMs
        timeline.add(atMs, end)
        const ofName = known(names, name, noEnds)
        if (ofName !== undefined) ofName[end] += 1
        const ofAgent = known(agents, agent, () => ({ count: 0 }))
        if (ofAgent !== undefined) ofAgent.count += 1
      }
      looked += read.length
      before = last[0]
      isPart = pattern !== null && looked >= maxSearched
      if (read.length < atOnce || isPart) break
      await setImmediate()
    }

    const countOf = (ends: Readonly<Record<EventEnd, number>>): number =>
      Object.values(ends).reduce((sum, each) => sum + each, 0)
    const most = <Value>(
      values: Map<string, Value>,
      count: (value: Value) => number,
    ): readonly (readonly [string, Value])[] =>
      [...values].toSorted(([, a], [, b]) => count(b) - count(a)).slice(0, maxShown)
    return {
      sinceMs: oldestMs,
      verdicts,
      changed,
      timeline: timeline.counted(),
      events: most(names, countOf).map(([name, ends]) => ({ name, ends })),
      agents: most(agents, ({ count }) => count).map(([agent]) => agent),
      hooks: most(hooks, ({ count }) => count).map(hookStats),
      ...(isPart ? { isPart } : {}),
    }
  }
}
