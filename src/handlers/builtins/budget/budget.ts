import type { Clock } from '../../../core/model/base/clock.ts'
import { createBoundedMap } from '../../../core/model/base/bounded-map.ts'
import type { JsonObject } from '../../../core/model/base/json.ts'
import { memoizeLast } from '../../../core/model/base/memoize.ts'
import { SCOPES, UNITS, type BudgetScope, type BudgetUnit } from '../../../core/model/hooks/budget.ts'
import {
  budgetAgentOf,
  isBudget,
  type AgentBudget,
  type BudgetExtension,
  type BudgetLine,
} from '../../../shared/hooks/budget.ts'
import { labelOf, type ArmedHook, type Entry } from '../../../core/model/hooks/entry.ts'
import type { Payload } from '../../../core/model/events/payload.ts'
import type { Verdict } from '../../../core/model/hooks/verdict.ts'
import { dayFormat } from '../date.ts'
import { countOf, readCounts, usedOf, writeCounts, type AgentCounts, type Counts } from './counts.ts'
import { budgetSessionOf, createMeter } from './meter.ts'

export interface BudgetPorts extends Clock {
  /** An IANA time zone name. When it is absent, the machine's zone is used. */
  readonly tz?: string
  /** The counts that the last start of the gate stored. */
  readonly storedCounts: string | undefined
  /** Stores the counts. Rejects when they could not be stored. */
  storeCounts(text: string): Promise<void>
  armed(): readonly ArmedHook[]
  log(level: 'warn', what: string): void
}

const isArmedBudget = ({ entry }: ArmedHook): boolean => isBudget(entry)

const rounded = (value: number): number => Math.round(value * 100) / 100

const shown = (unit: BudgetUnit, value: number): string =>
  unit === 'dollars' || unit === 'minutes' ? String(rounded(value)) : String(Math.round(value))

const scopeWords: Readonly<Record<BudgetScope, string>> = {
  turn: 'this turn',
  session: 'this session',
  day: 'today',
}

/** The limits of an entry with their state, for one session of an agent. */
const linesOf = (
  { limits = {}, price }: Entry,
  counted: AgentCounts,
  session: string | undefined,
): readonly BudgetLine[] =>
  SCOPES.flatMap((scope) =>
    UNITS.flatMap((unit): readonly BudgetLine[] => {
      const most = limits[scope]?.[unit]
      const count = countOf(counted, scope, session)
      if (most === undefined || count === undefined) return []
      const used = usedOf(count, unit, price)
      const limit = most * (1 + count.extensions)
      return [{ scope, unit, used, limit, isSpent: used === undefined || used >= limit }]
    }),
  )

const reasonOf = ({ scope, unit, used, limit }: BudgetLine): string =>
  used === undefined
    ? `The cost of ${scopeWords[scope]} is not known, because the model calls state no cost. Add "price" to this entry of budget.`
    : `The budget is spent: ${shown(unit, used)} of ${shown(unit, limit)} ${unit} ${scopeWords[scope]}. The owner can add more with /budget extend.`

/** Counts what agents use, and blocks when a limit of an approved entry is reached. */
export const createBudget = (ports: BudgetPorts) => {
  const { armed, elapsedMs, now, tz, storedCounts } = ports
  let format: Intl.DateTimeFormat | undefined
  /** The format is made for the first count, because that takes milliseconds and megabytes. */
  const today = (): string => {
    format ??= dayFormat(tz)
    return format.format(now())
  }
  const read = storedCounts === undefined ? new Map() : readCounts(storedCounts)
  let isUnreadable = read === undefined
  const counts: Counts = read ?? new Map()
  const meter = createMeter(counts, today, elapsedMs)

  // One write is under way at a time, and the newest counts follow it.
  let isWriting = false
  let isChanged = false
  const store = (): void => {
    isChanged = true
    if (isWriting || isUnreadable) return
    isWriting = true
    isChanged = false
    ports
      .storeCounts(writeCounts(counts))
      .catch(() => ports.log('warn', 'the counts of budget could not be stored'))
      .finally(() => {
        isWriting = false
        if (isChanged) store()
      })
  }

  /** The events that are being judged, so that only these are counted. */
  const open = createBoundedMap<string, true>(10_000)
  const hasBudget = memoizeLast((hooks: readonly ArmedHook[]) => hooks.some(isArmedBudget))

  const newestSession = ({ sessions }: AgentCounts): string | undefined => [...sessions.keys()].at(-1)

  return {
    /** Notes that an event begins to be judged. */
    begin: (payload: Payload): void => {
      if (!hasBudget(armed()) || payload.agent_id === 'hookgate') return
      open.set(payload.event_id, true)
      meter.begin(payload)
    },
    /** Notes the verdict of an event. */
    end: (payload: Payload, verdict: Verdict): void => {
      if (open.take(payload.event_id) === undefined) return
      meter.end(payload, verdict)
      store()
    },
    /** Answers as a hook: it blocks when a limit is reached. */
    answer: (entry: Entry, payload: Payload): JsonObject => {
      if (isUnreadable)
        return {
          decision: 'block',
          reason:
            'What was used before is not known, because the stored counts of budget cannot be read. The owner can count anew with /budget extend.',
        }
      const counted = counts.get(budgetAgentOf(payload.agent_id))
      if (counted === undefined) return {}
      const spent = linesOf(entry, counted, budgetSessionOf(payload)).find(({ isSpent }) => isSpent)
      return spent === undefined ? {} : { decision: 'block', reason: reasonOf(spent) }
    },
    /** The state of each budget in force, for every agent that it has counted. */
    state: (): readonly AgentBudget[] =>
      armed()
        .filter(isArmedBudget)
        .flatMap(({ entry }) =>
          [...counts]
            .filter(
              ([agent]) =>
                entry.agents === undefined || entry.agents.some((name) => budgetAgentOf(name) === agent),
            )
            .map(([agent, counted]): AgentBudget => ({
              agent,
              hook: labelOf(entry),
              day: counted.date,
              lines: linesOf(entry, counted, newestSession(counted)),
              hasNoTokens: !counted.hasTokens,
            })),
        ),
    /**
     * Adds the spent limits of an agent once more, `times` times. It adds those of its newest session and
     * turn. Undefined when nothing of the agent is spent.
     */
    extend: (agent: string, times: number): BudgetExtension | undefined => {
      const counted = counts.get(agent)
      if (counted === undefined) return undefined
      const session = newestSession(counted)
      const spent = armed()
        .filter(isArmedBudget)
        .flatMap(({ entry }) => linesOf(entry, counted, session))
        .filter(({ isSpent, used }) => isSpent && used !== undefined)
      const scopes = SCOPES.filter((scope) => spent.some((line) => line.scope === scope))
      if (scopes.length === 0) return undefined
      for (const scope of scopes) {
        const count = countOf(counted, scope, session)
        if (count !== undefined) count.extensions += times
      }
      store()
      return { agent, scopes, times }
    },
    isUnreadable: (): boolean => isUnreadable,
    /** Counts anew, when the stored counts could not be read. */
    startAnew: (): void => {
      isUnreadable = false
      store()
    },
  }
}

export type SpendingBudget = ReturnType<typeof createBudget>
