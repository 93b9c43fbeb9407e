import { describe, expect, test } from 'vitest'
import { agentHooks, agentHooksClient } from '../../src/dialects/agent-hooks/agent-hooks.ts'
import type { Ruled } from '../../src/shared/gate/client.ts'
import type { NativeEvent } from '../../src/shared/hooks/dialect.ts'
import type { Json, JsonObject } from '../../src/core/model/base/json.ts'
import type { Payload } from '../../src/core/model/events/payload.ts'
import { syntheticPayload } from '../../src/shared/events/synthetic.ts'

const { read: readAgentHooks, write: writeAgentHooks } = agentHooksClient

const now = new Date('2026-11-20T10:00:00Z')
const named = (name: string): NativeEvent => {
  const found = agentHooks.events.find((event) => event.name === name)
  if (found === undefined) throw new Error(`no event ${name}`)
  return found
}

const payloadFor = ({ event = 'on_notification' }: NativeEvent, fields: JsonObject = {}): Payload => ({
  ...syntheticPayload(event, '/work', now),
  ...fields,
})

const quiet = { exitCode: 0, stderr: '', isTruncated: false } as const
const base = {
  timestamp: '2026-11-20T10:00:00.000Z',
  session_id: 'synthetic',
  work_dir: '/work',
  context: {},
}

describe('every event', () => {
  test.each(agentHooks.events.map((native) => [native.name, native] as const))(
    '%s: its stdin bears its own name, and silence is no opinion',
    (name, native) => {
      const payload = payloadFor(native)
      const stdin = agentHooks.encode(native, payload)
      expect(JSON.parse(JSON.stringify(stdin))).toEqual(stdin)
      expect(stdin).toMatchObject({ ...base, event_type: name })
      for (const stdout of ['', '{}', ' \n'])
        expect(agentHooks.decode(native, payload, { ...quiet, stdout })).toEqual({
          kind: 'abstain',
          notes: [],
        })
      expect(agentHooks.env(payload, { hookDir: '/hooks', workspace: '/workspace' })).toEqual({
        KIMI_SESSION_ID: 'synthetic',
        KIMI_WORK_DIR: '/work',
        KIMI_PROJECT_DIR: '/workspace',
      })
    },
  )
  const first =
    'session_start session_end before_agent after_agent before_stop before_tool after_tool after_tool_failure subagent_start subagent_stop pre_compact'.split(
      ' ',
    )
  const today =
    'pre-session post-session pre-agent-turn post-agent-turn pre-agent-turn-stop pre-tool-call post-tool-call post-tool-call-failure pre-subagent post-subagent pre-context-compact'.split(
      ' ',
    )
  test.each(first.map((name, index) => [name, today[index] ?? ''] as const))(
    '%s is what %s is',
    (name, later) => {
      const { name: _name, ...old } = named(name)
      const { name: _later, ...renamed } = named(later)
      expect(renamed).toEqual(old)
    },
  )
  test('there are 11 of its first version and 13 of today, each mapped and each a gate there', () => {
    expect(agentHooks.events.map(({ name }) => name).toSorted()).toEqual(
      [...first, ...today, 'post-agent-turn-stop', 'post-context-compact'].toSorted(),
    )
    expect(agentHooks.events.every(({ event, isGate }) => event !== undefined && isGate === true)).toBe(true)
  })
  test('only events of tools take a matcher, whose pattern is tried on the arguments', () => {
    expect(
      agentHooks.events.flatMap(({ name, matches }) =>
        matches === undefined ? [] : [`${name}: ${matches}`],
      ),
    ).toEqual(
      [
        'before_tool',
        'after_tool',
        'after_tool_failure',
        'pre-tool-call',
        'post-tool-call',
        'post-tool-call-failure',
      ].map((name) => `${name}: tool_input`),
    )
  })
  test('after_tool is for success only', () => {
    expect([named('after_tool').where, named('post-tool-call').where]).toEqual([
      { tool_error: [false] },
      { tool_error: [false] },
    ])
  })
})

