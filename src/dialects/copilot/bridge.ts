import type { NativeReport, Ruled } from '../../shared/gate/client.ts'
import type { NativeEvent } from '../../core/model/hooks/dialect.ts'
import { isObject, parseUnambiguous, type Json, type JsonObject } from '../../core/model/base/json.ts'
import { got } from '../../core/model/gate/problem.ts'
import { textOf, textOrEmpty } from '../client-read.ts'
import { isPascal, plainName } from './events.ts'
import { isRefused, joined, noPrompt, whyOf } from '../client-write.ts'
import { changedSince, nonNullFields, type IsChanged, type OptionalFields } from '../reading/fields.ts'
import { denial } from '../gates.ts'
import { isNonNull } from '../reading/output.ts'
import { fromNative, toNative } from '../tools.ts'

/** The reader and writer of the hook `hookgate bridge copilot <event>`, for a Copilot behind the gate. */

/** Returns the arguments. They come as an object; earlier versions sent JSON as text. */
const argsIn = (stdin: JsonObject): Json | undefined => {
  const value = stdin['toolArgs'] ?? stdin['toolInput'] ?? stdin['tool_input']
  return typeof value === 'string' ? (parseUnambiguous(value) ?? value) : value
}

const nameIn = ({ toolName, tool_name }: JsonObject): Json | undefined => toolName ?? tool_name

/**
 * Returns whose tool names the payload uses, by its shape. A PermissionRequest uses Copilot's names,
 * whichever name of the event the hook is registered for.
 */
const speaker = (stdin: JsonObject): 'copilot' | 'claude-code' =>
  isNonNull(stdin['toolName']) ? 'copilot' : 'claude-code'

const tool = (stdin: JsonObject): OptionalFields => {
  const call = fromNative(speaker(stdin), { name: textOrEmpty(nameIn(stdin)), input: argsIn(stdin) ?? {} })
  return { tool_name: call.name, tool_input: call.input }
}

const isFailed = (result: Json | undefined): boolean => {
  const type = isObject(result) ? (result['resultType'] ?? result['result_type']) : undefined
  return isNonNull(type) && type !== 'success'
}

const fieldReaders: Readonly<Record<string, (stdin: JsonObject) => OptionalFields>> = {
  preToolUse: tool,
  permissionRequest: (stdin) => ({
    ...tool(stdin),
    suggestions: Array.isArray(stdin['permissionSuggestions']) ? stdin['permissionSuggestions'] : [],
  }),
  postToolUse: (stdin) => {
    const result = stdin['toolResult'] ?? stdin['tool_result']
    return { ...tool(stdin), tool_result: textOrEmpty(result), tool_error: isFailed(result) }
  },
  postToolUseFailure: (stdin) => ({ ...tool(stdin), error: textOrEmpty(stdin['error']) }),
  userPromptSubmitted: ({ prompt }) => ({ message: textOrEmpty(prompt), kind: 'message' }),
  userPromptTransformed: ({ prompt, transformedPrompt }) => ({
    message: textOrEmpty(transformedPrompt ?? prompt),
    kind: 'message',
  }),
  sessionStart: ({ source, initialPrompt, initial_prompt }) => ({
    status: 'started',
    source: source === 'resume' ? 'resume' : 'startup',
    initial_prompt: textOf(initialPrompt ?? initial_prompt),
  }),
  sessionEnd: ({ reason }) => ({ status: 'ended', reason: textOf(reason) ?? 'other' }),
  agentStop: ({ stop_hook_active, response, last_assistant_message }) => ({
    response: textOrEmpty(response ?? last_assistant_message),
    stop_hook_active: stop_hook_active === true,
    stop_reason: 'no_tool_calls',
  }),
  subagentStart: ({ agentName, agent_name, agentDescription, agent_description }) => ({
    subagent_name: textOrEmpty(agentName ?? agent_name),
    task_description: textOrEmpty(agentDescription ?? agent_description),
  }),
  subagentStop: ({ agentName, agent_name, agentType, agent_type, response, last_assistant_message }) => ({
    subagent_name: textOrEmpty(agentName ?? agent_name),
    subagent_type: textOf(agentType ?? agent_type),
    response: textOrEmpty(response ?? last_assistant_message),
  }),
  errorOccurred: ({ error }) => ({
    error: isObject(error) ? error : { message: textOrEmpty(error), name: 'Error', stack: '' },
  }),
  preCompact: ({ trigger }) => ({ source: trigger === 'manual' ? 'manual' : 'auto', summary: '' }),
  notification: ({ message }) => ({ level: 'info', message: textOrEmpty(message) }),
}

/**
 * Returns what is wrong with a tool call before it is translated. A call that cannot be read must not pass a
 * gate without a judgement.
 */
const misfit = (native: NativeEvent, stdin: JsonObject): string | undefined => {
  if (native.matches !== 'tool_name' && plainName(native) !== 'postToolUseFailure') return undefined
  const name = nameIn(stdin)
  if (typeof name !== 'string' || name === '') return `Expected "toolName" to be a name, got ${got(name)}.`
  const args = argsIn(stdin)
  return isNonNull(args) && !isObject(args)
    ? `Expected "toolArgs" to be an object or one as JSON text, got ${got(args)}.`
    : undefined
}

