import { describe, expect, test } from 'vitest'
import { decodeFor, nativeEvent } from '../../../src/dialects/dialects.ts'
import type { Answer } from '../../../src/core/model/hooks/answer.ts'
import type { JsonObject } from '../../../src/core/model/base/json.ts'
import { eventOf } from '../../handlers/armed.ts'
import { besideText, endOf, garbled, inOtherWords, speaking } from '../speaking.ts'
import { measureProcessor } from '../../processor-time.ts'

interface Left {
  readonly exitCode?: number | null
  readonly stderr?: string
  readonly isTruncated?: boolean
  readonly fields?: JsonObject
}

const decode = (
  name: string,
  stdout: string,
  { exitCode = 0, stderr = '', isTruncated = false, fields = {} }: Left = {},
): Answer => {
  const native = nativeEvent('copilot', name)
  if (native?.event === undefined) throw new Error(`Expected an event ${name}.`)
  return decodeFor(speaking('copilot', native), eventOf(native.event, fields), {
    exitCode,
    stdout,
    stderr,
    isTruncated,
  })
}

const abstain: Answer = { kind: 'abstain', notes: [] }
const block = (reason = 'blocked by hook', notes: readonly string[] = []): Answer => ({
  kind: 'block',
  reason,
  notes,
})
const exited = (code: string) =>
  ({
    kind: 'fault',
    notes: [],
    fault: {
      kind: endOf(code),
      detail: `It ended with ${code}. A Copilot hook exits 0 for an answer and 2 to refuse a tool.`,
    },
  }) as const
const unread = (detail: string) =>
  ({
    kind: 'fault',
    notes: [],
    fault: { kind: detail.includes('1 MiB') ? 'limit' : 'output', detail },
  }) as const
const idle = (field: string, name: string): string =>
  `Its "${field}" has no effect: Copilot does not read it at ${name}.`
const unknown = (field: string, meant?: string): string =>
  `Its answer has the unknown field "${field}", which has no effect${meant === undefined ? '.' : `; did it mean "${meant}"?`}`
const dropped = (head: string): string => `It printed text, which is no answer in Copilot: ${head}`
const edit = { tool_name: 'edit_file', tool_input: { path: 'a', old_text: 'x', new_text: 'y' } }

