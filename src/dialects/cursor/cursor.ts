import type { Client } from '../../shared/gate/client.ts'
import type { Dialect } from '../../shared/hooks/dialect.ts'
import type { Json, JsonObject } from '../../core/model/base/json.ts'
import { parseUnambiguous } from '../../shared/base/unambiguous.ts'
import type { Payload } from '../../core/model/events/payload.ts'
import { callFor } from '../calls.ts'
import { decodeAs } from '../claude-code/answer.ts'
import { definedFields, type OptionalFields } from '../reading/fields.ts'
import { isNonNull, jsonOf } from '../reading/output.ts'
import {
  encoderOf,
  eventsOf,
  field,
  type EventField,
  type EventFields,
  objectIn,
  readerOf,
  reportsOf,
  type Row,
  type Rows,
  textOf,
  textOrEmpty,
} from '../table.ts'
import { inClaudeWords, writeCursor } from './answers.ts'

/** The tool of an MCP server by its own name, with its arguments as text. */
const serverTool = ({ tool_name: name, tool_input: input }: Payload): OptionalFields => {
  const [, server, tool] = /^mcp__(.+?)__(.+)$/.exec(typeof name === 'string' ? name : '') ?? []
  return {
    tool_name: tool ?? name,
    tool_input: JSON.stringify(objectIn(input)),
    mcp_server_name: server,
    tool_use_id: undefined,
  }
}

/** A call that is told by its parts. Its tool is not named. */
const unnamed = { tool_name: undefined, tool_input: undefined, tool_use_id: undefined }

const shell = ({ tool_input: input, cwd }: Payload): OptionalFields => ({
  ...unnamed,
  command: objectIn(input)['command'],
  cwd,
  sandbox: false,
})

const fileOf = (payload: Payload): Json | undefined =>
  objectIn(callFor('cursor', payload)['tool_input'])['file_path']

const edits = (payload: Payload): OptionalFields => {
  const { old_text: before = '', new_text: after, content: all } = objectIn(payload['tool_input'])
  return {
    ...unnamed,
    file_path: fileOf(payload),
    edits: [definedFields({ old_string: before, new_string: after ?? all })],
  }
}

/** A change without a text before it writes a file. */
const edit = ({ file_path: path, edits: list }: JsonObject): JsonObject => {
  if (!isNonNull(path)) return { tool_name: 'Write', tool_input: {} }
  const texts = (key: string): string =>
    (Array.isArray(list) ? list : []).map((one) => textOrEmpty(objectIn(one)[key])).join('\n')
  const [before, after] = [texts('old_string'), texts('new_string')]
  return before.trim() === ''
    ? { tool_name: 'Write', tool_input: { file_path: path, content: after } }
    : { tool_name: 'edit_file', tool_input: { path, old_text: before, new_text: after } }
}

const gate = { isGate: true } as const
const tool = { matches: 'tool_name', isCall: true } as const
const command: Row = {
  where: { tool_name: ['bash', 'bash_input'] },
  matches: 'tool_input.command',
  isCall: true,
  out: shell,
}

const cwd: EventField = { out: (payload) => payload.cwd }
const ran = { here: { tool_error: false }, moment: 'tool_ran' } as const
const subagent: EventFields = {
  subagent_id: {
    ...field.text('subagent_name'),
    in: (id, { subagent_type: type }) => textOrEmpty(id ?? type),
  },
  subagent_type: { ...field.text('subagent_type'), in: textOf },
}

const twice = 'the same call comes by preToolUse; install one of the two'
const twiceAfter = 'the same call comes by postToolUse; install one of the two'
const tab = "completions while a person types are not the agent's work"

