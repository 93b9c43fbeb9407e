import type { Dialect } from '../../core/model/hooks/dialect.ts'
import { isObject, type Json, type JsonObject } from '../../core/model/base/json.ts'
import type { Payload } from '../../core/model/events/payload.ts'
import { wordIn, type OptionalFields } from '../reading/fields.ts'
import { callFor } from '../calls.ts'

/** Returns whether docker-agent leaves a field with this value out. */
const isEmpty = (value: Json): boolean =>
  value === null ||
  value === '' ||
  value === false ||
  value === 0 ||
  (typeof value === 'object' && Object.keys(value).length === 0)

const filled = (fields: OptionalFields): JsonObject =>
  Object.fromEntries(
    Object.entries(fields).flatMap(([key, value]) =>
      value === undefined || isEmpty(value) ? [] : [[key, value]],
    ),
  )

const tool = (payload: Payload): OptionalFields => ({
  ...callFor('docker-agent', payload),
  tool_use_id: payload['tool_use_id'],
})

/** Returns the fields of a tool's result. In docker-agent a result is text. */
const result = (payload: Payload): OptionalFields => {
  const { tool_result: toolResult } = payload
  return {
    ...tool(payload),
    tool_response:
      toolResult === undefined || typeof toolResult === 'string' ? toolResult : JSON.stringify(toolResult),
  }
}

const prompt = ({ message }: Payload): OptionalFields => ({ prompt: message })

const answered = ({ response, last_user_message }: Payload): OptionalFields => ({
  stop_response: response,
  last_user_message,
})

const compactionReasons: readonly (Json | undefined)[] = ['threshold', 'overflow', 'manual']
const bySource: Readonly<Record<string, string>> = {
  manual: 'manual',
  auto: 'threshold',
  overflow: 'overflow',
  tool_overflow: 'overflow',
}

const compaction = ({
  source,
  reason,
  input_tokens,
  output_tokens,
  context_limit,
}: Payload): OptionalFields => ({
  input_tokens,
  output_tokens,
  context_limit,
  compaction_reason: compactionReasons.includes(reason) ? reason : wordIn(bySource, source),
})

/** Our reasons for the end of a session → docker-agent's words, current and old. */
const endReasons: Readonly<Record<string, string>> = {
  complete: 'stream_ended',
  user_exit: 'prompt_input_exit',
  clear: 'clear',
  logout: 'logout',
}

const decided: Readonly<Record<string, string>> = { block: 'deny', refuse: 'deny' }
const decision = (payload: Payload): OptionalFields => {
  const { decision: ours, source } = payload
  const verdict = wordIn(decided, ours) ?? ours
  const byPerson = verdict === 'allow' ? 'user_approved' : 'user_rejected'
  return {
    ...tool(payload),
    approval_decision: verdict,
    approval_source: source === 'person' ? byPerson : source,
  }
}

/** The fields that each event adds. Tool category and safety policy are not known here and are left out. */
const added: Readonly<Record<string, (payload: Payload) => OptionalFields>> = {
  pre_tool_use: tool,
  tool_guard: tool,
  tool_input_transform: tool,
  permission_request: tool,
  post_tool_use: (payload) => ({ ...result(payload), tool_error: payload['tool_error'] }),
  tool_response_transform: result,
  on_tool_approval_decision: decision,
  session_start: ({ source }) => ({ source }),
  user_prompt_submit: prompt,
  user_followup_submit: prompt,
  user_steering_messages_submit: ({ message }) => ({
    steering_messages: message === undefined || message === '' ? [] : [message],
  }),
  before_llm_call: ({ iteration, model, messages }) => ({ iteration, model_id: model, messages }),
  after_llm_call: (payload) => ({
    ...answered(payload),
    model_id: payload['model'],
    usage: payload['usage'],
  }),
  turn_end: ({ reason }) => ({ reason }),
  stop: answered,
  session_end: ({ reason }) => ({ reason: wordIn(endReasons, reason) ?? 'other' }),
  pre_compact: ({ source }) => ({ source }),
  before_compaction: compaction,
  after_compaction: (payload) => ({ ...compaction(payload), summary: payload['summary'] }),
  // At this event docker-agent names the subagent itself as the agent.
  subagent_stop: ({ subagent_name, parent_session_id, response }) => ({
    agent_name: subagent_name,
    parent_session_id,
    stop_response: response,
  }),
  notification: ({ level, message }) => ({ notification_level: level, notification_message: message }),
  on_error: ({ error }) => ({
    notification_level: 'error',
    notification_message: isObject(error) ? error['message'] : error,
  }),
  on_max_iterations: ({ iterations }) => ({
    notification_level: 'warning',
    notification_message: `The agent reached its limit of steps${typeof iterations === 'number' ? ` (${iterations})` : ''}.`,
  }),
  on_agent_switch: ({ from_agent, to_agent, kind }) => ({ from_agent, to_agent, agent_switch_kind: kind }),
}

export const encodeDocker: Dialect['encode'] = ({ name }, payload) => {
  const { session_id, cwd, agent_id, cost } = payload
  return {
    session_id,
    cwd,
    hook_event_name: name,
    ...filled({ agent_name: agent_id, ...added[name]?.(payload) }),
    // An absent cost means that no price is known; zero means free.
    ...(name === 'after_llm_call' && typeof cost === 'number' ? { cost } : {}),
  }
}
