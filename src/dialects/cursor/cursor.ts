import type { Client, Ruled } from '../../shared/gate/client.ts'
import { isObject, parseUnambiguous, type Json, type JsonObject } from '../../core/model/base/json.ts'
import { contentText, readerOf, reportedEvents, textOrEmpty, textOf } from '../client-read.ts'
import { inputOf, isEmpty, isRefused, joined, noPrompt, noRewrite, whyOf } from '../client-write.ts'
import { changedSince, type OptionalFields } from '../reading/fields.ts'
import { denial } from '../gates.ts'
import { isNonNull } from '../reading/output.ts'
import { cursorHooks } from './hooks.ts'

const twice = 'the same call comes by preToolUse; install one of the two'
const twiceAfter = 'the same call comes by postToolUse; install one of the two'

const rewrites = [
  'Cursor takes a rewrite only with its "allow". Without consent the call is refused, with the call that would pass',
  'A rewritten Write is refused too, because Cursor may not take it over. No opinion is "allow" too, because Cursor has no other word',
].join('. ')

/** Cursor's events by its documentation. They were not tried with Cursor itself. */
const events = reportedEvents(cursorHooks.events, {
  preToolUse: rewrites,
  beforeShellExecution: twice,
  beforeMCPExecution: twice,
  beforeReadFile: twice,
  postToolUse: 'only the result of an MCP tool can be replaced',
  afterShellExecution: twiceAfter,
  afterMCPExecution: twiceAfter,
  afterFileEdit: twiceAfter,
  beforeSubmitPrompt: 'a message can be refused, not rewritten',
  stop: 'it does not tell what the agent said; a refusal becomes its next message',
})

/** Returns the arguments, which come as an object or as JSON text. */
const argsOf = (value: Json | undefined): Json | undefined =>
  typeof value === 'string' ? (parseUnambiguous(value) ?? value) : value

/** A change without a text before it writes a file. */
const edit = ({ file_path: path, edits }: JsonObject): JsonObject => {
  if (!isNonNull(path)) return { tool_name: 'Write', tool_input: {} }
  const texts = (key: string): string =>
    (Array.isArray(edits) ? edits : [])
      .map((one) => textOrEmpty(isObject(one) ? one[key] : undefined))
      .join('\n')
  const [before, after] = [texts('old_string'), texts('new_string')]
  return before.trim() === ''
    ? { tool_name: 'Write', tool_input: { file_path: path, content: after } }
    : { tool_name: 'edit_file', tool_input: { path, old_text: before, new_text: after } }
}

const call = (stdin: JsonObject, event: string): OptionalFields => {
  const { command, cwd, tool_name: tool, tool_input, mcp_server_name: server, file_path } = stdin
  const input = argsOf(tool_input)
  if (event.endsWith('ShellExecution'))
    return {
      tool_name: 'Shell',
      tool_input: {
        ...(isNonNull(command) ? { command } : {}),
        ...(isNonNull(cwd) ? { working_directory: cwd } : {}),
      },
    }
  if (event === 'afterFileEdit') return edit(stdin)
  if (event === 'beforeReadFile')
    return { tool_name: 'Read', tool_input: isNonNull(file_path) ? { file_path } : {} }
  const name =
    event.endsWith('MCPExecution') && typeof tool === 'string'
      ? typeof server === 'string' && server !== ''
        ? `mcp__${server}__${tool}`
        : `MCP:${tool}`
      : tool
  return { tool_name: name, tool_input: input, tool_use_id: stdin['tool_use_id'] }
}

