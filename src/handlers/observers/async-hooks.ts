import { unitsOf } from '../../core/model/base/yield-if-large.ts'
import { labelOf, type ArmedHook } from '../../core/model/hooks/entry.ts'
import type { Payload } from '../../core/model/events/payload.ts'
import type { RecordedHook } from '../../core/model/hooks/verdict.ts'
import { createAsyncRunLimit, maxUnits } from './async-run-limit.ts'
import type { ObserverAsking, Observers } from '../../core/hooks/settle/observers.ts'

export interface AsyncHookPorts extends Pick<ObserverAsking, 'ask' | 'isLive'> {
  /** True for an async hook whose own system passes refused events to it, too. Absent: never. */
  hearsRefusals?(hook: ArmedHook): boolean
  log(level: 'warn', what: string, fields: Readonly<Record<string, string>>): void
}

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

/** Passes events to async hooks. Nothing waits for them, and their answers are ignored. */
export const createAsyncHooks = ({
  ask,
  isLive,
  hearsRefusals = () => false,
  log,
}: AsyncHookPorts): Pick<Observers, 'begin'> => {
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
        (hook) => hook.entry.isAsync && hearsRefusals(hook) && before.includes(hook) && isLive(hook),
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
          warnings: crowded.map(crowdedWarning),
          hooks: heard.map((hook) => asyncTrace(hook, howOf(hook))),
        }
      }
    },
  }
}
