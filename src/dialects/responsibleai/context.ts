import type { Dialect } from '../../core/model/hooks/dialect.ts'
import { isObject, parseJson, type Json, type JsonObject } from '../../core/model/base/json.ts'
import type { Payload } from '../../core/model/events/payload.ts'
import { definedFields } from '../reading/fields.ts'
import { approvalRequest, isPoint, targetOf } from './events.ts'

/** The version that hooks are told. */
const spec = 'agent-hooks/0.1'

/**
 * The text of a field as its agent had it. The bridge marks a text that it made of other JSON, because our
 * hooks search text.
 */
const asReported = (text: Json | undefined, { is_json }: Payload): Json => {
  const json = is_json === true && typeof text === 'string' ? parseJson(text) : undefined
  return json ?? text ?? ''
}

/** Our reasons for the end of a session → the words of the specification. */
const endReasons: Readonly<Record<string, string>> = {
  complete: 'completed',
  error: 'error',
  abort: 'cancelled',
  timeout: 'cancelled',
  user_exit: 'cancelled',
}

const toolCall = ({ tool_use_id, tool_name, tool_input }: Payload): JsonObject => ({
  id: typeof tool_use_id === 'string' ? tool_use_id : '',
  name: typeof tool_name === 'string' ? tool_name : '',
  args: isObject(tool_input) ? tool_input : {},
})

const usageOf = (usage: Json | undefined): JsonObject | undefined => {
  if (!isObject(usage)) return undefined
  const { input_tokens: prompt_tokens, output_tokens: completion_tokens } = usage
  return definedFields({ prompt_tokens, completion_tokens })
}

const modelOf = ({ model }: Payload): JsonObject => ({ id: typeof model === 'string' ? model : '' })

/** The fields of each interception point, beside those that every context has. */
const members: Readonly<Record<string, (payload: Payload) => JsonObject>> = {
  agent_startup: ({ tools_registered }) => ({
    agent_init: { tools_registered: Array.isArray(tools_registered) ? tools_registered : [] },
  }),
  input: (payload) => ({
    input: { content: asReported(payload['message'], payload), role: payload['role'] ?? 'user' },
  }),
  pre_model_call: (payload) => ({ model: modelOf(payload), messages: payload['messages'] ?? [] }),
  post_model_call: (payload) =>
    definedFields({
      model: modelOf(payload),
      response: {
        content: asReported(payload['response'], payload),
        tool_calls: payload['tool_calls'] ?? [],
        finish_reason: payload['finish_reason'] ?? 'stop',
      },
      usage: usageOf(payload['usage']),
    }),
  pre_tool_call: (payload) => ({ tool_call: toolCall(payload) }),
  post_tool_call: (payload) => ({
    tool_call: toolCall(payload),
    tool_result: {
      value: asReported(payload['tool_result'], payload),
      is_error: payload['tool_error'] === true,
    },
  }),
  output: (payload) => ({ output: { content: asReported(payload['notification'], payload) } }),
  agent_shutdown: ({ reason }) => ({
    summary: {
      reason:
        typeof reason === 'string' && Object.hasOwn(endReasons, reason)
          ? (endReasons[reason] ?? '')
          : 'completed',
    },
  }),
}

/**
 * Returns a number that grows within a session. An agent behind the bridge counts itself. For others the time
 * takes its place, because an encoder remembers nothing.
 */
const sequenceOf = ({ event, sequence, timestamp }: Payload): number => {
  if (typeof sequence === 'number' && Number.isSafeInteger(sequence) && sequence >= 0) return sequence
  return event === 'on_session_start' ? 0 : Date.parse(timestamp) || 1
}

const withTarget = (point: string, payload: Payload, fields: JsonObject): JsonObject => ({
  spec,
  interception_point: point,
  timestamp: payload.timestamp,
  sequence: sequenceOf(payload),
  agent: {
    id: payload.agent_id,
    framework: typeof payload['framework'] === 'string' ? payload['framework'] : 'hookgate',
  },
  session: { id: payload.session_id },
  ...fields,
  target: targetOf(point, fields) ?? null,
  extensions: { hookgate: { event_id: payload.event_id, cwd: payload.cwd, attempt: payload.attempt } },
})

export const contextOf = (point: string, payload: Payload): JsonObject =>
  withTarget(point, payload, members[point]?.(payload) ?? {})

/** A question about a step that is no tool call has its point as the tool, and its target as arguments. */
const questioned = (point: string, payload: Payload): JsonObject => {
  const target = payload['tool_input'] ?? {}
  const member: Readonly<Record<string, string>> = {
    pre_model_call: 'messages',
    post_model_call: 'response',
    agent_startup: 'agent_init',
  }
  return withTarget(point, payload, { [member[point] ?? point]: target })
}

/** The request of the approval seam, of which a person's question is one. */
const request = (payload: Payload): JsonObject => {
  const { interception_point, context_identity, reason } = payload
  const point = isPoint(interception_point) ? interception_point : 'pre_tool_call'
  const isCall = point === 'pre_tool_call'
  return {
    context_identity: context_identity ?? null,
    interception_point: point,
    verdict: definedFields({ decision: 'deny', message: reason, approval: {} }),
    context: isCall ? contextOf(point, payload) : questioned(point, payload),
  }
}

/** Writes our event as the context of an interception point, or as a request for an approval. */
export const encodeResponsibleAi: Dialect['encode'] = ({ name }, payload) =>
  name === approvalRequest ? request(payload) : contextOf(name, payload)
