import type { ArmedHook } from '../../model/hooks/entry.ts'
import { memoizeLast } from '../../model/base/memoize.ts'
import type { EventName } from '../../model/events/event.ts'
import { planMatches, type MatchPlan, type MatchPorts } from '../match/matcher.ts'
import type { BacktrackingTest } from '../../model/base/pattern.ts'

/**
 * The time limit of all hooks of one event together, in milliseconds, unless one of them has a longer
 * timeout.
 */
const eventDeadlineMs = 60_000

/** A shadow of an event. `place`: the number of hooks before it in the order that are no shadows. */
export interface PlacedShadow extends MatchPlan {
  readonly hook: ArmedHook
  readonly place: number
}

/** The hooks in force for one event, and a way to find those that match a payload. */
export interface EventPlan extends MatchPlan {
  /** All hooks in their order, including async ones. The shadows are not among them. */
  readonly hooks: readonly ArmedHook[]
  readonly hasAsync: boolean
  /** The shadows in their order. They are asked after the verdict. */
  readonly shadows: readonly PlacedShadow[]
  /** The event's own time limit, or the longest timeout of a hook when that is longer. */
  readonly deadlineMs: number
}

export interface EventPlanPorts extends MatchPorts {
  /** The hooks in force, in order. The same array until something changes. */
  armed(): readonly ArmedHook[]
  /** Another `searchSlowly`, so that no hook that decides waits for the pattern of a shadow. */
  readonly searchForShadows: BacktrackingTest
}

/** The plans for the hooks in force. They are rebuilt when the hooks change. */
export interface EventPlans {
  of(event: EventName): EventPlan
  /** True while this hook is in force and decides. */
  isLive(hook: ArmedHook): boolean
}

export const createEventPlans = (ports: EventPlanPorts): EventPlans => {
  const { armed, searchForShadows } = ports
  const standing = memoizeLast((hooks: readonly ArmedHook[]) => ({
    deciding: new Set(
      hooks.filter(({ isShadow }) => isShadow !== true).map(({ fingerprint }) => fingerprint),
    ),
    plans: new Map<EventName, EventPlan>(),
  }))

  const planFor = (event: EventName, inForce: readonly ArmedHook[]): EventPlan => {
    const ofEvent = inForce.filter(({ entry }) => entry.event === event)
    const hooks = ofEvent.filter(({ isShadow }) => isShadow !== true)
    const shadows = ofEvent
      .filter(({ isShadow }) => isShadow === true)
      .map((hook) => ({
        ...planMatches([hook], { ...ports, searchSlowly: searchForShadows }),
        hook,
        place: hooks.filter((other) => ofEvent.indexOf(other) < ofEvent.indexOf(hook)).length,
      }))
    return {
      ...planMatches(hooks, ports),
      hooks,
      hasAsync: hooks.some(({ entry }) => entry.isAsync),
      shadows,
      deadlineMs: Math.max(
        eventDeadlineMs,
        ...hooks.map(({ entry }) => (entry.isAsync ? 0 : entry.timeoutMs)),
      ),
    }
  }

  return {
    of: (event) => {
      const hooks = armed()
      const { plans } = standing(hooks)
      const planned = plans.get(event) ?? planFor(event, hooks)
      plans.set(event, planned)
      return planned
    },
    isLive: ({ fingerprint }) => standing(armed()).deciding.has(fingerprint),
  }
}
