import { yieldIfLarge } from '../model/base/yield-if-large.ts'
import { isoTime } from '../model/base/clock.ts'
import { contractOf, type EventName } from '../model/events/event.ts'
import { frozenCopy } from '../model/base/json.ts'
import type { KeepEvent } from '../model/events/kept.ts'
import { payloadOf, type Payload } from '../model/events/payload.ts'
import { messageOf } from '../model/gate/problem.ts'
import type { Address } from '../model/chat/push.ts'
import type { EventRecord } from '../model/events/record.ts'
import { storedTrace, toolOf } from '../model/events/stored.ts'
import type { Fired, JudgeOptions, Step } from '../model/events/step.ts'
import type { RecordedHook, Verdict } from '../model/hooks/verdict.ts'

/**
 * The longest chain of events: a hook may cause one event, and that event's hooks another. A third would be a
 * loop.
 */
export const maxChain = 2

/**
 * `isNotice`: the text is quoted in a notice. It is judged without notes, since a note on a notice would be
 * another notice. `except`: the fingerprint of a hook that is not asked.
 */
export type FireRequest = Step & { readonly isNotice?: boolean; readonly except?: string }

/**
 * `isTold`: a notice with the reason is on its way to the owners. `isInChat`: one of them is in the chat of
 * the step, so the agent does not have to repeat the reason there.
 */
export interface BlockTold {
  readonly isTold: boolean
  readonly isInChat: boolean
}

export interface FirePorts {
  judge(payload: Payload, options: JudgeOptions): Promise<Verdict>
  gate(): { readonly revision: number; readonly lockdown?: string }
  /**
   * The approved hooks of an event that do not fire, each with the reason: the switch is off, or the gate is
   * in lockdown.
   */
  inert(event: EventName): readonly RecordedHook[]
  /** The number of shadows that get this event after its verdict. */
  shadows(event: EventName): number
  record(record: EventRecord): void
  /** The history. Absent: none is kept. */
  readonly keep?: KeepEvent
  /** Tells of an event that was judged. `payload`: as it came. */
  judged(payload: Payload, verdict: Verdict, durationMs: number): void
  /** Shows the hooks' notes to the people of a chat, or to the owners. */
  tellNotes(address: Address | undefined, event: EventName, notes: readonly string[]): void
  /** `told`: the warnings that another notice already told. */
  tellWarnings(warnings: readonly string[], told: readonly string[]): void
  /** Tells the owners of a block. */
  tellBlock(request: FireRequest, verdict: Verdict): BlockTold
  newId(): string
  elapsedMs(): number
  now(): number
}

/** True for a hook that was asked and said nothing. The history has all that is known of it. */
const isPlain = ({ answer, rewrote, why }: RecordedHook): boolean =>
  why === 'matched' &&
  rewrote === undefined &&
  answer?.kind === 'abstain' &&
  answer.reason === undefined &&
  answer.notes.length === 0 &&
  answer.context === undefined &&
  answer.stopsTurn === undefined

/** True for a warning that only repeats the reason of the block. */
const isReason =
  ({ by, reason = '' }: Verdict) =>
  (warning: string): boolean =>
    warning.startsWith(`${by} failed (`) || (reason !== '' && warning.startsWith(reason))

/** The gate's own verdict. It blocks an event that can be blocked, and any other event goes on. */
const ownVerdict = (
  payload: Payload,
  reason: string,
  more: Pick<Verdict, 'hooks' | 'warnings' | 'revision'>,
): Verdict => {
  const canBlock = contractOf(payload.event).gate.includes('block')
  return {
    verdict: canBlock ? 'block' : 'allow',
    reason: canBlock ? reason : undefined,
    by: canBlock ? 'hookgate' : undefined,
    isConsent: false,
    payload,
    contexts: [],
    notes: [],
    ...more,
  }
}

