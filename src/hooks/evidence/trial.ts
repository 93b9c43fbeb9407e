import { quantile } from '../../model/events/quantile.ts'
import type { EventsFound, EventsQuery, KeptEvent } from '../../model/events/kept.ts'
import type { EventName } from '../../model/events/event.ts'
import type { Payload } from '../../model/events/payload.ts'
import type {
  EarlyEnd,
  Evidence,
  PastAnswer,
  PastCase,
  TrialScope,
  Would,
} from '../../model/hooks/evidence.ts'
import type { PastHook } from './past.ts'

/** So many events are read at once, because each has up to 256 kB. */
const pageSize = 20
const maxCases = 20
const maxAbout = 200
/** The time for one event, and the bounds of the whole trial, in milliseconds. */
const perEventMs = 600
const leastMs = 60_000
const mostMs = 5 * 60_000

/** The time of a trial for all its events together, in milliseconds. */
export const trialMs = (events: number): number => Math.min(mostMs, Math.max(leastMs, events * perEventMs))

export interface TrialPorts {
  events(query: EventsQuery): Promise<EventsFound>
  readonly event: EventName
  readonly scope: TrialScope
  readonly fingerprint: string
  /** The places at which the hook is asked, each about one event at a time. */
  readonly ask: readonly PastHook[]
  /** The approved version of the hook, to compare, at as many places. */
  readonly sealed?: { readonly fingerprint: string; readonly ask: readonly PastHook[] } | undefined
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

const caseOf = (event: KeptEvent, { would, why }: PastAnswer, sealed?: Would): PastCase => ({
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
  const counts: Record<Would, number> = { block: 0, ask: 0, rewrite: 0, fail: 0, pass: 0 }
  const times: number[] = []
  const cases: PastCase[] = []
  const differences: PastCase[] = []
  let [events, unkept, matched, different] = [0, 0, 0, 0]
  let end: EarlyEnd | undefined

  const found = (): Evidence => {
    const sorted = times.toSorted((a, b) => a - b)
    const [p50Ms, p95Ms] = [quantile(sorted, 0.5), quantile(sorted, 0.95)]
    return {
      fingerprint,
      sealed: sealed?.fingerprint,
      atMs: ports.now(),
      events,
      unkept,
      matched,
      counts: { ...counts },
      p50Ms,
      p95Ms,
      cases: [...cases],
      different,
      differences: [...differences],
      end,
    }
  }
  /** Why no further answer counts. */
  const endNow = (): EarlyEnd | undefined =>
    ports.ended() ?? (ports.elapsedMs() >= untilMs ? 'time' : undefined)

  /** Gives nothing when the trial ended before the answers were there. */
  const askAbout = async (place: number, payload: Payload): Promise<readonly PastAnswer[] | undefined> => {
    const answers: PastAnswer[] = []
    for (const asked of [ports.ask, ...(sealed === undefined ? [] : [sealed.ask])]) {
      const answer = await asked[place]?.(payload, Math.max(1, untilMs - ports.elapsedMs()))
      end ??= endNow()
      if (end !== undefined) return undefined
      answers.push(answer ?? unmatched)
    }
    return answers
  }

  const count = (event: KeptEvent, [now, before]: readonly PastAnswer[]): void => {
    events += 1
    if (now === undefined) unkept += 1
    else if (now !== unmatched) {
      matched += 1
      counts[now.would] += 1
      times.push(now.durationMs)
      if (now.would !== 'pass' && cases.length < maxCases) cases.push(caseOf(event, now))
    }
    if (now !== undefined && before !== undefined && now.effect !== before.effect) {
      different += 1
      if (differences.length < maxCases) differences.push(caseOf(event, now, before.would))
    }
    ports.progress(found)
  }

  /** Asks about some events, several side by side, and counts them in their order. */
  const askAboutAll = async (all: readonly KeptEvent[]): Promise<void> => {
    const rest = all.entries()
    const answered: (() => void)[] = []
    let counted = 0
    const takeEvents = async (place: number): Promise<void> => {
      for (const [nth, event] of rest) {
        end ??= endNow()
        if (end !== undefined) return
        const { payload, isCut } = event
        const isKept = payload !== undefined && isCut !== true
        const answers = isKept ? await askAbout(place, payload as unknown as Payload) : []
        if (answers === undefined) return
        answered[nth] = () => count(event, answers)
        for (let next = answered[counted]; next !== undefined; next = answered[counted]) {
          next()
          counted += 1
        }
      }
    }
    await Promise.all(ports.ask.map((_, place) => takeEvents(place)))
  }

  const { sinceMs, maxEvents } = scope
  let before: number | undefined
  let looked = 0
  let isMore: boolean
  do {
    const limit = Math.min(pageSize, maxEvents - looked)
    const page = await ports.events({ sinceMs, event: ports.event, limit, before })
    await askAboutAll(page.events)
    looked += page.events.length
    before = page.next
    isMore = before !== undefined && looked < maxEvents && end === undefined
  } while (isMore)
  return found()
}
