import type { NativeEvent } from '../model/dialect.ts'

/** Codex's events as of 0.169. */
export const codexEvents: readonly NativeEvent[] = [
  {
    name: 'PreToolUse',
    event: 'pre_tool_call',
    note: 'its "allow" stands only beside a rewrite, and spares none of its own questions',
  },
  {
    name: 'PermissionRequest',
    event: 'on_permission_request',
    note: 'codex exec never asks for permission; only its terminal does',
  },
  {
    name: 'PostToolUse',
    event: 'transform_tool_result',
    note: 'it fires after failures too, and does not tell them apart; a new result takes the place of the old one as the reason of a refusal',
  },
  { name: 'UserPromptSubmit', event: 'on_user_message', note: 'a message can be refused, not rewritten' },
  { name: 'SessionStart', event: 'on_session_start' },
  { name: 'SessionEnd', event: 'on_session_end', note: 'Codex waits 1 s' },
  { name: 'Stop', event: 'on_stop', note: 'Codex itself has no end to further rounds; the gate has' },
  { name: 'SubagentStart', event: 'on_subagent_start' },
  { name: 'SubagentStop', event: 'on_subagent_stop' },
  { name: 'PreCompact', event: 'pre_compact' },
  { name: 'PostCompact', event: 'post_compact' },
  { name: 'PostModelRequest', event: 'post_llm_call', note: 'without the answer, which it does not tell' },
  {
    name: 'PreModelRequest',
    note: 'it tells nothing that could be judged, and nothing can be refused there',
  },
  { name: 'Interrupt', event: 'on_turn_end' },
]