const shell = { tool_name: 'Shell', tool_input: { command: 'ls -la' }, tool_use_id: 'call-1' }

const stdins: readonly [event: string, fields: JsonObject, stdin: JsonObject][] = [
  ['before_tool', {}, shell],
  ['pre-tool-call', {}, shell],
  [
    'before_tool',
    { tool_name: 'write_file', tool_input: { path: 'a.py', content: 'x' } },
    { tool_name: 'WriteFile', tool_input: { path: 'a.py', content: 'x' }, tool_use_id: 'call-1' },
  ],
  [
    'before_tool',
    { tool_name: 'read_file', tool_input: { path: 'a' } },
    { tool_name: 'ReadFile', tool_input: { path: 'a' }, tool_use_id: 'call-1' },
  ],
  ['after_tool', {}, { ...shell, tool_output: 'total 0' }],
  ['after_tool_failure', {}, { ...shell, error: 'No such file or directory' }],
  ['before_agent', {}, { prompt: 'hello' }],
  ['after_agent', {}, { stop_reason: 'normal', step_count: 1 }],
  ['post-agent-turn-stop', {}, { stop_reason: 'normal', step_count: 1 }],
  [
    'before_stop',
    { step_count: 5 },
    { stop_reason: 'no_tool_calls', step_count: 5, final_message: { role: 'assistant', content: 'Hello.' } },
  ],
  ['before_stop', { response: '' }, { stop_reason: 'no_tool_calls', step_count: 1, final_message: null }],
  ['session_start', {}, { model: 'demo', args: { ui: 'hookgate', agent: 'doctor' } }],
  ['session_end', { reason: 'user_exit' }, { duration_seconds: 1, total_steps: 1, exit_reason: 'user_exit' }],
  [
    'subagent_start',
    {},
    { subagent_name: 'helper', subagent_type: 'general', task_description: 'look it up' },
  ],
  [
    'subagent_stop',
    {},
    {
      subagent_name: 'helper',
      subagent_type: 'general',
      task_description: 'look it up',
      final_message: { role: 'assistant', content: 'found it' },
    },
  ],
  [
    'pre_compact',
    {},
    { source: 'auto', reason: 'threshold', input_tokens: 90, output_tokens: 30, context_limit: 100 },
  ],
  [
    'post-context-compact',
    {},
    { source: 'auto', summary: 'they said hello', input_tokens: 9000, output_tokens: 300 },
  ],
]
test.each(stdins)('%s with %j reads %j', (event, fields, stdin) => {
  expect(agentHooks.encode(named(event), payloadFor(named(event), fields))).toEqual({
    ...base,
    event_type: event,
    ...stdin,
  })
})

