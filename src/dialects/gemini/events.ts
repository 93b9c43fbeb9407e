import type { NativeEvent } from '../../model/hooks/dialect.ts'

/** Gemini CLI's events as of 0.61. */
export const geminiEvents: readonly NativeEvent[] = [
  {
    name: 'BeforeTool',
    event: 'pre_tool_call',
    note: 'consent does not keep Gemini CLI from asking its own question',
  },
  {
    name: 'AfterTool',
    event: 'transform_tool_result',
    note: 'a new result replaces the old one as the reason of a refusal',
  },
  {
    name: 'BeforeModel',
    event: 'pre_llm_call',
    note: 'hooks see only the texts of messages; everything else in them stays as it is',
  },
  {
    name: 'AfterModel',
    event: 'post_llm_call',
    note: 'it comes with each piece of an answer; the last one is reported',
  },
  { name: 'BeforeAgent', event: 'on_user_message', note: 'a message can be refused, not rewritten' },
  {
    name: 'AfterAgent',
    event: 'on_stop',
    note: 'Gemini CLI itself sets no limit to further rounds; the gate does',
  },
  { name: 'SessionStart', event: 'on_session_start' },
  {
    name: 'SessionEnd',
    event: 'on_session_end',
    note: 'Gemini CLI does not wait for it, and may report it twice',
  },
  { name: 'Notification', event: 'on_notification' },
  {
    name: 'BeforeToolSelection',
    note: 'hookgate judges which tools the model calls, not which tools it is offered',
  },
  { name: 'PreCompress', note: 'it comes before every model call, whether anything is compacted or not' },
]
