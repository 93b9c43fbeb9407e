import { createHash } from 'node:crypto'
import { isObject, type JsonObject } from '../model/json.ts'
import type { Step } from '../model/step.ts'
import type { Verdict } from '../model/verdict.ts'

/** A tool call as it settled. */
export interface Call {
  readonly tool_name: string
  readonly tool_input: JsonObject
  /** SHA-256 over agent, session, folder, tool and canonical arguments: what a person's word binds to. */
  readonly digest: string
  /** The length of that, in UTF-16 units. */
  readonly units: number
}

export const toolOf = ({ payload }: Verdict): string =>
  typeof payload['tool_name'] === 'string' ? payload['tool_name'] : ''

export const callOf = (
  { agentId, sessionId, cwd }: Step,
  verdict: Verdict,
  canonical: (value: unknown) => string,
): Call => {
  const { tool_input } = verdict.payload
  const name = toolOf(verdict)
  const input = isObject(tool_input) ? tool_input : {}
  const text = canonical([agentId, sessionId, cwd, name, input])
  return {
    tool_name: name,
    tool_input: input,
    digest: createHash('sha256').update(text).digest('hex'),
    units: text.length,
  }
}

/** Why a person has to be asked. */
export interface Doubt {
  /** The hook that asks. */
  readonly by?: string
  readonly why: string
}

/** What of an event's verdict a person has to say. Undefined: nothing. */
export const doubtOf = (
  { event, agentId }: Step,
  settled: Verdict,
  listed: readonly string[],
): Doubt | undefined => {
  const { verdict, isConsent, by, reason } = settled
  if (verdict === 'block') return undefined
  if (event === 'on_permission_request') return isConsent ? undefined : { why: `${agentId} asks` }
  if (event !== 'pre_tool_call') return undefined
  if (verdict === 'ask') return { ...(by === undefined ? {} : { by }), why: reason ?? 'it asks you' }
  const name = toolOf(settled).toLowerCase()
  return listed.some((one) => one.toLowerCase() === name) && !isConsent
    ? { why: 'gate.yaml lists it under "ask"' }
    : undefined
}
