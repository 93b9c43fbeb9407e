import { describe, expect, test } from 'vitest'
import { dockerAgent, dockerClient } from '../../src/dialects/docker-agent/docker-agent.ts'
import type { Ruled } from '../../src/shared/gate/client.ts'
import type { NativeEvent } from '../../src/shared/hooks/dialect.ts'
import { isEventName } from '../../src/core/model/events/event.ts'
import type { Json, JsonObject } from '../../src/core/model/base/json.ts'
import type { Payload } from '../../src/core/model/events/payload.ts'
import { syntheticPayload } from '../../src/shared/events/synthetic.ts'

const { read: readDocker, write: writeDocker } = dockerClient

const now = new Date('2026-11-20T10:00:00Z')
const named = (name: string): NativeEvent => {
  const found = dockerAgent.events.find((event) => event.name === name)
  if (found === undefined) throw new Error(`no event ${name}`)
  return found
}

const mapped = dockerAgent.events.filter(({ event }) => event !== undefined)
const payloadFor = ({ event = 'on_notification' }: NativeEvent, fields: JsonObject = {}): Payload => ({
  ...syntheticPayload(event, '/work', now),
  ...fields,
})

const quiet = { exitCode: 0, stderr: '', isTruncated: false } as const

describe('every event that is mapped', () => {
  test.each(mapped.map((native) => [native.name, native] as const))(
    '%s: its stdin bears its own name, and silence is no opinion',
    (name, native) => {
      const payload = payloadFor(native)
      const stdin = dockerAgent.encode(native, payload)
      expect(JSON.parse(JSON.stringify(stdin))).toEqual(stdin)
      expect(stdin).toMatchObject({ hook_event_name: name, session_id: 'synthetic', cwd: '/work' })
      for (const value of Object.values(stdin)) expect([null, '', false, []]).not.toContainEqual(value)
      for (const stdout of ['', '{}', ' \n'])
        expect(dockerAgent.decode(native, payload, { ...quiet, stdout })).toEqual({
          kind: 'abstain',
          notes: [],
        })
      expect(dockerAgent.env(payload, { hookDir: '/hooks', workspace: '/workspace' })).toEqual({})
    },
  )
  test('there are 28, each name once, and only those without a moment here are not mapped', () => {
    expect(new Set(dockerAgent.events.map(({ name }) => name)).size).toBe(28)
    expect(
      dockerAgent.events.flatMap(({ name, event, note }) =>
        event === undefined ? [[name, note !== undefined]] : [],
      ),
    ).toEqual([
      ['on_session_resume', true],
      ['worktree_create', true],
    ])
    expect(mapped.every(({ event = '' }) => isEventName(event))).toBe(true)
  })
  test('the 19 of its example file are among them', () => {
    const seen =
      'pre_tool_use post_tool_use permission_request session_start user_prompt_submit turn_start turn_end before_llm_call after_llm_call session_end pre_compact subagent_stop on_user_input stop notification on_error on_max_iterations before_compaction after_compaction'.split(
        ' ',
      )
    expect(seen.filter((name) => named(name).event === undefined)).toEqual([])
  })
  test('only events of tools take a matcher', () => {
    expect(
      dockerAgent.events.flatMap(({ name, matches }) =>
        matches === undefined ? [] : [`${name}: ${matches}`],
      ),
    ).toEqual(
      [
        'pre_tool_use',
        'tool_guard',
        'tool_input_transform',
        'permission_request',
        'post_tool_use',
        'tool_response_transform',
      ].map((name) => `${name}: tool_name`),
    )
  })
  test('a person who writes fires one of three', () => {
    expect(dockerAgent.events.flatMap(({ where }) => where?.['kind'] ?? [])).toEqual([
      'message',
      'steer',
      'followup',
    ])
  })
})

const shell = { tool_name: 'shell', tool_use_id: 'call-1', tool_input: { cwd: '.', cmd: 'ls -la' } }
const base = { session_id: 'synthetic', cwd: '/work', agent_name: 'doctor' }

