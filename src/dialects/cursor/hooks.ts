import type { Dialect, NativeEvent } from '../../core/model/hooks/dialect.ts'
import { isObject, type Json, type JsonObject } from '../../core/model/base/json.ts'
import type { Payload } from '../../core/model/events/payload.ts'
import { decodeAs } from '../claude-code/answer.ts'
import { definedFields } from '../reading/fields.ts'
import { jsonOf, isNonNull } from '../reading/output.ts'
import { callFor } from '../calls.ts'

const gate = { isGate: true } as const

/** Cursor's events, by its documentation of November 2026. */
const events: readonly NativeEvent[] = [
  { name: 'preToolUse', event: 'pre_tool_call', matches: 'tool_name', ...gate },
  {
    name: 'beforeShellExecution',
    event: 'pre_tool_call',
    where: { tool_name: ['bash', 'bash_input'] },
    matches: 'tool_input.command',
    ...gate,
  },
  {
    name: 'beforeMCPExecution',
    event: 'pre_tool_call',
    matches: 'tool_name',
    ...gate,
    note: 'It is asked about the tools of MCP servers only.',
  },
  {
    name: 'beforeReadFile',
    event: 'pre_tool_call',
    where: { tool_name: ['read_file'] },
    matches: 'tool_name',
    ...gate,
    note: 'Its payload does not hold the content of the file.',
  },
  {
    name: 'postToolUse',
    event: 'transform_tool_result',
    where: { tool_error: [false] },
    matches: 'tool_name',
  },
  { name: 'postToolUseFailure', event: 'on_tool_error', matches: 'tool_name' },
  {
    name: 'afterShellExecution',
    event: 'post_tool_call',
    where: { tool_name: ['bash', 'bash_input'] },
    matches: 'tool_input.command',
  },
  {
    name: 'afterMCPExecution',
    event: 'post_tool_call',
    matches: 'tool_name',
    note: 'It is told of the tools of MCP servers only.',
  },
  {
    name: 'afterFileEdit',
    event: 'post_tool_call',
    where: { tool_name: ['write_file', 'edit_file'], tool_error: [false] },
  },
  { name: 'beforeSubmitPrompt', event: 'on_user_message', ...gate },
  { name: 'stop', event: 'on_stop', ...gate },
  { name: 'subagentStart', event: 'on_subagent_start', matches: 'subagent_type', ...gate },
  { name: 'subagentStop', event: 'on_subagent_stop', matches: 'subagent_type', ...gate },
  { name: 'sessionStart', event: 'on_session_start' },
  { name: 'sessionEnd', event: 'on_session_end' },
  { name: 'preCompact', event: 'pre_compact' },
  { name: 'afterAgentResponse', event: 'post_llm_call' },
  { name: 'afterAgentThought', note: 'thoughts are not judged' },
  { name: 'beforeTabFileRead', note: "completions while a person types are not the agent's work" },
  { name: 'afterTabFileEdit', note: "completions while a person types are not the agent's work" },
  { name: 'workspaceOpen', note: 'no agent works at that moment' },
]

const inputOf = ({ tool_input: input }: Payload): JsonObject => (isObject(input) ? input : {})

const toolOf = (payload: Payload): JsonObject =>
  definedFields({ ...callFor('cursor', payload), tool_use_id: payload['tool_use_id'] })

const fileOf = (payload: Payload): Json | undefined => {
  const { tool_input: input = null } = callFor('cursor', payload)
  return isObject(input) ? input['file_path'] : undefined
}

/** Returns the tool of an MCP server by its own name, with its arguments as text. */
const serverTool = (payload: Payload): JsonObject => {
  const { tool_name: name } = payload
  const [, server, tool] = /^mcp__(.+?)__(.+)$/.exec(typeof name === 'string' ? name : '') ?? []
  return definedFields({
    tool_name: tool ?? name,
    tool_input: JSON.stringify(inputOf(payload)),
    mcp_server_name: server,
  })
}

const shellOf = (payload: Payload): JsonObject =>
  definedFields({ command: inputOf(payload)['command'], cwd: payload.cwd, sandbox: false })

const editsOf = (payload: Payload): JsonObject => {
  const { old_text: before = '', new_text: after, content } = inputOf(payload)
  return definedFields({
    file_path: fileOf(payload),
    edits: [definedFields({ old_string: before, new_string: after ?? content })],
  })
}

