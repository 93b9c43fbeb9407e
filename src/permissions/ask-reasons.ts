import type { Step } from '../core/model/events/step.ts'
import type { Verdict } from '../core/model/hooks/verdict.ts'
import { toolOf } from './call.ts'

/** Why a person has to be asked. */
export interface AskReason {
  /** The hook that asks. */
  readonly by?: string
  /** Empty: the agent itself asks, and says no more. */
  readonly why: string
  /** A grant may answer. */
  readonly canBeGranted?: true
}

/** Why a person has to decide about this event. Undefined: nobody has to be asked. */
export const askReasonOf = (
  { event }: Step,
  settled: Verdict,
  listed: readonly string[],
): AskReason | undefined => {
  const { verdict, isConsent, by, reason } = settled
  if (verdict === 'block') return undefined
  if (event === 'on_permission_request') {
    const said = settled.payload['reason']
    return isConsent ? undefined : { why: typeof said === 'string' ? said : '' }
  }
  if (event !== 'pre_tool_call') return undefined
  if (verdict === 'ask') return { by, why: reason ?? 'it asks you' }
  const name = toolOf(settled).toLowerCase()
  return listed.some((one) => one.toLowerCase() === name) && !isConsent
    ? { why: 'gate.yaml lists it under "ask"' }
    : undefined
}