type Case = [event: string, fields: JsonObject, stdin: JsonObject]
const stdins: readonly Case[] = [
  ['pre_tool_use', {}, shell],
  ['tool_guard', {}, shell],
  ['tool_input_transform', {}, shell],
  ['permission_request', {}, shell],
  [
    'pre_tool_use',
    { tool_name: 'mcp__git__log', tool_input: {} },
    { tool_name: 'mcp__git__log', tool_use_id: 'call-1' },
  ],
  [
    'pre_tool_use',
    { tool_name: 'edit_file', tool_input: { path: 'a', old_text: 'x', new_text: 'y' } },
    {
      tool_name: 'edit_file',
      tool_use_id: 'call-1',
      tool_input: { path: 'a', edits: [{ oldText: 'x', newText: 'y' }] },
    },
  ],
  ['post_tool_use', {}, { ...shell, tool_response: 'total 0' }],
  [
    'post_tool_use',
    { tool_error: true, tool_result: { code: 1 } },
    { ...shell, tool_response: '{"code":1}', tool_error: true },
  ],
  ['tool_response_transform', { tool_error: true }, { ...shell, tool_response: 'total 0' }],
  ['session_start', {}, { source: 'startup' }],
  ['user_prompt_submit', {}, { prompt: 'hello' }],
  ['user_followup_submit', { kind: 'followup' }, { prompt: 'hello' }],
  ['user_steering_messages_submit', { kind: 'steer' }, { steering_messages: ['hello'] }],
  ['turn_start', {}, {}],
  [
    'before_llm_call',
    { iteration: 2 },
    { iteration: 2, model_id: 'demo', messages: [{ role: 'user', content: 'hello' }] },
  ],
  [
    'after_llm_call',
    {},
    { model_id: 'demo', stop_response: 'Hello.', usage: { input_tokens: 9, output_tokens: 3 }, cost: 0 },
  ],
  [
    'after_llm_call',
    { cost: null, last_user_message: 'hello' },
    {
      model_id: 'demo',
      stop_response: 'Hello.',
      usage: { input_tokens: 9, output_tokens: 3 },
      last_user_message: 'hello',
    },
  ],
  ['turn_end', { reason: 'hook_blocked' }, { reason: 'hook_blocked' }],
  ['stop', {}, { stop_response: 'Hello.' }],
  ['session_end', {}, { reason: 'stream_ended' }],
  ['session_end', { reason: 'user_exit' }, { reason: 'prompt_input_exit' }],
  ['session_end', { reason: 'constructor' }, { reason: 'other' }],
  ['pre_compact', { source: 'tool_overflow' }, { source: 'tool_overflow' }],
  [
    'before_compaction',
    {},
    { input_tokens: 90, output_tokens: 30, context_limit: 100, compaction_reason: 'threshold' },
  ],
  [
    'before_compaction',
    { reason: 'the person said so', source: 'manual', context_limit: 0 },
    { input_tokens: 90, output_tokens: 30, compaction_reason: 'manual' },
  ],
  [
    'after_compaction',
    { source: 'overflow' },
    { input_tokens: 9000, output_tokens: 300, compaction_reason: 'overflow', summary: 'they said hello' },
  ],
  [
    'subagent_stop',
    { parent_session_id: 'p' },
    { agent_name: 'helper', parent_session_id: 'p', stop_response: 'found it' },
  ],
  ['on_user_input', {}, {}],
  ['notification', {}, { notification_level: 'warning', notification_message: 'the model is slow' }],
  ['on_error', {}, { notification_level: 'error', notification_message: 'it broke' }],
  [
    'on_max_iterations',
    {},
    { notification_level: 'warning', notification_message: 'The agent reached its limit of steps (50).' },
  ],
  ['on_agent_switch', {}, { from_agent: 'main', to_agent: 'helper', agent_switch_kind: 'handoff' }],
  [
    'on_tool_approval_decision',
    {},
    {
      tool_name: 'shell',
      tool_input: { cwd: '.', cmd: 'ls -la' },
      approval_decision: 'allow',
      approval_source: 'user_approved',
    },
  ],
  [
    'on_tool_approval_decision',
    { decision: 'block', source: 'yolo' },
    {
      tool_name: 'shell',
      tool_input: { cwd: '.', cmd: 'ls -la' },
      approval_decision: 'deny',
      approval_source: 'yolo',
    },
  ],
]

test.each(stdins)('%s with %j reads %j', (event, fields, stdin) => {
  expect(dockerAgent.encode(named(event), payloadFor(named(event), fields))).toEqual({
    ...base,
    hook_event_name: event,
    ...stdin,
  })
})