describe('an agent of that system behind the gate', () => {
  const call = { tool_name: 'bash', tool_input: { command: 'ls' }, tool_use_id: 'c' }
  const theirs = { ...call, tool_name: 'Shell' }
  const readings: readonly [event: string, stdin: JsonObject, fields: JsonObject][] = [
    ['before_tool', theirs, call],
    ['pre-tool-call', { tool_name: 'Shell' }, { tool_name: 'bash', tool_input: {} }],
    ['after_tool', { ...theirs, tool_output: 'x' }, { ...call, tool_result: 'x', tool_error: false }],
    ['after_tool_failure', { ...theirs, error: 'x' }, { ...call, error: 'x' }],
    ['before_agent', { prompt: 'hi' }, { message: 'hi', kind: 'message' }],
    [
      'before_agent',
      { prompt: [{ type: 'text', text: 'hi' }] },
      { message: '[{"type":"text","text":"hi"}]', kind: 'message' },
    ],
    ['before_agent', {}, { message: '', kind: 'message' }],
    ['after_agent', {}, { reason: 'normal' }],
    [
      'before_stop',
      { stop_reason: 'no_tool_calls', step_count: 5, final_message: { role: 'assistant', content: 'done' } },
      { response: 'done', stop_reason: 'no_tool_calls', step_count: 5 },
    ],
    ['before_stop', { final_message: null }, { response: '' }],
    [
      'session_start',
      { model: 'kimi-latest', args: {} },
      { status: 'started', source: 'startup', model: 'kimi-latest' },
    ],
    [
      'session_end',
      { exit_reason: 'user_exit', duration_seconds: 3600 },
      { status: 'ended', reason: 'user_exit', duration_seconds: 3600 },
    ],
    [
      'subagent_start',
      { subagent_name: 'r', task_description: 't' },
      { subagent_name: 'r', task_description: 't' },
    ],
    [
      'subagent_stop',
      { subagent_name: 'r', final_message: { content: 'x' } },
      { subagent_name: 'r', response: 'x' },
    ],
    ['pre_compact', {}, { source: 'auto', summary: '' }],
    ['post-context-compact', { summary: 's' }, { source: 'auto', summary: 's' }],
  ]
  test.each(readings)('%s: %j is %j', (event, stdin, fields) => {
    expect(
      readAgentHooks(named(event), { event_type: event, session_id: 's', work_dir: '/w', ...stdin }),
    ).toEqual({ event: named(event).event, session_id: 's', cwd: '/w', fields })
  })

  const unread: readonly [event: string, stdin: Json, wrong: RegExp][] = [
    ['before_tool', null, /one JSON object/],
    ['before_tool', theirs, /"session_id"/],
    ['before_tool', { session_id: 's' }, /"tool_name"/],
    ['before_tool', { session_id: 's', tool_name: 'Shell', tool_input: 'ls' }, /"tool_input"/],
    ['before_tool', { session_id: 's', event_type: 'after_tool', ...theirs }, /"event_type"/],
  ]
  test.each(unread)('%s: %j cannot be read', (event, stdin, wrong) => {
    expect(readAgentHooks(named(event), stdin)).toEqual({ wrong: expect.stringMatching(wrong) as string })
  })

  const ruled = (event: string, rest: Partial<Ruled>): Ruled => ({
    verdict: 'allow',
    isConsent: false,
    payload: payloadFor(named(event)),
    contexts: [],
    notes: [],
    ...rest,
  })
  const settled = { modified_input: { command: 'ls -la' } }
  const replies: readonly [
    what: string,
    event: string,
    rest: Partial<Ruled>,
    reply: JsonObject | undefined,
  ][] = [
    ['nothing to say', 'before_stop', {}, undefined],
    ['a refusal', 'before_tool', { verdict: 'block', reason: 'no' }, { decision: 'deny', reason: 'no' }],
    [
      'a refusal with what to do',
      'before_stop',
      { verdict: 'block', reason: 'no', contexts: ['run the tests'] },
      { decision: 'deny', reason: 'no', additional_context: 'run the tests' },
    ],
    [
      'a question is a refusal',
      'before_tool',
      { verdict: 'ask', reason: 'sure?', isConsent: true },
      { decision: 'deny', reason: 'a person has to approve this first: sure?' },
    ],
    ['a call as it settled', 'before_tool', {}, settled],
    ['consent', 'before_tool', { isConsent: true }, { decision: 'allow', ...settled }],
    [
      'contexts and notes',
      'before_agent',
      { contexts: ['a', 'b'], notes: ['look', 'here'] },
      { additional_context: 'a\nb', log: 'look\nhere' },
    ],
    [
      'the end of a turn',
      'after_tool',
      { stopsTurn: true },
      { log: 'hookgate: a hook wanted to end the turn, which after_tool cannot.' },
    ],
  ]
  test.each(replies)('%s (%s)', (_what, event, rest, reply) => {
    expect(writeAgentHooks(named(event), ruled(event, rest))).toEqual(reply)
  })
})
