import type { Client } from '../../shared/gate/client.ts'
import { isObject, type Json, type JsonObject } from '../../core/model/base/json.ts'
import { readerOf } from '../client-read.ts'
import { noPrompt, whyOf } from '../client-write.ts'
import { changedSince } from '../reading/fields.ts'
import { isNonNull } from '../reading/output.ts'
import { toNative } from '../tools.ts'
import { agentHookEvents } from './events.ts'

/** The reader and writer for a client that fires hooks by the Agent Hooks specification. */

/** Returns a value as text. The text must be present, because our gates search it. */
const textOrEmpty = (value: Json | undefined): string =>
  typeof value === 'string' ? value : isNonNull(value) ? JSON.stringify(value) : ''

const contentOf = (message: Json | undefined): string =>
  textOrEmpty(isObject(message) ? message['content'] : message)

export const readAgentHooks = readerOf({
  speaker: 'agent-hooks',
  tools: agentHookEvents.filter(({ matches }) => matches !== undefined).map(({ name }) => name),
  nameField: 'event_type',
  cwdOf: ({ work_dir }) => (typeof work_dir === 'string' ? work_dir : ''),
  agentOf: () => undefined,
  fieldReaders: {
    post_tool_call: ({ tool_output }) => ({ tool_result: textOrEmpty(tool_output), tool_error: false }),
    on_tool_error: ({ error, tool_output }) => ({ error: textOrEmpty(error ?? tool_output) }),
    on_user_message: ({ prompt, message }) => ({ message: textOrEmpty(prompt ?? message), kind: 'message' }),
    on_turn_end: ({ stop_reason, step_count }) => ({ reason: stop_reason ?? 'normal', step_count }),
    on_session_start: ({ model }) => ({ status: 'started', source: 'startup', model }),
    on_session_end: ({ exit_reason, duration_seconds, total_steps }) => ({
      status: 'ended',
      reason: exit_reason ?? 'other',
      duration_seconds,
      total_steps,
    }),
    on_subagent_start: ({ subagent_name, subagent_type, task_description }) => ({
      subagent_name: textOrEmpty(subagent_name),
      subagent_type,
      task_description: textOrEmpty(task_description),
    }),
    on_subagent_stop: ({ subagent_name, subagent_type, final_message }) => ({
      subagent_name: textOrEmpty(subagent_name),
      subagent_type,
      response: contentOf(final_message),
    }),
    pre_compact: ({ source, reason, input_tokens, output_tokens, context_limit }) => ({
      source: source ?? 'auto',
      reason,
      input_tokens,
      output_tokens,
      context_limit,
      summary: '',
    }),
    post_compact: ({ source, summary, input_tokens, output_tokens }) => ({
      source: source ?? 'auto',
      summary: textOrEmpty(summary),
      input_tokens,
      output_tokens,
    }),
    on_stop: ({ stop_reason, step_count, final_message }) => ({
      response: contentOf(final_message),
      stop_reason,
      step_count,
    }),
  },
})

/**
 * `ask` is written as a refusal, because the only program that runs these hooks takes a question for consent.
 */
export const writeAgentHooks: Client['write'] = ({ name, event }, ruled, asked) => {
  const { verdict, isConsent, payload, contexts, notes, stopsTurn } = ruled
  const { message } = payload
  // The client cannot replace a message, and a message that hooks rewrote must not pass unchanged.
  const isUnplaced =
    event === 'on_user_message' &&
    typeof message === 'string' &&
    changedSince(asked, payload)('message') === true
  const why =
    verdict === 'allow' && isUnplaced
      ? noPrompt('agent-hooks', message)
      : verdict === 'allow'
        ? undefined
        : whyOf(ruled)
  const { tool_name: tool, tool_input: input } = payload
  const log = [
    ...notes,
    ...(stopsTurn === true && verdict === 'allow'
      ? [`hookgate: a hook wanted to end the turn, which ${name} cannot.`]
      : []),
  ]
  const isRewritten =
    verdict === 'allow' &&
    event === 'pre_tool_call' &&
    typeof tool === 'string' &&
    isObject(input) &&
    changedSince(asked, payload)('tool_input') !== false
  const answer: JsonObject = {
    ...(why === undefined ? {} : { decision: 'deny', reason: why }),
    ...(why === undefined && isConsent ? { decision: 'allow' } : {}),
    ...(isRewritten ? { modified_input: toNative('agent-hooks', { name: tool, input }).input } : {}),
    ...(contexts.length === 0 ? {} : { additional_context: contexts.join('\n') }),
    ...(log.length === 0 ? {} : { log: log.join('\n') }),
  }
  return Object.keys(answer).length === 0 ? undefined : answer
}