type Reading = [event: string, stdin: JsonObject, fields: JsonObject]
const call = { tool_name: 'bash', tool_input: { command: 'ls' }, tool_use_id: 'c' }
const theirs = { tool_name: 'shell', tool_input: { cmd: 'ls' }, tool_use_id: 'c' }
const readings: readonly Reading[] = [
  ['pre_tool_use', theirs, call],
  ['tool_guard', { tool_name: 'todo' }, { tool_name: 'todo', tool_input: {} }],
  [
    'post_tool_use',
    { ...theirs, tool_response: 'x', tool_error: true },
    { ...call, tool_result: 'x', tool_error: true },
  ],
  ['post_tool_use', theirs, { ...call, tool_result: '', tool_error: false }],
  [
    'tool_response_transform',
    { ...theirs, tool_response: { a: 1 } },
    { ...call, tool_result: '{"a":1}', tool_error: false },
  ],
  ['session_start', {}, { status: 'started', source: 'startup' }],
  ['session_end', { reason: 'stream_ended' }, { status: 'ended', reason: 'complete' }],
  ['user_prompt_submit', { prompt: 'hi' }, { message: 'hi', kind: 'message' }],
  ['user_prompt_submit', {}, { message: '', kind: 'message' }],
  ['user_steering_messages_submit', { steering_messages: ['a', 'b'] }, { message: 'a\n\nb', kind: 'steer' }],
  [
    'before_llm_call',
    {
      iteration: 1,
      model_id: 'm',
      messages: [
        { role: 'system', content: 's' },
        { role: 'user', content: [{ type: 'text', text: 'a' }, { type: 'image' }] },
      ],
    },
    {
      iteration: 1,
      model: 'm',
      last_user_message: 'a',
      system: 's',
      messages: [
        { role: 'system', content: 's' },
        { role: 'user', content: [{ type: 'text', text: 'a' }, { type: 'image' }] },
      ],
    },
  ],
  ['turn_start', {}, { last_user_message: '' }],
  ['after_llm_call', { model_id: 'm', cost: 0 }, { model: 'm', response: '', cost: 0 }],
  ['stop', { stop_response: 'done' }, { response: 'done' }],
  [
    'before_compaction',
    { compaction_reason: 'overflow', input_tokens: 5 },
    { source: 'overflow', reason: 'overflow', input_tokens: 5, summary: '' },
  ],
  [
    'subagent_stop',
    { parent_session_id: 'p', stop_response: 'r' },
    { subagent_name: 'root', parent_session_id: 'p', response: 'r' },
  ],
  [
    'on_error',
    { notification_message: 'it broke' },
    { error: { message: 'it broke', name: 'Error', stack: '' } },
  ],
  ['on_agent_switch', { to_agent: 'b', agent_switch_kind: 'handoff' }, { to_agent: 'b', kind: 'handoff' }],
  [
    'on_tool_approval_decision',
    { ...theirs, approval_decision: 'deny', approval_source: 'yolo' },
    { ...call, decision: 'deny', source: 'yolo' },
  ],
]

