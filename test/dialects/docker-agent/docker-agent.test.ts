import { describe, expect, test } from 'vitest'
import { dockerAgent } from '../../../src/dialects/docker-agent/docker-agent.ts'
import type { Answer } from '../../../src/core/model/hooks/answer.ts'
import { endOf, garbled, inOtherWords, readerOf, type Printed } from '../speaking.ts'

const { named, payloadFor, decode } = readerOf(dockerAgent, 'pre_tool_use')

const abstain: Answer = { kind: 'abstain', notes: [] }
const noting = (...notes: readonly string[]): Answer => ({ kind: 'abstain', notes })
const block = (reason = 'blocked by hook', notes: readonly string[] = []): Answer => ({
  kind: 'block',
  reason,
  notes,
})
const stopping = (reason = 'blocked by hook'): Answer => ({ ...block(reason), stopsTurn: true })
const ask = (reason = 'the hook asks the person'): Answer => ({ kind: 'ask', reason, notes: [] })
const faulty = (detail: string, notes: readonly string[] = []): Answer => ({
  kind: 'fault',
  notes,
  fault: { kind: detail.includes('1 MiB') ? 'limit' : 'output', detail },
})
const exit = (how: string): Answer => ({
  kind: 'fault',
  notes: [],
  fault: {
    kind: endOf(how),
    detail: `It ended with ${how}. A docker-agent hook exits 0 for an answer and 2 to block.`,
  },
})
const notJson = (head: string): Answer =>
  faulty(
    `It printed text that is no answer: ${head}. Print one JSON object or nothing to stdout, and logs to stderr.`,
  )
const refused = (event: string, reason = 'no'): string =>
  `It wanted to block (${reason}), but ${event} cannot be refused; the step went on.`
const unused = (field: string, event: string): string =>
  `Its ${field} was not used: ${event} cannot rewrite that.`
const lost = (event: string): string => `Its additional_context was not used: ${event} has nowhere to put it.`
const unknown = (field: string, meant?: string): string =>
  `Its answer has the unknown field "${field}", which has no effect${meant === undefined ? '.' : `; did it mean "${meant}"?`}`
const rewriting = (rewrite: Answer['rewrite'], notes: readonly string[] = []): Answer => ({
  kind: 'abstain',
  notes,
  rewrite: rewrite ?? {},
})
const specific = (fields: object): string => JSON.stringify({ hook_specific_output: fields })

type Case = [what: string, stdout: string, answer: Answer, printed?: Printed]

