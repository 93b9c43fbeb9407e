import type { Dialect } from '../../core/model/hooks/dialect.ts'
import type { EventName } from '../../core/model/events/event.ts'
import type { Json } from '../../core/model/base/json.ts'
import type { Payload } from '../../core/model/events/payload.ts'
import { definedFields, type OptionalFields } from '../reading/fields.ts'
import { callFor } from '../calls.ts'

const tool = (payload: Payload): OptionalFields => ({
  ...callFor('agent-hooks', payload),
  tool_use_id: payload['tool_use_id'],
})

const finalMessage = (response: Json | undefined): Json =>
  typeof response === 'string' && response !== '' ? { role: 'assistant', content: response } : null

const subagent = ({ subagent_name, subagent_type, task_description }: Payload): OptionalFields => ({
  subagent_name,
  subagent_type,
  task_description,
})

/**
 * The fields that each event adds. The specification does not define a tool's output, a failure's text, a
 * prompt, a subagent's answer and the fields of compaction. Here they have the nearest name of the
 * specification (`final_message`, `stop_reason`), our own name, or the name that the successor of its only
 * implementation uses (`tool_output`, `error`, `prompt`).
 */
const added: Readonly<Partial<Record<EventName, (payload: Payload) => OptionalFields>>> = {
  pre_tool_call: tool,
  post_tool_call: (payload) => ({ ...tool(payload), tool_output: payload['tool_result'] }),
  on_tool_error: (payload) => ({ ...tool(payload), error: payload['error'] }),
  on_user_message: ({ message }) => ({ prompt: message }),
  on_turn_end: ({ reason, step_count }) => ({ stop_reason: reason, step_count }),
  on_session_start: ({ model, agent_id }) => ({ model, args: { ui: 'hookgate', agent: agent_id } }),
  on_session_end: ({ duration_seconds, total_steps, reason }) => ({
    duration_seconds,
    total_steps,
    exit_reason: reason,
  }),
  on_subagent_start: subagent,
  on_subagent_stop: (payload) => ({ ...subagent(payload), final_message: finalMessage(payload['response']) }),
  pre_compact: ({ source, reason, input_tokens, output_tokens, context_limit }) => ({
    source,
    reason,
    input_tokens,
    output_tokens,
    context_limit,
  }),
  post_compact: ({ source, summary, input_tokens, output_tokens }) => ({
    source,
    summary,
    input_tokens,
    output_tokens,
  }),
  on_stop: ({ stop_reason, step_count, response }) => ({
    stop_reason,
    step_count,
    final_message: finalMessage(response),
  }),
}

export const encodeAgentHooks: Dialect['encode'] = ({ name }, payload) => {
  const { event, timestamp, session_id, cwd } = payload
  return {
    event_type: name,
    timestamp,
    session_id,
    work_dir: cwd,
    context: {},
    ...definedFields(added[event]?.(payload) ?? {}),
  }
}

/** The variables that the only implementation of the specification sets for a hook. */
export const agentHooksEnv: Dialect['env'] = ({ session_id, cwd }, { workspace }) => ({
  KIMI_SESSION_ID: session_id,
  KIMI_WORK_DIR: cwd,
  KIMI_PROJECT_DIR: workspace,
})
