import { faultAnswer, type Answer } from '../model/answer.ts'
import { breathe, unitsOf } from '../model/breathe.ts'
import { labelOf, type ArmedHook } from '../model/entry.ts'
import { contractOf, type EventName } from '../model/event.ts'
import type { Payload } from '../model/payload.ts'
import { messageOf } from '../model/problem.ts'
import type { HookTrace, Verdict } from '../model/verdict.ts'
import { createBacktracking } from './backtracking.ts'
import { createBehind, maxUnits } from './behind.ts'
import type { RunResult } from './host/protocol.ts'
import { planMatches, type MatchPlan, type MatcherView } from './matcher.ts'
import { mergeVerdict } from './merge.ts'
import { observe, settle, sideBySide } from './settle.ts'

/** The longest that all hooks of one event may take together, in milliseconds, unless one of them was given more. */
export const eventDeadlineMs = 60_000

export interface HooksPorts {
  /** The hooks in force, in order; the same array until something changes. */
  armed(): readonly ArmedHook[]
  revision(): number
  run(
    hook: ArmedHook,
    payload: Payload,
    options: { timeoutMs: number; chain: readonly string[]; signal: AbortSignal },
  ): Promise<RunResult>
  /** What the hook's own system makes of what it left behind. */
  decode(hook: ArmedHook, payload: Payload, result: RunResult): Answer
  view: MatcherView
  /** Ends what waits or resides for hooks that are not among these fingerprints. */
  retire(live: ReadonlySet<string>): void
  /** For what is shown. */
  now(): number
  /** For intervals, by a clock that nobody can set. */
  elapsedMs(): number
  log(
    level: 'debug' | 'info' | 'warn' | 'error',
    what: string,
    fields?: Readonly<Record<string, string | number | boolean>>,
  ): void
}

export interface JudgeOptions {
  readonly deadlineMs?: number
  /** The events that led to this one, when a hook caused it. */
  readonly chain?: readonly string[]
}

export interface Hooks {
  /** Asks every hook in force that matches, and merges their answers. Never rejects. */
  judge(payload: Payload, options?: JudgeOptions): Promise<Verdict>
  /** Asks one hook, whatever the switch says: for doctor. */
  ask(
    hook: ArmedHook,
    payload: Payload,
    timeoutMs: number,
  ): Promise<{ answer: Answer; result?: RunResult; durationMs: number }>
  /** Whether a hook is there for such an event, going by its matcher's tool alone. */
  isFor(hook: ArmedHook, payload: Payload): Promise<boolean>
  /** When a hook last fired in this run of the gate, in epoch milliseconds. */
  lastFiredMs(fingerprint: string): number | undefined
  /** Kills what runs for hooks that are no longer in force. */
  drop(): void
  stop(): Promise<void>
}

interface EventPlan extends MatchPlan {
  /** In their order, async ones among them. */
  readonly all: readonly ArmedHook[]
  readonly hooks: readonly ArmedHook[]
  readonly asyncHooks: readonly ArmedHook[]
  readonly asyncMatch: MatchPlan
  /** What a verdict says of the hooks when none matched: shared, so that a miss costs nothing. */
  readonly missed: readonly HookTrace[]
  /** The event's own deadline, or the longest timeout of a hook that its owner gave more. */
  readonly deadlineMs: number
}

interface ArmedSet {
  readonly armed: readonly ArmedHook[]
  readonly live: ReadonlySet<string>
  readonly plans: Map<EventName, EventPlan>
}

/** An async hook of HOOK.md is often an audit: it hears of what was refused as well. */
const hearsRefusals = ({ entry }: ArmedHook): boolean =>
  entry.isAsync && entry.dialect?.name === 'agent-hooks'

/** docker-agent asks these at once; every other hook before a step is asked in its turn. */
const isSideBySide = ({ entry }: ArmedHook): boolean =>
  entry.dialect?.name === 'docker-agent' && entry.dialect.event === 'before_compaction'

const missedTrace = (hook: ArmedHook): HookTrace => ({
  fingerprint: hook.fingerprint,
  label: labelOf(hook.entry),
  fired: false,
  why: 'did not match',
})

const asyncWhys = {
  told: 'matched; nobody waits for it, and its answer is ignored',
  untold: 'was not asked: the step was blocked, or the hook revoked meanwhile',
  crowded: "was not asked: too much waits behind this agent's earlier steps",
} as const
const asyncTrace = (hook: ArmedHook, how: keyof typeof asyncWhys): HookTrace => ({
  ...missedTrace(hook),
  fired: how === 'told',
  why: asyncWhys[how],
})

