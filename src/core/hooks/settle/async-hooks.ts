import { unitsOf } from '../../model/base/yield-if-large.ts'
import { labelOf, type ArmedHook } from '../../model/hooks/entry.ts'
import type { Payload } from '../../model/events/payload.ts'
import type { RecordedHook, Verdict } from '../../model/hooks/verdict.ts'
import type { Asking } from './asking.ts'
import { createAsyncRunLimit, maxUnits } from './async-run-limit.ts'
import type { EventPlan, EventPlans } from './event-plan.ts'

export interface AsyncHookPorts {
  readonly ask: Asking['ask']
  readonly isLive: EventPlans['isLive']
  log(level: 'warn', what: string, fields: Readonly<Record<string, string>>): void
}

/** One event with its original payload, and the places of the matching hooks in the plan. */
export interface AsyncOccasion {
  readonly plan: EventPlan
  readonly payload: Payload
  readonly hits: ReadonlySet<number>
  readonly chain: readonly string[]
}

/** Passes events to async hooks. Nothing waits for them, and their answers are ignored. */
export interface AsyncHooks {
  /**
   * Passes the event to the hooks that get it before any other hook is asked. Resolves with a function that
   * passes the verdict to the others and writes into it what each async hook got.
   */
  begin(occasion: AsyncOccasion): Promise<(verdict: Verdict) => Promise<Verdict>>
}

/** An async hook of HOOK.md is often an audit, so it also gets refused events. */
const hearsRefusals = ({ entry }: ArmedHook): boolean =>
  entry.isAsync && entry.dialect?.name === 'agent-hooks'

const asyncWhys = {
  told: 'matched; nothing waits for it, and its answer is ignored',
  untold: 'was not asked: the step was blocked, or the hook was revoked meanwhile',
  crowded: "was not asked: too many async runs of this agent's earlier steps are unfinished",
} as const
const asyncTrace = (hook: ArmedHook, how: keyof typeof asyncWhys): RecordedHook => ({
  fingerprint: hook.fingerprint,
  label: labelOf(hook.entry),
  fired: how === 'told',
  why: asyncWhys[how],
})

const crowdedWarning = ({ entry }: ArmedHook): string =>
  `${labelOf(entry)} was not told of a step: too many async runs of this agent's earlier steps are unfinished. Look for an agent that sends too many events, or for a hook that hangs.`

export const createAsyncHooks = ({ ask, isLive, log }: AsyncHookPorts): AsyncHooks => {
  const behind = createAsyncRunLimit()

  /** Logs only failures. Resolves with the hooks for which there was no room in time. */
  const tell = async (
    hooks: readonly ArmedHook[],
    payload: Payload,
    chain: readonly string[],
  ): Promise<readonly ArmedHook[]> => {
    const crowded: ArmedHook[] = []
    for (const hook of hooks) {
      const leave = await behind(payload.agent_id, unitsOf(payload, maxUnits))
      if (leave === undefined) crowded.push(hook)
      else {
        void ask(hook, payload, Infinity, chain).then(({ answer: { fault } }) => {
          leave()
          if (fault !== undefined && isLive(hook))
            log('warn', 'an async hook failed', { hook: labelOf(hook.entry), kind: fault.kind })
        })
      }
    }
    return crowded
  }

  return {
    begin: async ({ plan, payload, hits, chain }) => {
      const asyncAt = (places: ReadonlySet<number>): readonly ArmedHook[] =>
        plan.hooks.filter((hook, place) => hook.entry.isAsync && places.has(place))
      // In its own system such a hook starts at its position in the order. Here it starts before all hooks
      // that it precedes.
      const first = plan.hooks.findIndex(({ entry }, place) => !entry.isAsync && hits.has(place))
      const before = first === -1 ? plan.hooks : plan.hooks.slice(0, first)
      const early = asyncAt(hits).filter(
        (hook) => hearsRefusals(hook) && before.includes(hook) && isLive(hook),
      )
      const crowdedEarly = await tell(early, payload, chain)
      return async (verdict) => {
        const matched = asyncAt(verdict.payload === payload ? hits : await plan.match(verdict.payload))
        const isTold = (hook: ArmedHook): boolean =>
          (verdict.verdict !== 'block' || hearsRefusals(hook)) && isLive(hook)
        const late = matched.filter((hook) => isTold(hook) && !early.includes(hook))
        const crowded = [...crowdedEarly, ...(await tell(late, verdict.payload, chain))]
        const howOf = (hook: ArmedHook): keyof typeof asyncWhys => {
          if (crowded.includes(hook)) return 'crowded'
          return early.includes(hook) || late.includes(hook) ? 'told' : 'untold'
        }
        const heard = plan.hooks.filter((hook) => early.includes(hook) || matched.includes(hook))
        return {
          ...verdict,
          warnings: [...verdict.warnings, ...crowded.map(crowdedWarning)],
          hooks: [...verdict.hooks, ...heard.map((hook) => asyncTrace(hook, howOf(hook)))],
          missed: (verdict.missed ?? 0) - heard.length,
        }
      }
    },
  }
}
