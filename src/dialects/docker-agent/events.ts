import type { NativeEvent } from '../../core/model/hooks/dialect.ts'

const tool = { matches: 'tool_name' } as const
const gate = { isGate: true } as const
const context = { isTextContext: true } as const

/**
 * docker-agent's 28 events. If several are one event of ours, the most used one comes first. A matcher is
 * tried on tool names only. `isTextContext` also says that the event's `additional_context` is used.
 */
export const dockerEvents: readonly NativeEvent[] = [
  {
    name: 'pre_tool_use',
    event: 'pre_tool_call',
    ...tool,
    ...gate,
    failsClosed: true,
    note: 'docker-agent skips it for calls that need no approval; hookgate asks it about every call',
  },
  { name: 'tool_guard', event: 'pre_tool_call', ...tool, ...gate, failsClosed: true },
  { name: 'tool_input_transform', event: 'pre_tool_call', ...tool, ...gate },
  { name: 'permission_request', event: 'on_permission_request', ...tool, ...gate },
  { name: 'post_tool_use', event: 'post_tool_call', ...tool, ...gate },
  { name: 'tool_response_transform', event: 'transform_tool_result', ...tool },
  { name: 'session_start', event: 'on_session_start', ...context },
  { name: 'user_prompt_submit', event: 'on_user_message', where: { kind: ['message'] }, ...gate, ...context },
  {
    name: 'user_steering_messages_submit',
    event: 'on_user_message',
    where: { kind: ['steer'] },
    ...gate,
    ...context,
  },
  {
    name: 'user_followup_submit',
    event: 'on_user_message',
    where: { kind: ['followup'] },
    ...gate,
    ...context,
  },
  { name: 'before_llm_call', event: 'pre_llm_call', ...gate },
  { name: 'turn_start', event: 'pre_llm_call', ...context, note: 'its turn is one model call' },
  { name: 'after_llm_call', event: 'post_llm_call' },
  {
    name: 'turn_end',
    event: 'on_step_end',
    note: 'its turn is one model call with its tools, not one turn of the person',
  },
  { name: 'stop', event: 'on_stop', note: 'it cannot refuse: a block is reported, and the answer stays' },
  { name: 'session_end', event: 'on_session_end' },
  { name: 'pre_compact', event: 'pre_compact', ...gate, ...context },
  { name: 'before_compaction', event: 'pre_compact', ...gate },
  { name: 'after_compaction', event: 'post_compact' },
  { name: 'subagent_stop', event: 'on_subagent_stop' },
  { name: 'on_user_input', event: 'on_user_input' },
  { name: 'notification', event: 'on_notification' },
  { name: 'on_error', event: 'on_error' },
  { name: 'on_max_iterations', event: 'on_max_iterations' },
  { name: 'on_agent_switch', event: 'on_agent_switch' },
  { name: 'on_tool_approval_decision', event: 'on_permission_decision' },
  {
    name: 'on_session_resume',
    note: 'it tells of a raised step limit, not of a resumed session, and hookgate has no step limit to raise',
  },
  {
    name: 'worktree_create',
    ...gate,
    ...context,
    note: 'it fires before there is a session, and hookgate makes no worktrees',
  },
]
