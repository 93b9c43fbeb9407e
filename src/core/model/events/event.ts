import type { JsonObject } from '../base/json.ts'

/** What a verdict may do at an event. An event without a gate only observes, injects or rewrites. */
export type GateVerdict = 'block' | 'ask' | 'allow'

export interface EventContract {
  /** When it fires, in one phrase. */
  readonly when: string
  readonly gate: readonly GateVerdict[]
  /** What a block does here, for people. */
  readonly onBlock?: string
  /** The payload fields that a hook may rewrite. */
  readonly rewrite: readonly string[]
  /** The place where a hook's context is added. Absent: the event does not use context. */
  readonly contextTo?: string
  /** The fields that a matcher without a `field` searches. */
  readonly search: readonly string[]
  /** The event's own fields, each with a sample; a sample's type is the field's type. */
  readonly fields: JsonObject
  /** The additional fields of an event in a group. Elsewhere they are absent. Absent: none. */
  readonly groupFields?: JsonObject
}

const toolInput = { command: 'ls -la' }
const tool = { tool_name: 'bash', tool_input: toolInput, tool_use_id: 'call-1' }

/**
 * The contract table. Entry checks, settling, synthetic payloads, help and the reference page derive from it.
 */
export const EVENTS = {
  pre_tool_call: {
    when: 'before a tool runs',
    gate: ['block', 'ask'],
    onBlock: 'the tool does not run',
    rewrite: ['tool_input'],
    contextTo: "the tool's result",
    search: ['tool_name', 'tool_input'],
    fields: tool,
  },
  post_tool_call: {
    when: 'after a tool ran, success or failure',
    gate: ['block'],
    onBlock: 'the turn ends after this batch of tools',
    rewrite: [],
    search: ['tool_name', 'tool_input', 'tool_result'],
    fields: { ...tool, tool_result: 'total 0', tool_error: false },
  },
  transform_tool_result: {
    when: 'before the agent sees a tool result',
    gate: [],
    rewrite: ['tool_result'],
    contextTo: 'appended to the result',
    search: ['tool_name', 'tool_result'],
    fields: { ...tool, tool_result: 'total 0', tool_error: false },
  },
  pre_llm_call: {
    when: 'before a model call',
    gate: ['block'],
    onBlock: 'the model is not called',
    rewrite: ['messages'],
    contextTo: 'this model call only',
    search: ['last_user_message'],
    fields: {
      system: 'You are a helpful agent.',
      model: 'demo',
      last_user_message: 'hello',
      iteration: 1,
      messages: [{ role: 'user', content: 'hello' }],
    },
  },
  post_llm_call: {
    when: 'after a successful model call',
    gate: [],
    rewrite: [],
    search: ['response'],
    fields: { model: 'demo', response: 'Hello.', usage: { input_tokens: 9, output_tokens: 3 }, cost: 0 },
  },
  on_outbound_message: {
    when: 'before a message leaves for a chat',
    gate: ['block', 'ask'],
    onBlock: 'the message is withheld',
    rewrite: ['notification', 'parts'],
    search: ['notification', 'parts'],
    fields: {
      notification: 'Hello.',
      parts: [],
      type: 'text',
      channel: 'web',
      chat_id: 'main',
      files: [],
      recent: [],
    },
  },
  on_completion_claim: {
    when: 'when the agent claims to be done',
    gate: ['block'],
    onBlock: 'the claim is refused and the agent goes on',
    rewrite: [],
    contextTo: 'the refusal',
    search: ['summary', 'response'],
    fields: {
      goal: 'publish the site',
      summary: 'published the site',
      response: 'published the site',
      tool_names: ['bash'],
      tools: [{ name: 'bash', is_error: false, exit_code: 0, urls: [] }],
      blocked_count: 0,
      max_blocks: 3,
    },
  },
  on_session_start: {
    when: 'when a session begins',
    gate: ['block'],
    onBlock: 'there is no session',
    rewrite: [],
    contextTo: 'the session, lasting',
    search: ['status', 'source'],
    fields: { status: 'started', source: 'startup', model: 'demo', initial_prompt: 'hello' },
  },
  on_session_end: {
    when: 'when a session ends',
    gate: [],
    rewrite: [],
    search: ['status', 'reason'],
    fields: { status: 'ended', reason: 'complete', duration_seconds: 1, total_steps: 1 },
  },
  on_user_message: {
    when: 'when a person writes to the agent',
    gate: ['block'],
    onBlock: 'the agent does not see the message',
    rewrite: ['message'],
    contextTo: 'this turn',
    search: ['message'],
    fields: { message: 'hello', channel: 'web', sender_id: 'owner', kind: 'message' },
    groupFields: { sender_name: 'Ann', is_owner: true, is_group: true },
  },
  on_permission_request: {
    when: 'when the agent asks for permission to use a tool',
    gate: ['allow', 'block'],
    onBlock: 'the permission is refused',
    rewrite: [],
    search: ['tool_name', 'tool_input'],
    fields: { ...tool, suggestions: [] },
  },
  on_permission_decision: {
    when: 'when a permission was given or refused',
    gate: [],
    rewrite: [],
    search: ['tool_name'],
    fields: { tool_name: 'bash', tool_input: toolInput, decision: 'allow', source: 'person' },
  },
  on_tool_error: {
    when: 'after a tool failed, beside post_tool_call',
    gate: [],
    rewrite: [],
    contextTo: 'the error',
    search: ['tool_name', 'tool_input', 'error'],
    fields: { ...tool, error: 'No such file or directory' },
  },
  on_stop: {
    when: 'when the agent stops to answer',
    gate: ['block'],
    onBlock: 'the agent does it again, at most 3 times a turn',
    rewrite: [],
    contextTo: 'the next round',
    search: ['response'],
    fields: {
      response: 'Hello.',
      tool_names: [],
      stop_hook_active: false,
      stop_reason: 'no_tool_calls',
      step_count: 1,
    },
  },
  on_step_end: {
    when: 'after one model call with its tools',
    gate: [],
    rewrite: [],
    search: [],
    fields: { reason: 'normal' },
  },
  on_turn_end: {
    when: 'after one turn of the person',
    gate: [],
    rewrite: [],
    search: [],
    fields: { reason: 'normal', step_count: 1 },
  },
  on_subagent_start: {
    when: 'before a subagent starts',
    gate: ['block'],
    onBlock: 'the subagent does not start',
    rewrite: [],
    contextTo: 'the subagent',
    search: ['subagent_name', 'task_description'],
    fields: { subagent_name: 'helper', subagent_type: 'general', task_description: 'look it up' },
  },
  on_subagent_stop: {
    when: 'when a subagent stops',
    gate: ['block'],
    onBlock: 'the subagent goes on',
    rewrite: [],
    search: ['subagent_name', 'response'],
    fields: {
      subagent_name: 'helper',
      subagent_type: 'general',
      task_description: 'look it up',
      response: 'found it',
    },
  },
  pre_compact: {
    when: 'before a conversation is compacted',
    gate: ['block'],
    onBlock: 'nothing is compacted',
    rewrite: ['summary'],
    contextTo: 'the compaction prompt',
    search: [],
    fields: {
      source: 'auto',
      reason: 'threshold',
      input_tokens: 90,
      output_tokens: 30,
      context_limit: 100,
      summary: '',
    },
  },
  post_compact: {
    when: 'after a conversation was compacted',
    gate: [],
    rewrite: [],
    search: ['summary'],
    fields: { source: 'auto', summary: 'they said hello', input_tokens: 9000, output_tokens: 300 },
  },
  on_user_input: {
    when: 'when the agent waits for the person',
    gate: [],
    rewrite: [],
    search: [],
    fields: { prompt: 'Which one?' },
  },
  on_notification: {
    when: 'when the agent has something to report about itself',
    gate: [],
    rewrite: [],
    search: ['message'],
    fields: { level: 'warning', message: 'the model is slow' },
  },
  on_error: {
    when: 'when the agent fails, beside on_notification',
    gate: [],
    rewrite: [],
    search: [],
    fields: { error: { message: 'it broke', name: 'Error', stack: '' } },
  },
  on_max_iterations: {
    when: 'when the agent reached its step limit, beside on_notification',
    gate: [],
    rewrite: [],
    search: [],
    fields: { iterations: 50 },
  },
  on_agent_switch: {
    when: 'when one agent hands over to another',
    gate: [],
    rewrite: [],
    search: [],
    fields: { from_agent: 'main', to_agent: 'helper', kind: 'handoff' },
  },
} as const satisfies Record<string, EventContract>

export type EventName = keyof typeof EVENTS
export const EVENT_NAMES = Object.keys(EVENTS) as readonly EventName[]

export const isEventName = (name: string): name is EventName => Object.hasOwn(EVENTS, name)
export const contractOf = (event: EventName): EventContract => EVENTS[event]

/** Every field that the event can have, each with a sample. */
export const fieldsOf = (event: EventName): JsonObject => ({
  ...contractOf(event).fields,
  ...contractOf(event).groupFields,
})

/**
 * Events after the fact. A block there only ends the turn, or makes the agent continue because the hook asks
 * for it.
 */
const isOver: readonly EventName[] = ['post_tool_call', 'on_stop', 'on_subagent_stop']

/**
 * True when a block at this event prevents something. There a guard whose shell failed blocks, whatever its
 * `on_error`.
 */
export const blocksBeforehand = (event: EventName): boolean =>
  contractOf(event).gate.includes('block') && !isOver.includes(event)
