import { yieldIfLarge } from '../model/base/yield-if-large.ts'
import type { ArmedHook } from '../model/hooks/entry.ts'
import { contractOf, type EventName } from '../model/events/event.ts'
import type { Payload } from '../model/events/payload.ts'
import type { JudgeOptions } from '../model/events/step.ts'
import type { Verdict } from '../model/hooks/verdict.ts'
import { createAsking, type HookReply, type Asking, type AskingPorts } from './settle/asking.ts'
import { createEventPlans, type EventPlan, type EventPlanPorts } from './settle/event-plan.ts'
import { planMatches } from './match/matcher.ts'
import { mergeVerdict } from './settle/merge.ts'
import { observe, settle, type SettlePorts } from './settle/settle.ts'
import type { AsyncNews, ObserverAsking, Observers } from './settle/observers.ts'

export interface HooksPorts
  extends AskingPorts, EventPlanPorts, Pick<SettlePorts, 'mayRefuse' | 'marksOpenly'> {
  revision(): number
  /** The time that is shown, in epoch milliseconds. */
  now(): number
  /** Ends the waiting and resident programs of hooks that are not among these fingerprints. */
  retire(live: ReadonlySet<string>): void
  /** Makes what async hooks and shadows are told with. Called once. */
  observers(asking: ObserverAsking): Observers
  /** Told of each event, and then of its verdict. That is undefined when judging threw. */
  onEvent?(payload: Payload): (verdict: Verdict | undefined) => void
  /** True for a hook whose own system asks it beside all others, and not in its turn. Absent: never. */
  isSideBySide?(hook: ArmedHook): boolean
}

export interface Hooks {
  /** Asks every hook in force that matches, and merges their answers. Never rejects. */
  judge(payload: Payload, options?: JudgeOptions): Promise<Verdict>
  /** Asks one hook, whatever the switch says: for doctor. */
  ask(hook: ArmedHook, payload: Payload, timeoutMs: number): Promise<HookReply>
  /** True when the matcher's tool alone lets the hook fire on this event. */
  isFor(hook: ArmedHook, payload: Payload): Promise<boolean>
  /** When a hook last fired in this run of the gate, in epoch milliseconds. */
  lastFiredMs(fingerprint: string): number | undefined
  /** The number of shadows that get this event after its verdict. */
  shadowsOf(event: EventName): number
  /** True when a hook or a shadow is in force for this event. */
  isHeard(event: EventName): boolean
  /** Kills what runs for hooks that are no longer in force. */
  drop(): void
  stop(): void
}

/** Chooses how the matching hooks are asked: one after another, or all at once. */
const roundOf = (
  { hooks }: EventPlan,
  payload: Payload,
  hits: ReadonlySet<number>,
  isSideBySide: HooksPorts['isSideBySide'],
): typeof settle => {
  const { gate, rewrite } = contractOf(payload.event)
  const isInTurn = (hook: ArmedHook, place: number): boolean =>
    hits.has(place) && !hook.entry.isAsync && isSideBySide?.(hook) !== true
  return gate.length + rewrite.length > 0 && hooks.some(isInTurn) ? settle : observe
}

/** Finds the hooks that match, without the one that is not asked. */
const matchWithout = ({ hooks, match }: EventPlan, except: string | undefined): EventPlan['match'] => {
  if (except === undefined) return match
  return async (payload) =>
    new Set([...(await match(payload))].filter((at) => hooks[at]?.fingerprint !== except))
}

/** The verdict when no hook is asked. */
const unasked = (payload: Payload, { hooks }: EventPlan, revision: number): Verdict => ({
  verdict: 'allow',
  isConsent: false,
  payload,
  contexts: [],
  notes: [],
  warnings: [],
  hooks: [],
  missed: hooks.length,
  revision,
})

/** A verdict with what async hooks got of it. They add to its record, and decide nothing. */
const withNews = (verdict: Verdict, { warnings, hooks }: AsyncNews): Verdict => ({
  ...verdict,
  warnings: [...verdict.warnings, ...warnings],
  hooks: [...verdict.hooks, ...hooks],
  missed: (verdict.missed ?? 0) - hooks.length,
})

