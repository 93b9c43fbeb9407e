import type { Dialect, NativeEvent } from '../../core/model/hooks/dialect.ts'
import { isObject, type Json, type JsonObject } from '../../core/model/base/json.ts'
import type { Payload } from '../../core/model/events/payload.ts'
import { isPascal, isVsCode, plainName, vsCodePrefix } from './events.ts'
import { nonNullFields, wordIn, type OptionalFields } from '../reading/fields.ts'
import { resultText } from '../reading/output.ts'
import { callFor } from '../calls.ts'

/** VS Code runs the same files, with its own names for tools and arguments. */
const inVsCode = (payload: Payload): JsonObject => callFor('vs-code', payload)

/**
 * The arguments are JSON as text, because scripts parse them with jq a second time, and jq parses only text.
 * VS Code's fields are added; the two forms have no field in common.
 */
const tool = (payload: Payload): OptionalFields => {
  const { tool_name: name = '', tool_input: input = {} } = callFor('copilot', payload)
  return { toolName: name, toolArgs: JSON.stringify(input), ...inVsCode(payload) }
}

const resultType = ({ tool_error: isError }: Payload): string => (isError === true ? 'failure' : 'success')
const resultOf = ({ tool_result: result }: Payload): string =>
  result === undefined ? '' : resultText(result)

const sources: Readonly<Record<string, string>> = { startup: 'new', clear: 'new', resume: 'resume' }
/** Copilot has five reasons. A reason of ours that it lacks becomes the nearest one. */
const reasons: Readonly<Record<string, string>> = {
  complete: 'complete',
  error: 'error',
  abort: 'abort',
  timeout: 'timeout',
  user_exit: 'user_exit',
  clear: 'user_exit',
  logout: 'user_exit',
  other: 'complete',
}

const stopReason = (reason: Json | undefined): Json =>
  reason === undefined || reason === 'no_tool_calls' ? 'end_turn' : reason

/** The fields that each event adds, by the event's camelCase name. */
const added: Readonly<Record<string, (payload: Payload) => OptionalFields>> = {
  preToolUse: tool,
  permissionRequest: (payload) => {
    const { tool_name: name = '', tool_input: input = {} } = callFor('copilot', payload)
    return { toolName: name, toolInput: input, permissionSuggestions: payload['suggestions'] ?? [] }
  },
  postToolUse: (payload) => ({
    ...tool(payload),
    toolResult: { resultType: resultType(payload), textResultForLlm: resultOf(payload) },
  }),
  postToolUseFailure: (payload) => ({ ...tool(payload), error: payload['error'] }),
  userPromptSubmitted: ({ message }) => ({ prompt: message }),
  userPromptTransformed: ({ message }) => ({ prompt: message, transformedPrompt: message }),
  sessionStart: ({ source, initial_prompt }) => ({
    source: wordIn(sources, source) ?? source,
    initialPrompt: initial_prompt === '' ? undefined : initial_prompt,
  }),
  sessionEnd: ({ reason }) => ({ reason: wordIn(reasons, reason) ?? reason }),
  agentStop: ({ stop_reason, stop_hook_active, response }) => ({
    stopReason: stopReason(stop_reason),
    stop_hook_active: stop_hook_active === true,
    response,
  }),
  subagentStart: ({ subagent_name, task_description }) => ({
    agentName: subagent_name,
    agentDisplayName: subagent_name,
    agentDescription: task_description,
  }),
  subagentStop: ({ subagent_name, subagent_type, response }) => ({
    agentId: subagent_name,
    agentType: subagent_type,
    agentName: subagent_name,
    agentDisplayName: subagent_name,
    response,
    stopReason: 'end_turn',
  }),
  errorOccurred: ({ error }) => ({ error, errorContext: 'system', recoverable: false }),
  preCompact: ({ source }) => ({ trigger: source === 'manual' ? 'manual' : 'auto', customInstructions: '' }),
  notification: ({ message, level }) => ({
    hook_event_name: 'Notification',
    message,
    notification_type: level,
  }),
}

/** These events name the transcript. At the start of a conversation there is none. */
const withTranscript = ['agentStop', 'subagentStart', 'subagentStop', 'preCompact']

const snake = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
const snakeNames: Readonly<Record<string, string>> = { response: 'last_assistant_message' }

/** Returns the same fields in snake_case, with Claude Code's tool names. */
const inSnake = (event: string, payload: Payload, fields: JsonObject): JsonObject => {
  const renamed = Object.fromEntries(
    Object.entries(fields).map(([key, value]) => [snakeNames[key] ?? snake(key), value]),
  )
  if (payload['tool_name'] === undefined) return renamed
  const { tool_args: _, ...others } = renamed
  const { tool_name: name = '', tool_input: claude = {} } = callFor('claude-code', payload)
  // VS Code uses these event names too, and has another name for the path.
  const path = isObject(claude) ? claude['file_path'] : undefined
  return {
    ...others,
    tool_name: name,
    tool_input: isObject(claude) && path !== undefined ? { ...claude, filePath: path } : claude,
    ...(event === 'postToolUse'
      ? { tool_result: { result_type: resultType(payload), text_result_for_llm: resultOf(payload) } }
      : {}),
  }
}

/** These events have the same fields under both names. */
const alwaysCamel = ['permissionRequest', 'notification']

/** The fields that VS Code adds to the base fields of each event. */
const vsCodeAdds: Readonly<Record<string, (payload: Payload) => OptionalFields>> = {
  preToolUse: inVsCode,
  postToolUse: (payload) => ({ ...inVsCode(payload), tool_response: resultOf(payload) }),
  userPromptSubmitted: ({ message }) => ({ prompt: message }),
  sessionStart: ({ source }) => ({ source: wordIn(sources, source) ?? source }),
  agentStop: ({ stop_hook_active: isAgain, response }) => ({
    stop_hook_active: isAgain === true,
    last_assistant_message: response,
  }),
  subagentStart: ({ subagent_name: id, subagent_type: type }) => ({ agent_id: id, agent_type: type }),
  subagentStop: ({ subagent_name: id, subagent_type: type, response }) => ({
    agent_id: id,
    agent_type: type,
    last_assistant_message: response,
  }),
  preCompact: ({ source }) => ({ trigger: source === 'manual' ? 'manual' : 'auto' }),
}

const encodeVsCode = ({ name }: NativeEvent, event: string, payload: Payload): JsonObject => {
  const { session_id, cwd, timestamp, tool_use_id, transcript_path = '' } = payload
  const named = name.slice(vsCodePrefix.length)
  return nonNullFields({
    timestamp,
    cwd,
    session_id,
    sessionId: session_id,
    hook_event_name: named,
    hookEventName: named,
    transcript_path,
    tool_use_id,
    ...vsCodeAdds[event]?.(payload),
  })
}

export const encodeCopilot: Dialect['encode'] = (native, payload) => {
  const event = plainName(native)
  if (isVsCode(native)) return encodeVsCode(native, event, payload)
  const { session_id, cwd, timestamp } = payload
  const transcript = withTranscript.includes(event)
    ? { transcriptPath: payload['transcript_path'] ?? '' }
    : {}
  const fields = nonNullFields({ ...transcript, ...added[event]?.(payload) })
  if (isPascal(native) && !alwaysCamel.includes(event))
    return { hook_event_name: native.name, session_id, timestamp, cwd, ...inSnake(event, payload, fields) }
  const atMs = Date.parse(timestamp)
  return {
    ...(event === 'permissionRequest' ? { hookName: event } : {}),
    sessionId: session_id,
    timestamp: Number.isFinite(atMs) ? atMs : 0,
    cwd,
    ...fields,
  }
}
