import type { NativeEvent } from '../../core/model/hooks/dialect.ts'
import { isObject, type Json, type JsonObject } from '../../core/model/base/json.ts'

const gate = { isGate: true, failsClosed: true } as const
const tool = { matches: 'tool_name' } as const

/**
 * The name under which a request of the approval seam is reported. The specification gives the request a
 * shape and no name.
 */
export const approvalRequest = 'approval_request'

/** The eight interception points of Agent Hooks 0.1, and the request for an approval (its section 9). */
export const responsibleAiEvents: readonly NativeEvent[] = [
  {
    name: 'agent_startup',
    event: 'on_session_start',
    ...gate,
    note: 'The list of tools is empty for agents that do not report it.',
  },
  { name: 'input', event: 'on_user_message', ...gate },
  { name: 'pre_model_call', event: 'pre_llm_call', ...gate },
  {
    name: 'post_model_call',
    event: 'post_llm_call',
    note: 'A deny and a transform are only reported: hookgate judges what the answer leads to, at pre_tool_call and output.',
  },
  { name: 'pre_tool_call', event: 'pre_tool_call', ...tool, ...gate },
  {
    name: 'post_tool_call',
    event: 'transform_tool_result',
    ...tool,
    note: 'A deny puts its reason in the place of the result. A fault leaves the result as it is.',
  },
  {
    name: 'output',
    event: 'on_outbound_message',
    ...gate,
    note: 'It is asked about each message that leaves for a chat. It does not see captions and buttons.',
  },
  { name: 'agent_shutdown', event: 'on_session_end', note: 'A deny is only reported: the session is over.' },
  {
    name: approvalRequest,
    event: 'on_permission_request',
    ...tool,
    ...gate,
    note: 'It is the request of the approval seam. "unresolved" leaves the question to the person, and so does an approval that carries a transform.',
  },
]

const inside = (value: Json | undefined, key: string): Json | undefined =>
  isObject(value) ? value[key] : undefined

/** By interception point, the value that is judged and that a transform changes. */
const targets: Readonly<Record<string, (context: JsonObject) => Json | undefined>> = {
  agent_startup: ({ agent_init }) => agent_init,
  input: ({ input }) => input,
  pre_model_call: ({ messages }) => messages,
  post_model_call: ({ response }) => response,
  pre_tool_call: ({ tool_call }) => inside(tool_call, 'args'),
  post_tool_call: ({ tool_result }) => inside(tool_result, 'value'),
  output: ({ output }) => output,
  agent_shutdown: ({ summary }) => summary,
}

export const isPoint = (name: Json | undefined): name is string =>
  typeof name === 'string' && Object.hasOwn(targets, name)

/** Returns the value that a context is about; undefined where the context has none. */
export const targetOf = (point: string, context: JsonObject): Json | undefined =>
  isPoint(point) ? targets[point]?.(context) : undefined
