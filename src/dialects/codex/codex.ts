import type { Client, Ruled } from '../../shared/gate/client.ts'
import type { JsonObject } from '../../core/model/base/json.ts'
import { codexHooks } from '../claude-code/alike.ts'
import { contentText, readerOf, reportedEvents, textOrEmpty, textOf } from '../client-read.ts'
import { inputOf, isEmpty, isRefused, joined, noPrompt, noRewrite, resultOf, whyOf } from '../client-write.ts'
import { changedSince } from '../reading/fields.ts'
import { denial } from '../gates.ts'

const events = reportedEvents(codexHooks.events, {
  PreToolUse: 'an "allow" counts only beside a rewrite, and Codex still asks its own questions',
  PermissionRequest: 'codex exec never asks for permission; only its terminal does',
  PostToolUse:
    'it fires after failures too, and does not say which call failed. A new result replaces the old one as the reason of a refusal',
  UserPromptSubmit: 'a message can be refused, not rewritten',
  SessionEnd: 'Codex waits 1 s',
  Stop: 'Codex itself sets no limit to further rounds; the gate does',
  PostModelRequest: 'it does not tell what the model answered',
})

const read = readerOf({
  speaker: 'codex',
  tools: ['PreToolUse', 'PermissionRequest', 'PostToolUse'],
  fieldReaders: {
    PermissionRequest: () => ({ suggestions: [] }),
    PostToolUse: ({ tool_response }) => ({ tool_result: contentText(tool_response), tool_error: false }),
    UserPromptSubmit: ({ prompt }) => ({ message: contentText(prompt), kind: 'message' }),
    SessionStart: ({ source, model }) => ({ status: 'started', source: source ?? 'startup', model }),
    SessionEnd: ({ reason }) => ({ status: 'ended', reason: reason ?? 'other' }),
    Stop: ({ last_assistant_message, stop_hook_active }) => ({
      response: textOrEmpty(last_assistant_message),
      stop_hook_active: stop_hook_active === true,
    }),
    SubagentStart: ({ agent_id, agent_type }) => ({
      subagent_name: textOrEmpty(agent_id ?? agent_type),
      subagent_type: textOf(agent_type),
      task_description: '',
    }),
    SubagentStop: ({ agent_id, agent_type, last_assistant_message }) => ({
      subagent_name: textOrEmpty(agent_id ?? agent_type),
      subagent_type: textOf(agent_type),
      response: textOrEmpty(last_assistant_message),
    }),
    PreCompact: ({ trigger }) => ({ source: trigger === 'manual' ? 'manual' : 'auto', summary: '' }),
    PostCompact: ({ trigger }) => ({ source: trigger === 'manual' ? 'manual' : 'auto', summary: '' }),
    PostModelRequest: ({ model, token_usage }) => ({ model, response: '', usage: token_usage }),
    Interrupt: () => ({ reason: 'interrupted' }),
  },
})

const contextEvents = ['PreToolUse', 'PostToolUse', 'UserPromptSubmit', 'SessionStart', 'SubagentStart']
const endings = ['Stop', 'SubagentStop']

/**
 * The answer to an allowed step: the rewrites of hooks, and a permission. A bare `allow` is an error in
 * Codex, after which the tool runs.
 */
const permit = (
  name: string,
  ruled: Ruled,
  asked: JsonObject | undefined,
): { readonly refused?: string; readonly top?: JsonObject; readonly inner?: JsonObject } => {
  const { payload, isConsent, contexts } = ruled
  const isChanged = changedSince(asked, payload)
  const { tool_result: result, message } = payload
  if (name === 'PermissionRequest') return isConsent ? { inner: { decision: { behavior: 'allow' } } } : {}
  if (name === 'PreToolUse' && isChanged('tool_input') !== false) {
    const input = inputOf('codex', ruled)
    if (input === undefined) return {}
    const isShell = payload['tool_name'] === 'bash' || payload['tool_name'] === 'edit_file'
    return isShell && typeof input['command'] !== 'string'
      ? { refused: noRewrite('codex', input) }
      : { inner: { permissionDecision: 'allow', updatedInput: input } }
  }
  if (name === 'PostToolUse' && typeof result === 'string' && isChanged('tool_result') !== false) {
    // The model sees the reason as the tool's result.
    return { top: { decision: 'block', reason: resultOf(result, ...contexts) } }
  }
  return name === 'UserPromptSubmit' && typeof message === 'string' && isChanged('message') === true
    ? { refused: noPrompt('codex', message) }
    : {}
}

/**
 * Codex ignores an answer with an unknown field, and goes on. So only the fields of its schema are written.
 */
const write: Client['write'] = ({ name }, ruled, asked) => {
  const { contexts, notes, stopsTurn } = ruled
  const passed = isRefused(ruled) ? { refused: whyOf(ruled) } : permit(name, ruled, asked)
  const isEnding = endings.includes(name)
  const context = joined(...contexts)
  // At the end of a turn, ending the turn means that the agent may stop.
  const refused =
    passed.refused === undefined || (isEnding && stopsTurn === true)
      ? undefined
      : denial('codex', name, isEnding ? joined(passed.refused, context) : passed.refused)
  const isTaken = context !== '' && contextEvents.includes(name) && passed.top === undefined
  const inner = { ...passed.inner, ...(isTaken ? { additionalContext: context } : {}) }
  const isEnd = stopsTurn === true && ['PostToolUse', 'UserPromptSubmit', 'SessionStart'].includes(name)
  const answer: JsonObject = {
    ...(refused ?? passed.top),
    ...(isEnd && refused === undefined ? { continue: false, stopReason: whyOf(ruled) } : {}),
    ...(notes.length === 0 ? {} : { systemMessage: notes.join('\n') }),
    ...(refused !== undefined || isEmpty(inner)
      ? {}
      : { hookSpecificOutput: { hookEventName: name, ...inner } }),
  }
  return isEmpty(answer) ? undefined : answer
}

export const codex: Client = {
  title: 'Codex',
  events,
  read,
  write,
  hidesFailures: true,
  moments: {
    UserPromptSubmit: 'turn_start',
    PostToolUse: 'tool_ran',
    Stop: 'turn_end',
    SessionEnd: 'session_end',
  },
}
