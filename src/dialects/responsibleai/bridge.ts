import { isDeepStrictEqual } from 'node:util'
import type { Client, NativeReport, Ruled } from '../../shared/gate/client.ts'
import { isObject, type Json, type JsonObject } from '../../core/model/base/json.ts'
import { got } from '../../core/model/gate/problem.ts'
import { inputOf, isRefused, joined, whyOf } from '../client-write.ts'
import { denial } from '../gates.ts'
import { changedSince, nonNullFields, type OptionalFields } from '../reading/fields.ts'
import { isNonNull, maxReasonChars, text } from '../reading/output.ts'
import { heardIn, valueAt } from '../table.ts'
import {
  approvalRequest,
  asReported,
  isPoint,
  plain,
  points,
  responsibleAiEvents,
  targetOf,
} from './events.ts'
import { hasRoundedNumber, noRoundedNumber, transformed } from './transform.ts'

/** The reader of what an agent that speaks Agent Hooks 0.1 reports. */

type Wrong = { readonly wrong: string }
const isWrong = (read: object): read is Wrong => 'wrong' in read

/** The first major version only, because another one may mean something else by the same words. */
const versions = /^agent-hooks\/0\.\d{1,3}$/
const frameworks = /^[a-z0-9_-]{1,60}$/

const callFlaw = (context: JsonObject): string | undefined => {
  const [name, args] = [valueAt(context, 'tool_call.name'), valueAt(context, 'tool_call.args')]
  if (typeof name !== 'string' || name === '')
    return `Expected "tool_call.name" to be a name, got ${got(name)}.`
  return isObject(args) ? undefined : `Expected "tool_call.args" to be an object, got ${got(args)}.`
}

/** What an object of these interception points must be, since hooks are asked about a field of it. */
const mustBeObject = ['agent_startup', 'input', 'post_model_call', 'output', 'agent_shutdown']

/** Returns why a context cannot be judged; undefined for a good one. */
const contextFlaw = (point: string, context: JsonObject): string | undefined => {
  const { spec, interception_point, target } = context
  if (typeof spec !== 'string' || !versions.test(spec))
    return `Expected "spec" to be agent-hooks/0.1 or a later 0 version, got ${got(spec)}.`
  if (interception_point !== point)
    return `Expected "interception_point" to be "${point}", got ${got(interception_point)}; ask at the address of the same point.`
  const [id, agentId] = [valueAt(context, 'session.id'), valueAt(context, 'agent.id')]
  if (typeof id !== 'string' || id === '') return `Expected "session.id" to be a name, got ${got(id)}.`
  if (typeof agentId !== 'string' || agentId === '')
    return `Expected "agent.id" to be a name, got ${got(agentId)}.`
  const wrong = point.endsWith('_tool_call') ? callFlaw(context) : undefined
  if (wrong !== undefined) return wrong
  const guarded = targetOf(point, context)
  if (mustBeObject.includes(point) && !isObject(guarded))
    return `Expected the object that ${point} is about, got ${got(guarded)}.`
  if (point === 'pre_model_call' && !(Array.isArray(guarded) && guarded.every(isObject)))
    return `Expected "messages" to be a list of objects, got ${got(guarded)}.`
  if (hasRoundedNumber(guarded ?? null)) return noRoundedNumber
  // The agent runs what is in `target`, and our hooks are asked about the field that it comes from.
  return isDeepStrictEqual(guarded ?? null, target ?? null)
    ? undefined
    : `Expected "target" to be the value that ${point} is about, got ${got(target)}.`
}

/** The fields that every context has. A hook that speaks the same gets them back. */
const common = (context: JsonObject): OptionalFields => {
  const { sequence } = context
  const framework = valueAt(context, 'agent.framework')
  return {
    sequence: typeof sequence === 'number' && Number.isSafeInteger(sequence) ? sequence : undefined,
    framework: typeof framework === 'string' && frameworks.test(framework) ? framework : undefined,
  }
}

