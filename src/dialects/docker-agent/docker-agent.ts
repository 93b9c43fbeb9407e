import type { Client } from '../../shared/gate/client.ts'
import type { Dialect } from '../../shared/hooks/dialect.ts'
import { isObject, type Json, type JsonObject } from '../../core/model/base/json.ts'
import { wordIn, type OptionalFields } from '../reading/fields.ts'
import {
  conversationOf,
  encoderOf,
  eventsOf,
  field,
  type EventField,
  type EventFields,
  readerOf,
  type Rows,
} from '../table.ts'
import { decodeDocker, writeDocker } from './answers.ts'

const inWords = (value: Json): string => (typeof value === 'string' ? value : JSON.stringify(value))

/** docker-agent leaves empty fields out, but fields that our gates search must be present. */
const words = (here: string): EventField => field.or(here, '')

/** In docker-agent a result is text. */
const result: EventField = {
  here: 'tool_result',
  out: ({ tool_result: ours }) => (ours === undefined ? undefined : inWords(ours)),
  in: (value) => inWords(value ?? ''),
}

const answered: EventFields = { stop_response: words('response'), last_user_message: 'last_user_message' }

/** Returns the text of a message, which is one text or a list of parts. */
const contentOf = ({ content, multi_content: more }: JsonObject): string =>
  [content, more]
    .flat()
    .flatMap((part) => {
      const said = isObject(part) ? part['text'] : part
      return typeof said === 'string' && said !== '' ? [said] : []
    })
    .join('\n')

const conversation = ({ messages }: JsonObject): OptionalFields => {
  const { last_user_message, system } = conversationOf(messages, contentOf)
  return { last_user_message, system: system === '' ? undefined : system }
}

const reasonsThere: readonly (Json | undefined)[] = ['threshold', 'overflow', 'manual']
const bySource = { manual: 'manual', auto: 'threshold', overflow: 'overflow', tool_overflow: 'overflow' }
const ourSources = { manual: 'manual', threshold: 'auto', overflow: 'overflow' }
const compaction: EventFields = {
  input_tokens: 'input_tokens',
  output_tokens: 'output_tokens',
  context_limit: 'context_limit',
  compaction_reason: {
    here: 'reason',
    out: ({ reason, source }) => (reasonsThere.includes(reason) ? reason : wordIn(bySource, source)),
    in: (reason) => reason,
  },
  summary: field.heard('summary', (summary) => summary ?? ''),
}

const compactionSource = ({ compaction_reason: reason = null }: JsonObject): OptionalFields => ({
  source: wordIn(ourSources, reason) ?? 'auto',
})

/** Our reasons for the end of a session → docker-agent's words, current and old. */
const endReasons = {
  complete: 'stream_ended',
  user_exit: 'prompt_input_exit',
  clear: 'clear',
  logout: 'logout',
}

const ourEndReasons = {
  stream_ended: 'complete',
  prompt_input_exit: 'user_exit',
  clear: 'clear',
  logout: 'logout',
}

const decided = { block: 'deny', refuse: 'deny' }

const tool = { matches: 'tool_name', isCall: true } as const
const gate = { isGate: true } as const
const context = { isTextContext: true } as const
const prompt = {
  event: 'on_user_message',
  ...gate,
  ...context,
  fields: { prompt: words('message') },
} as const

/**
 * docker-agent's 28 events. If several are one event of ours, the most used one comes first. A matcher is
 * tried on tool names only. `isTextContext` also says that the event's `additional_context` is used. Tool
 * category and safety policy are not known here and are left out.
 */
