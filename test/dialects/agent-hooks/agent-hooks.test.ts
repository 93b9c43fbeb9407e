import { describe, expect, test } from 'vitest'
import { agentHooks } from '../../../src/dialects/agent-hooks/agent-hooks.ts'
import type { Answer } from '../../../src/core/model/hooks/answer.ts'
import { besideText, endOf, garbled, inOtherWords, readerOf, type Printed } from '../speaking.ts'

const { named, payloadFor, decode } = readerOf(agentHooks, 'before_tool')

const abstain: Answer = { kind: 'abstain', notes: [] }
const noting = (...notes: readonly string[]): Answer => ({ kind: 'abstain', notes })
const block = (reason = 'blocked by hook', notes: readonly string[] = []): Answer => ({
  kind: 'block',
  reason,
  notes,
})
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
    detail: `It ended with ${how}. An agent-hooks script exits 0 for an answer and 2 to block.`,
  },
})
const notJson = (head: string): Answer =>
  faulty(
    `It printed text that is no answer: ${head}. Print one JSON object or nothing to stdout, and logs to stderr.`,
  )
const late = (event: string, reason = 'no'): string =>
  `It wanted to block (${reason}), but at ${event} there is nothing left to block.`
const unknown = (field: string, meant?: string): string =>
  `Its answer has the unknown field "${field}", which has no effect${meant === undefined ? '.' : `; did it mean "${meant}"?`}`
const lost = (event: string): string => `Its additional_context was not used: ${event} has nowhere to put it.`
const unused = (event: string): string => `Its modified_input was not used: ${event} cannot rewrite that.`

type Case = [what: string, stdout: string, answer: Answer, printed?: Printed]

const gates = [
  'before_tool',
  'after_tool',
  'before_agent',
  'before_stop',
  'session_start',
  'subagent_start',
  'subagent_stop',
  'pre_compact',
  'pre-tool-call',
  'post-tool-call',
  'pre-agent-turn',
  'pre-agent-turn-stop',
  'pre-session',
  'pre-subagent',
  'post-subagent',
  'pre-context-compact',
]
const over = [
  'after_tool_failure',
  'after_agent',
  'session_end',
  'post-tool-call-failure',
  'post-agent-turn',
  'post-agent-turn-stop',
  'post-session',
  'post-context-compact',
]

