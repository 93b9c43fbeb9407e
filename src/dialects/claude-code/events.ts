import type { NativeEvent } from '../../core/model/hooks/dialect.ts'

/**
 * Our reasons for the end of a session → Claude Code's words. A reason that is missing here is "other" there.
 */
export const endReasons: Readonly<Record<string, string>> = {
  clear: 'clear',
  logout: 'logout',
  user_exit: 'prompt_input_exit',
  resume: 'resume',
  complete: 'prompt_input_exit',
  error: 'other',
  abort: 'other',
  timeout: 'other',
}
const sources = { overflow: 'auto', tool_overflow: 'auto' }

const noMoment = (name: string, why: string): NativeEvent => ({ name, note: why })

/** Claude Code's events as of 2.1.329, each with our counterpart. */
export const claudeEvents: readonly NativeEvent[] = [
  { name: 'PreToolUse', event: 'pre_tool_call', matches: 'tool_name', isGate: true },
  {
    name: 'PermissionRequest',
    event: 'on_permission_request',
    matches: 'tool_name',
    isGate: true,
    note: 'Claude Code ignores exit 2 at this event and reads only the decision object. hookgate takes either for a refusal. The person decides about a permission for changed arguments, because the call cannot be changed here.',
  },
  {
    name: 'PostToolUse',
    event: 'transform_tool_result',
    where: { tool_error: [false] },
    matches: 'tool_name',
    note: 'The tool has run: a block undoes nothing, and its reason is given to the model. It fires before the agent sees the result, so that the result can still be replaced.',
  },
  {
    name: 'PostToolUseFailure',
    event: 'on_tool_error',
    matches: 'tool_name',
    note: 'A block undoes nothing; its reason is given to the model.',
  },
  {
    name: 'PostToolBatch',
    note: 'hookgate reports each tool by itself (PostToolUse, PostToolUseFailure). This event can end the turn or tell the model something; the end of a step here can do neither',
  },
  {
    name: 'UserPromptSubmit',
    event: 'on_user_message',
    isGate: true,
    isTextContext: true,
    note: 'Claude Code gives it 30 s; here it has the timeout of all events.',
  },
  noMoment(
    'UserPromptExpansion',
    'agents here expand no slash commands of their own; what a person writes arrives as UserPromptSubmit',
  ),
  {
    name: 'SessionStart',
    event: 'on_session_start',
    matches: 'source',
    isTextContext: true,
    note: 'It cannot refuse a session.',
  },
  {
    name: 'SessionEnd',
    event: 'on_session_end',
    matches: 'reason',
    values: endReasons,
    note: 'Claude Code gives it 1.5 s; here it has the timeout of all events.',
  },
  {
    name: 'Stop',
    event: 'on_stop',
    isGate: true,
    note: 'Further context asks the agent to go on, as in Claude Code. Another round is asked for at most 3 times a turn; in Claude Code it is 8 times.',
  },
  {
    name: 'StopFailure',
    event: 'on_error',
    note: 'hookgate knows no classes of errors: the error is "unknown", and error_details say what happened.',
  },
  { name: 'SubagentStart', event: 'on_subagent_start', matches: 'subagent_type' },
  {
    name: 'SubagentStop',
    event: 'on_subagent_stop',
    matches: 'subagent_type',
    isGate: true,
    note: 'Further context asks the subagent to go on, as in Claude Code.',
  },
  { name: 'PreCompact', event: 'pre_compact', matches: 'source', isGate: true, values: sources },
  { name: 'PostCompact', event: 'post_compact', matches: 'source', values: sources },
  {
    name: 'Notification',
    event: 'on_notification',
    note: 'hookgate has levels, not types of notifications: it takes no matcher, and stdin has no notification_type.',
  },
  {
    name: 'MessageDisplay',
    event: 'on_outbound_message',
    note: 'It is asked about the whole main text before the message leaves, not while it is displayed. It does not see captions and buttons. Claude Code gives it 10 s; here it has the timeout of all events.',
  },
  {
    name: 'PermissionDenied',
    event: 'on_permission_decision',
    where: { decision: ['deny'] },
    matches: 'tool_name',
    note: 'hookgate fires it on every refusal, Claude Code only in auto mode. The agent is not asked to retry.',
  },
  {
    name: 'TaskCompleted',
    event: 'on_completion_claim',
    isGate: true,
    note: 'In Claude Code it is about a task of a list. Here it is about the claim that the goal is reached: task_subject is the summary, and task_description is the goal.',
  },
  noMoment('TaskCreated', 'agents here keep no task list'),
  noMoment('TeammateIdle', 'hookgate knows subagents, not teams of agents; see SubagentStop'),
  noMoment(
    'PreModelSwitch',
    "an agent's model is set by whoever runs it and does not change within a session",
  ),
  noMoment(
    'PostModelSwitch',
    "an agent's model is set by whoever runs it and does not change within a session",
  ),
  noMoment('Setup', 'hookgate has no run that only sets a project up'),
  noMoment('Elicitation', 'tool servers do not ask the person for forms here'),
  noMoment('ElicitationResult', 'tool servers do not ask the person for forms here'),
  noMoment(
    'ConfigChange',
    'files only propose hooks here; nothing about them changes what fires until an owner approves it',
  ),
  noMoment('WorktreeCreate', 'agents here make no worktrees'),
  noMoment('WorktreeRemove', 'agents here make no worktrees'),
  noMoment('InstructionsLoaded', 'hookgate does not see which instruction files an agent reads'),
  noMoment('CwdChanged', "an agent's working directory does not change within a session"),
  noMoment('FileChanged', 'hookgate watches no files for an agent'),
  noMoment('DirectoryAdded', "an agent's folders are set by whoever runs it"),
]