const fields: Readonly<Record<string, (payload: Payload) => JsonObject>> = {
  preToolUse: (payload) => ({ ...toolOf(payload), cwd: payload.cwd }),
  beforeShellExecution: shellOf,
  beforeMCPExecution: serverTool,
  beforeReadFile: (payload) => definedFields({ file_path: fileOf(payload), content: '', attachments: [] }),
  postToolUse: (payload) => ({
    ...toolOf(payload),
    cwd: payload.cwd,
    ...definedFields({ tool_output: payload['tool_result'] }),
  }),
  postToolUseFailure: (payload) => ({
    ...toolOf(payload),
    cwd: payload.cwd,
    ...definedFields({ error_message: payload['error'], failure_type: 'error', is_interrupt: false }),
  }),
  afterShellExecution: (payload) => ({
    ...shellOf(payload),
    ...definedFields({ output: payload['tool_result'] }),
  }),
  afterMCPExecution: (payload) => ({
    ...serverTool(payload),
    ...definedFields({ result_json: payload['tool_result'] }),
  }),
  afterFileEdit: editsOf,
  beforeSubmitPrompt: ({ message }) => definedFields({ prompt: message, attachments: [] }),
  stop: ({ stop_hook_active }) => ({ status: 'completed', loop_count: stop_hook_active === true ? 1 : 0 }),
  subagentStart: ({ subagent_name, subagent_type, task_description }) =>
    definedFields({ subagent_id: subagent_name, subagent_type, task: task_description }),
  subagentStop: ({ subagent_name, subagent_type, response }) =>
    definedFields({
      subagent_id: subagent_name,
      subagent_type,
      status: 'completed',
      summary: response,
      loop_count: 0,
    }),
  sessionStart: () => ({ is_background_agent: false, composer_mode: 'agent' }),
  sessionEnd: ({ reason }) => definedFields({ reason }),
  preCompact: ({ source }) => ({ trigger: source === 'manual' ? 'manual' : 'auto' }),
  afterAgentResponse: ({ response }) => definedFields({ text: response }),
}

/**
 * Translates Cursor's flat answer into Claude Code's fields, so that one decoder reads both. Older versions
 * had the two messages in camel case. Other fields stay, and the decoder makes notes about them.
 */
const asClaude = (name: string, json: JsonObject): JsonObject => {
  const {
    permission,
    userMessage: olderUserMessage,
    agentMessage: olderReason,
    user_message: userMessage = olderUserMessage,
    agent_message: reason = olderReason,
    updated_input: input,
    additional_context: context,
    updated_mcp_tool_output: output,
    followup_message: followup,
    env: _,
    ...rest
  } = json
  const isEnding = name === 'stop' || name === 'subagentStop'
  if (isEnding && isNonNull(followup) && followup !== '')
    return { ...rest, decision: 'block', reason: followup }
  const words: Json | undefined = isNonNull(reason) ? reason : userMessage
  const isRefusedPrompt = name === 'beforeSubmitPrompt' && rest['continue'] === false
  const { continue: _on, ...others } = rest
  const inner = definedFields({
    permissionDecision: permission,
    permissionDecisionReason: permission === undefined ? undefined : words,
    updatedInput: input,
    additionalContext: context,
    updatedMCPToolOutput: output,
  })
  return {
    ...(isRefusedPrompt ? { ...others, decision: 'block', ...definedFields({ reason: words }) } : rest),
    ...(isNonNull(userMessage) && isNonNull(reason) ? { systemMessage: userMessage } : {}),
    ...(Object.keys(inner).length === 0 ? {} : { hookSpecificOutput: { hookEventName: name, ...inner } }),
  }
}

const decode = decodeAs('cursor', 'Cursor')

/** Cursor, by its documentation. The project folder is also set under Claude Code's variable name. */
export const cursorHooks: Dialect = {
  name: 'cursor',
  events,
  shell: 'bash',
  timeoutMs: { default: 60_000, min: 1, max: 600_000 },
  encode: ({ name }, payload) => ({
    conversation_id: payload.session_id,
    generation_id: payload.event_id,
    session_id: payload.session_id,
    model: payload['model'] ?? '',
    hook_event_name: name,
    cursor_version: '',
    workspace_roots: [payload.cwd],
    user_email: null,
    transcript_path: payload['transcript_path'] ?? null,
    ...fields[name]?.(payload),
  }),
  decode: (native, payload, output) => {
    const json = jsonOf(output)
    return decode(
      native,
      payload,
      json === undefined
        ? output
        : { ...output, stdout: JSON.stringify(asClaude(native.name, json)), json: undefined },
    )
  },
  env: (_, { workspace, root }) => ({
    CURSOR_PROJECT_DIR: workspace,
    CLAUDE_PROJECT_DIR: workspace,
    ...(root === undefined ? {} : { CURSOR_PLUGIN_ROOT: root, CLAUDE_PLUGIN_ROOT: root }),
  }),
}