const cases: readonly Case[] = [
  ['nothing is no opinion', '', abstain],
  ['an empty object is no opinion', '{}', abstain],
  ['going on is no opinion', '{"continue":true,"suppress_output":true}', abstain],
  [
    'null and empty fields say nothing',
    '{"continue":null,"decision":"","reason":null,"hook_specific_output":null}',
    abstain,
  ],
  ['a log on stderr says nothing', '', abstain, { stderr: 'checked' }],

  // Refusals.
  ['decision block', '{"decision":"block","reason":"no"}', block('no')],
  ['decision deny, which its agent takes for a mistake', '{"decision":"deny","reason":"no"}', block('no')],
  [
    'permission deny',
    specific({ permission_decision: 'deny', permission_decision_reason: 'no' }),
    block('no'),
  ],
  ['continue false ends the turn as well', '{"continue":false,"stop_reason":"enough"}', stopping('enough')],
  ['continue false without a word', '{"continue":false}', stopping()],
  ['a block without a word', '{"decision":"block"}', block(), { stderr: 'a log' }],
  ['exit 2 with stderr', '', block('no rm'), { exitCode: 2, stderr: ' no rm\n' }],
  ['exit 2 in silence', '', block(), { exitCode: 2 }],
  [
    'exit 2 keeps the reason that it printed',
    '{"decision":"block","reason":"policy"}',
    block('policy'),
    { exitCode: 2, stderr: 'log' },
  ],
  [
    'exit 2 keeps the reason even without a decision',
    '{"reason":"policy"}',
    block('policy'),
    { exitCode: 2 },
  ],
  [
    'exit 2 does not give the reason of an allow',
    specific({ permission_decision: 'allow', permission_decision_reason: 'fine' }),
    block('no'),
    { exitCode: 2, stderr: 'no' },
  ],
  ['exit 2 with text', 'not allowed', block('no'), { exitCode: 2, stderr: 'no' }],
  ['exit 2 with broken JSON', '{"decision":', block('no'), { exitCode: 2, stderr: 'no' }],
  ['exit 2 with too much output', '{', block('no'), { exitCode: 2, stderr: 'no', isTruncated: true }],
  ['exit 2 and continue false', '{"continue":false}', stopping('no'), { exitCode: 2, stderr: 'no' }],
  [
    'exit 2 drops the rewrite',
    specific({ updated_input: { cmd: 'ls' } }),
    block('no'),
    { exitCode: 2, stderr: 'no' },
  ],
  [
    'a deny on another exit code',
    specific({ permission_decision: 'deny', permission_decision_reason: 'no' }),
    block('no'),
    { exitCode: 1 },
  ],
  [
    'a deny beside a word that cannot be read',
    JSON.stringify({ decision: 'blok', hook_specific_output: { permission_decision: 'deny' } }),
    block(),
  ],
  [
    'a deny in the wrong place',
    '{"permission_decision":"deny","permission_decision_reason":"no"}',
    { ...block('no'), notes: [inOtherWords('permission_decision', 'docker-agent')] },
  ],
  ['a deny with a note', '{"decision":"block","reason":"no","system_message":"look"}', block('no', ['look'])],
  ...[
    'tool_guard',
    'tool_input_transform',
    'permission_request',
    'post_tool_use',
    'user_prompt_submit',
    'user_steering_messages_submit',
    'user_followup_submit',
    'before_llm_call',
    'pre_compact',
    'before_compaction',
  ].map((event): Case => [
    `${event} can be refused`,
    '{"decision":"block","reason":"no"}',
    block('no'),
    { event },
  ]),

  // The other decisions.
  [
    'permission allow',
    specific({ permission_decision: 'allow', permission_decision_reason: 'fine' }),
    { kind: 'allow', notes: [], reason: 'fine' },
  ],
  [
    'decision allow, which its agent takes for a mistake',
    '{"decision":"allow"}',
    { kind: 'allow', notes: [] },
  ],
  ['ask', specific({ permission_decision: 'ask', permission_decision_reason: 'sure?' }), ask('sure?')],
  ['ask without a word', specific({ permission_decision: 'ask' }), ask()],
  [
    'an ask about a request for permission leaves it to the person',
    specific({ permission_decision: 'ask' }),
    abstain,
    { event: 'permission_request' },
  ],
  [
    'an allow in the wrong place is no consent',
    '{"permission_decision":"allow"}',
    noting(unknown('permission_decision')),
  ],
  [
    'allow and ask: ask, with its reason',
    JSON.stringify({
      decision: 'allow',
      reason: 'fine',
      hook_specific_output: { permission_decision: 'ask', permission_decision_reason: 'sure?' },
    }),
    ask('sure?'),
  ],
  [
    'allow and block: block, with its reason',
    JSON.stringify({
      decision: 'block',
      reason: 'no',
      hook_specific_output: { permission_decision: 'allow', permission_decision_reason: 'fine' },
    }),
    block('no'),
  ],

  // camelCase, which its agent does not hear.
  [
    'camelCase deny',
    '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"no"}}',
    block('no'),
  ],
  [
    'camelCase stop',
    '{"continue":false,"stopReason":"enough","systemMessage":"look"}',
    { ...stopping('enough'), notes: ['look'] },
  ],
  [
    'camelCase rewrite',
    '{"hookSpecificOutput":{"updatedInput":{"cmd":"ls"}}}',
    rewriting({ tool_input: { command: 'ls' } }),
  ],
  [
    'camelCase context',
    '{"hookSpecificOutput":{"additionalContext":"remember"}}',
    { ...abstain, context: 'remember' },
    { event: 'session_start' },
  ],
  [
    'camelCase summary',
    '{"hookSpecificOutput":{"hookEventName":"before_compaction","summary":"short"}}',
    rewriting({ summary: 'short' }),
    { event: 'before_compaction' },
  ],
  [
    'both spellings: the careful one counts',
    '{"hook_specific_output":{"permission_decision":"allow"},"hookSpecificOutput":{"permissionDecision":"deny"}}',
    block(),
  ],
  ['letter case does not count, as with its agent', '{"Decision":"block","REASON":"no"}', block('no')],

  // Rewrites.
  [
    'updated input is a patch in our names',
    specific({ updated_input: { cmd: 'ls -h', cwd: '.' } }),
    rewriting({ tool_input: { command: 'ls -h' } }),
  ],
  [
    'allow and a rewrite',
    specific({ permission_decision: 'allow', updated_input: { cmd: 'ls' } }),
    { kind: 'allow', notes: [], rewrite: { tool_input: { command: 'ls' } } },
  ],
  ['an empty patch changes nothing', specific({ updated_input: {} }), rewriting({ tool_input: {} })],
  [
    'a transform rewrites too',
    specific({ updated_input: { cmd: 'ls' } }),
    rewriting({ tool_input: { command: 'ls' } }),
    { event: 'tool_input_transform' },
  ],
  [
    'a guard does not',
    specific({ permission_decision: 'allow', updated_input: { cmd: 'ls' } }),
    { kind: 'allow', notes: [unused('updated_input', 'tool_guard')] },
    { event: 'tool_guard' },
  ],
  [
    'messages',
    specific({ updated_messages: [{ role: 'user', content: 'x' }] }),
    rewriting({ messages: [{ role: 'user', content: 'x' }] }),
    { event: 'before_llm_call' },
  ],
  ['no messages are no rewrite', specific({ updated_messages: [] }), abstain, { event: 'before_llm_call' }],
  [
    'messages at the start of a turn',
    specific({ updated_messages: [{}] }),
    noting(unused('updated_messages', 'turn_start')),
    { event: 'turn_start' },
  ],
  [
    'a tool result',
    specific({ updated_tool_response: '***' }),
    rewriting({ tool_result: '***' }),
    { event: 'tool_response_transform' },
  ],
  [
    'the empty text clears a tool result',
    specific({ updated_tool_response: '' }),
    rewriting({ tool_result: '' }),
    { event: 'tool_response_transform' },
  ],
  ['and nothing else', specific({ updated_tool_response: '' }), abstain, { event: 'post_tool_use' }],
  [
    'null leaves a tool result',
    specific({ updated_tool_response: null }),
    abstain,
    { event: 'tool_response_transform' },
  ],
  [
    'a summary',
    specific({ summary: 'short' }),
    rewriting({ summary: 'short' }),
    { event: 'before_compaction' },
  ],
  ['an empty summary is none', specific({ summary: '' }), abstain, { event: 'before_compaction' }],
  [
    'a summary where only the prompt is steered',
    specific({ summary: 'short' }),
    noting(unused('summary', 'pre_compact')),
    { event: 'pre_compact' },
  ],
  [
    'a rewrite where it only watches',
    specific({ updated_input: { cmd: 'ls' } }),
    noting(unused('updated_input', 'stop')),
    { event: 'stop' },
  ],

  // Context: plain text and fields, where its agent has a place for them and nowhere else.
  ...[
    'session_start',
    'user_prompt_submit',
    'user_steering_messages_submit',
    'user_followup_submit',
    'turn_start',
    'pre_compact',
  ].flatMap((event): readonly Case[] => [
    [`${event} takes text`, ' remember \n', { ...abstain, context: 'remember' }, { event }],
    [
      `${event} takes context`,
      specific({ additional_context: 'remember' }),
      { ...abstain, context: 'remember' },
      { event },
    ],
  ]),
  ...['pre_tool_use', 'post_tool_use', 'before_llm_call', 'stop', 'after_llm_call'].flatMap(
    (event): readonly Case[] => [
      [`${event} drops text`, 'all done', abstain, { event }],
      [
        `${event} has no place for context`,
        specific({ additional_context: 'remember' }),
        noting(lost(event)),
        { event },
      ],
    ],
  ),
  ['a list is text', '[1]', { ...abstain, context: '[1]' }, { event: 'session_start' }],
  ['null is text', 'null', abstain],
  [
    'instructions',
    specific({
      additional_context: 'first',
      instruction_context: [{ key: 'a', content: 'second' }, { key: 'b', removed: true }, 7],
    }),
    { ...abstain, context: 'first\nsecond' },
    { event: 'turn_start' },
  ],
  ['text on a failed exit is none', 'remember', exit('exit code 1'), { event: 'session_start', exitCode: 1 }],

  // For the person.
  ['a note', '{"system_message":"look"}', noting('look')],
  ['metadata', specific({ metadata: { blast_radius: 'high', empty: '' } }), noting('blast_radius: high')],
  [
    'an unknown field names the nearest',
    '{"system_mesage":"look"}',
    noting(unknown('system_mesage', 'system_message')),
  ],
  [
    'an unknown field inside',
    specific({ permission_descision: 'deny' }),
    noting(unknown('hook_specific_output.permission_descision', 'hook_specific_output.permission_decision')),
  ],
  ['a field in the wrong place', '{"additional_context":"x"}', noting(unknown('additional_context'))],

  // What cannot be read.
  ['half an object', '{"decision":', garbled('"{\\"decision\\":"')],
  ['an object and a log', '{} done', notJson('"{} done"')],
  ['two objects', '{} {}', notJson('"{} {}"')],
  [
    'an unknown decision',
    '{"decision":"blok","system_message":"look"}',
    faulty('The "decision" of its answer has to be block or allow, and is "blok" (string).', ['look']),
  ],
  [
    'an unknown permission',
    specific({ permission_decision: 'alow' }),
    faulty('The "permission_decision" of its answer has to be allow, deny or ask, and is "alow" (string).'),
  ],
  [
    'a name that every object has',
    '{"decision":"constructor"}',
    faulty('The "decision" of its answer has to be block or allow, and is "constructor" (string).'),
  ],
  [
    'continue that is no truth',
    '{"continue":"no"}',
    faulty('The "continue" of its answer has to be true or false, and is "no" (string).'),
  ],
  [
    'output that is no object',
    '{"hook_specific_output":"deny"}',
    faulty('The "hook_specific_output" of its answer has to be an object, and is "deny" (string).'),
  ],
  [
    'a patch that is no object',
    specific({ updated_input: 'ls' }),
    faulty('The "updated_input" of its answer has to be an object, and is "ls" (string).'),
  ],
  [
    'messages that are no list',
    specific({ updated_messages: 'x' }),
    faulty('The "updated_messages" of its answer has to be a list, and is "x" (string).'),
    { event: 'before_llm_call' },
  ],
  [
    'a result that is no text',
    specific({ updated_tool_response: 7 }),
    faulty('The "updated_tool_response" of its answer has to be a string, and is 7 (number).'),
    { event: 'tool_response_transform' },
  ],
  [
    'a question beside what cannot be read stands',
    JSON.stringify({
      decision: 'blok',
      hook_specific_output: { permission_decision: 'ask', permission_decision_reason: 'sure?' },
    }),
    {
      ...ask('sure?'),
      fault: {
        kind: 'output',
        detail: 'The "decision" of its answer has to be block or allow, and is "blok" (string).',
      },
    },
  ],
  [
    'too much output',
    '{',
    faulty('It printed more than 1 MiB to stdout. An answer is one small JSON object.'),
    { isTruncated: true },
  ],
  ['exit 1', '', exit('exit code 1: jq: not found'), { exitCode: 1, stderr: 'jq: not found\n' }],
  ['exit 127', '{}', exit('exit code 127'), { exitCode: 127 }],
  ['an allow on exit 1 is none', '{"decision":"allow"}', exit('exit code 1'), { exitCode: 1 }],
  ['a signal', '', exit('a signal'), { exitCode: null }],

  // Where its system takes no refusal.
  ...[
    'session_start',
    'turn_start',
    'stop',
    'subagent_stop',
    'turn_end',
    'after_compaction',
    'notification',
  ].flatMap((event): readonly Case[] => [
    [`${event}: exit 2 is told`, '', noting(refused(event)), { event, exitCode: 2, stderr: 'no' }],
    [`${event}: a block is told`, '{"decision":"block","reason":"no"}', noting(refused(event)), { event }],
    [
      `${event}: continue false is told and ends nothing`,
      '{"continue":false,"stop_reason":"no"}',
      noting(refused(event)),
      { event },
    ],
    [
      `${event}: a deny is told`,
      specific({ permission_decision: 'deny', permission_decision_reason: 'no' }),
      noting(refused(event)),
      { event },
    ],
  ]),
  [
    'a block keeps its context there',
    JSON.stringify({
      decision: 'block',
      reason: 'no',
      hook_specific_output: { additional_context: 'remember' },
    }),
    { ...noting(refused('session_start')), context: 'remember' },
    { event: 'session_start' },
  ],
  [
    'exit 2 keeps none',
    specific({ additional_context: 'remember' }),
    noting(refused('session_start')),
    { event: 'session_start', exitCode: 2, stderr: 'no' },
  ],
  [
    'exit 2 discards a rewrite',
    specific({ updated_tool_response: 'x' }),
    noting(refused('tool_response_transform')),
    { event: 'tool_response_transform', exitCode: 2, stderr: 'no' },
  ],
  [
    'a block on a failed exit is a fault and told',
    '{"decision":"block","reason":"no"}',
    { ...exit('exit code 1'), notes: [refused('stop')] },
    { event: 'stop', exitCode: 1 },
  ],
]

