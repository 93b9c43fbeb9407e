import { randomUUID } from 'node:crypto'
import { isAbsolute, join } from 'node:path'
import type { JsonObject } from '../../src/core/model/base/json.ts'
import type { System, WildCase } from './lock.ts'

/**
 * What each system writes to a hook's stdin, by its own documentation. It is written anew here, and takes
 * nothing from src/dialects: what is compared must not come from one hand.
 */

type Tools = Readonly<Record<string, readonly [name: string, keys?: Readonly<Record<string, string>>]>>

const claude: Tools = {
  bash: ['Bash'],
  write_file: ['Write', { path: 'file_path' }],
  read_file: ['Read', { path: 'file_path' }],
  edit_file: ['Edit', { path: 'file_path', old_text: 'old_string', new_text: 'new_string' }],
  fetch: ['WebFetch'],
  subagent: ['Task', { task: 'prompt' }],
  grep: ['Grep'],
  glob: ['Glob'],
}

const tools: Readonly<Record<System, Tools>> = {
  'claude-code': claude,
  'claude-plugin': claude,
  codex: { ...claude, write_file: ['apply_patch'], edit_file: ['apply_patch'] },
  gemini: {
    bash: ['run_shell_command'],
    write_file: ['write_file', { path: 'file_path' }],
    read_file: ['read_file', { path: 'file_path' }],
    edit_file: ['replace', { path: 'file_path', old_text: 'old_string', new_text: 'new_string' }],
  },
  cursor: {
    bash: ['Shell'],
    write_file: ['Write', { path: 'file_path' }],
    read_file: ['Read', { path: 'file_path' }],
    edit_file: ['Write', { path: 'file_path' }],
  },
  kimi: {
    bash: ['Shell'],
    write_file: ['WriteFile'],
    read_file: ['ReadFile'],
    edit_file: ['StrReplaceFile'],
  },
  copilot: {
    bash: ['bash'],
    write_file: ['create', { content: 'file_text' }],
    read_file: ['view'],
    edit_file: ['edit', { old_text: 'old_str', new_text: 'new_str' }],
  },
  'copilot-vscode': {
    bash: ['run_in_terminal'],
    write_file: ['create_file', { path: 'filePath' }],
    read_file: ['read_file', { path: 'filePath' }],
    edit_file: ['replace_string_in_file', { path: 'filePath', old_text: 'oldString', new_text: 'newString' }],
  },
  'docker-agent': {
    bash: ['shell', { command: 'cmd' }],
    write_file: ['write_file'],
    read_file: ['read_file'],
    edit_file: ['edit_file'],
  },
  'agent-hooks': {
    bash: ['Shell'],
    write_file: ['WriteFile'],
    read_file: ['ReadFile'],
    edit_file: ['StrReplaceFile'],
  },
  factory: {
    bash: ['Execute'],
    write_file: ['Create', { path: 'file_path' }],
    read_file: ['Read', { path: 'file_path' }],
    edit_file: ['Edit', { path: 'file_path', old_text: 'old_str', new_text: 'new_str' }],
  },
}

const text = (fields: JsonObject, key: string, otherwise: string): string =>
  typeof fields[key] === 'string' ? fields[key] : otherwise

/** Codex changes a file by a patch. */
const patchOf = (input: JsonObject): string => {
  const signed = (sign: string, key: string): string => text(input, key, '').replaceAll(/^/gm, sign)
  const path = text(input, 'path', '')
  const change =
    input['content'] === undefined
      ? [`*** Update File: ${path}`, '@@', signed('-', 'old_text'), signed('+', 'new_text')]
      : [`*** Add File: ${path}`, signed('+', 'content')]
  return ['*** Begin Patch', ...change, '*** End Patch'].join('\n')
}

/** The tool's name and arguments there. Paths are absolute, as every one of these systems gives them. */
export const toolOf = (
  system: System,
  { tool = 'bash', input = {} }: Pick<WildCase, 'tool' | 'input'>,
  workspace: string,
): { readonly name: string; readonly input: JsonObject } => {
  const [name, keys = {}] = tools[system][tool] ?? [tool]
  const named = Object.entries(input).map(([key, value]) => [
    keys[key] ?? key,
    key === 'path' && typeof value === 'string' && !isAbsolute(value) ? join(workspace, value) : value,
  ])
  const all = Object.fromEntries(named) as JsonObject
  return { name, input: name === 'apply_patch' ? { command: patchOf(input) } : all }
}

export interface There {
  readonly system: System
  /** The event as the file spells it. */
  readonly native: string
  readonly workspace: string
  readonly transcript: string
}

