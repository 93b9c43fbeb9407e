import type { NativeEvent } from '../../model/hooks/dialect.ts'

/** Codex's events as of 0.169. */
export const codexEvents: readonly NativeEvent[] = [
  {
    name: 'PreToolUse',
    event: 'pre_tool_call',
    note: 'an "allow" counts only beside a rewrite, and Codex still asks its own questions',
  },
  {
    name: 'PermissionRequest',
    event: 'on_permission_request',
    note: 'codex exec never asks for permission; only its terminal does',
  },
  {
    name: 'PostToolUse',
    event: 'transform_tool_result',
    note: 'it fires after failures too, and does not say which call failed. A new result replaces the old one as the reason of a refusal',
  },
  { name: 'UserPromptSubmit', event: 'on_user_message', note: 'a message can be refused, not rewritten' },
  { name: 'SessionStart', event: 'on_session_start' },
  { name: 'SessionEnd', event: 'on_session_end', note: 'Codex waits 1 s' },
  { name: 'Stop', event: 'on_stop', note: 'Codex itself sets no limit to further rounds; the gate does' },
  { name: 'SubagentStart', event: 'on_subagent_start' },
  { name: 'SubagentStop', event: 'on_subagent_stop' },
  { name: 'PreCompact', event: 'pre_compact' },
  { name: 'PostCompact', event: 'post_compact' },
  { name: 'PostModelRequest', event: 'post_llm_call', note: 'it does not tell what the model answered' },
  {
    name: 'PreModelRequest',
    note: 'it tells nothing that could be judged, and nothing can be refused there',
  },
  { name: 'Interrupt', event: 'on_turn_end' },
]
