import { randomUUID } from 'node:crypto'
import { isObject, type JsonObject } from '../../../model/base/json.ts'
import type { Reporter } from '../../reporter.ts'
import { type ReportedCall, keyOf } from './calls.ts'

export interface Leave {
  readonly kind: 'allow'
  readonly name: string
  /** As hooks settled it. */
  readonly input: JsonObject
  readonly id: string
  readonly context: string
  readonly isRewritten: boolean
}

export interface BlockedUpdate {
  readonly kind: 'block'
  readonly reason: string
  /** For the agent alone; empty where a hook said nothing more. */
  readonly context: string
}

/**
 * The verdicts of one turn. A permission that was given is good for one such call, to the letter, so that one thing is
 * asked once; what a person refused stays refused to the end of the turn.
 */
export interface Guard {
  /** Whether a call of ours may run: by the permission that it has, or by asking now. Rejects on abort. */
  judge(call: ReportedCall): Promise<Leave | BlockedUpdate>
  /** Answers a request for permission: hooks first, then those of the request, then the person. Rejects on abort. */
  permit(call: ReportedCall, canRewrite: boolean): Promise<Leave | BlockedUpdate>
  /** Tells hooks of a call that runs already, unasked. Returns why it must not, where they object. */
  witness(call: ReportedCall): Promise<string | undefined>
  /** True when hooks have seen such a call in this turn. */
  knows(call: ReportedCall): boolean
  /** True when a request for such a call was refused last, or granted only as hooks changed it and that was not run here. */
  isAgainst(call: ReportedCall): boolean
  /** Such a call was run here, and its result told to hooks. */
  ran(call: ReportedCall): void
  hasRun(call: ReportedCall): boolean
}

const blocked = (reason: string, context = ''): BlockedUpdate => ({
  kind: 'block',
  reason: reason === '' ? 'not allowed' : reason,
  context,
})

export const createGuard = (reporter: Reporter, signal: AbortSignal): Guard => {
  const given = new Map<string, Leave[]>()
  /** By the person. */
  const refused = new Map<string, BlockedUpdate>()
  /** Requests that had a no, whoever said it. */
  const denied = new Set<string>()
  const known = new Set<string>()
  const run = new Set<string>()

  /** `leavesOpen`: where a hook wants a person's word, nobody is asked here. */
  const ask = async (
    call: ReportedCall,
    leavesOpen: boolean,
  ): Promise<(Leave & { readonly isOpen: boolean }) | BlockedUpdate> => {
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
      return blocked(ruling.reason, ruling.context)
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
    const leave = await ask(call, true)
    if (leave.kind === 'block') return leave
    if (leave.isRewritten && !canRewrite)
      return blocked(
        `a hook changed it, and this agent can only run it as it was. Do this instead: ${JSON.stringify(leave.input)}`,
      )
    const asked = await reporter.fire(
      'on_permission_request',
      { tool_name: call.name, tool_input: leave.input, tool_use_id: leave.id, suggestions: [] },
      signal,
    )
    const key = keyOf(call)
    if (asked.verdict !== 'allow') {
      const refusal = blocked(asked.reason)
      refused.set(key, refusal)
      return refusal
    }
    given.set(key, [...(given.get(key) ?? []), leave])
    return leave
  }

  const permit: Guard['permit'] = async (call, canRewrite) => {
    const said = await answer(call, canRewrite)
    if (said.kind === 'block') denied.add(keyOf(call))
    else denied.delete(keyOf(call))
    return said
  }

  const witness: Guard['witness'] = async (call) => {
    const leave = await ask(call, true)
    if (leave.kind === 'block') return leave.reason
    return leave.isOpen ? 'a person has to say first' : undefined
  }

  return {
    judge,
    permit,
    witness,
    knows: (call) => known.has(keyOf(call)),
    isAgainst: (call) =>
      denied.has(keyOf(call)) || (given.get(keyOf(call)) ?? []).some(({ isRewritten }) => isRewritten),
    ran: (call) => void run.add(keyOf(call)),
    hasRun: (call) => run.has(keyOf(call)),
  }
}
