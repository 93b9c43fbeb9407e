import { quantile } from '../../shared/events/quantile.ts'
import type { EventsFound, EventsQuery, KeptEvent } from '../../shared/events/kept.ts'
import type { EventName } from '../../core/model/events/event.ts'
import type { Payload } from '../../core/model/events/payload.ts'
import type {
  EarlyEnd,
  Evidence,
  PastAnswer,
  PastCase,
  TrialScope,
  HypotheticalEffect,
} from '../../shared/hooks/evidence.ts'
import type { PastHook } from './past.ts'

/** So many events are read at once, because each has up to 256 kB. */
const pageSize = 20
const maxCases = 20
/** So many failures are told apart. The others are counted together, without words. */
const maxFailures = 20
const maxAbout = 200
/** The time for one event, and the bounds of the whole trial, in milliseconds. */
const perEventMs = 600
const leastMs = 60_000
const mostMs = 5 * 60_000

/** The time of a trial for all its events together, in milliseconds. */
export const trialMs = (events: number): number => Math.min(mostMs, Math.max(leastMs, events * perEventMs))

/** Where the hook is asked, about one event at a time. */
export interface AskingPlace {
  readonly ask: PastHook
  /** The approved version of the hook, to compare. */
  readonly askSealed?: PastHook
}

export interface TrialPorts {
  events(query: EventsQuery): Promise<EventsFound>
  readonly event: EventName
  readonly scope: TrialScope
  readonly fingerprint: string
  /** The fingerprint of the approved version, when it is compared. */
  readonly sealed?: string | undefined
  /** Events are asked about side by side, at each of these. */
  readonly places: readonly AskingPlace[]
  /** Why the trial has to end now. Undefined: it goes on. */
  ended(): EarlyEnd | undefined
  /** Called after each event. `found` sums up what was found so far. */
  progress(found: () => Evidence): void
  now(): number
  elapsedMs(): number
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : (JSON.stringify(value) ?? ''))

/** What an event was about, in one line. */
const aboutOf = ({ tool, payload = {} }: KeptEvent): string => {
  const { tool_input, notification, message, response, last_user_message, summary, goal } = payload
  const what = tool_input ?? notification ?? message ?? response ?? last_user_message ?? summary ?? goal
  const values =
    typeof what === 'object' && what !== null && !Array.isArray(what)
      ? Object.values(what).map(textOf).join(' ')
      : textOf(what ?? '')
  return `${tool ?? ''} ${values.slice(0, 4 * maxAbout)}`
    .replaceAll(/\s+/g, ' ')
    .trim()
    .slice(0, maxAbout)
    .toWellFormed()
}

const caseOf = (event: KeptEvent, { would, why }: PastAnswer, sealed?: HypotheticalEffect): PastCase => ({
  id: event.id,
  event: event.event,
  atMs: event.atMs,
  agent: event.agent,
  about: aboutOf(event),
  would,
  why,
  was: event.verdict === 'allow' && event.changed !== undefined ? 'rewrite' : event.verdict,
  sealed,
})

const unmatched: PastAnswer = { would: 'pass', durationMs: 0, effect: JSON.stringify(['pass', null]) }

/**
 * Asks a hook about events of the past, the newest first, and counts what it would have done. Rejects when
 * the history cannot be read.
 */
export const askPast = async (ports: TrialPorts): Promise<Evidence> => {
  const { scope, fingerprint, sealed } = ports
  const untilMs = ports.elapsedMs() + trialMs(scope.maxEvents)
  const counts: Record<HypotheticalEffect, number> = { block: 0, ask: 0, rewrite: 0, fail: 0, pass: 0 }
  const times: number[] = []
  const failures = new Map<string, number>()
  const cases: PastCase[] = []
  const differences: PastCase[] = []
  let [events, unkept, matched, different] = [0, 0, 0, 0]
  let end: EarlyEnd | undefined

  const found = (): Evidence => {
    const sorted = times.toSorted((a, b) => a - b)
    const [p50Ms, p95Ms] = [quantile(sorted, 0.5), quantile(sorted, 0.95)]
    return {
      fingerprint,
      sealed,
      atMs: ports.now(),
      events,
      unkept,
      matched,
      counts: { ...counts },
      p50Ms,
      p95Ms,
      failures: [...failures].map(([why, count]) => ({ why, count })).toSorted((a, b) => b.count - a.count),
      cases: [...cases],
      different,
      differences: [...differences],
      end,
    }
  }
  const noteFailure = (why: string): void => {
    const kind = failures.has(why) || failures.size < maxFailures ? why : ''
    failures.set(kind, (failures.get(kind) ?? 0) + 1)
  }
  /** Why no further answer counts. */
  const endNow = (): EarlyEnd | undefined =>
    ports.ended() ?? (ports.elapsedMs() >= untilMs ? 'time' : undefined)

  /** Counts nothing when the trial ended before the answers were there. */
  const askAbout = async (
    event: KeptEvent,
    payload: Payload,
    { ask, askSealed }: AskingPlace,
  ): Promise<void> => {
    const remainingMs = (): number => Math.max(1, untilMs - ports.elapsedMs())
    const now = await ask(payload, remainingMs())
    end ??= endNow()
    if (end !== undefined) return
    const before = await askSealed?.(payload, remainingMs())
    end ??= endNow()
    if (end !== undefined) return
    events += 1
    if (now !== undefined) {
      matched += 1
      counts[now.would] += 1
      times.push(now.durationMs)
      if (now.would === 'fail') noteFailure(now.why ?? '')
      else if (now.would !== 'pass' && cases.length < maxCases) cases.push(caseOf(event, now))
    }
    if (askSealed === undefined || (before ?? unmatched).effect === (now ?? unmatched).effect) return
    different += 1
    if (differences.length < maxCases)
      differences.push(caseOf(event, now ?? unmatched, (before ?? unmatched).would))
  }

  const { sinceMs, maxEvents } = scope
  let before: number | undefined
  let looked = 0
  /** Takes one event after another, until none is left or the trial has ended. */
  const takeFrom = async (rest: Iterable<KeptEvent>, place: AskingPlace): Promise<void> => {
    for (const event of rest) {
      end ??= endNow()
      if (end !== undefined) return
      looked += 1
      if (event.payload === undefined || event.isCut === true) {
        events += 1
        unkept += 1
      } else await askAbout(event, event.payload as unknown as Payload, place)
      ports.progress(found)
    }
  }

  let isMore: boolean
  do {
    const limit = Math.min(pageSize, maxEvents - looked)
    const page = await ports.events({ sinceMs, event: ports.event, limit, before })
    const rest = page.events.values()
    await Promise.all(ports.places.map((place) => takeFrom(rest, place)))
    before = page.next
    isMore = before !== undefined && looked < maxEvents && end === undefined
  } while (isMore)
  return found()
}