describe('what a docker-agent hook prints becomes an answer', () => {
  test.each(cases)('%s', (_what, stdout, answer, printed) => {
    expect(decode(stdout, printed)).toEqual(answer)
  })
})

describe('a failed hook is a fault on every event, and fails closed on the two that guard', () => {
  const events = ['pre_tool_use', 'tool_guard', 'tool_input_transform', 'before_llm_call']
  const failures: readonly (readonly [string, number])[] = [
    ['', 1],
    ['', 127],
    ['{"decision":', 0],
    ['{"decision":"blok"}', 0],
    ['{"hook_specific_output":{"permission_decision":"alow"}}', 0],
  ]
  test.each(
    events.flatMap((event) => failures.map(([stdout, exitCode]) => [event, stdout, exitCode] as const)),
  )('%s: %j, exit %i', (event, stdout, exitCode) => {
    expect(decode(stdout, { event, exitCode }).kind).toBe('fault')
  })
  test('by default these fail closed', () => {
    expect(dockerAgent.events.flatMap(({ name, failsClosed }) => (failsClosed ? [name] : []))).toEqual([
      'pre_tool_use',
      'tool_guard',
    ])
  })
})

test('a folder that the call names can be rewritten; the one that only their shell names cannot', () => {
  const payload = payloadFor(named('pre_tool_use'))
  const stdout = specific({ updated_input: { cmd: 'ls', cwd: '.' } })
  const there = { ...payload, tool_input: { command: 'ls', cwd: '/tmp' } }
  const output = { exitCode: 0, stdout, stderr: '', isTruncated: false }
  expect(dockerAgent.decode(named('pre_tool_use'), there, output)).toEqual(
    rewriting({ tool_input: { command: 'ls', cwd: '.' } }),
  )
  expect(dockerAgent.decode(named('pre_tool_use'), payload, output)).toEqual(
    rewriting({ tool_input: { command: 'ls' } }),
  )
})