/** Runs hooks on events: finds those that match, asks them in order and merges their answers. */
export const createHooks = (ports: HooksPorts): Hooks => {
  const plans = createEventPlans(ports)
  const asking = createAsking(ports)
  const fired = new Map<string, number>()
  const ask: Asking['ask'] = (hook, ...how) => {
    fired.set(hook.fingerprint, ports.now())
    return asking.ask(hook, ...how)
  }
  const observers = ports.observers({
    ask,
    isLive: plans.isLive,
    isShadow: (hook) => plans.of(hook.entry.event).shadows.some((one) => one.hook === hook),
  })

  const judgeNow = async (
    payload: Payload,
    { deadlineMs = Infinity, chain = [], except }: JudgeOptions = {},
  ): Promise<Verdict> => {
    const plan = plans.of(payload.event)
    const revision = ports.revision()
    const askShadows = (arrivals?: readonly Payload[]): void => {
      if (plan.shadows.length > 0) observers.after({ plan, payload, arrivals, chain, revision })
    }
    const nobody = (): Verdict => {
      askShadows()
      return unasked(payload, plan, revision)
    }
    if (plan.hooks.length === 0) return nobody()
    const pause = yieldIfLarge(payload)
    if (pause !== undefined) await pause
    const match = matchWithout(plan, except)
    const found = match(payload)
    const hits = found instanceof Promise ? await found : found
    if (hits.size === 0) return nobody()
    const tellOthers = plan.hasAsync ? await observers.begin({ plan, payload, hits, chain }) : undefined
    const startedAtMs = ports.elapsedMs()
    const settlement = await roundOf(
      plan,
      payload,
      hits,
      ports.isSideBySide,
    )(plan.hooks, payload, {
      matches: (current) => (current === payload ? hits : match(current)),
      ask: (hook, current, remainingMs) => ask(hook, current, remainingMs, chain),
      isLive: plans.isLive,
      mayRefuse: ports.mayRefuse,
      marksOpenly: ports.marksOpenly,
      elapsedMs: ports.elapsedMs,
      // The wait for a free slot does not count as hook time, unless the caller has a deadline.
      remainingMs: (spentMs) =>
        Math.min(plan.deadlineMs - spentMs, startedAtMs + deadlineMs - ports.elapsedMs()),
    })
    const merged = mergeVerdict(settlement, plan.hooks.length, revision)
    const news = await tellOthers?.(merged)
    askShadows(settlement.arrivals)
    return news === undefined ? merged : withNews(merged, news)
  }
  const judge: Hooks['judge'] = async (payload, options) => {
    const onVerdict = ports.onEvent?.(payload)
    let verdict: Verdict | undefined
    try {
      verdict = await judgeNow(payload, options)
      return verdict
    } finally {
      onVerdict?.(verdict)
    }
  }

  return {
    judge,
    ask: (hook, payload, timeoutMs) => asking.ask(hook, payload, timeoutMs, []),
    isFor: async (hook, payload) => {
      const { matcher } = hook.entry
      const ofTool = matcher?.tool === undefined ? undefined : { tool: matcher.tool }
      const open = { condition: undefined, agents: undefined, node: undefined, nodes: undefined }
      const wide = { ...hook, entry: { ...hook.entry, ...open, matcher: ofTool } }
      return (await planMatches([wide], ports).match(payload)).size > 0
    },
    lastFiredMs: (fingerprint) => fired.get(fingerprint),
    shadowsOf: (event) => plans.of(event).shadows.length,
    isHeard: (event) => plans.of(event).hooks.length + plans.of(event).shadows.length > 0,
    drop: () => {
      const live = new Set(ports.armed().map(({ fingerprint }) => fingerprint))
      asking.retire(live)
      ports.retire(live)
    },
    stop: () => {
      observers.stop()
      asking.retire(new Set())
    },
  }
}