/** Asks the hooks about an event and records the verdict. Never rejects. */
export const createFire = (ports: FirePorts) => {
  /** An event that was allowed in silence leaves no record where the history keeps it. */
  const recordVerdict = (
    request: FireRequest,
    payload: Payload,
    verdict: Verdict,
    { atMs, durationMs }: { readonly atMs: number; readonly durationMs: number },
  ): void => {
    const { missed = 0 } = verdict
    const hooks = verdict.hooks.length + missed === 0 ? ports.inert(request.event) : verdict.hooks
    const shadows = ports.shadows(request.event)
    const isSilent = (hook: RecordedHook): boolean => isPlain(hook) && verdict.warnings.length === 0
    const silent = verdict.verdict === 'allow' && hooks.every(isSilent) ? { missed, shadows } : undefined
    const isKept = request.isNotice !== true && ports.keep?.(payload, verdict, durationMs, silent) === true
    if (silent !== undefined && (isKept || hooks.length + missed + shadows === 0)) return
    ports.record({
      event_id: verdict.payload.event_id,
      atMs,
      kind: request.isNotice === true ? 'notice' : 'event',
      subject: request.event,
      outcome: verdict.verdict,
      agent_id: request.agentId,
      session_id: request.sessionId,
      ...request.address,
      ...toolOf(verdict.payload),
      reason: verdict.reason === undefined ? undefined : `${verdict.by ?? 'hookgate'}: ${verdict.reason}`,
      hooks: hooks.map(storedTrace),
      missed,
      shadows: shadows === 0 ? undefined : shadows,
      revision: verdict.revision,
      durationMs,
    })
  }

  const refuseLoop = (request: FireRequest, chain: readonly string[]): Fired => {
    const why = `${[...chain.map((link) => link.split(':')[0]), request.event].join(' → ')}: a hook of each event caused the next one, and the chain is too long`
    ports.record({
      event_id: ports.newId(),
      atMs: ports.now(),
      kind: 'refusal',
      subject: request.event,
      outcome: 'refused',
      reason: `loop: ${why}`,
      agent_id: request.agentId,
      session_id: request.sessionId,
      ...request.address,
    })
    return { kind: 'loop', why }
  }

  return async (request: FireRequest): Promise<Fired> => {
    const chain = request.chain ?? []
    if (chain.length > maxChain) return refuseLoop(request, chain)
    const start = { atMs: ports.now(), sinceMs: ports.elapsedMs() }
    const base = {
      event_id: ports.newId(),
      timestamp: isoTime(start.atMs),
      session_id: request.sessionId,
      agent_id: request.agentId,
      cwd: request.cwd,
    }
    const pause = yieldIfLarge(request.fields)
    if (pause !== undefined) await pause
    const payload = frozenCopy(payloadOf(request.event, base, request.fields))
    const lockdownVerdict = (): Verdict | undefined => {
      const { lockdown, revision } = ports.gate()
      if (lockdown === undefined) return undefined
      const hooks = ports.inert(payload.event)
      return ownVerdict(payload, `hookgate is in lockdown: ${lockdown}`, { hooks, warnings: [], revision })
    }
    const { revision } = ports.gate()
    const { deadlineMs, except } = request
    let judged = lockdownVerdict()
    try {
      judged ??= await ports.judge(payload, { chain, deadlineMs, except })
    } catch (error) {
      const why = `hookgate itself failed while judging (${messageOf(error)})`
      const warnings = [`${why} at ${payload.event}; see its log.`]
      judged = ownVerdict(payload, why, { hooks: [], warnings, revision })
    }
    // If a lockdown began meanwhile, such as after a tampered seal, the answers were dropped, and what is
    // left is not consent.
    const verdict = lockdownVerdict() ?? judged
    const durationMs = ports.elapsedMs() - start.sinceMs
    recordVerdict(request, payload, verdict, { atMs: start.atMs, durationMs })
    if (request.isNotice === true) return { kind: 'verdict', verdict }
    ports.judged(payload, verdict, durationMs)
    const { isTold, isInChat } = ports.tellBlock(request, verdict)
    if (verdict.notes.length > 0) ports.tellNotes(request.address, request.event, verdict.notes)
    if (verdict.warnings.length > 0) {
      const told = isTold ? verdict.warnings.filter(isReason(verdict)) : []
      const warnings = verdict.warnings.filter((warning) => !told.includes(warning))
      ports.tellWarnings(warnings, told)
    }
    return { kind: 'verdict', verdict: isInChat ? { ...verdict, isTold: true } : verdict }
  }
}

export type Fire = ReturnType<typeof createFire>