/** Everything that Claude Code and those who took its form write, by our event. */
const claudeForm = (one: WildCase, { system, native, workspace, transcript }: There): JsonObject => {
  const { fields = {}, event } = one
  const { name, input } = toolOf(system, one, workspace)
  const result = text(fields, 'tool_result', '')
  const call: JsonObject = { tool_name: name, tool_input: input, tool_use_id: 'call-1' }
  const own: Readonly<Partial<Record<WildCase['event'], JsonObject>>> = {
    pre_tool_call: call,
    on_permission_request: { tool_name: name, tool_input: input },
    transform_tool_result: {
      ...call,
      tool_response: {
        stdout: result,
        stderr: '',
        interrupted: false,
        filePath: input['file_path'] ?? '',
        success: true,
      },
    },
    post_tool_call: { ...call, tool_response: { stdout: result, stderr: '', interrupted: false } },
    on_tool_error: { ...call, error: text(fields, 'error', 'it failed') },
    on_user_message: { prompt: text(fields, 'message', 'hello') },
    on_session_start: { source: text(fields, 'source', 'startup'), model: 'a-model' },
    on_session_end: { reason: text(fields, 'reason', 'other') },
    on_stop: {
      stop_hook_active: fields['stop_hook_active'] === true,
      last_assistant_message: text(fields, 'response', 'Hello.'),
    },
    on_subagent_start: { agent_id: 'agent-1', agent_type: text(fields, 'subagent_type', 'general-purpose') },
    on_subagent_stop: {
      stop_hook_active: false,
      agent_id: 'agent-1',
      agent_type: text(fields, 'subagent_type', 'general-purpose'),
      agent_transcript_path: transcript,
      last_assistant_message: text(fields, 'response', 'Hello.'),
    },
    pre_compact: { trigger: text(fields, 'source', 'auto'), custom_instructions: '' },
    on_notification: {
      message: text(fields, 'message', 'Waiting for you'),
      notification_type: 'idle_prompt',
    },
  }
  return {
    session_id: 'a-session',
    transcript_path: transcript,
    cwd: workspace,
    hook_event_name: native,
    permission_mode: 'default',
    ...own[event],
  }
}

const copilotForm = (one: WildCase, { system, workspace, transcript }: There): JsonObject => {
  const { fields = {}, event } = one
  const { name, input } = toolOf(system, one, workspace)
  const call: JsonObject = { toolName: name, toolArgs: input }
  const own: Readonly<Partial<Record<WildCase['event'], JsonObject>>> = {
    pre_tool_call: { toolName: name, toolArgs: JSON.stringify(input) },
    transform_tool_result: {
      ...call,
      toolArgs: JSON.stringify(input),
      toolResult: { resultType: 'success', textResultForLlm: text(fields, 'tool_result', '') },
    },
    on_tool_error: { ...call, error: text(fields, 'error', 'it failed') },
    on_user_message: { prompt: text(fields, 'message', 'hello') },
    on_session_start: { source: 'new', initialPrompt: 'hello' },
    on_session_end: { reason: 'complete' },
    on_stop: { transcriptPath: transcript, stopReason: 'end_turn', stop_hook_active: false },
    on_subagent_stop: {
      transcriptPath: transcript,
      agentName: 'helper',
      response: 'Done.',
      stopReason: 'end_turn',
    },
    on_error: {
      error: { message: 'it failed', name: 'Error' },
      errorContext: 'tool_execution',
      recoverable: true,
    },
  }
  return { sessionId: 'a-session', timestamp: Date.now(), cwd: workspace, ...own[event] }
}

const cursorForm = (one: WildCase, { system, native, workspace, transcript }: There): JsonObject => {
  const { fields = {}, event } = one
  const { name, input } = toolOf(system, one, workspace)
  const command = text(input, 'command', '')
  const path = text(input, 'file_path', '')
  const byName: Readonly<Record<string, JsonObject>> = {
    beforeShellExecution: { command, cwd: workspace, sandbox: false },
    afterShellExecution: { command, output: text(fields, 'tool_result', ''), duration: 1 },
    beforeReadFile: { file_path: path, content: 'hello', attachments: [] },
    afterFileEdit: {
      file_path: path,
      edits: [
        {
          old_string: text(input, 'old_text', ''),
          new_string: text(input, 'content', text(input, 'new_text', '')),
        },
      ],
    },
    beforeSubmitPrompt: { prompt: text(fields, 'message', 'hello'), attachments: [] },
    beforeMCPExecution: {
      tool_name: name.replace(/^mcp__[^_]+__/, ''),
      tool_input: JSON.stringify(input),
      command: 'a-server',
    },
    preToolUse: {
      tool_name: name,
      tool_input: input,
      tool_use_id: 'call-1',
      cwd: workspace,
      agent_message: '',
    },
    stop: { status: 'completed', loop_count: 0 },
    afterAgentResponse: { text: text(fields, 'response', 'Hello.') },
    sessionStart: { session_id: 'a-session', is_background_agent: false, composer_mode: 'agent' },
    sessionEnd: { session_id: 'a-session', reason: 'completed', duration_ms: 1 },
  }
  return {
    conversation_id: 'a-session',
    generation_id: 'generation-1',
    model: 'a-model',
    hook_event_name: native,
    cursor_version: '2.6.0',
    workspace_roots: [workspace],
    user_email: 'person@example.com',
    transcript_path: transcript,
    ...(byName[native] ?? { event }),
  }
}