export const readCopilot = (native: NativeEvent, stdin: Json): NativeReport | { readonly wrong: string } => {
  const { event } = native
  if (event === undefined)
    return {
      wrong: `${native.name} has no counterpart here: ${native.note ?? 'hookgate has no such event'}.`,
    }
  if (!isObject(stdin)) return { wrong: `Expected one JSON object on stdin, got ${got(stdin)}.` }
  const { sessionId, session_id, cwd, hook_event_name: named } = stdin
  const id = sessionId ?? session_id
  if (typeof id !== 'string' || id === '')
    return { wrong: `Expected "sessionId" to be a name, got ${got(id)}.` }
  if (typeof named === 'string' && plainName({ name: named }) !== plainName(native)) {
    return {
      wrong: `Expected "hook_event_name" to be "${native.name}", got ${got(named)}; name the same event in the bridge's command.`,
    }
  }
  const wrong = misfit(native, stdin)
  if (wrong !== undefined) return { wrong }
  return {
    event,
    session_id: id,
    cwd: textOrEmpty(cwd),
    fields: nonNullFields(fieldReaders[plainName(native)]?.(stdin) ?? {}),
  }
}

/**
 * Returns the refusal for each event that can carry one. At events where Copilot goes on anyway, the model
 * gets the reason as context.
 */
const refusal = (native: NativeEvent, { stopsTurn }: Ruled, why: string): JsonObject | undefined => {
  const event = plainName(native)
  if (event === 'sessionStart' || event === 'subagentStart')
    return { additionalContext: `A hook refused this, and Copilot cannot be stopped here: ${why}` }
  // At the end of a turn, a refusal and the end of the turn exclude each other.
  if (stopsTurn === true && ['agentStop', 'subagentStop'].includes(event)) return undefined
  return {
    ...denial('copilot', native.name, why),
    ...(event === 'permissionRequest' && stopsTurn === true ? { interrupt: true } : {}),
  }
}

const contextEvents = [
  'preToolUse',
  'postToolUse',
  'postToolUseFailure',
  'userPromptSubmitted',
  'sessionStart',
  'subagentStart',
  'notification',
]

const permit = (
  native: NativeEvent,
  { isConsent, payload, contexts }: Ruled,
  isChanged: IsChanged,
): JsonObject => {
  const event = plainName(native)
  const { tool_name: name, tool_input: input, tool_result: result, tool_error: isError, message } = payload
  const context = joined(...contexts)
  if (event === 'userPromptTransformed')
    return (isChanged('message') !== false || context !== '') && typeof message === 'string'
      ? { modifiedTransformedPrompt: joined(message, context) }
      : {}
  const added: JsonObject =
    context !== '' && contextEvents.includes(event) ? { additionalContext: context } : {}
  if (event === 'permissionRequest') return isConsent ? { behavior: 'allow' } : {}
  if (event === 'postToolUse' && typeof result === 'string' && isChanged('tool_result') !== false)
    return {
      modifiedResult: { resultType: isError === true ? 'failure' : 'success', textResultForLlm: result },
      ...added,
    }
  if (event !== 'preToolUse') return added
  // All arguments are written, because Copilot drops arguments that are left out.
  const args = (speaker: 'copilot' | 'claude-code'): Json | undefined =>
    isObject(input) && typeof name === 'string' && isChanged('tool_input') !== false
      ? toNative(speaker, { name, input }).input
      : undefined
  const decision: JsonObject = isConsent ? { permissionDecision: 'allow' } : {}
  if (!isPascal(native)) return nonNullFields({ ...decision, modifiedArgs: args('copilot'), ...added })
  const specific = nonNullFields({ ...decision, updatedInput: args('claude-code') })
  return {
    ...decision,
    ...added,
    ...(Object.keys(specific).length === 0
      ? {}
      : { hookSpecificOutput: { hookEventName: native.name, ...specific } }),
  }
}

/**
 * Writes our verdict as Copilot reads it at exit 0. A question becomes a refusal. `asked` holds the fields as
 * they were reported, to tell whether hooks changed them; without it the settled fields are written. Copilot
 * has no place for notes.
 */
export const writeCopilot = (
  native: NativeEvent,
  ruled: Ruled,
  asked?: JsonObject,
): JsonObject | undefined => {
  const { contexts, payload } = ruled
  const isChanged = changedSince(asked, payload)
  // Under this name Copilot has no second event that could replace a message, and a message that hooks
  // rewrote must not pass unchanged.
  if (
    !isRefused(ruled) &&
    native.name === 'UserPromptSubmit' &&
    typeof payload['message'] === 'string' &&
    isChanged('message') === true
  )
    return denial('copilot', native.name, noPrompt('copilot', payload['message']))
  const answer = isRefused(ruled)
    ? (refusal(native, ruled, joined(whyOf(ruled), ...(native.event === 'on_stop' ? contexts : []))) ?? {})
    : permit(native, ruled, isChanged)
  return Object.keys(answer).length === 0 ? undefined : answer
}
