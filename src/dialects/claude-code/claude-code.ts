import type { Client } from '../../shared/gate/client.ts'
import type { Dialect } from '../../shared/hooks/dialect.ts'
import { isObject, type Json } from '../../core/model/base/json.ts'
import type { Payload } from '../../core/model/events/payload.ts'
import { questionsOfSchema } from '../../shared/gate/form-schema.ts'
import { got } from '../../core/model/gate/problem.ts'
import { definedFields, type OptionalFields } from '../reading/fields.ts'
import { resultText } from '../reading/output.ts'
import {
  encoderOf,
  eventsOf,
  field,
  type EventFields,
  readerOf,
  type Row,
  type Rows,
  textOf,
  textOrEmpty,
} from '../table.ts'
import type { ToolNaming } from '../tools.ts'
import { decodeAs } from './answer.ts'
import { response, writeClaude } from './write.ts'

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

const ourReasons = { clear: 'clear', logout: 'logout', prompt_input_exit: 'user_exit' }
/** Our sources of a compaction are more exact. */
export const sources = { overflow: 'auto', tool_overflow: 'auto' }

const errorText = (error: Json | undefined): string | undefined => {
  const message = isObject(error) ? error['message'] : error
  return typeof message === 'string' ? message : undefined
}

const subagent: EventFields = {
  agent_id: { ...field.text('subagent_name'), in: (id, { agent_type: type }) => textOrEmpty(id ?? type) },
  agent_type: { ...field.text('subagent_type'), in: textOf },
}

const stop: EventFields = {
  stop_hook_active: field.isTrue('stop_hook_active'),
  last_assistant_message: field.text('response'),
}

const tool = { matches: 'tool_name', isCall: true } as const
const noMoment = (why: string): Row => ({ note: why })
const noList = 'tool servers do not ask the person for forms here'
const noSwitch = "an agent's model is set by whoever runs it and does not change within a session"

