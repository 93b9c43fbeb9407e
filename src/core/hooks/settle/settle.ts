import { abstain, withFault, type Answer, type Fault } from '../../model/hooks/answer.ts'
import { labelOf, type ArmedHook, type Entry } from '../../model/hooks/entry.ts'
import { blocksBeforehand, contractOf } from '../../model/events/event.ts'
import { FAULTS } from '../../model/hooks/fault.ts'
import type { Payload } from '../../model/events/payload.ts'
import type { RecordedHook } from '../../model/hooks/verdict.ts'
import type { HookReply } from './asking.ts'
import { applyRewrite, type Rewritten } from './rewrite.ts'

export const maxQuestions = 3

export interface SettlePorts {
  /** Finds the hooks that match the payload, as their positions in the order. */
  matches(payload: Payload): ReadonlySet<number> | Promise<ReadonlySet<number>>
  /** Asks one hook. Never rejects. */
  ask(hook: ArmedHook, payload: Payload, remainingMs: number): Promise<HookReply>
  /** The rest of the event's time limit, after hooks took so long. */
  remainingMs(spentMs: number): number
  /** False after an owner revoked the hook or switched off. Its answer is then dropped. */
  isLive(hook: ArmedHook): boolean
  /** False where the hook's own system lets no hook refuse: its failure refuses nothing. Absent: never. */
  readonly mayRefuse?: ((entry: Entry) => boolean) | undefined
  /**
   * True for a hook that changes only what nobody decides by, such as the letters of a secret, and leaves a
   * mark for it. Absent: never.
   */
  readonly marksOpenly?: ((entry: Entry) => boolean) | undefined
  elapsedMs(): number
}

/** The state of one hook in the round. Only a hook that matches has one. */
export interface HookRun {
  readonly hook: ArmedHook
  readonly mayRefuse: boolean
  readonly marksOpenly: boolean
  questions: number
  /**
   * Its newest answer. Answers about older payloads no longer count, except their contexts, notes and faults.
   */
  answer: Answer | undefined
  contexts: readonly string[]
  notes: readonly string[]
  faults: readonly Fault[]
  why: string
  /** When it was asked first, by the gate's clock for intervals. */
  askedAtMs: number | undefined
  durationMs: number
  /** True when it changed the payload, even if that answer no longer counts. */
  hasRewritten: boolean
}

export interface Settlement {
  readonly payload: Payload
  /** The hooks that matched, in their order. */
  readonly runs: readonly HookRun[]
  readonly warnings: readonly string[]
  /** The hooks that did not agree within the allowed questions or the time limit. */
  readonly unsettled: readonly string[]
  /** The hook that ended the round with a block or with a fault that fails closed. */
  readonly blocker?: HookRun
  /**
   * By place in the order, the payload when the first round came to that place. The last one is for a place
   * after all hooks. Places that the round did not reach are missing. Absent: every hook got the payload as
   * it came.
   */
  readonly arrivals?: readonly Payload[]
}

const begin = (hook: ArmedHook, { mayRefuse, marksOpenly }: SettlePorts): HookRun => ({
  hook,
  mayRefuse: mayRefuse?.(hook.entry) !== false,
  marksOpenly: marksOpenly?.(hook.entry) === true,
  questions: 0,
  answer: undefined,
  contexts: [],
  notes: [],
  faults: [],
  why: 'was not reached',
  askedAtMs: undefined,
  durationMs: 0,
  hasRewritten: false,
})

/** True for a hook that matches and for which the verdict waits. */
const isAsked = ({ entry }: ArmedHook, place: number, hits: ReadonlySet<number>): boolean =>
  hits.has(place) && !entry.isAsync

const withdraw = (run: HookRun): void => {
  run.why =
    run.questions === 0
      ? 'was revoked or switched off meanwhile'
      : 'was revoked or switched off while it ran; its answer was dropped'
  run.answer = undefined
  run.contexts = []
  run.notes = []
  run.faults = []
}

/**
 * True when the guarded agent could have caused the fault of a hook that may refuse. The entry's `on_error`
 * was not meant for such a fault.
 */
