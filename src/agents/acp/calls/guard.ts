import { randomUUID } from 'node:crypto'
import { isObject, type JsonObject } from '../../../core/model/base/json.ts'
import type { Reporter } from '../../reporter.ts'
import { type ReportedCall, keyOf } from './calls.ts'

export interface AllowedCall {
  readonly kind: 'allow'
  readonly name: string
  /** The input after all rewrites. */
  readonly input: JsonObject
  readonly id: string
  readonly context: string
  readonly isRewritten: boolean
}

export interface BlockedCall {
  readonly kind: 'block'
  readonly reason: string
  /** A text for the agent alone. Empty when hooks gave none. */
  readonly context: string
  /** hookgate told the person of it already, with its reason. */
  readonly isTold: boolean
}

/**
 * The verdicts of one turn. A permission holds for one call with exactly this input, so that one call is
 * asked about once. A call that a person refused stays refused until the turn ends.
 */
export interface Guard {
  /**
   * Says whether a call that hookgate carries out may run. It uses a permission that was given, or asks now.
   * Rejects on abort.
   */
  judge(call: ReportedCall): Promise<AllowedCall | BlockedCall>
  /**
   * Answers a request for permission: first the hooks of `pre_tool_call`, then those of
   * `on_permission_request`, then the person. Rejects on abort.
   */
  permit(call: ReportedCall, canRewrite: boolean): Promise<AllowedCall | BlockedCall>
  /**
   * Reports to hooks a call that already runs without permission. Returns their objection if there is one.
   */
  witness(call: ReportedCall): Promise<Pick<BlockedCall, 'reason' | 'isTold'> | undefined>
  /** True when hooks have judged such a call in this turn. */
  knows(call: ReportedCall): boolean
  /**
   * True when the last request for such a call was refused, or was allowed only with changes and was not run
   * by hookgate.
   */
  isAgainst(call: ReportedCall): boolean
  /** Marks such a call as run by hookgate, which reports its result to hooks. */
  markRun(call: ReportedCall): void
  hasRun(call: ReportedCall): boolean
}

const blocked = (reason: string, isTold = false, context = ''): BlockedCall => ({
  kind: 'block',
  reason: reason === '' ? 'not allowed' : reason,
  context,
  isTold,
})

export const createGuard = (reporter: Reporter, signal: AbortSignal): Guard => {
  const given = new Map<string, AllowedCall[]>()
  /** Refusals of the person. */
  const refused = new Map<string, BlockedCall>()
  /** Requests that a hook or a person refused. */
  const denied = new Set<string>()
  const known = new Set<string>()
  const run = new Set<string>()

  /** Asks hooks about a call. With `leavesOpen` a person is not asked here when a hook wants that. */
  const ask = async (
    call: ReportedCall,
    leavesOpen: boolean,
  ): Promise<(AllowedCall & { readonly isOpen: boolean }) | BlockedCall> => {
    const key = keyOf(call)
    known.add(key)
    const before = refused.get(key)
    const id = randomUUID()
    const base = { tool_name: call.name, tool_use_id: id }
    const ruling = await reporter.fire('pre_tool_call', { ...base, tool_input: call.input }, signal, {
      leavesOpen: leavesOpen || before !== undefined,
    })
    if (before !== undefined) return before
    if (ruling.verdict === 'block' || (ruling.verdict === 'ask' && !leavesOpen))
      return blocked(ruling.reason, ruling.isTold, ruling.context)
    const settled = ruling.payload['tool_input']
    const input = isObject(settled) ? settled : call.input
    return {
      kind: 'allow',
      isOpen: ruling.verdict === 'ask',
      name: call.name,
      input,
      id,
      context: ruling.context,
      isRewritten: keyOf({ name: call.name, input }) !== key,
    }
  }

  const judge: Guard['judge'] = async (call) => given.get(keyOf(call))?.shift() ?? ask(call, false)

  const answer: Guard['permit'] = async (call, canRewrite) => {
    const verdict = await ask(call, true)
    if (verdict.kind === 'block') return verdict
    if (verdict.isRewritten && !canRewrite)
      return blocked(
        `a hook changed the call, and this agent cannot run the changed call by itself. Make this call instead: ${JSON.stringify(verdict.input)}`,
      )
    const asked = await reporter.fire(
      'on_permission_request',
      { tool_name: call.name, tool_input: verdict.input, tool_use_id: verdict.id, suggestions: [] },
      signal,
    )
    const key = keyOf(call)
    if (asked.verdict !== 'allow') {
      const refusal = blocked(asked.reason, asked.isTold)
      refused.set(key, refusal)
      return refusal
    }
    given.set(key, [...(given.get(key) ?? []), verdict])
    return verdict
  }

  const permit: Guard['permit'] = async (call, canRewrite) => {
    const verdict = await answer(call, canRewrite)
    if (verdict.kind === 'block') denied.add(keyOf(call))
    else denied.delete(keyOf(call))
    return verdict
  }

  const witness: Guard['witness'] = async (call) => {
    const verdict = await ask(call, true)
    if (verdict.kind === 'block') return verdict
    return verdict.isOpen ? { reason: 'a person has to approve it first', isTold: false } : undefined
  }

  return {
    judge,
    permit,
    witness,
    knows: (call) => known.has(keyOf(call)),
    isAgainst: (call) =>
      denied.has(keyOf(call)) || (given.get(keyOf(call)) ?? []).some(({ isRewritten }) => isRewritten),
    markRun: (call) => void run.add(keyOf(call)),
    hasRun: (call) => run.has(keyOf(call)),
  }
}
