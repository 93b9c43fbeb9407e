import type { Client, Ruled } from '../../shared/gate/client.ts'
import type { NativeEvent } from '../../core/model/hooks/dialect.ts'
import { isObject, type Json, type JsonObject } from '../../core/model/base/json.ts'
import { readerOf } from '../client-read.ts'
import { inputOf, noPrompt, noRewrite, whyOf } from '../client-write.ts'
import { changedSince, wordIn, type IsChanged, type OptionalFields } from '../reading/fields.ts'
import { denial } from '../gates.ts'
import { isNonNull } from '../reading/output.ts'
import { fromNative, toNative } from '../tools.ts'
import { dockerEvents } from './events.ts'

/**
 * The reader and writer of the hook `hookgate bridge docker-agent <event>`, for a docker-agent behind the
 * gate.
 */

/** docker-agent leaves empty fields out, but fields that our gates search must be present. */
const words = (value: Json | undefined): Json => value ?? ''

const tool = ({ tool_name: name, tool_input: input, tool_use_id }: JsonObject): OptionalFields => {
  const call = fromNative('docker-agent', { name: typeof name === 'string' ? name : '', input: input ?? {} })
  return { tool_name: call.name, tool_input: call.input, tool_use_id }
}

const result = ({ tool_response: response, tool_error }: JsonObject): OptionalFields => ({
  tool_result: typeof response === 'string' ? response : isNonNull(response) ? JSON.stringify(response) : '',
  tool_error: tool_error === true,
})

/** Returns the text of a message, which is one text or a list of parts. */
const contentOf = (message: Json | undefined): string => {
  if (!isObject(message)) return ''
  const { content, multi_content: more } = message
  return [content, more]
    .flat()
    .flatMap((part) => {
      const text = isObject(part) ? part['text'] : part
      return typeof text === 'string' && text !== '' ? [text] : []
    })
    .join('\n')
}

const call = ({ iteration, model_id, messages }: JsonObject): OptionalFields => {
  const list = Array.isArray(messages) ? messages : []
  const byRole =
    (role: string) =>
    (message: Json): boolean =>
      isObject(message) && message['role'] === role
  const system = list.filter(byRole('system')).map(contentOf).join('\n')
  return {
    iteration,
    model: model_id,
    messages,
    last_user_message: contentOf(list.findLast(byRole('user'))),
    ...(system === '' ? {} : { system }),
  }
}

const sources: Readonly<Record<string, string>> = {
  manual: 'manual',
  threshold: 'auto',
  overflow: 'overflow',
}

const compaction = ({
  compaction_reason: reason,
  input_tokens,
  output_tokens,
  context_limit,
  summary,
}: JsonObject): OptionalFields => ({
  source: wordIn(sources, reason) ?? 'auto',
  reason,
  input_tokens,
  output_tokens,
  context_limit,
  summary: words(summary),
})

const endReasons: Readonly<Record<string, string>> = {
  stream_ended: 'complete',
  prompt_input_exit: 'user_exit',
  clear: 'clear',
  logout: 'logout',
}

export const readDocker = readerOf({
  speaker: 'docker-agent',
  tools: dockerEvents.filter(({ matches }) => matches !== undefined).map(({ name }) => name),
  cwdOf: ({ cwd }) => (typeof cwd === 'string' ? cwd : ''),
  // At this event docker-agent names the subagent itself as the agent.
  agentOf: ({ agent_name }, name) => (name === 'subagent_stop' ? undefined : agent_name),
  fieldReaders: {
    post_tool_use: result,
    tool_response_transform: result,
    on_tool_approval_decision: (stdin) => ({
      ...tool(stdin),
      decision: stdin['approval_decision'],
      source: stdin['approval_source'],
    }),
    session_start: ({ source }) => ({ status: 'started', source: source ?? 'startup' }),
    session_end: ({ reason }) => ({ status: 'ended', reason: wordIn(endReasons, reason) ?? 'other' }),
    user_prompt_submit: ({ prompt }) => ({ message: words(prompt), kind: 'message' }),
    user_followup_submit: ({ prompt }) => ({ message: words(prompt), kind: 'followup' }),
    user_steering_messages_submit: ({ steering_messages: list }) => ({
      message: [list ?? '']
        .flat()
        .map((item) => (typeof item === 'string' ? item : JSON.stringify(item)))
        .join('\n\n'),
      kind: 'steer',
    }),
    before_llm_call: call,
    turn_start: () => ({ last_user_message: '' }),
    after_llm_call: ({ model_id, stop_response, last_user_message, usage, cost }) => ({
      model: model_id,
      response: words(stop_response),
      last_user_message,
      usage,
      cost,
    }),
    turn_end: ({ reason }) => ({ reason }),
    stop: ({ stop_response, last_user_message }) => ({ response: words(stop_response), last_user_message }),
    pre_compact: ({ source }) => ({ source: source ?? 'auto' }),
    before_compaction: compaction,
    after_compaction: compaction,
    subagent_stop: ({ agent_name, parent_session_id, stop_response }) => ({
      subagent_name: words(agent_name),
      parent_session_id,
      response: words(stop_response),
    }),
    notification: ({ notification_level: level, notification_message }) => ({
      level,
      message: words(notification_message),
    }),
    on_error: ({ notification_message }) => ({
      error: { message: words(notification_message), name: 'Error', stack: '' },
    }),
    on_agent_switch: ({ from_agent, to_agent, agent_switch_kind }) => ({
      from_agent,
      to_agent,
      kind: agent_switch_kind,
    }),
  },
})