/** Claude Code's events as of 2.1.329, each with our counterpart. */
export const claudeRows = {
  PreToolUse: { event: 'pre_tool_call', ...tool, isGate: true },
  PermissionRequest: {
    event: 'on_permission_request',
    ...tool,
    isGate: true,
    fields: { permission_suggestions: field.list('suggestions') },
    // In Claude Code a permission request has no tool_use_id.
    out: () => ({ tool_use_id: undefined }),
    note: 'Claude Code ignores exit 2 at this event and reads only the decision object. hookgate takes either for a refusal. The person decides about a permission for changed arguments, because the call cannot be changed here',
  },
  PostToolUse: {
    event: 'transform_tool_result',
    where: { tool_error: [false] },
    ...tool,
    fields: {
      tool_response: {
        here: 'tool_result',
        out: ({ tool_name: name, tool_result: result }) => response(name, result),
        in: (value = '') => resultText(value),
      },
    },
    here: { tool_error: false },
    moment: 'tool_ran',
    note: 'The tool has run: a block undoes nothing, and its reason is given to the model. It fires before the agent sees the result, so that the result can still be replaced',
  },
  PostToolUseFailure: {
    event: 'on_tool_error',
    ...tool,
    fields: { error: { ...field.text('error'), out: ({ error }) => errorText(error) } },
    moment: 'tool_ran',
    note: 'A block undoes nothing; its reason is given to the model',
  },
  PostToolBatch: noMoment(
    'hookgate reports each tool by itself (PostToolUse, PostToolUseFailure). This event can end the turn or tell the model something; the end of a step here can do neither',
  ),
  UserPromptSubmit: {
    event: 'on_user_message',
    isGate: true,
    isTextContext: true,
    fields: { prompt: field.content('message') },
    needs: ['prompt'],
    here: { kind: 'message' },
    moment: 'turn_start',
    note: 'Claude Code gives it 30 s; here it has the timeout of all events',
  },
  UserPromptExpansion: noMoment(
    'agents here expand no slash commands of their own; what a person writes arrives as UserPromptSubmit',
  ),
  SessionStart: {
    event: 'on_session_start',
    matches: 'source',
    isTextContext: true,
    fields: { source: field.or('source', 'startup'), model: 'model' },
    here: { status: 'started' },
    note: 'It cannot refuse a session',
  },
  SessionEnd: {
    event: 'on_session_end',
    matches: 'reason',
    values: endReasons,
    fields: { reason: field.word('reason', endReasons, ourReasons) },
    here: { status: 'ended' },
    moment: 'session_end',
    note: 'Claude Code gives it 1.5 s; here it has the timeout of all events',
  },
  Stop: {
    event: 'on_stop',
    isGate: true,
    fields: stop,
    moment: 'turn_end',
    note: 'Further context asks the agent to go on, as in Claude Code. Another round is asked for at most 3 times a turn; in Claude Code it is 8 times',
  },
  StopFailure: {
    event: 'on_error',
    fields: { error: field.fixed('unknown'), error_details: { out: ({ error }) => errorText(error) } },
    in: ({ error, error_details: details }) => ({
      error: { message: textOrEmpty(details ?? error), name: textOf(error) ?? 'unknown', stack: '' },
    }),
    note: 'hookgate knows no classes of errors: the error is "unknown", and error_details say what happened',
  },
  SubagentStart: {
    event: 'on_subagent_start',
    matches: 'subagent_type',
    fields: subagent,
    here: { task_description: '' },
  },
  SubagentStop: {
    event: 'on_subagent_stop',
    matches: 'subagent_type',
    isGate: true,
    fields: { ...stop, ...subagent, agent_transcript_path: field.fixed('') },
    note: 'Further context asks the subagent to go on, as in Claude Code',
  },
  PreCompact: {
    event: 'pre_compact',
    matches: 'source',
    isGate: true,
    values: sources,
    fields: { trigger: field.trigger, custom_instructions: field.fixed('') },
  },
  PostCompact: {
    event: 'post_compact',
    matches: 'source',
    values: sources,
    fields: { trigger: field.trigger, compact_summary: field.text('summary') },
  },
  Notification: {
    event: 'on_notification',
    fields: { message: field.text('message') },
    needs: ['message'],
    here: { level: 'info' },
    note: 'hookgate has levels, not types of notifications: it takes no matcher, and stdin has no notification_type',
  },
  MessageDisplay: {
    event: 'on_outbound_message',
    // There is one call for each message, with all of its text.
    fields: {
      message_id: field.told('event_id'),
      index: field.fixed(0),
      final: field.fixed(true),
      delta: field.text('notification'),
    },
    needs: ['delta'],
    here: { parts: [], type: 'text', files: [], recent: [] },
    note: 'It is asked about the whole main text before the message leaves, not while it is displayed. It does not see captions and buttons. Claude Code gives it 10 s; here it has the timeout of all events',
  },
  PermissionDenied: {
    event: 'on_permission_decision',
    where: { decision: ['deny'] },
    ...tool,
    fields: { reason: 'reason' },
    here: { decision: 'deny', source: 'auto' },
    note: 'hookgate fires it on every refusal, Claude Code only in auto mode. The agent is not asked to retry',
  },
  TaskCompleted: {
    event: 'on_completion_claim',
    isGate: true,
    fields: { task_subject: field.text('summary'), task_description: field.told('goal') },
    needs: ['task_subject'],
    in: ({ task_subject: subject, task_description: goal }) => ({
      response: textOrEmpty(subject),
      goal: textOrEmpty(goal ?? subject),
    }),
    note: 'In Claude Code it is about a task of a list. Here it is about the claim that the goal is reached: task_subject is the summary, and task_description is the goal',
  },
  TaskCreated: noMoment('agents here keep no task list'),
  TeammateIdle: noMoment('hookgate knows subagents, not teams of agents; see SubagentStop'),
  PreModelSwitch: noMoment(noSwitch),
  PostModelSwitch: noMoment(noSwitch),
  Setup: noMoment('hookgate has no run that only sets a project up'),
  Elicitation: noMoment(noList),
  ElicitationResult: noMoment(noList),
  ConfigChange: noMoment(
    'files only propose hooks here; nothing about them changes what fires until an owner approves it',
  ),
  WorktreeCreate: noMoment('agents here make no worktrees'),
  WorktreeRemove: noMoment('agents here make no worktrees'),
  InstructionsLoaded: noMoment('hookgate does not see which instruction files an agent reads'),
  CwdChanged: noMoment("an agent's working directory does not change within a session"),
  FileChanged: noMoment('hookgate watches no files for an agent'),
  DirectoryAdded: noMoment("an agent's folders are set by whoever runs it"),
} as const satisfies Rows

