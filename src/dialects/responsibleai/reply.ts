import type { Client, Ruled } from '../../shared/gate/client.ts'
import { isObject, parseJson, type Json, type JsonObject } from '../../core/model/base/json.ts'
import { inputOf, isRefused, joined, whyOf } from '../client-write.ts'
import { denial } from '../gates.ts'
import { changedSince } from '../reading/fields.ts'
import { approvalRequest } from './events.ts'

/** The writer of what an agent that speaks Agent Hooks 0.1 is told. */

const speaker = 'responsibleai-agent-hooks'

interface Change {
  readonly path: string
  readonly value: Json
}

/** Gives a text back as the JSON that the agent had, where the text was made of JSON. */
const asReported = (words: string, { is_json }: JsonObject): Json =>
  (is_json === true ? parseJson(words) : undefined) ?? words

/** By interception point, our field, and where it stands in the target. */
const places: Readonly<Record<string, { readonly field: string; readonly path: string }>> = {
  input: { field: 'message', path: '$target.content' },
  pre_model_call: { field: 'messages', path: '$target' },
  pre_tool_call: { field: 'tool_input', path: '$target' },
  post_tool_call: { field: 'tool_result', path: '$target' },
  output: { field: 'notification', path: '$target.content' },
}

/** The places of context for the model: a further message, or a text that is lengthened. */
const takesContext = ['input', 'pre_model_call', 'post_tool_call']

const withContext = (value: Json, context: string): Json => {
  if (Array.isArray(value)) return [...value, { role: 'system', content: context }]
  return joined(typeof value === 'string' ? value : JSON.stringify(value), context)
}

/** The target as hooks left it. Undefined: it is as it was. */
const changeOf = (name: string, ruled: Ruled, asked: JsonObject, context: string): Change | undefined => {
  const place = places[name]
  if (place === undefined) return undefined
  const { field, path } = place
  const isChanged = changedSince(asked, ruled.payload)(field) === true
  const adds = context !== '' && takesContext.includes(name)
  if (!isChanged && !adds) return undefined
  const settled = field === 'tool_input' ? inputOf(speaker, ruled) : ruled.payload[field]
  if (settled === undefined) return undefined
  const value = typeof settled === 'string' ? asReported(settled, asked) : settled
  return { path, value: adds ? withContext(value, context) : value }
}

/** Notes are for the person. Context that has no place is given to the agent, which may tell its model. */
const warningsOf = (notes: readonly string[], context = ''): JsonObject => {
  const warnings = [
    ...notes.map((message) => ({ reason: 'hookgate:note', message })),
    ...(context === '' ? [] : [{ reason: 'hookgate:context', message: context }]),
  ]
  return warnings.length === 0 ? {} : { warnings }
}

/**
 * A person's word on a request. `unresolved` means that nobody decided, and the agent then refuses the step.
 * The identity goes back as it came, because the agent binds the answer to it.
 */
const resolution = (ruled: Ruled, asked: JsonObject): JsonObject => {
  const { verdict, isConsent, payload } = ruled
  const context_identity = asked['context_identity'] ?? null
  const refusal = verdict === 'allow' ? undefined : denial(speaker, approvalRequest, whyOf(ruled))
  if (refusal !== undefined) return { ...refusal, context_identity }
  if (!isConsent) return { outcome: 'unresolved', context_identity }
  const { tool_input: input } = payload
  return {
    outcome: 'approve',
    context_identity,
    verdict:
      asked['is_rewritten'] === true && isObject(input)
        ? { decision: 'transform', transform: { path: '$target', value: input } }
        : { decision: 'allow' },
  }
}

/**
 * Writes our verdict as a verdict of an interceptor. A question becomes a deny that can be lifted, and the
 * agent then asks for the approval. If hooks rewrote the step too, that deny carries the rewrite.
 */
export const writeResponsibleAi: Client['write'] = ({ name }, ruled, asked = ruled.payload) => {
  if (name === approvalRequest) return resolution(ruled, asked)
  const { verdict, contexts, notes, stopsTurn } = ruled
  const context = joined(...contexts)
  if (isRefused(ruled)) {
    const refusal = denial(speaker, name, whyOf(ruled))
    const change = changeOf(name, ruled, asked, '')
    const approval: JsonObject = change === undefined ? {} : { transform: { ...change } }
    if (refusal !== undefined)
      return {
        ...refusal,
        ...(verdict === 'ask' ? { approval } : {}),
        ...warningsOf(notes),
      }
  }
  const change = verdict === 'allow' ? changeOf(name, ruled, asked, context) : undefined
  return {
    ...(change === undefined
      ? { decision: 'allow' }
      : { decision: 'transform', reason: 'hookgate:rewritten', transform: { ...change } }),
    ...warningsOf(
      [
        ...notes,
        ...(verdict === 'allow'
          ? []
          : [`A hook wanted to refuse this, and ${name} cannot be refused: ${whyOf(ruled)}`]),
        ...(stopsTurn === true ? ['A hook ended the turn. Every further tool call of it is refused.'] : []),
      ],
      takesContext.includes(name) ? '' : context,
    ),
  }
}
