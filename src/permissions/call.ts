import { createHash } from 'node:crypto'
import { isObject, type JsonObject } from '../core/model/base/json.ts'
import type { PersonChange } from '../shared/gate/permission.ts'
import type { Step } from '../core/model/events/step.ts'
import type { Verdict } from '../core/model/hooks/verdict.ts'

/** A tool call as the hooks settled it. */
export interface SettledCall {
  readonly tool_name: string
  readonly tool_input: JsonObject
  /**
   * SHA-256 over agent, session, folder, tool and canonical arguments. A person's answer is for exactly this
   * digest.
   */
  readonly digest: string
  /** The length of the text that the digest is made of, in UTF-16 units. */
  readonly units: number
}

export const toolOf = ({ payload }: Verdict): string =>
  typeof payload['tool_name'] === 'string' ? payload['tool_name'] : ''

export const callOf = (
  { agentId, sessionId, cwd }: Step,
  verdict: Verdict,
  canonical: (value: unknown) => string,
): SettledCall => {
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

/** The arguments with a person's change. Only a text that the call already has can be another one. */
export const changedInput = (input: JsonObject, { field, text }: PersonChange): JsonObject | undefined =>
  Object.hasOwn(input, field) && typeof input[field] === 'string' ? { ...input, [field]: text } : undefined

/** The same verdict on a call whose questions a person answered: the client need not ask again. */
export const afterAnswers = (verdict: Verdict, words: string): Verdict => ({
  ...verdict,
  ...(verdict.verdict === 'allow' ? { isConsent: true, answered: words } : {}),
})

/** The same verdict on a call that a person changed: the agent is told, and the client need not ask again. */
export const afterChange = (verdict: Verdict, { field, text }: PersonChange): Verdict => ({
  ...verdict,
  ...(verdict.verdict === 'allow' ? { isConsent: true } : {}),
  contexts: [
    ...verdict.contexts,
    `The person changed the argument "${field}" of this call before it ran. It is now: ${text}`,
  ],
})