/** The events at which a verdict is a permission decision. At other events a block is a block. */
const permissions = ['pre_tool_use', 'tool_guard', 'permission_request']

const refusal = (
  { name }: NativeEvent,
  why: string,
): { readonly top?: JsonObject; readonly specific?: JsonObject; readonly note?: string } => {
  const refused = denial('docker-agent', name, why)
  if (refused === undefined)
    return { note: `hookgate: a hook wanted to block here, but ${name} cannot be refused: ${why}` }
  const { hook_specific_output: specific, ...top } = refused
  return { top, ...(isObject(specific) ? { specific } : {}) }
}

/** The field of ours that docker-agent lets hooks rewrite, for each event. */
const rewritten: Readonly<Record<string, string>> = {
  pre_tool_use: 'tool_input',
  tool_input_transform: 'tool_input',
  before_llm_call: 'messages',
  tool_response_transform: 'tool_result',
  before_compaction: 'summary',
}

/**
 * Returns the rewritten field in docker-agent's words. If the reported value is not known, the settled value
 * is written.
 */
const settled = (
  { name }: NativeEvent,
  { tool_name, tool_input, messages, tool_result, summary }: Ruled['payload'],
  isChanged: IsChanged,
): JsonObject => {
  if (isChanged(rewritten[name] ?? '') === false) return {}
  if (name === 'pre_tool_use' || name === 'tool_input_transform') {
    return isObject(tool_input) && typeof tool_name === 'string'
      ? { updated_input: toNative('docker-agent', { name: tool_name, input: tool_input }).input }
      : {}
  }
  if (name === 'before_llm_call')
    return Array.isArray(messages) && messages.length > 0 ? { updated_messages: messages } : {}
  if (name === 'tool_response_transform')
    return typeof tool_result === 'string' ? { updated_tool_response: tool_result } : {}
  return name === 'before_compaction' && typeof summary === 'string' && summary !== '' ? { summary } : {}
}

/**
 * Returns the reason of a refusal if hooks rewrote something that this event cannot replace, because the
 * original must not pass unchanged.
 */
const unplaced = ({ name, event }: NativeEvent, ruled: Ruled, isChanged: IsChanged): string | undefined => {
  const { message } = ruled.payload
  if (event === 'on_user_message')
    return isChanged('message') === true && typeof message === 'string'
      ? noPrompt('docker-agent', message)
      : undefined
  const input =
    event === 'pre_tool_call' && rewritten[name] === undefined && isChanged('tool_input') === true
      ? inputOf('docker-agent', ruled)
      : undefined
  return input === undefined ? undefined : noRewrite('docker-agent', input)
}

export const writeDocker: Client['write'] = (native, ruled, asked) => {
  const { verdict, isConsent, payload, contexts, notes, stopsTurn } = ruled
  const why = verdict === 'allow' ? unplaced(native, ruled, changedSince(asked, payload)) : whyOf(ruled)
  const refused = why === undefined ? undefined : refusal(native, why)
  const isEnd = stopsTurn === true && native.isGate === true
  const context = contexts.join('\n')
  const isPlaced = context !== '' && native.isTextContext === true
  const isRefused = refused !== undefined && refused.note === undefined
  const specific: JsonObject = isRefused
    ? { ...refused.specific }
    : {
        ...(isConsent && permissions.includes(native.name) ? { permission_decision: 'allow' } : {}),
        ...settled(native, payload, changedSince(asked, payload)),
        ...(isPlaced ? { additional_context: context } : {}),
      }
  const personNotes = [
    ...notes,
    ...(refused?.note === undefined ? [] : [refused.note]),
    ...(stopsTurn === true && !isEnd
      ? [`hookgate: a hook wanted to end the turn, which ${native.name} cannot.`]
      : []),
    ...(context !== '' && !isPlaced && !isRefused
      ? [`hookgate: a hook had context for the model, for which ${native.name} has no place.`]
      : []),
  ]
  const answer: JsonObject = {
    ...refused?.top,
    ...(isEnd ? { continue: false, stop_reason: why ?? whyOf(ruled) } : {}),
    ...(personNotes.length === 0 ? {} : { system_message: personNotes.join('\n') }),
    ...(Object.keys(specific).length === 0
      ? {}
      : { hook_specific_output: { hook_event_name: native.name, ...specific } }),
  }
  return Object.keys(answer).length === 0 ? undefined : answer
}
