import type { Dialect, HandlerOutput, NativeEvent } from '../../core/model/hooks/dialect.ts'
import { isObject, type JsonObject } from '../../core/model/base/json.ts'
import type { Payload } from '../../core/model/events/payload.ts'
import { decodeAs } from '../claude-code/answer.ts'
import { definedFields } from '../reading/fields.ts'
import { answerIn } from '../reading/output.ts'
import { callFor } from '../calls.ts'

const gate = { isGate: true } as const

/** Gemini CLI's events as of 0.61. */
const events: readonly NativeEvent[] = [
  { name: 'BeforeTool', event: 'pre_tool_call', matches: 'tool_name', ...gate },
  {
    name: 'AfterTool',
    event: 'transform_tool_result',
    matches: 'tool_name',
    note: 'The tool has run: a refusal undoes nothing, and its reason is given to the model.',
  },
  { name: 'BeforeAgent', event: 'on_user_message', ...gate, isTextContext: true },
  { name: 'AfterAgent', event: 'on_stop', ...gate },
  {
    name: 'BeforeModel',
    event: 'pre_llm_call',
    ...gate,
    note: 'The hook sees only the texts of messages. A new request or answer of the hook is not taken over.',
  },
  { name: 'AfterModel', event: 'post_llm_call', note: 'It comes once, with the whole answer.' },
  {
    name: 'SessionStart',
    event: 'on_session_start',
    matches: 'source',
    isTextContext: true,
    note: 'It cannot refuse a session.',
  },
  { name: 'SessionEnd', event: 'on_session_end', matches: 'reason' },
  { name: 'Notification', event: 'on_notification' },
  { name: 'PreCompress', note: 'it comes before every model call, whether anything is compacted or not' },
  {
    name: 'BeforeToolSelection',
    note: 'hookgate judges which tools the model calls, not which tools it is offered',
  },
]

const toolOf = (payload: Payload): JsonObject => callFor('gemini', payload)

const fields: Readonly<Record<string, (payload: Payload) => JsonObject>> = {
  BeforeTool: toolOf,
  AfterTool: (payload) => ({
    ...toolOf(payload),
    tool_response: definedFields({
      llmContent: payload['tool_result'],
      returnDisplay: payload['tool_result'],
    }),
  }),
  BeforeAgent: ({ message }) => definedFields({ prompt: message }),
  AfterAgent: ({ last_user_message, response, stop_hook_active }) =>
    definedFields({
      prompt: last_user_message ?? '',
      prompt_response: response,
      stop_hook_active: stop_hook_active === true,
    }),
  BeforeModel: ({ model, messages }) => ({ llm_request: definedFields({ model, messages }) }),
  AfterModel: ({ model, response }) => ({
    llm_request: definedFields({ model }),
    llm_response: definedFields({
      text: response,
      candidates: [{ content: { role: 'model', parts: [response ?? ''] }, finishReason: 'STOP' }],
    }),
  }),
  SessionStart: ({ source }) => definedFields({ source }),
  SessionEnd: ({ reason }) => definedFields({ reason }),
  Notification: ({ message }) => definedFields({ notification_type: 'ToolPermission', message, details: {} }),
}

/** Renames the rewrite of an answer, which has another name in Gemini CLI. */
const asClaude = (json: JsonObject): JsonObject => {
  const { hookSpecificOutput: specific } = json
  if (!isObject(specific) || specific['tool_input'] === undefined) return json
  const { tool_input: updatedInput, ...rest } = specific
  return { ...json, hookSpecificOutput: { ...rest, updatedInput } }
}

const decode = decodeAs('gemini', 'Gemini CLI')

/**
 * Translates an output into Claude Code's form. In Gemini CLI every exit code except 0 and 1 refuses, and an
 * answer may stand on stderr.
 */
const asClaudeOutput = (output: HandlerOutput): HandlerOutput => {
  const { exitCode, stdout, stderr } = output
  const answer = stdout.trim() === '' && answerIn(stderr) !== undefined ? stderr : stdout
  const json = answerIn(answer)
  const isRefusal = exitCode !== null && exitCode > 1 && exitCode < 126
  return {
    ...output,
    exitCode: isRefusal ? 2 : exitCode,
    stdout: json === undefined ? answer : JSON.stringify(asClaude(json)),
    json: undefined,
  }
}

/** Gemini CLI as of 0.61. */
export const geminiHooks: Dialect = {
  name: 'gemini',
  events,
  shell: 'bash',
  timeoutMs: { default: 60_000, min: 1, max: 600_000 },
  encode: ({ name }, payload) => ({
    session_id: payload.session_id,
    transcript_path: payload['transcript_path'] ?? '',
    cwd: payload.cwd,
    hook_event_name: name,
    timestamp: payload.timestamp,
    ...fields[name]?.(payload),
  }),
  decode: (native, payload, output) => decode(native, payload, asClaudeOutput(output)),
  env: ({ session_id, cwd }, { workspace }) => ({
    GEMINI_PROJECT_DIR: workspace,
    GEMINI_CWD: cwd,
    GEMINI_SESSION_ID: session_id,
    CLAUDE_PROJECT_DIR: workspace,
  }),
}
