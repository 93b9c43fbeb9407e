import type { Payload } from '../../core/model/events/payload.ts'
import type { ArmedHook } from '../../core/model/hooks/entry.ts'
import type { PastAnswer, HypotheticalEffect } from '../../shared/hooks/evidence.ts'
import { planMatches, type MatchPorts } from '../../core/hooks/match/matcher.ts'
import type { HookReply } from '../../core/hooks/settle/asking.ts'
import { observe } from '../../core/hooks/settle/settle.ts'
import { failureBrief } from '../../shared/hooks/failure-brief.ts'
import { conditionOf } from '../condition/condition.ts'
import { wouldOf } from '../observers/shadows.ts'

export interface PastPorts extends Omit<MatchPorts, 'conditionOf'> {
  /** Asks the hook once. Never rejects. */
  ask(hook: ArmedHook, payload: Payload, remainingMs: number): Promise<HookReply>
  elapsedMs(): number
}

/**
 * Asks one hook about an event of the past, as it would be asked about a new one: it has to match, and it
 * gets the event in the form of its own system. Resolves with undefined when it does not match. Never
 * rejects.
 */
export type PastHook = (payload: Payload, remainingMs: number) => Promise<PastAnswer | undefined>

const maxWhy = 300

const words: Readonly<Record<ReturnType<typeof wouldOf>[number], HypotheticalEffect>> = {
  block: 'block',
  ask: 'ask',
  rewrite: 'rewrite',
  fail: 'fail',
  allow: 'pass',
  nothing: 'pass',
}

export const createPastHook = (hook: ArmedHook, ports: PastPorts): PastHook => {
  const { match } = planMatches([hook], { ...ports, conditionOf })
  return async (payload, remainingMs) => {
    if ((await match(payload)).size === 0) return undefined
    // No transcript of the past is kept.
    const shaped = hook.entry.dialect === undefined ? payload : { ...payload, transcript_path: '' }
    const settled = await observe([hook], shaped, {
      matches: () => new Set([0]),
      ask: ports.ask,
      remainingMs: () => remainingMs,
      isLive: () => true,
      elapsedMs: ports.elapsedMs,
    })
    const [turn] = settled.runs
    const answer = turn?.answer
    if (turn === undefined || answer === undefined) return undefined
    const found = wouldOf(turn).map((word) => words[word])
    // A failure that fails closed is told as a failure, since that is what is to be mended.
    const would = found.find((word) => word !== 'pass') ?? 'pass'
    const why = answer.reason ?? (answer.fault && failureBrief(answer.fault.detail))
    return {
      would,
      durationMs: turn.durationMs,
      effect: JSON.stringify([would, would === 'rewrite' ? answer.rewrite : null]),
      why: why?.slice(0, maxWhy).toWellFormed(),
    }
  }
}