const rows: Rows = {
  pre_tool_use: {
    event: 'pre_tool_call',
    ...tool,
    ...gate,
    failsClosed: true,
    note: 'docker-agent skips it for calls that need no approval; hookgate asks it about every call',
  },
  tool_guard: { event: 'pre_tool_call', ...tool, ...gate, failsClosed: true },
  tool_input_transform: { event: 'pre_tool_call', ...tool, ...gate },
  permission_request: { event: 'on_permission_request', ...tool, ...gate },
  post_tool_use: {
    event: 'post_tool_call',
    ...tool,
    ...gate,
    fields: { tool_response: result, tool_error: field.isTrue('tool_error') },
    moment: 'tool_ran',
  },
  tool_response_transform: {
    event: 'transform_tool_result',
    ...tool,
    fields: { tool_response: result, tool_error: field.heard('tool_error', (value) => value === true) },
  },
  session_start: {
    event: 'on_session_start',
    ...context,
    fields: { source: field.or('source', 'startup') },
    here: { status: 'started' },
  },
  user_prompt_submit: {
    ...prompt,
    where: { kind: ['message'] },
    here: { kind: 'message' },
    moment: 'turn_start',
  },
  user_steering_messages_submit: {
    ...prompt,
    where: { kind: ['steer'] },
    fields: {
      steering_messages: {
        here: 'message',
        out: ({ message }) => (message === undefined || message === '' ? [] : [message]),
        in: (messages) =>
          [messages ?? '']
            .flat()
            .map((one) => inWords(one))
            .join('\n\n'),
      },
    },
    here: { kind: 'steer' },
  },
  user_followup_submit: {
    ...prompt,
    where: { kind: ['followup'] },
    here: { kind: 'followup' },
    moment: 'turn_start',
  },
  before_llm_call: {
    event: 'pre_llm_call',
    ...gate,
    fields: { iteration: 'iteration', model_id: 'model', messages: 'messages' },
    in: conversation,
  },
  turn_start: {
    event: 'pre_llm_call',
    ...context,
    here: { last_user_message: '' },
    note: 'its turn is one model call',
  },
  after_llm_call: {
    event: 'post_llm_call',
    fields: { ...answered, model_id: 'model', usage: 'usage', cost: field.heard('cost') },
  },
  turn_end: {
    event: 'on_step_end',
    fields: { reason: 'reason' },
    note: 'its turn is one model call with its tools, not one turn of the person',
  },
  stop: {
    event: 'on_stop',
    fields: answered,
    moment: 'turn_end',
    note: 'it cannot refuse: a block is reported, and the answer stays',
  },
  session_end: {
    event: 'on_session_end',
    fields: { reason: field.word('reason', endReasons, ourEndReasons) },
    here: { status: 'ended' },
    moment: 'session_end',
  },
  pre_compact: { event: 'pre_compact', ...gate, ...context, fields: { source: field.or('source', 'auto') } },
  before_compaction: {
    event: 'pre_compact',
    ...gate,
    isSideBySide: true,
    fields: compaction,
    in: compactionSource,
  },
  after_compaction: {
    event: 'post_compact',
    fields: { ...compaction, summary: words('summary') },
    in: compactionSource,
  },
  subagent_stop: {
    event: 'on_subagent_stop',
    fields: {
      // At this event docker-agent names the subagent itself as the agent.
      agent_name: words('subagent_name'),
      parent_session_id: 'parent_session_id',
      stop_response: words('response'),
    },
  },
  on_user_input: { event: 'on_user_input' },
  notification: {
    event: 'on_notification',
    fields: { notification_level: 'level', notification_message: words('message') },
  },
  on_error: {
    event: 'on_error',
    fields: {
      notification_level: { out: () => 'error' },
      notification_message: {
        here: 'error',
        out: ({ error }) => (isObject(error) ? error['message'] : error),
        in: (message) => ({ message: message ?? '', name: 'Error', stack: '' }),
      },
    },
  },
  on_max_iterations: {
    event: 'on_max_iterations',
    out: ({ iterations }) => ({
      notification_level: 'warning',
      notification_message: `The agent reached its limit of steps${typeof iterations === 'number' ? ` (${iterations})` : ''}.`,
    }),
  },
  on_agent_switch: {
    event: 'on_agent_switch',
    fields: { from_agent: 'from_agent', to_agent: 'to_agent', agent_switch_kind: 'kind' },
  },
  on_tool_approval_decision: {
    event: 'on_permission_decision',
    isCall: true,
    fields: { approval_decision: field.heard('decision'), approval_source: field.heard('source') },
    out: ({ decision, source }) => {
      const verdict = wordIn(decided, decision) ?? decision
      const byPerson = verdict === 'allow' ? 'user_approved' : 'user_rejected'
      return { approval_decision: verdict, approval_source: source === 'person' ? byPerson : source }
    },
  },
  on_session_resume: {
    note: 'it tells of a raised step limit, not of a resumed session, and hookgate has no step limit to raise',
  },
  worktree_create: {
    ...gate,
    ...context,
    note: 'it fires before there is a session, and hookgate makes no worktrees',
  },
}

/** Returns whether docker-agent leaves a field with this value out. */
const isEmpty = (value: Json): boolean =>
  value === null ||
  value === '' ||
  value === false ||
  value === 0 ||
  (typeof value === 'object' && Object.keys(value).length === 0)

const filled = (fields: OptionalFields): JsonObject =>
  Object.fromEntries(
    Object.entries(fields).flatMap(([key, value]) =>
      value === undefined || isEmpty(value) ? [] : [[key, value]],
    ),
  )

const encode = encoderOf(
  'docker-agent',
  rows,
  (name, { session_id, cwd, agent_id }) => ({
    session_id,
    cwd,
    hook_event_name: name,
    ...(name === 'subagent_stop' ? {} : filled({ agent_name: agent_id })),
  }),
  filled,
)

/**
 * docker-agent's hooks. They get and print one JSON object in snake_case, and get no variables of their own.
 */
export const dockerAgent: Dialect = {
  name: 'docker-agent',
  events: eventsOf(rows),
  // Source: pkg/shellpath of docker-agent. It uses `$SHELL`, or /bin/sh if that is not set.
  shell: 'bash',
  timeoutMs: { default: 60_000, min: 1, max: 600_000 },
  encode: (native, payload) => ({
    ...encode(native, payload),
    // An absent cost means that no price is known; zero means free.
    ...(native.name === 'after_llm_call' && typeof payload['cost'] === 'number'
      ? { cost: payload['cost'] }
      : {}),
  }),
  decode: decodeDocker,
  env: () => ({}),
}

/** A docker-agent behind the gate, with the hook `hookgate bridge docker-agent <event>`. */
export const dockerClient: Client = {
  title: 'docker-agent',
  events: eventsOf(rows),
  read: readerOf({
    speaker: 'docker-agent',
    rows,
    agentOf: ({ agent_name: agent }, name) => (name === 'subagent_stop' ? undefined : agent),
  }),
  write: writeDocker,
}
