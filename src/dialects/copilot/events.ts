import type { NativeEvent } from '../../core/model/hooks/dialect.ts'

const tool = { matches: 'tool_name' } as const
/** This also marks events at which only hookgate lets a hook refuse. Their notes say so. */
const gate = { isGate: true } as const

const closes = 'A failure that the agent can bring about (a timeout, its shell) stops the step'
/** hookgate is stricter than Copilot here: a hook that can refuse nothing in Copilot can refuse here. */
const stricter = {
  isGate: true,
  failsClosed: false,
  note: 'in Copilot it cannot refuse; here it can, but not by a failure',
} as const

/** The events that VS Code documents. */
const vsCodeEvents: readonly string[] = [
  'SessionStart',
  'UserPromptSubmit',
  'PreToolUse',
  'PostToolUse',
  'PreCompact',
  'SubagentStart',
  'SubagentStop',
  'Stop',
]
/** The note on events of a VS Code file. */
const inVsCode =
  "it is for a file without a version. The hook gets VS Code's names and is asked about every tool"

interface CopilotEvent extends NativeEvent {
  /**
   * The name under which the payload has snake_case fields and Claude Code's tool names. Absent: the event
   * has no such name.
   */
  readonly alias?: string
}

const rows: readonly CopilotEvent[] = [
  {
    name: 'preToolUse',
    alias: 'PreToolUse',
    event: 'pre_tool_call',
    ...tool,
    ...gate,
    failsClosed: true,
    note: 'in Copilot a timeout or an unreachable server lets the tool run; here every fault blocks it',
  },
  { name: 'permissionRequest', alias: 'PermissionRequest', event: 'on_permission_request', ...tool, ...gate },
  {
    name: 'postToolUse',
    alias: 'PostToolUse',
    event: 'transform_tool_result',
    ...tool,
    note:
      'it sees failed results too, as in the first versions of Copilot. ' +
      'A refused call has no result here, so "resultType" is never "denied"',
  },
  { name: 'postToolUseFailure', alias: 'PostToolUseFailure', event: 'on_tool_error' },
  {
    name: 'userPromptSubmitted',
    alias: 'UserPromptSubmit',
    event: 'on_user_message',
    ...gate,
    note: `Copilot drops most of its output; here it can refuse and add context. ${closes}`,
  },
  {
    name: 'userPromptTransformed',
    event: 'on_user_message',
    ...stricter,
    note: `${stricter.note}. A message has one text here: what the person wrote is what the model gets`,
  },
  {
    name: 'sessionStart',
    alias: 'SessionStart',
    event: 'on_session_start',
    where: { source: ['startup', 'resume', 'clear'] },
    ...stricter,
  },
  { name: 'sessionEnd', alias: 'SessionEnd', event: 'on_session_end' },
  {
    name: 'agentStop',
    alias: 'Stop',
    event: 'on_stop',
    ...gate,
    note: "the transcript is in Claude Code's form; the payload has the answer too",
  },
  {
    name: 'subagentStart',
    alias: 'SubagentStart',
    event: 'on_subagent_start',
    matches: 'subagent_name',
    ...stricter,
  },
  {
    name: 'subagentStop',
    alias: 'SubagentStop',
    event: 'on_subagent_stop',
    ...gate,
    note: 'the response cannot be replaced here',
  },
  { name: 'errorOccurred', alias: 'ErrorOccurred', event: 'on_error' },
  { name: 'preCompact', alias: 'PreCompact', event: 'pre_compact', matches: 'source', ...stricter },
  {
    name: 'notification',
    alias: 'Notification',
    event: 'on_notification',
    note: 'its type here is our level, so a matcher on types does not count',
  },
]

/** Returns the camelCase name of an event, for either of its names. */
export const plainName = ({ name }: NativeEvent): string =>
  rows.find(({ alias }) => alias === name || `${vsCodePrefix}${alias ?? ''}` === name)?.name ?? name

/** The prefix of events of VS Code files. Without it their names would not show the form of the payload. */
export const vsCodePrefix = 'vscode:'
export const isVsCode = ({ name }: Pick<NativeEvent, 'name'>): boolean => name.startsWith(vsCodePrefix)

/**
 * Returns whether an event has its PascalCase name. Its payload then uses snake_case and Claude Code's tool
 * names.
 */
export const isPascal = ({ name }: NativeEvent): boolean => /^[A-Z]/.test(name)

/** Returns whose names of tools the payload of an event uses. */
export const speakerAt = (native: NativeEvent): 'copilot' | 'claude-code' | 'vs-code' =>
  isVsCode(native) ? 'vs-code' : isPascal(native) ? 'claude-code' : 'copilot'

export const copilotEvents: readonly NativeEvent[] = [
  ...rows.flatMap(({ alias, ...row }): readonly NativeEvent[] =>
    alias === undefined ? [row] : [row, { ...row, name: alias }],
  ),
  // VS Code's names come last, so that Copilot's own name is found first for an event of ours. VS Code
  // ignores matchers.
  ...rows.flatMap(({ alias, matches: _matches, ...row }): readonly NativeEvent[] =>
    alias === undefined || !vsCodeEvents.includes(alias)
      ? []
      : [{ ...row, name: `${vsCodePrefix}${alias}`, note: inVsCode }],
  ),
  { name: 'preMcpToolCall', note: 'only programs that embed Copilot are asked, never a hook in a file' },
]