const isAgents = ({ answer, mayRefuse, hook: { entry, failsOpen } }: HookRun): boolean =>
  mayRefuse &&
  answer?.fault !== undefined &&
  answer.kind === 'fault' &&
  failsOpen !== true &&
  FAULTS[answer.fault.kind].by === 'agent' &&
  blocksBeforehand(entry.event)

/**
 * True when a hook's fault must prevent the step, where the event allows that. A hook that differs from what
 * was approved is the gate's own doubt: it always fails closed, whatever the entry or its owner says.
 */
export const failsClosed = (run: HookRun): boolean => {
  const fault = run.answer?.fault
  if (fault === undefined) return false
  return fault.kind === 'changed' || run.hook.entry.onError === 'block' || isAgents(run)
}

/** Why a fault fails closed although the entry does not ask for that; undefined otherwise. */
export const closedBy = (run: HookRun): string | undefined =>
  run.hook.entry.onError !== 'block' && run.answer?.fault?.kind !== 'changed' && isAgents(run)
    ? 'the agent can bring this about'
    : undefined

const blocks = (run: HookRun): boolean => run.answer?.kind === 'block' || failsClosed(run)

/** Asks one hook about the current payload and stores its answer. */
const question = async (
  run: HookRun,
  payload: Payload,
  remainingMs: number,
  ports: SettlePorts,
): Promise<Rewritten> => {
  run.questions += 1
  run.why = 'matched'
  run.askedAtMs ??= ports.elapsedMs()
  const { questions } = run
  const asked = questions === 1 ? payload : { ...payload, attempt: questions }
  const { answer: said, durationMs } = await ports.ask(run.hook, asked, remainingMs)
  run.durationMs += durationMs
  const unchanged: Rewritten = { payload, isChanged: false, warnings: [] }
  if (!ports.isLive(run.hook)) {
    withdraw(run)
    return unchanged
  }
  const { rewrite } = said
  const rewritten =
    rewrite === undefined || said.kind === 'block' ? unchanged : applyRewrite(payload, rewrite)
  const answer =
    rewritten.fault === undefined ? said : withFault(said, { kind: 'rewrite', detail: rewritten.fault })
  run.hasRewritten ||= rewritten.isChanged
  run.answer = rewrite === undefined || rewritten.isChanged ? answer : { ...answer, rewrite: undefined }
  if (said.context !== undefined) run.contexts = [...new Set([...run.contexts, said.context])]
  if (said.notes.length > 0) run.notes = [...new Set([...run.notes, ...said.notes])]
  if (answer.fault !== undefined) run.faults = [...run.faults, answer.fault]
  return {
    ...rewritten,
    warnings: rewritten.warnings.map((warning) => `${labelOf(run.hook.entry)}: ${warning}`),
  }
}

/**
 * Asks the hooks one after another about the current payload, in rounds. It stops when every hook either does
 * not match or has answered the final payload without a change. The author of a rewrite consents to the
 * payload that it wrote. The result is a fixed point, or it is unsettled.
 */
