import type { NativeEvent } from '../model/dialect.ts'

/** Gemini CLI's events as of 0.61. */
export const geminiEvents: readonly NativeEvent[] = [
  { name: 'BeforeTool', event: 'pre_tool_call', note: 'consent does not spare its own question' },
  {
    name: 'AfterTool',
    event: 'transform_tool_result',
    note: 'a new result takes the place of the old one as the reason of a refusal',
  },
  {
    name: 'BeforeModel',
    event: 'pre_llm_call',
    note: 'messages are their texts only; what else is in them stays',
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
    note: 'Gemini CLI itself has no end to further rounds; the gate has',
  },
  { name: 'SessionStart', event: 'on_session_start' },
  {
    name: 'SessionEnd',
    event: 'on_session_end',
    note: 'Gemini CLI does not wait for it, and may tell it twice',
  },
  { name: 'Notification', event: 'on_notification' },
  {
    name: 'BeforeToolSelection',
    note: 'which tools the model is offered is not judged here; which it calls is',
  },
  { name: 'PreCompress', note: 'it comes before every model call, whether anything is compacted or not' },
]