type Case = [what: string, name: string, stdout: string, answer: Answer, left?: Left]
const cases: readonly Case[] = [
  // Its own words.
  ['nothing', 'preToolUse', '', abstain],
  ['an empty object', 'preToolUse', '{}', abstain],
  ['deny', 'preToolUse', '{"permissionDecision":"deny","permissionDecisionReason":"no"}', block('no')],
  ['deny without a reason', 'preToolUse', '{"permissionDecision":"deny"}', block()],
  [
    'ask',
    'preToolUse',
    '{"permissionDecision":"ask","permissionDecisionReason":"sure?"}',
    { kind: 'ask', reason: 'sure?', notes: [] },
  ],
  [
    'ask without a reason',
    'preToolUse',
    '{"permissionDecision":"ask"}',
    { kind: 'ask', reason: 'the hook asks the person', notes: [] },
  ],
  ['allow', 'preToolUse', '{"permissionDecision":"allow"}', { kind: 'allow', notes: [] }],
  [
    'an unknown word',
    'preToolUse',
    '{"permissionDecision":"alow"}',
    unread('The "decision" of its answer has to be block, allow or ask, and is "alow" (string).'),
  ],
  [
    'an inherited word',
    'preToolUse',
    '{"permissionDecision":"constructor"}',
    unread('The "decision" of its answer has to be block, allow or ask, and is "constructor" (string).'),
  ],
  [
    'changed arguments',
    'preToolUse',
    '{"modifiedArgs":{"command":"ls"}}',
    { ...abstain, rewrite: { tool_input: { command: 'ls' } } },
  ],
  [
    'changed arguments as text',
    'preToolUse',
    '{"modifiedArgs":"{\\"command\\":\\"ls\\"}"}',
    { ...abstain, rewrite: { tool_input: { command: 'ls' } } },
  ],
  [
    'changed arguments by its names',
    'preToolUse',
    '{"permissionDecision":"allow","modifiedArgs":{"path":"b","old_str":"p","new_str":"q"}}',
    { kind: 'allow', notes: [], rewrite: { tool_input: { path: 'b', old_text: 'p', new_text: 'q' } } },
    { fields: edit },
  ],
  [
    'changed arguments that leave some out',
    'preToolUse',
    '{"modifiedArgs":{"new_str":"q"}}',
    {
      kind: 'abstain',
      notes: ['Its modifiedArgs leave out "path", "old_str"; here that stays as it was.'],
      rewrite: { tool_input: { new_text: 'q' } },
    },
    { fields: edit },
  ],
  [
    'changed arguments that are none',
    'preToolUse',
    '{"modifiedArgs":["ls"]}',
    { ...abstain, rewrite: { tool_input: ['ls'] } },
  ],
  ['context', 'preToolUse', '{"additionalContext":"remember"}', { ...abstain, context: 'remember' }],
  ['a permission', 'permissionRequest', '{"behavior":"allow"}', { kind: 'allow', notes: [] }],
  ['a permission refused', 'permissionRequest', '{"behavior":"deny","message":"no"}', block('no')],
  [
    'a permission refused and the turn ended',
    'permissionRequest',
    '{"behavior":"deny","message":"no","interrupt":true}',
    { ...block('no'), stopsTurn: true },
  ],
  [
    'an interruption of nothing',
    'permissionRequest',
    '{"behavior":"allow","interrupt":true}',
    { kind: 'allow', notes: [] },
  ],
  ['the same by the other name', 'PermissionRequest', '{"behavior":"deny"}', block()],
  [
    'a result that is to count as refused',
    'postToolUse',
    '{"modifiedResult":{"resultType":"denied","textResultForLlm":"x"}}',
    {
      kind: 'abstain',
      rewrite: { tool_result: 'x' },
      notes: ['Its resultType "denied" (string) was not used: here a result is its text.'],
    },
  ],
  [
    'a changed result',
    'postToolUse',
    '{"modifiedResult":{"resultType":"success","textResultForLlm":"x"},"additionalContext":"c"}',
    { ...abstain, rewrite: { tool_result: 'x' }, context: 'c' },
  ],
  [
    'an emptied result',
    'PostToolUse',
    '{"modifiedResult":{"result_type":"success","text_result_for_llm":""}}',
    { ...abstain, rewrite: { tool_result: '' } },
  ],
  [
    'guidance after a failure',
    'postToolUseFailure',
    '{"additionalContext":"try again"}',
    { ...abstain, context: 'try again' },
  ],
  [
    'a changed prompt',
    'userPromptTransformed',
    '{"modifiedTransformedPrompt":"hi"}',
    { ...abstain, rewrite: { message: 'hi' } },
  ],
  ['an emptied prompt is no change', 'userPromptTransformed', '{"modifiedTransformedPrompt":""}', abstain],
  ['a refused prompt', 'userPromptSubmitted', '{"decision":"block","reason":"no"}', block('no')],
  ['context for a prompt', 'UserPromptSubmit', '{"additionalContext":"c"}', { ...abstain, context: 'c' }],
  ['another round', 'agentStop', '{"decision":"block","reason":"tests fail"}', block('tests fail')],
  ['no other round', 'Stop', '{"decision":"allow"}', { kind: 'allow', notes: [] }],
  ['a subagent goes on', 'subagentStop', '{"decision":"block","reason":"more"}', block('more')],
  ['context for a session', 'sessionStart', '{"additionalContext":"c"}', { ...abstain, context: 'c' }],

  // Careful where Copilot is not.
  [
    "Claude Code's deny",
    'preToolUse',
    '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"no"}}',
    block('no', [inOtherWords('hookSpecificOutput.permissionDecision', 'copilot')]),
  ],
  [
    "Claude Code's ask",
    'preToolUse',
    '{"hookSpecificOutput":{"permissionDecision":"ask","permissionDecisionReason":"sure?"}}',
    {
      kind: 'ask',
      reason: 'sure?',
      notes: [inOtherWords('hookSpecificOutput.permissionDecision', 'copilot', 'question')],
    },
  ],
  [
    "Claude Code's refused permission",
    'PermissionRequest',
    '{"hookSpecificOutput":{"decision":{"behavior":"deny","message":"no"}}}',
    block('no', [inOtherWords('hookSpecificOutput.decision.behavior', 'copilot')]),
  ],
  [
    'decision block before a tool',
    'preToolUse',
    '{"decision":"block","reason":"no"}',
    block('no', [inOtherWords('decision', 'copilot')]),
  ],
  [
    'decision deny before a tool',
    'preToolUse',
    '{"decision":"deny","reason":"no"}',
    block('no', [inOtherWords('decision', 'copilot')]),
  ],
  [
    'continue false',
    'preToolUse',
    '{"continue":false,"stopReason":"enough"}',
    { ...block('enough'), stopsTurn: true },
  ],
  [
    'a refused session',
    'sessionStart',
    '{"decision":"block","reason":"no"}',
    block('no', [inOtherWords('decision', 'copilot')]),
  ],
  [
    "a refused permission's words before a tool",
    'preToolUse',
    '{"behavior":"deny","message":"no"}',
    block('no', [inOtherWords('behavior', 'copilot')]),
  ],
  [
    "docker-agent's deny",
    'preToolUse',
    '{"hook_specific_output":{"permission_decision":"deny","permission_decision_reason":"no"}}',
    block('no', [inOtherWords('hook_specific_output.permission_decision', 'copilot')]),
  ],
  [
    "docker-agent's flat deny",
    'permissionRequest',
    '{"permission_decision":"deny","permission_decision_reason":"no"}',
    block('no', [inOtherWords('permission_decision', 'copilot')]),
  ],
  [
    "docker-agent's continue false",
    'preToolUse',
    '{"continue":false,"stop_reason":"enough"}',
    { ...block('enough'), stopsTurn: true },
  ],
  [
    'the no of a prompt',
    'preToolUse',
    '{"ok":false,"reason":"no"}',
    block('no', [inOtherWords('ok', 'copilot')]),
  ],
  [
    "docker-agent's allow is none",
    'preToolUse',
    '{"permission_decision":"allow"}',
    { kind: 'abstain', notes: [unknown('permission_decision', 'permissionDecision')] },
  ],
  ['the yes of a prompt is none', 'preToolUse', '{"ok":true}', { kind: 'abstain', notes: [unknown('ok')] }],
  [
    'allow and deny',
    'preToolUse',
    '{"permissionDecision":"allow","decision":"block"}',
    block('blocked by hook', [inOtherWords('decision', 'copilot')]),
  ],
  [
    "Claude Code's allow is none",
    'preToolUse',
    '{"hookSpecificOutput":{"permissionDecision":"allow"}}',
    { kind: 'abstain', notes: [idle('hookSpecificOutput.permissionDecision', 'preToolUse')] },
  ],
  [
    'nor is decision approve',
    'preToolUse',
    '{"decision":"approve"}',
    { kind: 'abstain', notes: [idle('decision', 'preToolUse')] },
  ],
  [
    "nor Claude Code's permission",
    'permissionRequest',
    '{"hookSpecificOutput":{"decision":{"behavior":"allow"}}}',
    { kind: 'abstain', notes: [idle('hookSpecificOutput.decision', 'permissionRequest')] },
  ],
  [
    'asked for in PascalCase it is one',
    'PreToolUse',
    '{"hookSpecificOutput":{"permissionDecision":"allow","updatedInput":{"file_path":"b","old_string":"x","new_string":"y"}}}',
    { kind: 'allow', notes: [], rewrite: { tool_input: { path: 'b', old_text: 'x', new_text: 'y' } } },
    { fields: edit },
  ],

  // Told, not honoured.
  [
    'a misspelled field',
    'preToolUse',
    '{"permisionDecision":"deny"}',
    { kind: 'abstain', notes: [unknown('permisionDecision', 'permissionDecision')] },
  ],
  [
    'another prompt by the way of programs',
    'userPromptSubmitted',
    '{"modifiedPrompt":"x"}',
    { kind: 'abstain', notes: ['Its "modifiedPrompt" was not used: hookgate has no such thing.'] },
  ],
  [
    "a subagent's response",
    'subagentStop',
    '{"modifiedResponse":"x"}',
    { kind: 'abstain', notes: ['Its "modifiedResponse" was not used: hookgate has no such thing.'] },
  ],
  [
    'context with no place for it',
    'notification',
    '{"additionalContext":"c"}',
    {
      kind: 'abstain',
      notes: ['Its additionalContext was not used: notification has nowhere to put it here.'],
    },
  ],

  // Lines of progress, and text.
  [
    'progress before a decision',
    'preToolUse',
    '{"type":"progress","message":"checking"}\n{"type":"progress","message":"still","temporary":true}\n{"permissionDecision":"deny","permissionDecisionReason":"no"}\n',
    block('no', ['checking', 'still']),
  ],
  [
    'progress within and after',
    'preToolUse',
    '{\n{"type":"progress","message":"p"}\n"permissionDecision":"allow"\n}\n {"type":"progress"}',
    { kind: 'allow', notes: ['p'] },
  ],
  ['progress alone', 'preToolUse', '{"type":"progress","message":"p"}', { kind: 'abstain', notes: ['p'] }],
  ['text', 'preToolUse', 'all fine\n', { kind: 'abstain', notes: [dropped('"all fine"')] }],
  [
    'text with an allow',
    'preToolUse',
    'log\n{"permissionDecision":"allow"}',
    { kind: 'abstain', notes: [dropped('"log\\n{\\"permissionDecision\\":\\"allow\\"}"')] },
  ],
  [
    'text with a question',
    'preToolUse',
    'log\n{"permissionDecision":"ask"}',
    {
      kind: 'ask',
      reason: 'the hook asks the person',
      notes: [
        dropped('"log\\n{\\"permissionDecision\\":\\"ask\\"}"'),
        besideText('permissionDecision', 'log\n{"permissionDecision":"ask"}', 'question'),
      ],
    },
  ],
  [
    'two answers, one a deny',
    'preToolUse',
    '{"permissionDecision":"deny"}\n{"permissionDecision":"allow"}',
    block('blocked by hook', [
      besideText('permissionDecision', '{"permissionDecision":"deny"}\n{"permissionDecision":"allow"}'),
    ]),
  ],
  [
    'two answers, none a deny',
    'preToolUse',
    '{"permissionDecision":"allow"}\n{"permissionDecision":"allow"}',
    unread(
      'It printed text that is no answer: "{\\"permissionDecision\\":\\"allow\\"}\\n{\\"permissionDecision\\":\\"allow\\"}". Print one JSON object or nothing to stdout, and logs to stderr.',
    ),
  ],
  ['half an answer', 'preToolUse', '{"permissionDecision":', garbled('"{\\"permissionDecision\\":"')],
  [
    'a list',
    'preToolUse',
    '[]',
    unread(
      'It printed text that is no answer: "[]". Print one JSON object or nothing to stdout, and logs to stderr.',
    ),
  ],

  // Exit codes.
  ['exit 2 before a tool', 'preToolUse', '', block('no keys'), { exitCode: 2, stderr: 'no keys\n' }],
  ['exit 2, silent', 'PreToolUse', '', block(), { exitCode: 2 }],
  [
    'exit 2 with an allow',
    'preToolUse',
    '{"permissionDecision":"allow","permissionDecisionReason":"fine"}',
    block('no'),
    { exitCode: 2, stderr: 'no' },
  ],
  [
    'exit 2 with a reason in JSON',
    'preToolUse',
    '{"permissionDecision":"deny","permissionDecisionReason":"from JSON"}',
    block('from JSON'),
    { exitCode: 2, stderr: 'log' },
  ],
  [
    'exit 2 with too much on stdout',
    'permissionRequest',
    '{"behavior":"allow"}',
    block('no'),
    { exitCode: 2, stderr: 'no', isTruncated: true },
  ],
  ['exit 2 with text', 'permissionRequest', 'text', block('text', [dropped('"text"')]), { exitCode: 2 }],
  [
    'exit 2 elsewhere',
    'sessionStart',
    '',
    {
      kind: 'abstain',
      notes: ['It ended with exit code 2, which is only a warning at sessionStart: careful'],
    },
    { exitCode: 2, stderr: 'careful' },
  ],
  [
    'exit 2 elsewhere with an answer',
    'userPromptSubmitted',
    '{"additionalContext":"c"}',
    {
      kind: 'abstain',
      notes: [
        'It ended with exit code 2, which is only a warning at userPromptSubmitted. Its answer does not count.',
      ],
    },
    { exitCode: 2 },
  ],
  [
    'exit 2 elsewhere with a refusal',
    'agentStop',
    '{"decision":"block","reason":"more"}',
    block('more'),
    { exitCode: 2, stderr: 'log' },
  ],
  [
    'exit 2 after a failure',
    'postToolUseFailure',
    'run npm install first\n',
    { ...abstain, context: 'run npm install first' },
    { exitCode: 2 },
  ],
  [
    'exit 2 after a failure, as JSON',
    'PostToolUseFailure',
    '{"additionalContext":"c"}',
    { ...abstain, context: 'c' },
    { exitCode: 2 },
  ],
  ['exit 1', 'preToolUse', '', exited('exit code 1'), { exitCode: 1 }],
  [
    'exit 1 with an allow',
    'preToolUse',
    '{"permissionDecision":"allow"}',
    exited('exit code 1: oops'),
    { exitCode: 1, stderr: 'oops' },
  ],
  [
    'exit 1 with a deny',
    'preToolUse',
    '{"permissionDecision":"deny","permissionDecisionReason":"no"}',
    block('no'),
    { exitCode: 1 },
  ],
  [
    'exit 1 with a question',
    'preToolUse',
    '{"permissionDecision":"ask","permissionDecisionReason":"sure?"}',
    { ...exited('exit code 1'), kind: 'ask', reason: 'sure?' },
    { exitCode: 1 },
  ],
  [
    'exit 127',
    'postToolUse',
    '',
    exited('exit code 127: jq: not found'),
    { exitCode: 127, stderr: 'jq: not found' },
  ],
  ['a signal', 'preToolUse', '', exited('a signal'), { exitCode: null }],
  [
    'more than the bound',
    'preToolUse',
    '{"permissionDecision":"allow"}',
    unread('It printed more than 1 MiB to stdout. An answer is one small JSON object.'),
    { isTruncated: true },
  ],
]