export const settle = async (
  hooks: readonly ArmedHook[],
  first: Payload,
  ports: SettlePorts,
): Promise<Settlement> => {
  const canBlock = contractOf(first.event).gate.includes('block')
  /** By place. A hook gets its turn when it first matches. */
  const turns: HookRun[] = []
  const warnings: string[] = []
  let payload = first
  const arrivals: Payload[] = []
  let hits = await ports.matches(payload)

  const done = (rest: Partial<Settlement> = {}): Settlement => {
    for (const [place, hook] of hooks.entries())
      if (isAsked(hook, place, hits)) turns[place] ??= begin(hook, ports)
    const runs = turns.filter(({ questions }, place) => questions > 0 || hits.has(place))
    for (const run of runs) if (!ports.isLive(run.hook)) withdraw(run)
    return { payload, runs, warnings, unsettled: [], arrivals, ...rest }
  }
  /**
   * The labels of the hooks in conflict: each hook whose newest answer is a rewrite, and the last one when
   * time ran out.
   */
  const disputed = (last: HookRun, isLate: boolean): readonly string[] => {
    const sides = turns.filter((run) => run.answer?.rewrite !== undefined || (isLate && run === last))
    return (sides.length === 0 ? [last] : sides).map(({ hook }) => labelOf(hook.entry))
  }

  // `agreed` counts the hooks in a row that accept the current payload.
  for (let index = 0, agreed = 0; agreed < hooks.length; index = (index + 1) % hooks.length) {
    const hook = hooks[index]
    if (hook === undefined) break
    if (arrivals.length <= hooks.length) arrivals.push(payload)
    agreed += 1
    if (!isAsked(hook, index, hits)) {
      const before = turns[index]
      if (before?.answer !== undefined) before.answer = abstain
      continue
    }
    const run = (turns[index] ??= begin(hook, ports))
    if (!ports.isLive(hook)) continue
    const remainingMs = ports.remainingMs(turns.reduce((sum, { durationMs }) => sum + durationMs, 0))
    if (remainingMs <= 0 && !run.mayRefuse) continue
    if (run.questions >= maxQuestions || remainingMs <= 0)
      return done({ unsettled: disputed(run, remainingMs <= 0) })

    const heard = await question(run, payload, remainingMs, ports)
    warnings.push(...heard.warnings)
    // The event's time limit cut the hook off before its own timeout. That is not the hook's fault, so its
    // on_error does not apply.
    const isCutOff =
      run.mayRefuse && run.answer?.fault?.kind === 'timeout' && remainingMs < hook.entry.timeoutMs
    if (isCutOff) return done({ unsettled: disputed(run, true) })
    if (canBlock && blocks(run)) return done({ blocker: run })
    if (!heard.isChanged) continue
    payload = heard.payload
    agreed = 1
    hits = await ports.matches(payload)
  }
  if (arrivals.length <= hooks.length) arrivals.push(payload)
  return done()
}

/**
 * Asks every matching hook at the same time about the original payload, as at an event that has neither gate
 * nor rewrite, or where the hooks' own system runs them side by side. Any block blocks, and of several
 * rewrites the first in order counts.
 */
export const observe = async (
  hooks: readonly ArmedHook[],
  payload: Payload,
  ports: SettlePorts,
): Promise<Settlement> => {
  const hits = await ports.matches(payload)
  const runs = hooks.flatMap((hook, place) => (isAsked(hook, place, hits) ? [begin(hook, ports)] : []))
  const remainingMs = ports.remainingMs(0)
  const heard = await Promise.all(runs.map((run) => question(run, payload, remainingMs, ports)))
  for (const run of runs) if (!ports.isLive(run.hook)) withdraw(run)
  const asked = { payload, runs, warnings: heard.flatMap(({ warnings }) => warnings), unsettled: [] }
  const { gate, rewrite: fields } = contractOf(payload.event)
  if (gate.length === 0 && fields.length === 0) return asked
  const isLate = ({ hook, answer }: HookRun): boolean =>
    answer?.fault?.kind === 'timeout' && remainingMs < hook.entry.timeoutMs
  const unsettled = runs.filter(isLate).map(({ hook }) => labelOf(hook.entry))
  const blocker = runs.find(blocks)
  if (blocker !== undefined || unsettled.length > 0) return { ...asked, unsettled, blocker }
  const rewrite = runs.find(({ answer }) => answer?.rewrite !== undefined)?.answer?.rewrite
  return rewrite === undefined ? asked : { ...asked, payload: applyRewrite(payload, rewrite).payload }
}

/** The trace of one hook for the record. */
export const traceOf = ({
  hook,
  marksOpenly,
  questions,
  answer,
  why,
  askedAtMs,
  durationMs,
  notes,
  hasRewritten,
}: HookRun): RecordedHook => ({
  fingerprint: hook.fingerprint,
  label: labelOf(hook.entry),
  fired: questions > 0,
  why: questions > 1 ? `${why}, asked ${questions} times` : why,
  answer: answer && { ...answer, notes },
  askedAtMs,
  durationMs: askedAtMs === undefined ? undefined : durationMs,
  rewrote: hasRewritten ? (marksOpenly ? 'openly' : 'silently') : undefined,
})
