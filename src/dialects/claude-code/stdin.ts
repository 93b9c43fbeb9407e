import type { NativeReport } from '../../shared/gate/client.ts'
import type { Dialect, NativeEvent } from '../../core/model/hooks/dialect.ts'
import { isObject, type Json, type JsonObject } from '../../core/model/base/json.ts'
import type { Payload } from '../../core/model/events/payload.ts'
import { questionsOfSchema } from '../../shared/gate/form-schema.ts'
import { got } from '../../core/model/gate/problem.ts'
import { endReasons } from './events.ts'
import { definedFields, wordIn, type OptionalFields } from '../reading/fields.ts'
import { resultText } from '../reading/output.ts'
import { callFor } from '../calls.ts'
import { fromNative, type ToolNaming } from '../tools.ts'

const claude = 'claude-code'

const words = (value: Json | undefined): string | undefined => (typeof value === 'string' ? value : undefined)

/**
 * Returns the text of a prompt, which is text itself or a list of blocks. Blocks without text become their
 * type in brackets.
 */
const promptText = (prompt: Json | undefined): string | undefined =>
  Array.isArray(prompt)
    ? prompt
        .map((block) =>
          isObject(block)
            ? (words(block['text']) ?? `[${words(block['type']) ?? 'unknown'}]`)
            : (words(block) ?? '[unknown]'),
        )
        .join('\n')
    : words(prompt)

const toolOf = (payload: Payload, speaker: ToolNaming): JsonObject =>
  definedFields({ ...callFor(speaker, payload), tool_use_id: payload['tool_use_id'] })

/**
 * Returns a tool's result in Claude Code's shape. Only the shape of its shell's result is known well enough;
 * the result of any other tool stays text.
 */
const responseOf = ({ tool_name: name, tool_result: result }: Payload): Json | undefined =>
  name === 'bash' && typeof result === 'string'
    ? { stdout: result, stderr: '', interrupted: false, isImage: false }
    : result

const errorText = (error: Json | undefined): string | undefined =>
  words(error) ?? (isObject(error) ? words(error['message']) : undefined)

/** Returns Claude Code's trigger of a compaction. Our sources are more exact. */
const triggerOf = (source: Json | undefined): string => (source === 'manual' ? 'manual' : 'auto')

/** The fields that each event adds to the base fields, by Claude Code's names of the events. */
const encoders: Readonly<Record<string, (payload: Payload, speaker: ToolNaming) => JsonObject>> = {
  PreToolUse: toolOf,
  // In Claude Code a permission request has no tool_use_id.
  PermissionRequest: (payload, speaker) => {
    const { tool_use_id: _, ...tool } = toolOf(payload, speaker)
    return { ...tool, ...definedFields({ permission_suggestions: payload['suggestions'] }) }
  },
  PostToolUse: (payload, speaker) => ({
    ...toolOf(payload, speaker),
    ...definedFields({ tool_response: responseOf(payload) }),
  }),
  PostToolUseFailure: (payload, speaker) => ({
    ...toolOf(payload, speaker),
    ...definedFields({ error: errorText(payload['error']) }),
  }),
  PermissionDenied: (payload, speaker) => ({
    ...toolOf(payload, speaker),
    ...definedFields({ reason: payload['reason'] }),
  }),
  UserPromptSubmit: ({ message }) => definedFields({ prompt: message }),
  SessionStart: ({ source, model }) => definedFields({ source, model }),
  SessionEnd: ({ reason }) => ({ reason: wordIn(endReasons, reason) ?? 'other' }),
  Stop: ({ stop_hook_active, response }) =>
    definedFields({ stop_hook_active: stop_hook_active === true, last_assistant_message: response }),
  StopFailure: ({ error }) => definedFields({ error: 'unknown', error_details: errorText(error) }),
  SubagentStart: ({ subagent_name, subagent_type }) =>
    definedFields({ agent_id: subagent_name, agent_type: subagent_type }),
  SubagentStop: ({ stop_hook_active, response, subagent_name, subagent_type }) =>
    definedFields({
      stop_hook_active: stop_hook_active === true,
      last_assistant_message: response,
      agent_id: subagent_name,
      agent_type: subagent_type,
      agent_transcript_path: '',
    }),
  PreCompact: ({ source }) => ({ trigger: triggerOf(source), custom_instructions: '' }),
  PostCompact: ({ source, summary }) => ({
    trigger: triggerOf(source),
    ...definedFields({ compact_summary: summary }),
  }),
  Notification: ({ message }) => definedFields({ message }),
  // There is one call for each message, with all of its text.
  MessageDisplay: ({ event_id, notification }) =>
    definedFields({ message_id: event_id, index: 0, final: true, delta: notification }),
  TaskCompleted: ({ summary, goal }) => definedFields({ task_subject: summary, task_description: goal }),
}

/** Claude Code's own payloads of these events have no permission mode. */
const withoutMode = ['SessionStart', 'SessionEnd', 'MessageDisplay']

/**
 * Makes an encoder that writes our event as Claude Code does, for a system with the same format and its own
 * tool names.
 */
export const encodeAs =
  (speaker: ToolNaming): Dialect['encode'] =>
  ({ name }, payload) => ({
    session_id: payload.session_id,
    // At the start of a conversation there is no transcript. The field is still present for scripts that read
    // it.
    transcript_path: words(payload['transcript_path']) ?? '',
    cwd: payload.cwd,
    ...(withoutMode.includes(name) ? {} : { permission_mode: 'default' }),
    hook_event_name: name,
    // Only events inside a subagent name their agent.
    ...(payload['parent_session_id'] === undefined ? {} : { agent_id: payload.agent_id }),
    ...encoders[name]?.(payload, speaker),
  })

