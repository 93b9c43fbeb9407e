import type { Client } from '../../shared/gate/client.ts'
import { isObject } from '../../core/model/base/json.ts'
import { kimiHooks } from '../claude-code/alike.ts'
import { contentText, readerOf, reportedEvents, textOrEmpty } from '../client-read.ts'
import { inputOf, isRefused, joined, noPrompt, noRewrite, whyOf } from '../client-write.ts'
import { changedSince } from '../reading/fields.ts'
import { denial } from '../gates.ts'
import { isNonNull } from '../reading/output.ts'

const onlyReported = 'Kimi only reports it, and one-shot runs often lose it'

const events = reportedEvents(kimiHooks.events, {
  PreToolUse: 'a call can be refused, not rewritten; the refusal says what to call instead',
  PostToolUse: onlyReported,
  PostToolUseFailure: onlyReported,
  UserPromptSubmit: 'a message can be refused, not rewritten',
  Stop: 'Kimi grants one further round a turn, and does not tell what the agent said',
  SessionEnd: 'one-shot runs often lose it',
})

const read = readerOf({
  speaker: 'kimi',
  tools: ['PreToolUse', 'PostToolUse', 'PostToolUseFailure'],
  call: (stdin) => ({
    ...stdin,
    ...(isNonNull(stdin['tool_call_id']) ? { tool_use_id: stdin['tool_call_id'] } : {}),
  }),
  fieldReaders: {
    PostToolUse: ({ tool_output }) => ({ tool_result: contentText(tool_output), tool_error: false }),
    PostToolUseFailure: ({ error }) => ({
      error: textOrEmpty(isObject(error) ? (error['message'] ?? error) : error),
    }),
    UserPromptSubmit: ({ prompt, is_steer }) => ({
      message: contentText(prompt),
      kind: is_steer === true ? 'steer' : 'message',
    }),
    Stop: ({ stop_hook_active }) => ({ response: '', stop_hook_active: stop_hook_active === true }),
    SessionStart: ({ source, model }) => ({ status: 'started', source: source ?? 'startup', model }),
    SessionEnd: ({ reason }) => ({ status: 'ended', reason: reason ?? 'other' }),
    StopFailure: ({ error_type, error_message }) => ({
      error: { message: textOrEmpty(error_message), name: textOrEmpty(error_type), stack: '' },
    }),
    Interrupt: () => ({ reason: 'interrupted' }),
    SubagentStart: ({ agent_name, prompt }) => ({
      subagent_name: textOrEmpty(agent_name),
      task_description: contentText(prompt),
    }),
    SubagentStop: ({ agent_name, response }) => ({
      subagent_name: textOrEmpty(agent_name),
      response: contentText(response),
    }),
    PreCompact: ({ trigger }) => ({ source: trigger === 'manual' ? 'manual' : 'auto', summary: '' }),
    PostCompact: ({ trigger }) => ({ source: trigger === 'manual' ? 'manual' : 'auto', summary: '' }),
    Notification: ({ message, body, title }) => ({
      level: 'info',
      message: textOrEmpty(message ?? body ?? title),
    }),
  },
})

/**
 * Kimi Code reads a refusal, and context for a message. Any other output on stdout would reach the model as
 * text, so nothing else is written.
 */
const write: Client['write'] = ({ name }, ruled, asked) => {
  const { contexts, stopsTurn, payload } = ruled
  if (isRefused(ruled))
    return name === 'Stop' && stopsTurn === true
      ? undefined
      : denial('kimi', name, joined(whyOf(ruled), ...(name === 'Stop' ? contexts : [])))
  const isChanged = changedSince(asked, payload)
  const input = name === 'PreToolUse' && isChanged('tool_input') === true ? inputOf('kimi', ruled) : undefined
  if (input !== undefined) return denial('kimi', name, noRewrite('kimi', input))
  if (name !== 'UserPromptSubmit') return undefined
  const { message } = payload
  if (typeof message === 'string' && isChanged('message') === true)
    return denial('kimi', name, noPrompt('kimi', message))
  const context = joined(...contexts)
  return context === '' ? undefined : { message: context }
}

export const kimi: Client = {
  title: 'Kimi Code',
  events,
  read,
  write,
  moments: {
    UserPromptSubmit: 'turn_start',
    PostToolUse: 'tool_ran',
    PostToolUseFailure: 'tool_ran',
    Stop: 'turn_end',
    SessionEnd: 'session_end',
  },
}