describe('what a hook leaves behind', () => {
  test.each<Case>(cases)('%s (%s)', (_, name, stdout, answer, left) =>
    expect(decode(name, stdout, left)).toEqual(answer),
  )
})

describe('bounds', () => {
  test('many lines of progress make few notes', () => {
    const { notes } = decode('preToolUse', '{"type":"progress","message":"p"}\n'.repeat(10_000))
    expect(notes).toEqual([
      ...Array.from({ length: 10 }, () => 'p'),
      'It told of its progress 9990 more times.',
    ])
  })

  test('a megabyte of lines that look like objects is read in a moment', () => {
    const tookMs = measureProcessor()
    expect(decode('preToolUse', `${'{"a":1}\n'.repeat(130_000)}{"permissionDecision":"deny"}`)).toMatchObject(
      { kind: 'block' },
    )
    expect(tookMs()).toBeLessThan(10_000)
  })

  test('nesting too deep to walk is no answer, and exit 2 still refuses', () => {
    const deep = `{"permissionDecision":${'['.repeat(100_000)}${']'.repeat(100_000)}}`
    expect(decode('preToolUse', deep)).toMatchObject({ kind: 'fault', fault: { kind: 'garbled' } })
    expect(decode('preToolUse', deep, { exitCode: 2, stderr: 'no' })).toEqual(block('no'))
  })

  test('keys of every object are no fields', () => {
    for (const key of ['__proto__', 'constructor', 'toString']) {
      expect(decode('preToolUse', `{"${key}":{"permissionDecision":"deny"}}`)).toMatchObject({
        kind: 'abstain',
        notes: [expect.stringContaining('unknown field')],
      })
      expect(decode('preToolUse', `{"modifiedArgs":{"${key}":"x","command":"ls"}}`).rewrite).toEqual({
        tool_input: JSON.parse(`{"${key}":"x","command":"ls"}`) as JsonObject,
      })
    }
  })
})