const cases: readonly Case[] = [
  ['nothing is no opinion', '', abstain],
  ['an empty object is no opinion', '{}', abstain],
  ['white space is no opinion', ' \r\n', abstain],
  ['null fields say nothing', '{"decision":null,"reason":null,"modified_input":null}', abstain],
  ['a log on stderr says nothing', '', abstain, { stderr: 'checked' }],

  // Decisions at exit 0.
  ['allow', '{"decision":"allow"}', { kind: 'allow', notes: [] }],
  [
    'allow with a log',
    '{"decision":"allow","log":"Command validated"}',
    { kind: 'allow', notes: ['Command validated'] },
  ],
  ['deny', '{"decision":"deny","reason":"no"}', block('no')],
  ['deny in silence, stderr is a log', '{"decision":"deny"}', block(), { stderr: 'debug' }],
  ['block, the word of other systems', '{"decision":"block","reason":"no"}', block('no')],
  ['ask', '{"decision":"ask","reason":"sure?"}', ask('sure?')],
  ['ask without a word', '{"decision":"ask"}', ask()],
  ['a reason alone decides nothing', '{"reason":"just saying"}', { ...abstain, reason: 'just saying' }],
  ['deny with a log', '{"decision":"deny","reason":"no","log":"rule 7"}', block('no', ['rule 7'])],
  ['a log that is no text', '{"log":{"rule":7}}', noting('{"rule":7}')],

  // Exit 2.
  [
    'exit 2 with stderr',
    '',
    block('Dangerous command blocked: rm -rf /'),
    { exitCode: 2, stderr: 'Dangerous command blocked: rm -rf /\n' },
  ],
  ['exit 2 in silence', '', block(), { exitCode: 2 }],
  [
    'exit 2: stderr comes before what was printed',
    '{"decision":"deny","reason":"printed"}',
    block('said'),
    { exitCode: 2, stderr: 'said' },
  ],
  [
    'exit 2 without stderr: the printed reason',
    '{"decision":"deny","reason":"printed"}',
    block('printed'),
    { exitCode: 2 },
  ],
  [
    'exit 2 without stderr: not the reason of an allow',
    '{"decision":"allow","reason":"fine"}',
    block(),
    { exitCode: 2 },
  ],
  [
    'exit 2 with text, as from a test run',
    'FAIL 3 tests',
    block('not yet'),
    { exitCode: 2, stderr: 'not yet', event: 'before_stop' },
  ],
  ['exit 2 with too much output', 'x', block('no'), { exitCode: 2, stderr: 'no', isTruncated: true }],
  [
    'exit 2 drops the rewrite',
    '{"modified_input":{"command":"ls"}}',
    block('no'),
    { exitCode: 2, stderr: 'no' },
  ],
  [
    'exit 2 in Chinese',
    '',
    block('测试通过前不能完成任务', []),
    { exitCode: 2, stderr: '测试通过前不能完成任务\n', event: 'before_stop' },
  ],

  // Other exits.
  ['exit 1', '', exit('exit code 1: npm: not found'), { exitCode: 1, stderr: 'npm: not found\n' }],
  ['exit 127', '{}', exit('exit code 127'), { exitCode: 127 }],
  ['a signal', '', exit('a signal'), { exitCode: null }],
  ['an allow on exit 1 is none', '{"decision":"allow"}', exit('exit code 1'), { exitCode: 1 }],
  [
    'a deny on exit 1 denies',
    '{"decision":"deny","reason":"no"}',
    block('no'),
    { exitCode: 1, stderr: 'debug' },
  ],
  [
    'a question on exit 1 stands beside the fault',
    '{"decision":"ask","reason":"sure?"}',
    { ...exit('exit code 1'), ...ask('sure?') },
    { exitCode: 1 },
  ],

  // What cannot be read at exit 0.
  ['plain text', 'all good', notJson('"all good"')],
  ['a list', '[]', notJson('"[]"')],
  ['null', 'null', notJson('"null"')],
  ['half an object', '{"decision":', garbled('"{\\"decision\\":"')],
  ['an object and a log', '{} done', notJson('"{} done"')],
  [
    'a log and a deny',
    'checking\n{"decision":"deny"}',
    { ...block(), notes: [besideText('decision', 'checking\n{"decision":"deny"}')] },
  ],
  [
    'an unknown decision is no consent',
    '{"decision":"maybe","log":"look"}',
    faulty('The "decision" of its answer has to be allow, deny or ask, and is "maybe" (string).', ['look']),
  ],
  [
    'a name that every object has',
    '{"decision":"toString"}',
    faulty('The "decision" of its answer has to be allow, deny or ask, and is "toString" (string).'),
  ],
  [
    'a decision that is no word',
    '{"decision":true}',
    faulty('The "decision" of its answer has to be allow, deny or ask, and is true (boolean).'),
  ],
  [
    'input that is no object',
    '{"modified_input":"ls"}',
    faulty('The "modified_input" of its answer has to be an object, and is "ls" (string).'),
  ],
  [
    'too much output',
    '{',
    faulty('It printed more than 1 MiB to stdout. An answer is one small JSON object.'),
    { isTruncated: true },
  ],

  // Rewrites and context.
  [
    'modified input',
    '{"modified_input":{"command":"ls"}}',
    { ...abstain, rewrite: { tool_input: { command: 'ls' } } },
  ],
  [
    'allow and modified input',
    '{"decision":"allow","modified_input":{"command":"ls"}}',
    { kind: 'allow', notes: [], rewrite: { tool_input: { command: 'ls' } } },
  ],
  [
    'modified input by the name of today',
    '{"modified_input":{"command":"ls"}}',
    { ...abstain, rewrite: { tool_input: { command: 'ls' } } },
    { event: 'pre-tool-call' },
  ],
  [
    'modified input where nothing can be rewritten',
    '{"modified_input":{"command":"ls"}}',
    noting(unused('after_tool')),
    { event: 'after_tool' },
  ],
  [
    'a deny with modified input',
    '{"decision":"deny","reason":"no","modified_input":{"command":"ls"}}',
    block('no'),
  ],
  ['context', '{"additional_context":"remember"}', { ...abstain, context: 'remember' }],
  [
    'context of a refused stop goes to the next round',
    '{"decision":"deny","reason":"no","additional_context":"run the tests"}',
    { ...block('no'), context: 'run the tests' },
    { event: 'before_stop' },
  ],
  [
    'context where it has no place',
    '{"additional_context":"remember"}',
    noting(lost('after_tool')),
    { event: 'after_tool' },
  ],
  [
    'context of an error',
    '{"additional_context":"try sudo"}',
    { ...abstain, context: 'try sudo' },
    { event: 'after_tool_failure' },
  ],

  // Other spellings, other systems, mistakes.
  [
    'camelCase',
    '{"modifiedInput":{"command":"ls"},"additionalContext":"remember"}',
    { ...abstain, rewrite: { tool_input: { command: 'ls' } }, context: 'remember' },
  ],
  [
    'a deny in the words of others',
    '{"hookSpecificOutput":{"permissionDecision":"deny","permissionDecisionReason":"no"}}',
    { ...block('no'), notes: [inOtherWords('hookSpecificOutput.permissionDecision', 'agent-hooks')] },
  ],
  [
    'a flat deny',
    '{"permissionDecision":"deny","permissionDecisionReason":"no"}',
    { ...block('no'), notes: [inOtherWords('permissionDecision', 'agent-hooks')] },
  ],
  [
    'an allow in the words of others is none',
    '{"hookSpecificOutput":{"permissionDecision":"allow"}}',
    noting(unknown('hookSpecificOutput')),
  ],
  [
    'allow here and deny there: deny',
    '{"decision":"allow","permissionDecision":"deny"}',
    { ...block(), notes: [inOtherWords('permissionDecision', 'agent-hooks')] },
  ],
  ['an unknown field names the nearest', '{"decison":"deny"}', noting(unknown('decison', 'decision'))],

  // Every event lets a hook refuse there; here it is told where it comes too late.
  ...gates.map((event): Case => [
    `${event}: a deny denies`,
    '{"decision":"deny","reason":"no"}',
    block('no'),
    { event },
  ]),
  ...over.flatMap((event): readonly Case[] => [
    [`${event}: a deny is told`, '{"decision":"deny","reason":"no"}', noting(late(event)), { event }],
    [`${event}: exit 2 is told`, '', noting(late(event)), { event, exitCode: 2, stderr: 'no' }],
  ]),
  [
    'a late deny on exit 1 is a fault and told',
    '{"decision":"deny","reason":"no"}',
    { ...exit('exit code 1'), notes: [late('session_end')] },
    { event: 'session_end', exitCode: 1 },
  ],
]

describe('what an agent-hooks script prints becomes an answer', () => {
  test.each(cases)('%s', (_what, stdout, answer, printed) => {
    expect(decode(stdout, printed)).toEqual(answer)
  })
})

test('a rewrite comes in the names of our tools', () => {
  const payload = {
    ...payloadFor(named('before_tool')),
    tool_name: 'edit_file',
    tool_input: { path: 'a', old_text: 'x', new_text: 'y' },
  }
  const stdout = '{"modified_input":{"path":"b","edit":{"old":"x","new":"z"}}}'
  expect(
    agentHooks.decode(named('before_tool'), payload, { exitCode: 0, stdout, stderr: '', isTruncated: false }),
  ).toEqual({ ...abstain, rewrite: { tool_input: { path: 'b', old_text: 'x', new_text: 'z' } } })
})