const read = readerOf({
  speaker: 'cursor',
  call,
  tools: [
    'preToolUse',
    'beforeShellExecution',
    'beforeMCPExecution',
    'beforeReadFile',
    'postToolUse',
    'postToolUseFailure',
    'afterShellExecution',
    'afterMCPExecution',
    'afterFileEdit',
  ],
  sessionOf: ({ conversation_id, session_id }) => conversation_id ?? session_id,
  cwdOf: ({ cwd, workspace_roots: roots }) => cwd ?? (Array.isArray(roots) ? roots[0] : undefined),
  fieldReaders: {
    postToolUse: ({ tool_output }) => ({ tool_result: contentText(tool_output), tool_error: false }),
    postToolUseFailure: ({ error_message }) => ({ error: textOrEmpty(error_message) }),
    afterShellExecution: ({ output }) => ({ tool_result: textOrEmpty(output), tool_error: false }),
    afterFileEdit: () => ({ tool_result: '', tool_error: false }),
    afterMCPExecution: ({ result_json }) => ({ tool_result: textOrEmpty(result_json), tool_error: false }),
    beforeSubmitPrompt: ({ prompt }) => ({ message: contentText(prompt), kind: 'message' }),
    // A person who stopped the agent does not want it to go on.
    stop: ({ status, loop_count }) =>
      isNonNull(status) && status !== 'completed'
        ? { nothing: 'it did not end by itself' }
        : { response: '', stop_hook_active: typeof loop_count === 'number' && loop_count > 0 },
    subagentStart: ({ subagent_id, subagent_type, task }) => ({
      subagent_name: textOrEmpty(subagent_id ?? subagent_type),
      subagent_type: textOf(subagent_type),
      task_description: textOrEmpty(task),
    }),
    subagentStop: ({ subagent_id, subagent_type, summary, result }) => ({
      subagent_name: textOrEmpty(subagent_id ?? subagent_type),
      subagent_type: textOf(subagent_type),
      response: textOrEmpty(summary ?? result),
    }),
    sessionStart: ({ model }) => ({ status: 'started', source: 'startup', model }),
    sessionEnd: ({ reason }) => ({ status: 'ended', reason: reason ?? 'other' }),
    preCompact: ({ trigger }) => ({ source: trigger === 'manual' ? 'manual' : 'auto', summary: '' }),
    afterAgentResponse: ({ model, text }) => ({ model, response: textOrEmpty(text) }),
  },
})

const endings = ['stop', 'subagentStop']

/**
 * Returns whether Cursor takes a rewrite over. It does so only beside `allow`, because its `ask` asks nobody
 * before a tool. Its documentation does not say whether an `allow` suppresses Cursor's own question, so a
 * rewrite is written only with consent. Users of Cursor report that a rewritten `Write` still writes the
 * original content.
 */
const takesRewrite = (name: string, { isConsent, payload: { tool_name: tool } }: Ruled): boolean =>
  name === 'preToolUse' && isConsent && tool !== 'write_file'

/**
 * Writes our verdict as Cursor reads it at exit 0, flat and in snake_case. If silence would be a fault, no
 * opinion is written explicitly; see `gates.ts`.
 */
const write: Client['write'] = ({ name }, ruled, asked) => {
  const { contexts, stopsTurn, payload } = ruled
  const isEnding = endings.includes(name)
  const context = joined(...contexts)
  if (isRefused(ruled))
    return isEnding && stopsTurn === true
      ? undefined
      : denial('cursor', name, joined(whyOf(ruled), isEnding ? context : ''))
  const isChanged = changedSince(asked, payload)
  const { message, tool_result: result, tool_name: tool } = payload
  const input =
    payload.event === 'pre_tool_call' && isChanged('tool_input') !== false
      ? inputOf('cursor', ruled)
      : undefined
  if (input !== undefined && takesRewrite(name, ruled)) return { permission: 'allow', updated_input: input }
  if (input !== undefined)
    return isChanged('tool_input') === true ? denial('cursor', name, noRewrite('cursor', input)) : undefined
  if (name === 'beforeSubmitPrompt' && typeof message === 'string' && isChanged('message') === true)
    return denial('cursor', name, noPrompt('cursor', message))
  const isServers = typeof tool === 'string' && /^mcp__|^MCP:/.test(tool)
  const answer: JsonObject = {
    ...(context !== '' && ['postToolUse', 'sessionStart'].includes(name)
      ? { additional_context: context }
      : {}),
    ...(name === 'postToolUse' &&
    isServers &&
    typeof result === 'string' &&
    isChanged('tool_result') !== false
      ? { updated_mcp_tool_output: result }
      : {}),
  }
  return isEmpty(answer) ? undefined : answer
}

export const cursor: Client = {
  title: 'Cursor',
  events,
  read,
  write,
  moments: {
    beforeSubmitPrompt: 'turn_start',
    postToolUse: 'tool_ran',
    postToolUseFailure: 'tool_ran',
    afterShellExecution: 'tool_ran',
    afterMCPExecution: 'tool_ran',
    afterFileEdit: 'tool_ran',
    stop: 'turn_end',
    sessionEnd: 'session_end',
  },
}
