import type { JsonObject } from '../../core/model/base/json.ts'
import type { Dialect, NativeEvent } from '../../core/model/hooks/dialect.ts'
import { decodeAs } from './answer.ts'
import { endReasons } from './events.ts'
import { encodeAs } from './stdin.ts'

/**
 * Systems whose hooks get and answer the same JSON as Claude Code's, except for the names of tools and some
 * fields.
 */

const tool = { matches: 'tool_name' } as const
const gate = { isGate: true } as const
const context = { isTextContext: true } as const

/** The events that all of these systems have under the same name. */
const shared: readonly NativeEvent[] = [
  { name: 'PreToolUse', event: 'pre_tool_call', ...tool, ...gate },
  { name: 'UserPromptSubmit', event: 'on_user_message', ...gate, ...context },
  {
    name: 'SessionStart',
    event: 'on_session_start',
    matches: 'source',
    ...context,
    note: 'It cannot refuse a session.',
  },
  { name: 'SessionEnd', event: 'on_session_end', matches: 'reason', values: endReasons },
  { name: 'Stop', event: 'on_stop', ...gate },
  {
    name: 'PreCompact',
    event: 'pre_compact',
    matches: 'source',
    values: { overflow: 'auto', tool_overflow: 'auto' },
  },
]

const ran: NativeEvent = {
  name: 'PostToolUse',
  event: 'transform_tool_result',
  ...tool,
  note: 'The tool has run: a block undoes nothing, and its reason is given to the model.',
}
const subagents: readonly NativeEvent[] = [
  { name: 'SubagentStart', event: 'on_subagent_start', matches: 'subagent_type' },
  { name: 'SubagentStop', event: 'on_subagent_stop', matches: 'subagent_type', ...gate },
]
const postCompact: NativeEvent = {
  name: 'PostCompact',
  event: 'post_compact',
  matches: 'source',
  values: { overflow: 'auto', tool_overflow: 'auto' },
}
const notification: NativeEvent = { name: 'Notification', event: 'on_notification' }

const kimiEvents: readonly NativeEvent[] = [
  ...shared,
  {
    ...ran,
    event: 'post_tool_call',
    where: { tool_error: [false] },
    note: 'The hook is only told; it decides nothing.',
  },
  ...subagents,
  postCompact,
  notification,
  {
    name: 'PostToolUseFailure',
    event: 'on_tool_error',
    ...tool,
    note: 'The hook is only told; it decides nothing.',
  },
  { name: 'StopFailure', event: 'on_error' },
  { name: 'Interrupt', event: 'on_turn_end', where: { reason: ['canceled', 'aborted', 'interrupted'] } },
  { name: 'PermissionRequest', note: 'Kimi only reports it: the person answers in its terminal' },
  { name: 'PermissionResult', note: 'the person has answered in its terminal' },
  { name: 'UserPromptQueued', note: 'it arrives as UserPromptSubmit' },
  { name: 'TurnStarted', note: 'it has arrived as UserPromptSubmit' },
  { name: 'TaskStarted', note: 'agents here keep no task list' },
  { name: 'SessionHeartbeat', note: 'nothing happens at that moment' },
]

const encodeCodex = encodeAs('codex')

/** OpenAI's Codex as of 0.169. */
export const codexHooks: Dialect = {
  name: 'codex',
  events: [
    ...shared,
    ran,
    ...subagents,
    postCompact,
    { name: 'PermissionRequest', event: 'on_permission_request', ...tool, ...gate },
    { name: 'Interrupt', event: 'on_turn_end', where: { reason: ['canceled', 'aborted', 'interrupted'] } },
    { name: 'PostModelRequest', event: 'post_llm_call' },
    {
      name: 'PreModelRequest',
      note: 'it tells nothing that could be judged, and nothing can be refused there',
    },
  ],
  // The shell by Codex's documentation: `$SHELL -lc`.
  shell: 'bash',
  timeoutMs: { default: 600_000, min: 1, max: 600_000 },
  encode: (native, payload) => {
    const stdin = encodeCodex(native, payload)
    // hookgate has no turn ids, so the event's id is used. In Codex a result is plain text.
    const result: JsonObject =
      native.name === 'PostToolUse' ? { tool_response: payload['tool_result'] ?? '' } : {}
    return { ...stdin, turn_id: payload.event_id, model: payload['model'] ?? '', ...result }
  },
  decode: decodeAs('codex', 'Codex'),
  env: () => ({}),
}

/** Factory's Droid. */
export const factoryHooks: Dialect = {
  name: 'factory',
  events: [...shared, { ...ran, where: { tool_error: [false] } }, ...subagents, notification],
  shell: 'bash',
  timeoutMs: { default: 60_000, min: 1, max: 600_000 },
  encode: encodeAs('factory'),
  decode: decodeAs('factory', 'Factory'),
  env: (_, { workspace, root }) => ({
    FACTORY_PROJECT_DIR: workspace,
    ...(root === undefined
      ? {}
      : { DROID_PLUGIN_ROOT: root, FACTORY_PLUGIN_ROOT: root, CLAUDE_PLUGIN_ROOT: root }),
  }),
}

const kimi = (name: 'kimi' | 'kimi-cli', title: string): Dialect => {
  const encode = encodeAs(name)
  return {
    name,
    events: kimiEvents,
    shell: 'sh',
    timeoutMs: { default: 30_000, min: 1000, max: 600_000 },
    encode: (native, payload) => {
      const { tool_use_id: id, tool_response: _, prompt, ...stdin } = encode(native, payload)
      // In Kimi Code a prompt is a list of parts.
      const promptField: JsonObject =
        prompt === undefined ? {} : { prompt: name === 'kimi' ? [{ type: 'text', text: prompt }] : prompt }
      const result: JsonObject =
        native.name === 'PostToolUse' ? { tool_output: payload['tool_result'] ?? '' } : {}
      return { ...stdin, ...promptField, ...(id === undefined ? {} : { tool_call_id: id }), ...result }
    },
    decode: decodeAs(name, title),
    env: (_, { workspace }) => ({ KIMI_PROJECT_DIR: workspace }),
  }
}

/** Kimi Code as of 2.1. */
export const kimiHooks = kimi('kimi', 'Kimi Code')
/** Kimi CLI, the predecessor of Kimi Code. Its file lies in `.kimi`. */
export const kimiCliHooks = kimi('kimi-cli', 'Kimi CLI')
