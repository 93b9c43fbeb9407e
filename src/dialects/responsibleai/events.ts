import { isObject, parseJson, type Json, type JsonObject } from '../../core/model/base/json.ts'
import type { Dialect } from '../../shared/hooks/dialect.ts'
import type { Payload } from '../../core/model/events/payload.ts'
import { definedFields, nonNullFields, wordIn } from '../reading/fields.ts'
import { isNonNull } from '../reading/output.ts'
import {
  conversationOf,
  eventsOf,
  field,
  objectIn,
  valueAt,
  written,
  type EventField,
  type EventFields,
  type Row,
} from '../table.ts'

const gate = { isGate: true, failsClosed: true } as const
const tool = { matches: 'tool_name' } as const

/**
 * The name under which a request of the approval seam is reported. The specification gives the request a
 * shape and no name.
 */
export const approvalRequest = 'approval_request'

export const plain = (content: Json | undefined): string =>
  typeof content === 'string' ? content : isNonNull(content) ? JSON.stringify(content) : ''

/** The text of a field as its agent had it. */
export const asReported = (text: Json | undefined, { is_json: isJson }: JsonObject): Json => {
  const json = isJson === true && typeof text === 'string' ? parseJson(text) : undefined
  return json ?? text ?? ''
}

/** Our hooks search text, so other JSON becomes text, and the report of it is marked. */
const asText = (here: string): EventField => ({
  here,
  out: (payload) => asReported(payload[here], payload),
  in: plain,
})

/** A name, which is text. */
const named = (here: string): EventField => ({
  ...field.heard(here),
  out: ({ [here]: name }) => (typeof name === 'string' ? name : ''),
})

/** A value that our own agents may lack. */
const kept = (here: string, otherwise: Json): EventField => ({
  ...field.heard(here),
  out: ({ [here]: value }) => value ?? otherwise,
})

const call: EventFields = {
  'tool_call.id': named('tool_use_id'),
  'tool_call.name': named('tool_name'),
  'tool_call.args': { ...field.heard('tool_input'), out: ({ tool_input: args }) => objectIn(args) },
}

const usageOf = (usage: Json | undefined): JsonObject | undefined => {
  if (!isObject(usage)) return undefined
  const { input_tokens: prompt_tokens, output_tokens: completion_tokens } = usage
  return definedFields({ prompt_tokens, completion_tokens })
}

const usageIn = (usage: Json | undefined): JsonObject | undefined => {
  if (!isObject(usage)) return undefined
  const { prompt_tokens: input_tokens, completion_tokens: output_tokens } = usage
  return nonNullFields({ input_tokens, output_tokens })
}

/** Our reasons for the end of a session → the words of the specification. */
const endReasons = {
  complete: 'completed',
  error: 'error',
  abort: 'cancelled',
  timeout: 'cancelled',
  user_exit: 'cancelled',
}

const ourEndReasons = { completed: 'complete', cancelled: 'abort', error: 'error' }

interface Point extends Row {
  /** The path of the value in a context that is judged and that a transform changes. */
  readonly target: string
  /** The path of a value that is told to our hooks as text. */
  readonly content?: string
}

/** The eight interception points of Agent Hooks 0.1. */
export const points: Readonly<Record<string, Point>> = {
  agent_startup: {
    event: 'on_session_start',
    ...gate,
    fields: {
      'agent_init.tools_registered': {
        ...field.heard('tools_registered'),
        out: ({ tools_registered: tools }) => (Array.isArray(tools) ? tools : []),
      },
    },
    here: { status: 'started', source: 'startup' },
    target: 'agent_init',
    note: 'The list of tools is empty for agents that do not report it',
  },
  input: {
    event: 'on_user_message',
    ...gate,
    fields: { 'input.content': asText('message'), 'input.role': kept('role', 'user') },
    here: { kind: 'message' },
    target: 'input',
    content: 'input.content',
    moment: 'turn_start',
  },
  pre_model_call: {
    event: 'pre_llm_call',
    ...gate,
    fields: { 'model.id': named('model'), messages: kept('messages', []) },
    in: ({ messages }) => conversationOf(messages, ({ content }) => plain(content)),
    target: 'messages',
  },
  post_model_call: {
    event: 'post_llm_call',
    fields: {
      'model.id': named('model'),
      'response.content': asText('response'),
      'response.tool_calls': kept('tool_calls', []),
      'response.finish_reason': kept('finish_reason', 'stop'),
      usage: { here: 'usage', out: ({ usage }) => usageOf(usage), in: usageIn },
    },
    target: 'response',
    content: 'response.content',
    note: 'A deny and a transform are only reported: hookgate judges what the answer leads to, at pre_tool_call and output',
  },
  pre_tool_call: { event: 'pre_tool_call', ...tool, ...gate, fields: call, target: 'tool_call.args' },
  post_tool_call: {
    event: 'transform_tool_result',
    ...tool,
    fields: {
      ...call,
      'tool_result.value': asText('tool_result'),
      'tool_result.is_error': field.isTrue('tool_error'),
    },
    target: 'tool_result.value',
    content: 'tool_result.value',
    moment: 'tool_ran',
    note: 'A deny puts its reason in the place of the result. A fault leaves the result as it is',
  },
  output: {
    event: 'on_outbound_message',
    ...gate,
    fields: { 'output.content': asText('notification') },
    here: { parts: [], type: 'text', files: [], recent: [] },
    target: 'output',
    content: 'output.content',
    moment: 'turn_end',
    note: 'It is asked about each message that leaves for a chat. It does not see captions and buttons',
  },
  agent_shutdown: {
    event: 'on_session_end',
    fields: {
      'summary.reason': {
        here: 'reason',
        out: ({ reason }) => wordIn(endReasons, reason) ?? 'completed',
        in: (reason) => wordIn(ourEndReasons, reason) ?? 'other',
      },
    },
    here: { status: 'ended' },
    target: 'summary',
    moment: 'session_end',
    note: 'A deny is only reported: the session is over',
  },
}

/** The points, and the request for an approval (section 9 of the specification). */
export const responsibleAiEvents = eventsOf({
  ...points,
  [approvalRequest]: {
    event: 'on_permission_request',
    ...tool,
    ...gate,
    note: 'It is the request of the approval seam. "unresolved" leaves the question to the person, and so does an approval that carries a transform',
  },
})

export const isPoint = (name: Json | undefined): name is string =>
  typeof name === 'string' && Object.hasOwn(points, name)

/** Returns the value that a context is about; undefined where the context has none. */
export const targetOf = (point: string, context: JsonObject): Json | undefined =>
  isPoint(point) ? valueAt(context, points[point]?.target ?? '') : undefined

/** The version that hooks are told. */
const spec = 'agent-hooks/0.1'

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

const contextOf = (point: string, payload: Payload): JsonObject =>
  withTarget(point, payload, definedFields(written('responsibleai-agent-hooks', points[point], payload)))

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