/** Cursor's events, by its documentation of November 2026. They were not tried with Cursor itself. */
const rows: Rows = {
  preToolUse: {
    event: 'pre_tool_call',
    ...tool,
    ...gate,
    fields: { cwd },
    told: [
      'Cursor takes a rewrite only with its "allow". Without consent the call is refused, with the call that would pass',
      'A rewritten Write is refused too, because Cursor may not take it over. No opinion is "allow" too, because Cursor has no other word',
    ].join('. '),
  },
  beforeShellExecution: { event: 'pre_tool_call', ...command, ...gate, told: twice },
  beforeMCPExecution: {
    event: 'pre_tool_call',
    ...tool,
    ...gate,
    out: serverTool,
    note: 'It is asked about the tools of MCP servers only',
    told: twice,
  },
  beforeReadFile: {
    event: 'pre_tool_call',
    where: { tool_name: ['read_file'] },
    ...tool,
    ...gate,
    out: (payload) => ({ ...unnamed, file_path: fileOf(payload), content: '', attachments: [] }),
    note: 'Its payload does not hold the content of the file',
    told: twice,
  },
  postToolUse: {
    event: 'transform_tool_result',
    where: { tool_error: [false] },
    ...tool,
    ...ran,
    fields: { cwd, tool_output: field.content('tool_result') },
    told: 'only the result of an MCP tool can be replaced',
  },
  postToolUseFailure: {
    event: 'on_tool_error',
    ...tool,
    fields: {
      cwd,
      error_message: field.text('error'),
      failure_type: field.fixed('error'),
      is_interrupt: field.fixed(false),
    },
    moment: 'tool_ran',
  },
  afterShellExecution: {
    event: 'post_tool_call',
    ...command,
    ...ran,
    fields: { output: field.text('tool_result') },
    told: twiceAfter,
  },
  afterMCPExecution: {
    event: 'post_tool_call',
    ...tool,
    ...ran,
    fields: { result_json: field.text('tool_result') },
    out: serverTool,
    note: 'It is told of the tools of MCP servers only',
    told: twiceAfter,
  },
  afterFileEdit: {
    event: 'post_tool_call',
    where: { tool_name: ['write_file', 'edit_file'], tool_error: [false] },
    isCall: true,
    out: edits,
    here: { tool_result: '', tool_error: false },
    moment: 'tool_ran',
    told: twiceAfter,
  },
  beforeSubmitPrompt: {
    event: 'on_user_message',
    ...gate,
    fields: { prompt: field.content('message'), attachments: field.fixed([]) },
    here: { kind: 'message' },
    moment: 'turn_start',
    told: 'a message can be refused, not rewritten',
  },
  stop: {
    event: 'on_stop',
    ...gate,
    fields: {
      status: field.fixed('completed'),
      loop_count: {
        here: 'stop_hook_active',
        out: ({ stop_hook_active: isAgain }) => (isAgain === true ? 1 : 0),
        in: (count) => typeof count === 'number' && count > 0,
      },
    },
    // A person who stopped the agent does not want it to go on.
    in: ({ status = null }) =>
      isNonNull(status) && status !== 'completed'
        ? { nothing: 'it did not end by itself' }
        : { response: '' },
    moment: 'turn_end',
    told: 'it does not tell what the agent said; a refusal becomes its next message',
  },
  subagentStart: {
    event: 'on_subagent_start',
    matches: 'subagent_type',
    ...gate,
    fields: { ...subagent, task: field.text('task_description') },
  },
  subagentStop: {
    event: 'on_subagent_stop',
    matches: 'subagent_type',
    ...gate,
    fields: {
      ...subagent,
      status: field.fixed('completed'),
      summary: {
        ...field.text('response'),
        in: (summary, { result }) => textOrEmpty(summary ?? result),
      },
      loop_count: field.fixed(0),
    },
  },
  sessionStart: {
    event: 'on_session_start',
    fields: {
      is_background_agent: field.fixed(false),
      composer_mode: field.fixed('agent'),
      model: field.heard('model'),
    },
    here: { status: 'started', source: 'startup' },
  },
  sessionEnd: {
    event: 'on_session_end',
    fields: { reason: field.or('reason', 'other') },
    here: { status: 'ended' },
    moment: 'session_end',
  },
  preCompact: { event: 'pre_compact', fields: { trigger: field.trigger }, here: { summary: '' } },
  afterAgentResponse: {
    event: 'post_llm_call',
    fields: { text: field.text('response'), model: field.heard('model') },
  },
  afterAgentThought: { note: 'thoughts are not judged' },
  beforeTabFileRead: { note: tab },
  afterTabFileEdit: { note: tab },
  workspaceOpen: { note: 'no agent works at that moment' },
}

const decode = decodeAs('cursor', 'Cursor')

/** Cursor, by its documentation. The project folder is also set under Claude Code's variable name. */
export const cursorHooks: Dialect = {
  name: 'cursor',
  events: eventsOf(rows),
  shell: 'bash',
  timeoutMs: { default: 60_000, min: 1, max: 600_000 },
  encode: encoderOf(
    'cursor',
    rows,
    (name, payload) => ({
      conversation_id: payload.session_id,
      generation_id: payload.event_id,
      session_id: payload.session_id,
      model: payload['model'] ?? '',
      hook_event_name: name,
      cursor_version: '',
      workspace_roots: [payload.cwd],
      user_email: null,
      transcript_path: payload['transcript_path'] ?? null,
    }),
    definedFields,
  ),
  decode: (native, payload, output) => {
    const json = jsonOf(output)
    const inWords = json === undefined ? output : { ...output, json: inClaudeWords(native.name, json) }
    return decode(native, payload, inWords)
  },
  env: (_, { workspace, root }) => ({
    CURSOR_PROJECT_DIR: workspace,
    CLAUDE_PROJECT_DIR: workspace,
    ...(root === undefined ? {} : { CURSOR_PLUGIN_ROOT: root, CLAUDE_PLUGIN_ROOT: root }),
  }),
}

const call = (stdin: JsonObject, event: string): OptionalFields => {
  const {
    command: line,
    cwd: folder,
    tool_name: name,
    tool_input,
    mcp_server_name: server,
    file_path,
  } = stdin
  if (event.endsWith('ShellExecution'))
    return {
      tool_name: 'Shell',
      tool_input: {
        ...(isNonNull(line) ? { command: line } : {}),
        ...(isNonNull(folder) ? { working_directory: folder } : {}),
      },
    }
  if (event === 'afterFileEdit') return edit(stdin)
  if (event === 'beforeReadFile')
    return { tool_name: 'Read', tool_input: isNonNull(file_path) ? { file_path } : {} }
  // The arguments come as an object or as JSON text.
  const input = typeof tool_input === 'string' ? (parseUnambiguous(tool_input) ?? tool_input) : tool_input
  const prefix = typeof server === 'string' && server !== '' ? `mcp__${server}__` : 'MCP:'
  return {
    tool_name: event.endsWith('MCPExecution') && typeof name === 'string' ? `${prefix}${name}` : name,
    tool_input: input,
    tool_use_id: stdin['tool_use_id'],
  }
}

export const cursor: Client = {
  title: 'Cursor',
  events: reportsOf(rows),
  read: readerOf({
    speaker: 'cursor',
    rows,
    call,
    sessionOf: ({ conversation_id: conversation, session_id }) => conversation ?? session_id,
    cwdOf: ({ cwd: folder, workspace_roots: roots }) =>
      folder ?? (Array.isArray(roots) ? roots[0] : undefined),
  }),
  write: writeCursor,
}