/** Claude Code's own payloads of these events have no permission mode. */
const withoutMode = ['SessionStart', 'SessionEnd', 'MessageDisplay']

/** Makes an encoder for a system whose stdin has Claude Code's form and its own names of tools. */
export const encodeAs = (speaker: ToolNaming, rows: Rows): Dialect['encode'] =>
  encoderOf(
    speaker,
    rows,
    (name, payload: Payload) => {
      const { session_id, transcript_path: path, cwd, parent_session_id: parent, agent_id } = payload
      return {
        session_id,
        // At the start of a conversation there is no transcript. Scripts read the field all the same.
        transcript_path: typeof path === 'string' ? path : '',
        cwd,
        ...(withoutMode.includes(name) ? {} : { permission_mode: 'default' }),
        hook_event_name: name,
        // Only events inside a subagent name their agent.
        ...(parent === undefined ? {} : { agent_id }),
      }
    },
    definedFields,
  )

/**
 * Returns the folder that a plugin may write, because its root is sealed. The plugin's id is the name of its
 * folder, with the characters that Claude Code allows.
 */
const pluginData = (root: string): string =>
  `~/.claude/plugins/data/${(root.split('/').at(-1) ?? '').replaceAll(/[^\w-]/g, '-')}`

/** Claude Code as of 2.1.329. */
export const claudeCode: Dialect = {
  name: 'claude-code',
  events: eventsOf(claudeRows),
  // The shell by Claude Code's documentation of the shell form: `sh -c` on macOS and Linux.
  shell: 'sh',
  timeoutMs: { default: 600_000, min: 1, max: 600_000 },
  encode: encodeAs('claude-code', claudeRows),
  decode: decodeAs('claude-code', 'Claude Code'),
  // CLAUDE_ENV_FILE is not set: nothing here would read what a script writes there, and scripts check whether
  // it is set.
  env: ({ session_id }, { workspace, root }) => ({
    CLAUDECODE: '1',
    CLAUDE_PROJECT_DIR: workspace,
    CLAUDE_CODE_SESSION_ID: session_id,
    ...(root === undefined ? {} : { CLAUDE_PLUGIN_ROOT: root, CLAUDE_PLUGIN_DATA: pluginData(root) }),
  }),
}

/** A form of a tool server is answered on a card. Hooks of files do not hear of it. */
const reported: Rows = {
  ...claudeRows,
  Elicitation: {
    event: 'on_user_input',
    in: ({ message, url, requested_schema: schema }) => ({
      prompt: [textOrEmpty(message), textOrEmpty(url)].filter((line) => line !== '').join('\n'),
      questions: [...questionsOfSchema(schema)],
    }),
  },
}

const readFields = readerOf({
  speaker: 'claude-code',
  rows: reported,
  flaw: ({ tool_name: name, tool_input: input }: OptionalFields) =>
    typeof name !== 'string' || name === ''
      ? `Expected "tool_name" to be a tool's name, got ${got(name)}.`
      : isObject(input)
        ? undefined
        : `Expected "tool_input" to be an object, got ${got(input)}.`,
})

export const claudeClient: Client = {
  title: 'Claude Code',
  events: eventsOf(reported),
  answersAsArgument: true,
  read: (native, stdin) =>
    isObject(stdin) && (typeof stdin['cwd'] !== 'string' || stdin['cwd'] === '')
      ? { wrong: `Expected "cwd" to be a folder, got ${got(stdin['cwd'])}.` }
      : readFields(native, stdin),
  write: writeClaude,
}