export const encodeClaude = encodeAs(claude)

type StdinFields = JsonObject | { readonly wrong: string }

const misfit = (field: string, shape: string, value: Json | undefined): { readonly wrong: string } => ({
  wrong: `Expected "${field}" to be ${shape}, got ${got(value)}.`,
})

const readTool = (
  stdin: JsonObject,
  more: (stdin: JsonObject) => OptionalFields = () => ({}),
): StdinFields => {
  const { tool_name: name, tool_input: input } = stdin
  if (typeof name !== 'string' || name === '') return misfit('tool_name', "a tool's name", name)
  if (!isObject(input)) return misfit('tool_input', 'an object', input)
  const tool = fromNative(claude, { name, input })
  return definedFields({
    tool_name: tool.name,
    tool_input: tool.input,
    tool_use_id: words(stdin['tool_use_id']),
    ...more(stdin),
  })
}

const readText = (
  field: string,
  value: string | undefined,
  raw: Json | undefined,
  more: JsonObject = {},
): StdinFields => (value === undefined ? misfit(field, 'a text', raw) : { [field]: value, ...more })

const ourReasons: Readonly<Record<string, string>> = {
  clear: 'clear',
  logout: 'logout',
  prompt_input_exit: 'user_exit',
}

const readStop = ({ last_assistant_message, stop_hook_active }: JsonObject): JsonObject => ({
  response: words(last_assistant_message) ?? '',
  stop_hook_active: stop_hook_active === true,
})

const readSubagent = ({ agent_id, agent_type }: JsonObject): JsonObject => ({
  subagent_name: words(agent_id) ?? words(agent_type) ?? '',
  subagent_type: words(agent_type) ?? '',
})

/** Read our fields from each of its events. Fields that a gate searches are always present. */
const readers: Readonly<Record<string, (stdin: JsonObject) => StdinFields>> = {
  PreToolUse: (stdin) => readTool(stdin),
  PermissionRequest: (stdin) =>
    readTool(stdin, ({ permission_suggestions: suggestions }) => ({
      suggestions: Array.isArray(suggestions) ? suggestions : [],
    })),
  PostToolUse: (stdin) =>
    readTool(stdin, ({ tool_response: response = '' }) => ({
      tool_result: resultText(response),
      tool_error: false,
    })),
  PostToolUseFailure: (stdin) => readTool(stdin, ({ error = '' }) => ({ error: resultText(error) })),
  Elicitation: ({ message, url, requested_schema: schema }) => ({
    prompt: [words(message) ?? '', words(url) ?? ''].filter((text) => text !== '').join('\n'),
    questions: [...questionsOfSchema(schema)],
  }),
  PermissionDenied: (stdin) =>
    readTool(stdin, ({ reason }) => ({ decision: 'deny', source: 'auto', reason: words(reason) })),
  UserPromptSubmit: ({ prompt }) => {
    const message = promptText(prompt)
    return message === undefined
      ? misfit('prompt', 'a text or a list of blocks', prompt)
      : { message, kind: 'message' }
  },
  SessionStart: ({ source, model }) =>
    definedFields({ status: 'started', source: words(source) ?? 'startup', model: words(model) }),
  SessionEnd: ({ reason }) => ({ status: 'ended', reason: wordIn(ourReasons, reason) ?? 'other' }),
  Stop: readStop,
  StopFailure: ({ error, error_details }) => ({
    error: {
      message: words(error_details) ?? words(error) ?? '',
      name: words(error) ?? 'unknown',
      stack: '',
    },
  }),
  SubagentStart: (stdin) => ({ ...readSubagent(stdin), task_description: '' }),
  SubagentStop: (stdin) => ({ ...readSubagent(stdin), ...readStop(stdin) }),
  PreCompact: ({ trigger }) => ({ source: triggerOf(trigger) }),
  PostCompact: ({ trigger, compact_summary }) => ({
    source: triggerOf(trigger),
    summary: words(compact_summary) ?? '',
  }),
  Notification: ({ message }) => readText('message', words(message), message, { level: 'info' }),
  MessageDisplay: ({ delta }) =>
    readText('notification', words(delta), delta, { parts: [], type: 'text', files: [], recent: [] }),
  TaskCompleted: ({ task_subject: subject, task_description: goal }) =>
    readText('summary', words(subject), subject, {
      response: words(subject) ?? '',
      goal: words(goal) ?? words(subject) ?? '',
    }),
}

const isWrong = (fields: StdinFields): fields is { readonly wrong: string } =>
  typeof fields['wrong'] === 'string'

export const readClaude = (native: NativeEvent, stdin: Json): NativeReport | { readonly wrong: string } => {
  const read = readers[native.name]
  if (native.event === undefined || read === undefined)
    return { wrong: `${native.name} cannot be mapped: ${native.note ?? 'hookgate has no such event'}.` }
  if (!isObject(stdin)) return misfit('stdin', 'one JSON object', stdin)
  const { hook_event_name: name, session_id, cwd, agent_id: agent } = stdin
  if (name !== undefined && name !== native.name) return misfit('hook_event_name', `"${native.name}"`, name)
  if (typeof session_id !== 'string' || session_id === '')
    return misfit('session_id', 'a text that is not empty', session_id)
  if (typeof cwd !== 'string' || cwd === '') return misfit('cwd', 'a folder', cwd)
  const fields = read(stdin)
  if (isWrong(fields)) return fields
  const isInside = typeof agent === 'string' && agent !== '' && !native.name.startsWith('Subagent')
  return { event: native.event, session_id, cwd, fields, ...(isInside ? { agent_id: agent } : {}) }
}