/** A hook that looks at its working folder saw another one: that is told beside what it answered. */
const noted = (answer: Answer, { cwd }: ArmedHook, { inOwnFolder }: RunResult): Answer =>
  inOwnFolder === true
    ? {
        ...answer,
        notes: [...answer.notes, `Its working folder ${cwd} is closed or gone, so it ran in its own.`],
      }
    : answer

/** One link of a chain, for hooks that cause events of their own: what caused them, by name. */
const link = (payload: Payload): string => `${payload.event}:${payload.event_id}`

/** Runs hooks on events: which match, in what order they are asked, what their answers come to. */
export const createHooks = (ports: HooksPorts): Hooks => {
  const slow = createBacktracking()
  const running = new Map<AbortController, string>()
  const fired = new Map<string, number>()
  const behind = createBehind()
  let standing: ArmedSet | undefined

  /** What follows from the hooks in force, made anew when they change. */
  const current = (): ArmedSet => {
    const armed = ports.armed()
    if (standing?.armed !== armed)
      standing = { armed, live: new Set(armed.map(({ fingerprint }) => fingerprint)), plans: new Map() }
    return standing
  }
  const isLive = (hook: ArmedHook): boolean => current().live.has(hook.fingerprint)

  const planOf = (event: EventName): EventPlan => {
    const { armed, plans } = current()
    const planned = plans.get(event)
    if (planned !== undefined) return planned
    const all = armed.filter(({ entry }) => entry.event === event)
    const hooks = all.filter(({ entry }) => !entry.isAsync)
    const asyncHooks = all.filter(({ entry }) => entry.isAsync)
    const plan = {
      ...planMatches(hooks, slow.test, ports.view),
      all,
      hooks,
      asyncHooks,
      asyncMatch: planMatches(asyncHooks, slow.test, ports.view),
      missed: all.map(missedTrace),
      deadlineMs: Math.max(eventDeadlineMs, ...hooks.map(({ entry }) => entry.timeoutMs)),
    }
    plans.set(event, plan)
    return plan
  }

  const run = async (
    hook: ArmedHook,
    payload: Payload,
    timeoutMs: number,
    chain: readonly string[],
  ): Promise<{ answer: Answer; result?: RunResult }> => {
    const abort = new AbortController()
    running.set(abort, hook.fingerprint)
    try {
      const pause = breathe(payload)
      if (pause !== undefined) await pause
      const moved = await hook.watch?.()
      const damaged = typeof moved === 'string' ? moved : hook.checkSeal()
      if (damaged !== undefined) return { answer: faultAnswer('changed', damaged) }
      const result = await ports.run(hook, payload, {
        timeoutMs,
        chain: [...chain, link(payload)],
        signal: abort.signal,
      })
      const changed = typeof moved === 'function' ? await moved() : undefined
      if (changed !== undefined) return { answer: faultAnswer('changed', changed), result }
      return { answer: noted(ports.decode(hook, payload, result), hook, result), result }
    } catch (error) {
      return { answer: faultAnswer('host', `hookgate itself failed while asking it: ${messageOf(error)}.`) }
    } finally {
      running.delete(abort)
    }
  }

  const ask =
    (chain: readonly string[], waited?: (ms: number) => void) =>
    async (hook: ArmedHook, payload: Payload, remainingMs: number): Promise<Answer> => {
      const askedAtMs = ports.elapsedMs()
      fired.set(hook.fingerprint, ports.now())
      const { answer, result } = await run(
        hook,
        payload,
        Math.max(1, Math.min(hook.entry.timeoutMs, remainingMs)),
        chain,
      )
      if (result !== undefined && result.durationMs > 0)
        waited?.(Math.max(0, ports.elapsedMs() - askedAtMs - result.durationMs))
      return answer
    }

  /**
   * Gives the settled payload to async hooks, whose answers are ignored; only a failure is worth a line in the log. Resolves
   * with those for which there was no room in time.
   */
  const tellAfterwards = async (
    hooks: readonly ArmedHook[],
    payload: Payload,
    chain: readonly string[],
  ): Promise<readonly ArmedHook[]> => {
    const crowded: ArmedHook[] = []
    for (const hook of hooks) {
      const leave = await behind(payload.agent_id, unitsOf(payload, maxUnits))
      if (leave === undefined) crowded.push(hook)
      else {
        void ask(chain)(hook, payload, Infinity).then(({ fault }) => {
          leave()
          if (fault !== undefined && isLive(hook))
            ports.log('warn', 'an async hook failed', { hook: labelOf(hook.entry), kind: fault.kind })
        })
      }
    }
    return crowded
  }

  const judge = async (
    payload: Payload,
    { deadlineMs = Infinity, chain = [] }: JudgeOptions = {},
  ): Promise<Verdict> => {
    const plan = planOf(payload.event)
    const revision = ports.revision()
    const nobody = (): Verdict => ({
      verdict: 'allow',
      isConsent: false,
      payload,
      contexts: [],
      notes: [],
      warnings: [],
      hooks: plan.missed,
      revision,
    })
    if (plan.missed.length === 0) return nobody()
    const pause = breathe(payload)
    if (pause !== undefined) await pause
    const hits = await plan.match(payload)
    const asyncHits = await plan.asyncMatch.match(payload)
    if (hits.size === 0 && asyncHits.size === 0) return nobody()
    const { gate, rewrite } = contractOf(payload.event)
    // In its own system such a hook is started at its turn: here before all that it stands before.
    const first = plan.all.find((hook) => !hook.entry.isAsync && hits.has(plan.hooks.indexOf(hook)))
    const isEarly = (hook: ArmedHook): boolean =>
      hearsRefusals(hook) && (first === undefined || plan.all.indexOf(hook) < plan.all.indexOf(first))
    const early = plan.asyncHooks.filter(
      (hook, index) => asyncHits.has(index) && isEarly(hook) && isLive(hook),
    )
    const crowded = [...(await tellAfterwards(early, payload, chain))]
    // Waiting for a free slot is not hook time, unless the caller itself cannot wait longer.
    let waitedMs = 0
    const hookNow = deadlineMs === Infinity ? (): number => ports.elapsedMs() - waitedMs : ports.elapsedMs
    const inTurn = plan.hooks.some((hook, index) => hits.has(index) && !isSideBySide(hook))
      ? settle
      : sideBySide
    const decide = gate.length > 0 || rewrite.length > 0 ? inTurn : observe
    const verdict = mergeVerdict(
      await decide(plan.hooks, payload, Math.min(deadlineMs, plan.deadlineMs), {
        matches: (current) => (current === payload ? hits : plan.match(current)),
        ask: ask(chain, (ms) => {
          waitedMs += ms
        }),
        isLive,
        elapsedMs: hookNow,
      }),
      revision,
    )
    if (plan.asyncHooks.length === 0) return verdict
    const matched = verdict.payload === payload ? asyncHits : await plan.asyncMatch.match(verdict.payload)
    const isTold = (hook: ArmedHook): boolean =>
      (verdict.verdict !== 'block' || hearsRefusals(hook)) && isLive(hook)
    const late = plan.asyncHooks.filter(
      (hook, index) => matched.has(index) && isTold(hook) && !early.includes(hook),
    )
    crowded.push(...(await tellAfterwards(late, verdict.payload, chain)))
    const traceFor = (hook: ArmedHook, index: number): HookTrace => {
      if (crowded.includes(hook)) return asyncTrace(hook, 'crowded')
      if (early.includes(hook) || late.includes(hook)) return asyncTrace(hook, 'told')
      return matched.has(index) ? asyncTrace(hook, 'untold') : missedTrace(hook)
    }
    const warnings = crowded.map(
      ({ entry }) =>
        `${labelOf(entry)} was not told of a step: too much waits behind this agent's earlier ones. Look for an agent that floods it, or for a hook that hangs.`,
    )
    return {
      ...verdict,
      warnings: [...verdict.warnings, ...warnings],
      hooks: [...verdict.hooks, ...plan.asyncHooks.map(traceFor)],
    }
  }

  return {
    judge,
    ask: async (hook, payload, timeoutMs) => {
      const startedAtMs = ports.elapsedMs()
      return { ...(await run(hook, payload, timeoutMs, [])), durationMs: ports.elapsedMs() - startedAtMs }
    },
    isFor: async (hook, payload) => {
      const { matcher, condition: _condition, ...entry } = hook.entry
      const tool = matcher?.tool === undefined ? {} : { matcher: { tool: matcher.tool } }
      return (
        (await planMatches([{ ...hook, entry: { ...entry, ...tool } }], slow.test, ports.view).match(payload))
          .size > 0
      )
    },
    lastFiredMs: (fingerprint) => fired.get(fingerprint),
    drop: () => {
      const { live } = current()
      for (const [abort, fingerprint] of running) if (!live.has(fingerprint)) abort.abort()
      ports.retire(live)
    },
    stop: async () => {
      for (const abort of running.keys()) abort.abort()
      await slow.stop()
    },
  }
}