describe('a docker-agent behind the gate', () => {
  const common = { session_id: 's', cwd: '/w', agent_name: 'root' }
  test.each(readings)('%s: %j is %j', (event, stdin, fields) => {
    const native = named(event)
    expect(readDocker(native, { ...common, hook_event_name: event, ...stdin })).toEqual({
      event: native.event,
      session_id: 's',
      cwd: '/w',
      ...(event === 'subagent_stop' ? {} : { agent_id: 'root' }),
      fields,
    })
  })

  const unread: readonly [event: string, stdin: Json, wrong: RegExp][] = [
    ['pre_tool_use', [], /one JSON object/],
    ['pre_tool_use', { cwd: '/w', ...theirs }, /"session_id"/],
    ['pre_tool_use', { session_id: 's' }, /"tool_name"/],
    ['pre_tool_use', { session_id: 's', tool_name: 'shell', tool_input: 'ls' }, /"tool_input"/],
    ['pre_tool_use', { session_id: 's', hook_event_name: 'post_tool_use', ...theirs }, /"hook_event_name"/],
    ['worktree_create', { session_id: 's' }, /no counterpart/],
  ]
  test.each(unread)('%s: %j cannot be read', (event, stdin, wrong) => {
    expect(readDocker(named(event), stdin)).toEqual({ wrong: expect.stringMatching(wrong) as string })
  })

  const ruled = (event: string, rest: Partial<Ruled>): Ruled => ({
    verdict: 'allow',
    isConsent: false,
    payload: payloadFor(named(event)),
    contexts: [],
    notes: [],
    ...rest,
  })
  const inner = (event: string, fields: JsonObject): JsonObject => ({
    hook_specific_output: { hook_event_name: event, ...fields },
  })
  const updated = { updated_input: { cwd: '.', cmd: 'ls -la' } }
  const deny = (reason: string) => ({ permission_decision: 'deny', permission_decision_reason: reason })
  const replies: readonly [
    what: string,
    event: string,
    rest: Partial<Ruled>,
    reply: JsonObject | undefined,
  ][] = [
    ['nothing to say', 'post_tool_use', {}, undefined],
    ['a refused call', 'pre_tool_use', { verdict: 'block', reason: 'no' }, inner('pre_tool_use', deny('no'))],
    [
      'a refused call without a reason',
      'tool_guard',
      { verdict: 'block' },
      inner('tool_guard', deny('blocked by hook')),
    ],
    [
      'a question is a refusal',
      'pre_tool_use',
      { verdict: 'ask', reason: 'sure?' },
      inner('pre_tool_use', deny('a person has to approve this first: sure?')),
    ],
    [
      'a refused permission',
      'permission_request',
      { verdict: 'block', reason: 'no' },
      inner('permission_request', deny('no')),
    ],
    [
      'a given permission',
      'permission_request',
      { isConsent: true },
      inner('permission_request', { permission_decision: 'allow' }),
    ],
    ['no opinion is no permission', 'permission_request', {}, undefined],
    ['a call as it settled', 'pre_tool_use', {}, inner('pre_tool_use', updated)],
    [
      'a call as it settled, with consent',
      'pre_tool_use',
      { isConsent: true },
      inner('pre_tool_use', { permission_decision: 'allow', ...updated }),
    ],
    [
      'a refused transform',
      'tool_input_transform',
      { verdict: 'block', reason: 'no' },
      { decision: 'block', reason: 'no' },
    ],
    [
      'a refused model call',
      'before_llm_call',
      { verdict: 'block', reason: 'no' },
      { decision: 'block', reason: 'no' },
    ],
    [
      'messages',
      'before_llm_call',
      {},
      inner('before_llm_call', { updated_messages: [{ role: 'user', content: 'hello' }] }),
    ],
    [
      'a result',
      'tool_response_transform',
      {},
      inner('tool_response_transform', { updated_tool_response: 'total 0' }),
    ],
    ['no summary', 'before_compaction', {}, undefined],
    [
      'a summary',
      'before_compaction',
      { payload: payloadFor(named('before_compaction'), { summary: 'short' }) },
      inner('before_compaction', { summary: 'short' }),
    ],
    [
      'contexts and notes',
      'session_start',
      { contexts: ['a', 'b'], notes: ['look', 'here'] },
      { system_message: 'look\nhere', ...inner('session_start', { additional_context: 'a\nb' }) },
    ],
    [
      'context without a place',
      'post_tool_use',
      { contexts: ['a'] },
      { system_message: 'hookgate: a hook had context for the model, for which post_tool_use has no place.' },
    ],
    [
      'a block without a gate is told, and its context stays',
      'session_start',
      { verdict: 'block', reason: 'no', contexts: ['a'] },
      {
        system_message: 'hookgate: a hook wanted to block here, but session_start cannot be refused: no',
        ...inner('session_start', { additional_context: 'a' }),
      },
    ],
    [
      'the end of a turn',
      'post_tool_use',
      { stopsTurn: true, reason: 'enough' },
      { continue: false, stop_reason: 'enough' },
    ],
    [
      'the end of a turn where it cannot end',
      'turn_start',
      { stopsTurn: true },
      { system_message: 'hookgate: a hook wanted to end the turn, which turn_start cannot.' },
    ],
  ]
  test.each(replies)('%s (%s)', (_what, event, rest, reply) => {
    expect(writeDocker(named(event), ruled(event, rest))).toEqual(reply)
  })
  test('what is written for a refusal, its own reader takes for one', () => {
    for (const native of mapped.filter(({ isGate }) => isGate)) {
      const reply = writeDocker(native, ruled(native.name, { verdict: 'block', reason: 'no' }))
      expect(
        dockerAgent.decode(native, payloadFor(native), { ...quiet, stdout: JSON.stringify(reply) }),
      ).toEqual({ kind: 'block', reason: 'no', notes: [] })
    }
  })
})
