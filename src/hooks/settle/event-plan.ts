import { labelOf, type ArmedHook } from '../../model/hooks/entry.ts'
import type { EventName } from '../../model/events/event.ts'
import type { RecordedHook } from '../../model/hooks/verdict.ts'
import type { BacktrackingPattern } from '../match/pattern.ts'
import { planMatches, type MatchPlan, type MatcherView } from '../match/matcher.ts'

/** The longest that all hooks of one event may take together, in milliseconds, unless one of them was given more. */
const eventDeadlineMs = 60_000

/** The hooks in force at one event, and which of them match a payload. */
export interface EventPlan extends MatchPlan {
  /** In their order, async ones among them. */
  readonly all: readonly ArmedHook[]
  readonly hooks: readonly ArmedHook[]
  readonly asyncHooks: readonly ArmedHook[]
  readonly asyncMatch: MatchPlan
  /** What a verdict says of the hooks when none matched: shared, so that a miss costs nothing. */
  readonly missed: readonly RecordedHook[]
  /** The event's own deadline, or the longest timeout of a hook that its owner gave more. */
  readonly deadlineMs: number
}

export interface EventPlanPorts {
  /** The hooks in force, in order; the same array until something changes. */
  armed(): readonly ArmedHook[]
  view: MatcherView
}

/** What follows from the hooks in force, made anew when they change. */
export interface EventPlans {
  of(event: EventName): EventPlan
  /** The fingerprints of the hooks in force. */
  live(): ReadonlySet<string>
  isLive(hook: ArmedHook): boolean
}

export const missedTrace = ({ fingerprint, entry }: ArmedHook): RecordedHook => ({
  fingerprint,
  label: labelOf(entry),
  fired: false,
  why: 'did not match',
})

/** `searchSlowly` takes the patterns that take more than linear time. */
export const createEventPlans = (
  { armed, view }: EventPlanPorts,
  searchSlowly: (pattern: BacktrackingPattern, text: string) => Promise<boolean>,
): EventPlans => {
  let standing:
    | {
        readonly armed: readonly ArmedHook[]
        readonly live: ReadonlySet<string>
        readonly plans: Map<EventName, EventPlan>
      }
    | undefined

  const current = (): NonNullable<typeof standing> => {
    const hooks = armed()
    if (standing?.armed !== hooks)
      standing = {
        armed: hooks,
        live: new Set(hooks.map(({ fingerprint }) => fingerprint)),
        plans: new Map(),
      }
    return standing
  }

  const planFor = (event: EventName, armed: readonly ArmedHook[]): EventPlan => {
    const all = armed.filter(({ entry }) => entry.event === event)
    const hooks = all.filter(({ entry }) => !entry.isAsync)
    const asyncHooks = all.filter(({ entry }) => entry.isAsync)
    return {
      ...planMatches(hooks, searchSlowly, view),
      all,
      hooks,
      asyncHooks,
      asyncMatch: planMatches(asyncHooks, searchSlowly, view),
      missed: all.map(missedTrace),
      deadlineMs: Math.max(eventDeadlineMs, ...hooks.map(({ entry }) => entry.timeoutMs)),
    }
  }

  return {
    of: (event) => {
      const { armed, plans } = current()
      const planned = plans.get(event) ?? planFor(event, armed)
      plans.set(event, planned)
      return planned
    },
    live: () => current().live,
    isLive: ({ fingerprint }) => current().live.has(fingerprint),
  }
}