const reportOf = (
  event: NativeReport['event'],
  context: JsonObject,
  fields: OptionalFields,
): NativeReport => ({
  event,
  session_id: plain(valueAt(context, 'session.id')),
  cwd: '',
  agent_id: plain(valueAt(context, 'agent.id')),
  fields: nonNullFields({ ...fields, ...common(context) }),
})

/**
 * The step that a person is asked about. When one of our hooks has rewritten the step, the deny that we gave
 * carries the rewrite, and the person decides about the step as it will be done.
 */
const askedStep = (
  point: string,
  context: JsonObject,
  approval: Json | undefined,
): { readonly input: JsonObject; readonly isRewritten: boolean } | Wrong => {
  const target = targetOf(point, context) ?? null
  const change = valueAt(approval, 'transform')
  const { path, value = null } = isObject(change) ? change : {}
  const after = typeof path === 'string' ? transformed(target, path, value) : undefined
  if (after !== undefined && isWrong(after)) return { wrong: after.wrong }
  const step = after?.value ?? target
  if (after !== undefined && !isObject(step))
    return { wrong: `Expected "approval.transform" to leave an object, got ${got(step)}.` }
  return { input: isObject(step) ? step : { value: step }, isRewritten: after !== undefined }
}

const readRequest = (event: NativeReport['event'], request: JsonObject): NativeReport | Wrong => {
  const { context_identity: identity = null, interception_point: point, verdict, context } = request
  if (!isPoint(point))
    return { wrong: `Expected "interception_point" to be one of the eight points, got ${got(point)}.` }
  if (identity !== null && (typeof identity !== 'string' || identity.length > 1000))
    return { wrong: `Expected "context_identity" to be a text or null, got ${got(identity)}.` }
  if (valueAt(verdict, 'decision') !== 'deny')
    return { wrong: `Expected "verdict" to be a deny, got ${got(verdict)}.` }
  if (!isObject(context)) return { wrong: `Expected "context" to be an object, got ${got(context)}.` }
  const wrong = contextFlaw(point, context)
  if (wrong !== undefined) return { wrong }
  const step = askedStep(point, context, valueAt(verdict, 'approval'))
  if (isWrong(step)) return step
  const isCall = point.endsWith('_tool_call')
  return reportOf(event, context, {
    tool_name: isCall ? valueAt(context, 'tool_call.name') : point,
    tool_input: step.input,
    tool_use_id: isCall ? valueAt(context, 'tool_call.id') : undefined,
    suggestions: [],
    interception_point: point,
    context_identity: identity,
    reason: text(valueAt(verdict, 'message') ?? valueAt(verdict, 'reason'), maxReasonChars),
    ...(step.isRewritten ? { is_rewritten: true } : {}),
  })
}

const read: Client['read'] = ({ name, event, note }, stdin) => {
  if (event === undefined) return { wrong: `${name} has no counterpart here: ${note ?? 'there is none'}.` }
  if (!isObject(stdin)) return { wrong: `Expected one JSON object, got ${got(stdin)}.` }
  if (name === approvalRequest) return readRequest(event, stdin)
  const wrong = contextFlaw(name, stdin)
  if (wrong !== undefined) return { wrong }
  const { fields = {}, here, in: more, content } = points[name] ?? {}
  const told = content === undefined ? undefined : valueAt(stdin, content)
  return reportOf(event, stdin, {
    ...heardIn(fields, stdin),
    ...here,
    ...more?.(stdin),
    ...(isNonNull(told) && typeof told !== 'string' ? { is_json: true } : {}),
  })
}

/** What an agent that speaks Agent Hooks 0.1 is told. */

const speaker = 'responsibleai-agent-hooks'

interface Change {
  readonly path: string
  readonly value: Json
}

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
const write: Client['write'] = ({ name }, ruled, asked = ruled.payload) => {
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

export const responsibleAiClient: Client = {
  title: 'Agent Hooks 0.1 (responsibleai)',
  events: responsibleAiEvents,
  read,
  write,
}
