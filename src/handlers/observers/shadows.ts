import { unitsOf } from '../../core/model/base/yield-if-large.ts'
import { contractOf } from '../../core/model/events/event.ts'
import type { Payload } from '../../core/model/events/payload.ts'
import type { EventRecord } from '../../core/model/events/record.ts'
import { storedTrace, toolOf } from '../../core/model/events/stored.ts'
import { labelOf, type ArmedHook } from '../../core/model/hooks/entry.ts'
import type { ShadowCounts } from '../../shared/hooks/shadow.ts'
import type { RecordedHook } from '../../core/model/hooks/verdict.ts'
import { maxUnits } from './async-run-limit.ts'
import type { PlacedShadow } from '../../core/hooks/settle/event-plan.ts'
import type { ObserverAsking, Observers, ShadowOccasion } from '../../core/hooks/settle/observers.ts'
import { observe, traceOf, type HookRun } from '../../core/hooks/settle/settle.ts'
import { createShadowQueue } from './shadow-queue.ts'

export interface ShadowPorts extends Pick<ObserverAsking, 'ask' | 'isShadow'> {
  elapsedMs(): number
  now(): number
  /** Keeps what shadows answered. */
  record(record: EventRecord): void
}

/**
 * Asks shadows about an event after its verdict. A shadow gets the payload that the first round had when it
 * came to the shadow's place. So it does not see what earlier hooks removed, and it does not get what was
 * blocked before its place. A deciding hook in that place would be asked the same first, and once more after
 * a later rewrite. Nobody waits for a shadow, and its answer goes to the record and nowhere else.
 */
export interface Shadows extends Pick<Observers, 'after' | 'stop'> {
  /** What a shadow would have done since the start. Undefined when it got no event yet. */
  counts(fingerprint: string): ShadowCounts | undefined
}

const none: ShadowCounts = { asked: 0, blocked: 0, rewritten: 0, questions: 0, failed: 0, missed: 0 }

type Would = 'block' | 'ask' | 'rewrite' | 'fail' | 'allow' | 'nothing'

/** What each outcome is called in the record, the strongest first. */
const outcomes: Readonly<Record<Would, string>> = {
  block: 'would block',
  ask: 'would ask',
  rewrite: 'would rewrite',
  fail: 'failed',
  allow: 'would allow',
  nothing: 'would change nothing',
}

const isWould = (word: string): word is Would => Object.hasOwn(outcomes, word)
const strengths = Object.keys(outcomes).filter(isWould)

/** All that a hook would have done to the event, as far as the event allows it. */
export const wouldOf = ({ hook, answer, hasRewritten }: HookRun): readonly Would[] => {
  if (answer === undefined) return []
  const { gate } = contractOf(hook.entry.event)
  const { kind } = answer
  return [
    ...((kind === 'block' || kind === 'ask' || kind === 'allow') && gate.includes(kind) ? [kind] : []),
    ...(hasRewritten ? ['rewrite' as const] : []),
    ...(answer.fault === undefined ? [] : ['fail' as const]),
  ]
}

/** What came of one shadow at one event. */
interface ShadowAnswer {
  readonly trace: RecordedHook
  readonly would: readonly Would[]
}

const unasked = ({ fingerprint, entry }: ArmedHook, why: string): ShadowAnswer => ({
  trace: { fingerprint, label: labelOf(entry), fired: false, why, isShadow: true },
  would: [],
})

export const createShadows = ({ ask, isShadow, elapsedMs, now, record }: ShadowPorts): Shadows => {
  const queue = createShadowQueue()
  const counted = new Map<string, ShadowCounts>()

  const count = ({ fingerprint }: ArmedHook, would: readonly Would[] | 'missed'): void => {
    const before = counted.get(fingerprint) ?? none
    if (would === 'missed') {
      counted.set(fingerprint, { ...before, missed: before.missed + 1 })
      return
    }
    const plus = (word: Would): number => (would.includes(word) ? 1 : 0)
    counted.set(fingerprint, {
      ...before,
      asked: before.asked + 1,
      blocked: before.blocked + plus('block'),
      rewritten: before.rewritten + plus('rewrite'),
      questions: before.questions + plus('ask'),
      failed: before.failed + plus('fail'),
    })
  }

  /** Resolves with undefined when the shadow does not match, or is none any more. */
  const askOne = async (
    { hook, match }: PlacedShadow,
    payload: Payload | undefined,
    chain: readonly string[],
  ): Promise<ShadowAnswer | undefined> => {
    if (!isShadow(hook)) return undefined
    if (payload === undefined) return unasked(hook, 'was not reached: the verdict came before its place')
    if ((await match(payload)).size === 0) return undefined
    const { runs } = await observe([hook], payload, {
      matches: () => new Set([0]),
      ask: (one, current, remainingMs) => ask(one, current, remainingMs, chain),
      remainingMs: () => Infinity,
      isLive: isShadow,
      elapsedMs,
    })
    const [turn] = runs
    if (turn === undefined) return undefined
    const would = wouldOf(turn)
    if (turn.answer !== undefined) count(hook, would)
    return { trace: { ...traceOf(turn), isShadow: true }, would }
  }

  const keep = ({ payload, plan, revision }: ShadowOccasion, asked: readonly ShadowAnswer[]): void => {
    if (asked.length === 0) return
    const strongest = strengths.find((word) => asked.some(({ would }) => would.includes(word)))
    const decided = asked.find(({ would }) => strongest !== undefined && would.includes(strongest))
    const { reason, fault } = decided?.trace.answer ?? {}
    const why = reason ?? fault?.detail
    const wasAsked = asked.some(({ trace }) => trace.answer !== undefined)
    record({
      event_id: payload.event_id,
      atMs: now(),
      kind: 'shadow',
      subject: payload.event,
      outcome: wasAsked ? outcomes[strongest ?? 'nothing'] : 'not asked',
      agent_id: payload.agent_id,
      session_id: payload.session_id,
      ...toolOf(payload),
      reason: decided && why && `${decided.trace.label}: ${why}`,
      hooks: asked.map(({ trace }) => storedTrace(trace)),
      missed: plan.shadows.length - asked.length,
      revision,
    })
  }

  return {
    after: (occasion) => {
      const { plan, payload, arrivals, chain } = occasion
      const payloadFor = ({ place }: PlacedShadow): Payload | undefined =>
        arrivals === undefined ? payload : arrivals[place]
      const kept = new Set([payload, ...plan.shadows.flatMap((shadow) => payloadFor(shadow) ?? [])])
      const units = [...kept].reduce((sum, one) => sum + unitsOf(one, maxUnits), 0)
      const hasRoom = queue.add(payload.agent_id, units, async () => {
        const asked: ShadowAnswer[] = []
        for (const shadow of plan.shadows) {
          const one = await askOne(shadow, payloadFor(shadow), chain)
          if (one !== undefined) asked.push(one)
        }
        keep(occasion, asked)
      })
      if (hasRoom) return
      for (const { hook } of plan.shadows) count(hook, 'missed')
      keep(
        occasion,
        plan.shadows.map(({ hook }) => unasked(hook, 'was not asked: too many events wait for shadows')),
      )
    },
    counts: (fingerprint) => counted.get(fingerprint),
    stop: queue.stop,
  }
}