const geminiForm = (one: WildCase, there: There): JsonObject => {
  const { tool_use_id: _, permission_mode: __, ...form } = claudeForm(one, there)
  const fields = one.fields ?? {}
  const own: Readonly<Record<string, JsonObject>> = {
    AfterTool: { tool_response: { llmContent: text(fields, 'tool_result', ''), returnDisplay: '' } },
    AfterAgent: {
      prompt: 'hello',
      prompt_response: text(fields, 'response', 'Hello.'),
      stop_hook_active: false,
    },
    BeforeModel: {
      llm_request: { model: 'a-model', messages: [{ role: 'user', content: 'hello' }], config: {} },
    },
  }
  return { ...form, timestamp: new Date().toISOString(), ...own[there.native] }
}

const dockerForm = (one: WildCase, { system, native, workspace }: There): JsonObject => {
  const { fields = {} } = one
  const { name, input } = toolOf(system, one, workspace)
  const call: JsonObject = { agent_name: 'root', tool_name: name, tool_use_id: 'call-1', tool_input: input }
  const byName: Readonly<Record<string, JsonObject>> = {
    pre_tool_use: call,
    tool_input_transform: call,
    tool_guard: call,
    permission_request: call,
    post_tool_use: { ...call, tool_response: text(fields, 'tool_result', ''), tool_error: false },
    tool_response_transform: { ...call, tool_response: text(fields, 'tool_result', '') },
    session_start: { source: 'startup' },
    session_end: { reason: 'stream_ended' },
    user_prompt_submit: { prompt: text(fields, 'message', 'hello') },
    stop: {
      agent_name: 'root',
      stop_response: text(fields, 'response', 'Hello.'),
      last_user_message: 'hello',
    },
    notification: { notification_level: 'error', notification_message: text(fields, 'message', 'it failed') },
    before_llm_call: {
      agent_name: 'root',
      iteration: 1,
      model_id: 'a-model',
      messages: [{ role: 'user', content: 'hello' }],
    },
    after_llm_call: {
      agent_name: 'root',
      stop_response: 'Done.',
      last_user_message: 'hello',
      model_id: 'a-model',
    },
    on_agent_switch: { from_agent: 'root', to_agent: 'helper', agent_switch_kind: 'transfer_task' },
    pre_compact: { source: 'auto' },
  }
  return { session_id: 'a-session', cwd: workspace, hook_event_name: native, ...byName[native] }
}

const hookMdForm = (one: WildCase, { system, native, workspace }: There): JsonObject => {
  const { fields = {} } = one
  const { name, input } = toolOf(system, one, workspace)
  const base = {
    event_type: native,
    timestamp: new Date().toISOString(),
    session_id: randomUUID(),
    work_dir: workspace,
    context: {},
  }
  if (one.event.includes('tool'))
    return { ...base, tool_name: name, tool_input: input, tool_use_id: 'call-1' }
  return { ...base, ...fields }
}

const forms: Partial<Readonly<Record<System, (one: WildCase, there: There) => JsonObject>>> = {
  copilot: (one, there) =>
    /^[A-Z]/.test(there.native)
      ? { ...claudeForm(one, { ...there, system: 'claude-code' }), timestamp: new Date().toISOString() }
      : copilotForm(one, there),
  cursor: cursorForm,
  gemini: geminiForm,
  'docker-agent': dockerForm,
  'agent-hooks': hookMdForm,
}

/**
 * The one program that ran HOOK.md hooks wrote JSON as Python does, with a blank after each colon, and
 * scripts rely on it.
 */
const blanks = (value: JsonObject): string => JSON.stringify(value, undefined, 1).replaceAll(/\n\s*/g, ' ')

export const stdinAtHome = (one: WildCase, there: There): string => {
  const form = (forms[there.system] ?? claudeForm)(one, there)
  // Claude Code ends its line, and scripts rely on that too.
  const end = there.system.startsWith('claude-') ? '\n' : ''
  return there.system === 'agent-hooks' ? blanks(form) : `${JSON.stringify(form)}${end}`
}
