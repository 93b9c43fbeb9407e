import type { Client, Ruled } from '../../shared/gate/client.ts'
import { isObject, type Json, type JsonObject } from '../../core/model/base/json.ts'
import { contentText, readerOf, reportedEvents, textOrEmpty } from '../client-read.ts'
import { inputOf, isEmpty, joined, noPrompt, resultOf, whyOf } from '../client-write.ts'
import { changedSince, wordIn } from '../reading/fields.ts'
import { denial } from '../gates.ts'
import { geminiHooks } from './hooks.ts'
import { isNonNull } from '../reading/output.ts'

const events = reportedEvents(geminiHooks.events, {
  BeforeTool: 'consent does not keep Gemini CLI from asking its own question',
  AfterTool: 'a new result replaces the old one as the reason of a refusal',
  BeforeModel: 'hooks see only the texts of messages; everything else in them stays as it is',
  AfterModel: 'it comes with each piece of an answer; the last one is reported',
  BeforeAgent: 'a message can be refused, not rewritten',
  AfterAgent: 'Gemini CLI itself sets no limit to further rounds; the gate does',
  SessionEnd: 'Gemini CLI does not wait for it, and may report it twice',
})

const reasons: Readonly<Record<string, string>> = {
  clear: 'clear',
  logout: 'logout',
  prompt_input_exit: 'user_exit',
  exit: 'complete',
}

const objectIn = (value: Json | undefined): JsonObject => (isObject(value) ? value : {})

/**
 * Names the tool of an MCP server. Gemini CLI reports it under a joined name, and reports server and tool
 * separately beside it.
 */
const call = (stdin: JsonObject): JsonObject => {
  const { server_name: server, tool_name: tool } = objectIn(stdin['mcp_context'])
  return typeof server === 'string' && server !== '' && typeof tool === 'string' && tool !== ''
    ? { ...stdin, tool_name: `mcp__${server}__${tool}` }
    : stdin
}

const byRole = (messages: readonly Json[], role: string): readonly string[] =>
  messages
    .filter((one) => isObject(one) && one['role'] === role)
    .map((one) => contentText(objectIn(one)['content']))

const request = (stdin: JsonObject): JsonObject => {
  const { model, messages } = objectIn(stdin['llm_request'])
  const list = Array.isArray(messages) ? messages : []
  return {
    model: textOrEmpty(model),
    messages: list,
    last_user_message: byRole(list, 'user').at(-1) ?? '',
    system: byRole(list, 'system').join('\n'),
  }
}

const answer = (stdin: JsonObject): JsonObject | { readonly nothing: string } => {
  const { text, candidates, usageMetadata } = objectIn(stdin['llm_response'])
  const isLast =
    Array.isArray(candidates) && candidates.some((one) => isNonNull(objectIn(one)['finishReason']))
  if (!isLast) return { nothing: 'it is a piece of an answer that goes on' }
  return {
    model: textOrEmpty(objectIn(stdin['llm_request'])['model']),
    response: textOrEmpty(text),
    ...(isObject(usageMetadata) ? { usage: usageMetadata } : {}),
  }
}

const read = readerOf({
  speaker: 'gemini',
  call,
  tools: ['BeforeTool', 'AfterTool'],
  fieldReaders: {
    AfterTool: ({ tool_response }) => ({
      tool_result: contentText(isObject(tool_response) ? tool_response['llmContent'] : tool_response),
      tool_error: isObject(tool_response) && isNonNull(tool_response['error']),
    }),
    BeforeModel: request,
    AfterModel: answer,
    BeforeAgent: ({ prompt }) => ({ message: contentText(prompt), kind: 'message' }),
    AfterAgent: ({ prompt_response, stop_hook_active }) => ({
      response: contentText(prompt_response),
      stop_hook_active: stop_hook_active === true,
    }),
    SessionStart: ({ source }) => ({ status: 'started', source: source ?? 'startup' }),
    SessionEnd: ({ reason }) => ({
      status: 'ended',
      reason: wordIn(reasons, reason) ?? 'other',
    }),
    Notification: ({ message }) => ({ level: 'info', message: textOrEmpty(message) }),
  },
})

interface Passed {
  readonly refused?: string
  readonly top?: JsonObject
  readonly inner?: JsonObject
}

const permit = (name: string, ruled: Ruled, asked: JsonObject | undefined): Passed => {
  const { payload, contexts } = ruled
  const isChanged = changedSince(asked, payload)
  const { tool_result: result, message, messages } = payload
  const context = joined(...contexts)
  if (name === 'BeforeTool') {
    const input = isChanged('tool_input') === false ? undefined : inputOf('gemini', ruled)
    return input === undefined ? {} : { inner: { tool_input: input } }
  }
  if (name === 'AfterTool' && typeof result === 'string' && isChanged('tool_result') !== false)
    return { top: { decision: 'deny', reason: resultOf(result, context) } }
  if (
    name === 'BeforeModel' &&
    Array.isArray(messages) &&
    (isChanged('messages') !== false || context !== '')
  ) {
    return {
      inner: {
        llm_request: {
          messages: context === '' ? messages : [...messages, { role: 'user', content: context }],
        },
      },
    }
  }
  if (name === 'BeforeAgent' && typeof message === 'string' && isChanged('message') === true)
    return { refused: noPrompt('gemini', message) }
  return context !== '' && ['AfterTool', 'BeforeAgent', 'SessionStart'].includes(name)
    ? { inner: { additionalContext: context } }
    : {}
}

const stoppable = ['BeforeTool', 'AfterTool', 'BeforeModel', 'BeforeAgent']

/** Writes our verdict as Gemini CLI reads it at exit 0. Only its own words at the top level count there. */
const write: Client['write'] = ({ name }, ruled, asked) => {
  const { verdict, contexts, notes, stopsTurn } = ruled
  const isEnding = name === 'AfterAgent'
  const passed: Passed =
    verdict === 'allow'
      ? permit(name, ruled, asked)
      : { refused: joined(whyOf(ruled), ...(isEnding ? contexts : [])) }
  // At the end of a turn, ending the turn means that the agent may stop.
  const refused =
    passed.refused === undefined || (isEnding && stopsTurn === true)
      ? undefined
      : denial('gemini', name, passed.refused)
  const inner = refused === undefined ? passed.inner : undefined
  const reply: JsonObject = {
    ...(refused ?? passed.top),
    ...(stopsTurn === true && stoppable.includes(name) ? { continue: false, stopReason: whyOf(ruled) } : {}),
    ...(notes.length === 0 ? {} : { systemMessage: notes.join('\n') }),
    ...(inner === undefined ? {} : { hookSpecificOutput: { hookEventName: name, ...inner } }),
  }
  return isEmpty(reply) ? undefined : reply
}

export const gemini: Client = {
  title: 'Gemini CLI',
  events,
  read,
  write,
  moments: {
    BeforeAgent: 'turn_start',
    AfterTool: 'tool_ran',
    AfterAgent: 'turn_end',
    SessionEnd: 'session_end',
  },
}
