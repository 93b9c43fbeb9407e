import { describe, expect, test } from 'vitest'
import { decodeNative } from '../../../src/dialects/native/native.ts'
import type { Answer, FaultKind } from '../../../src/core/model/hooks/answer.ts'
import type { EventName } from '../../../src/core/model/events/event.ts'
import type { Json } from '../../../src/core/model/base/json.ts'
import { endOf, garbled } from '../speaking.ts'

interface Printed {
  readonly exitCode?: number | null
  readonly stderr?: string
  readonly isTruncated?: boolean
  readonly event?: EventName
}

const decode = (
  stdout: string,
  { event = 'pre_tool_call', exitCode = 0, stderr = '', isTruncated = false }: Printed = {},
): Answer => decodeNative(event, { exitCode, stdout, stderr, isTruncated })

const abstain: Answer = { kind: 'abstain', notes: [] }
const block = (reason = 'blocked by hook', notes: readonly string[] = []): Answer => ({
  kind: 'block',
  reason,
  notes,
})
const ended = (reason = 'blocked by hook'): Answer => ({ ...block(reason), stopsTurn: true })
const rewritten = (field: string, value: Json): Answer => ({
  kind: 'abstain',
  notes: [],
  rewrite: { [field]: value },
})
const fault = (kind: FaultKind, detail: string) =>
  ({ kind: 'fault', notes: [], fault: { kind, detail } }) as const
const exited = (how: string) =>
  fault(endOf(how), `It ended with ${how}. A hook exits 0 for an answer and 2 to block.`)
const notJson = (head: string) =>
  fault(
    'output',
    `It printed text that is no answer: ${head}. Print one JSON object or nothing to stdout, and logs to stderr.`,
  )
const unknown = (field: string, meant?: string): string =>
  `Its answer has the unknown field "${field}", which has no effect${meant === undefined ? '.' : `; did it mean "${meant}"?`}`

type Case = [what: string, stdout: string, answer: Answer, printed?: Printed]

const cases: readonly Case[] = [
  // Nothing to say.
  ['nothing', '', abstain],
  ['an empty object', '{}', abstain],
  ['white space', ' \n\t\r\n', abstain],
  ['nothing, with a log on stderr', '', abstain, { stderr: 'debug: all fine' }],
  ['an object after a byte order mark and before line ends', '\uFEFF{}\r\n', abstain],
  [
    'empty and null fields',
    '{"decision":null,"reason":"","context":null,"notification":null,"hookSpecificOutput":null,"continue":null}',
    abstain,
  ],

  // Decisions.
  ['block with a reason', '{"decision":"block","reason":"no keys"}', block('no keys')],
  ['deny', '{"decision":"deny","reason":"no keys"}', block('no keys')],
  ['block without a reason', '{"decision":"block"}', block()],
  ['block with an empty reason', '{"decision":"block","reason":"  "}', block()],
  ['block without a reason, a log on stderr is none', '{"decision":"block"}', block(), { stderr: 'debug' }],
  ['a reason that is not text', '{"decision":"block","reason":{"rule":7}}', block('{"rule":7}')],
  ['ask', '{"decision":"ask","reason":"sure?"}', { kind: 'ask', reason: 'sure?', notes: [] }],
  [
    'ask without a reason',
    '{"decision":"ask"}',
    { kind: 'ask', reason: 'the hook asks the person', notes: [] },
  ],
  ['allow', '{"decision":"allow"}', { kind: 'allow', notes: [] }],
  ['approve', '{"decision":"approve","reason":"fine"}', { kind: 'allow', reason: 'fine', notes: [] }],
  [
    'a reason alone decides nothing',
    '{"reason":"just saying"}',
    { kind: 'abstain', reason: 'just saying', notes: [] },
  ],

  // The other fields.
  [
    'a rewritten tool input',
    '{"tool_input":{"command":"ls"}}',
    { kind: 'abstain', notes: [], rewrite: { tool_input: { command: 'ls' } } },
  ],
  [
    'a rewritten message',
    '{"notification":"hi"}',
    { kind: 'abstain', notes: [], rewrite: { notification: 'hi' } },
    { event: 'on_outbound_message' },
  ],
  [
    'parts',
    '{"parts":[{"field":"caption","text":"x"}]}',
    { kind: 'abstain', notes: [], rewrite: { parts: [{ field: 'caption', text: 'x' }] } },
    { event: 'on_outbound_message' },
  ],
  [
    'an empty rewrite is a rewrite',
    '{"tool_result":""}',
    { kind: 'abstain', notes: [], rewrite: { tool_result: '' } },
    { event: 'transform_tool_result' },
  ],
  [
    'every other field that some event lets be rewritten',
    '{"message":"m","messages":[{}],"summary":"s"}',
    { kind: 'abstain', notes: [], rewrite: { message: 'm', messages: [{}], summary: 's' } },
  ],
  [
    'allow and a rewrite',
    '{"decision":"allow","tool_input":{"command":"ls"}}',
    { kind: 'allow', notes: [], rewrite: { tool_input: { command: 'ls' } } },
  ],
  ['context', '{"context":"remember"}', { kind: 'abstain', notes: [], context: 'remember' }],
  ['context that is not text', '{"context":["a",1]}', { kind: 'abstain', notes: [], context: '["a",1]' }],
  [
    'context where the event has no place for it',
    '{"context":"remember"}',
    {
      kind: 'abstain',
      notes: ['Its context was not used: post_llm_call has nowhere to put it.'],
      context: 'remember',
    },
    { event: 'post_llm_call' },
  ],
  ['a note', '{"systemMessage":"careful"}', { kind: 'abstain', notes: ['careful'] }],
  ['the other name of a note', '{"add_warning":"careful"}', { kind: 'abstain', notes: ['careful'] }],
  ['both', '{"systemMessage":"one","add_warning":"two"}', { kind: 'abstain', notes: ['one', 'two'] }],
  ['a block with a note', '{"decision":"block","reason":"no","systemMessage":"look"}', block('no', ['look'])],

  // Claude Code's fields.
  [
    'permissionDecision deny',
    '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"no"}}',
    block('no'),
  ],
  [
    'permissionDecision ask',
    '{"hookSpecificOutput":{"permissionDecision":"ask","permissionDecisionReason":"sure?"}}',
    { kind: 'ask', reason: 'sure?', notes: [] },
  ],
  [
    'permissionDecision allow',
    '{"hookSpecificOutput":{"permissionDecision":"allow"}}',
    { kind: 'allow', notes: [] },
  ],
  [
    'hookSpecificOutput.additionalContext',
    '{"hookSpecificOutput":{"additionalContext":"remember"}}',
    { kind: 'abstain', notes: [], context: 'remember' },
  ],
  [
    'additionalContext beside it',
    '{"additionalContext":"remember"}',
    { kind: 'abstain', notes: [], context: 'remember' },
  ],
  [
    'an empty context does not hide another',
    '{"context":"","additionalContext":"","hookSpecificOutput":{"additionalContext":"remember"}}',
    { kind: 'abstain', notes: [], context: 'remember' },
  ],
  [
    'updatedInput',
    '{"hookSpecificOutput":{"updatedInput":{"command":"ls"}}}',
    { kind: 'abstain', notes: [], rewrite: { tool_input: { command: 'ls' } } },
  ],
  ['updatedInput null', '{"hookSpecificOutput":{"updatedInput":null}}', abstain],
  ['continue false', '{"continue":false,"stopReason":"enough"}', ended('enough')],
  ['continue false without a reason', '{"continue":false}', ended()],
  ['continue true', '{"continue":true,"suppressOutput":true}', abstain],

  // A block on these means "go on", so that it ends nothing.
  [
    'continue false on a stop',
    '{"continue":false,"stopReason":"tests"}',
    block('tests'),
    { event: 'on_stop' },
  ],
  [
    'continue false on a claim',
    '{"continue":false,"stopReason":"tests"}',
    block('tests'),
    { event: 'on_completion_claim' },
  ],
  [
    "continue false on a subagent's stop",
    '{"continue":false,"stopReason":"tests"}',
    block('tests'),
    { event: 'on_subagent_stop' },
  ],

  // Other families' fields.
  [
    "docker-agent's deny",
    '{"hook_specific_output":{"hook_event_name":"pre_tool_use","permission_decision":"deny","permission_decision_reason":"no"}}',
    block('no'),
  ],
  [
    "docker-agent's input",
    '{"hook_specific_output":{"updated_input":{"command":"ls"}}}',
    rewritten('tool_input', { command: 'ls' }),
  ],
  [
    "docker-agent's messages",
    '{"hook_specific_output":{"updated_messages":[{"role":"user"}]}}',
    rewritten('messages', [{ role: 'user' }]),
    { event: 'pre_llm_call' },
  ],
  [
    "docker-agent's empty messages change nothing",
    '{"hook_specific_output":{"updated_messages":[]}}',
    abstain,
    { event: 'pre_llm_call' },
  ],
  [
    "docker-agent's result",
    '{"hook_specific_output":{"updated_tool_response":""}}',
    rewritten('tool_result', ''),
    { event: 'transform_tool_result' },
  ],
  [
    "docker-agent's summary",
    '{"hook_specific_output":{"summary":"short"}}',
    rewritten('summary', 'short'),
    { event: 'pre_compact' },
  ],
  [
    "docker-agent's words",
    '{"continue":false,"stop_reason":"enough","suppress_output":true,"system_message":"look"}',
    { ...block('enough', ['look']), stopsTurn: true },
  ],
  [
    "docker-agent's context",
    '{"hook_specific_output":{"additional_context":"remember"}}',
    { kind: 'abstain', notes: [], context: 'remember' },
  ],
  [
    "HOOK.md's answer",
    '{"decision":"allow","modified_input":{"command":"ls"},"additional_context":"remember","log":"look"}',
    { kind: 'allow', notes: ['look'], rewrite: { tool_input: { command: 'ls' } }, context: 'remember' },
  ],
  ["HOOK.md's deny", '{"decision":"deny","reason":"no","log":"look"}', block('no', ['look'])],
  ["Copilot's deny", '{"permissionDecision":"deny","permissionDecisionReason":"no"}', block('no')],
  [
    "Copilot's allow and arguments",
    '{"permissionDecision":"allow","modifiedArgs":{"command":"ls"}}',
    { kind: 'allow', notes: [], rewrite: { tool_input: { command: 'ls' } } },
  ],
  [
    "Copilot's result",
    '{"modifiedResult":{"resultType":"success","textResultForLlm":"x"}}',
    rewritten('tool_result', 'x'),
    { event: 'transform_tool_result' },
  ],
  [
    "Copilot's refused permission",
    '{"behavior":"deny","message":"no"}',
    block('no'),
    { event: 'on_permission_request' },
  ],
  [
    "Copilot's refused permission that interrupts",
    '{"behavior":"deny","message":"no","interrupt":true}',
    ended('no'),
    { event: 'on_permission_request' },
  ],
  [
    'a message without a behavior is a rewrite',
    '{"message":"hi"}',
    rewritten('message', 'hi'),
    { event: 'on_user_message' },
  ],
  [
    "Claude Code's permission",
    '{"hookSpecificOutput":{"decision":{"behavior":"allow"}}}',
    { kind: 'allow', notes: [] },
    { event: 'on_permission_request' },
  ],
  [
    "Claude Code's refused permission",
    '{"hookSpecificOutput":{"decision":{"behavior":"deny","message":"no"}}}',
    block('no'),
    { event: 'on_permission_request' },
  ],
  [
    "Claude Code's result",
    '{"hookSpecificOutput":{"updatedToolOutput":{"stdout":"x","stderr":""}}}',
    rewritten('tool_result', 'x'),
    { event: 'transform_tool_result' },
  ],
  [
    "Claude Code's text for display",
    '{"hookSpecificOutput":{"displayContent":"hi"}}',
    rewritten('notification', 'hi'),
    { event: 'on_outbound_message' },
  ],
  [
    "Claude Code's deferred call",
    '{"hookSpecificOutput":{"permissionDecision":"defer"}}',
    { kind: 'ask', reason: 'the hook asks the person', notes: [] },
  ],
  ['what a prompt hook refuses', '{"ok":false,"reason":"no"}', block('no')],
  ['what a prompt hook is content with', '{"ok":true}', abstain],
  [
    'what no further round can satisfy',
    '{"ok":false,"reason":"never","impossible":true}',
    { kind: 'abstain', reason: 'never', notes: [] },
    { event: 'on_stop' },
  ],
  ['the same before a tool is a refusal', '{"ok":false,"reason":"no","impossible":true}', block('no')],
  ['a hook in the background', '{"async":true,"asyncTimeout":10}', abstain],
  [
    'a hook in the background, with its log',
    '{"async":true}\nstarting…',
    notJson('"{\\"async\\":true}\\nstarting…"'),
  ],
  ['one that then failed', '{"async":true}\nstarting…', exited('exit code 1'), { exitCode: 1 }],
  ['one that then refused', '{"async":true}\nstarting…', block('no'), { exitCode: 2, stderr: 'no' }],
  ['a refusal beside the word for it', '{"async":true,"decision":"block"}', block()],
  [
    'a deny of one family beside an allow of another',
    '{"decision":"allow","reason":"fine","hook_specific_output":{"permission_decision":"deny","permission_decision_reason":"no"}}',
    block('no'),
  ],
  ['a deny of one family on exit 1', '{"behavior":"deny"}', block(), { exitCode: 1 }],
  [
    'a deny beside what cannot be read',
    '{"permissionDecision":"deny","continue":"no","ok":7,"hookSpecificOutput":"x"}',
    block(),
  ],
  [
    'lasting permissions',
    '{"hookSpecificOutput":{"decision":{"behavior":"allow","updatedPermissions":[]}}}',
    {
      kind: 'allow',
      notes: [
        'Its "hookSpecificOutput.decision.updatedPermissions" was not used: hookgate has no such thing.',
      ],
    },
    { event: 'on_permission_request' },
  ],
  [
    'two names for one rewrite: ours counts',
    '{"tool_input":{"command":"a"},"updatedInput":{"command":"b"}}',
    rewritten('tool_input', { command: 'a' }),
  ],
  [
    'two contexts',
    '{"context":"a","additional_context":"b"}',
    { kind: 'abstain', notes: [], context: 'a\nb' },
  ],
  [
    'ok as text',
    '{"ok":"false"}',
    fault('output', 'The "ok" of its answer has to be true or false, and is "false" (string).'),
  ],

  // Contradictions: the careful half counts.
  ['block and allow', '{"decision":"allow","hookSpecificOutput":{"permissionDecision":"deny"}}', block()],
  [
    'ask and allow',
    '{"decision":"allow","hookSpecificOutput":{"permissionDecision":"ask"}}',
    { kind: 'ask', reason: 'the hook asks the person', notes: [] },
  ],
  ['allow and continue false', '{"decision":"allow","continue":false}', ended()],
  [
    'deny and an unknown word',
    '{"decision":"maybe","hookSpecificOutput":{"permissionDecision":"deny"}}',
    block(),
  ],
  [
    'allow and an unknown word',
    '{"decision":"allow","hookSpecificOutput":{"permissionDecision":"alow"}}',
    fault('output', 'The "decision" of its answer has to be block, allow or ask, and is "alow" (string).'),
  ],
  [
    'ask and an unknown word',
    '{"decision":"ask","reason":"sure?","tool_input":{},"hookSpecificOutput":{"permissionDecision":"alow"}}',
    {
      kind: 'ask',
      reason: 'sure?',
      notes: [],
      fault: {
        kind: 'output',
        detail: 'The "decision" of its answer has to be block, allow or ask, and is "alow" (string).',
      },
    },
  ],

  // Decisions that cannot be read.
  [
    'an unknown word',
    '{"decision":"blok"}',
    fault('output', 'The "decision" of its answer has to be block, allow or ask, and is "blok" (string).'),
  ],
  [
    'an inherited word',
    '{"decision":"constructor"}',
    fault(
      'output',
      'The "decision" of its answer has to be block, allow or ask, and is "constructor" (string).',
    ),
  ],
  [
    'true for a decision',
    '{"decision":true}',
    fault('output', 'The "decision" of its answer has to be block, allow or ask, and is true (boolean).'),
  ],
  [
    'an object for a decision',
    '{"decision":{"kind":"block"}}',
    fault(
      'output',
      'The "decision" of its answer has to be block, allow or ask, and is {"kind":"block"} (object).',
    ),
  ],
  [
    'continue as text',
    '{"continue":"false"}',
    fault('output', 'The "continue" of its answer has to be true or false, and is "false" (string).'),
  ],
  [
    'hookSpecificOutput as text',
    '{"hookSpecificOutput":"deny"}',
    fault('output', 'The "hookSpecificOutput" of its answer has to be an object, and is "deny" (string).'),
  ],

  // Unknown fields.
  [
    'a misspelled field',
    '{"desicion":"block"}',
    { kind: 'abstain', notes: [unknown('desicion', 'decision')] },
  ],
  [
    "another system's field, misspelled",
    '{"hook_specific_ouput":{}}',
    { kind: 'abstain', notes: [unknown('hook_specific_ouput', 'hook_specific_output')] },
  ],
  ['a field like no other', '{"zzz":1}', { kind: 'abstain', notes: [unknown('zzz')] }],
  [
    'an unknown field within',
    '{"hookSpecificOutput":{"permisionDecision":"deny"}}',
    {
      kind: 'abstain',
      notes: [unknown('hookSpecificOutput.permisionDecision', 'hookSpecificOutput.permissionDecision')],
    },
  ],
  ['__proto__', '{"__proto__":{"decision":"block"}}', { kind: 'abstain', notes: [unknown('__proto__')] }],

  // Exit codes.
  ['exit 2 with stderr', '', block('no keys'), { exitCode: 2, stderr: 'no keys\n' }],
  ['exit 2, silent', '', block(), { exitCode: 2 }],
  [
    'exit 2 with a reason in JSON',
    '{"reason":"from JSON"}',
    block('from JSON'),
    { exitCode: 2, stderr: 'from stderr' },
  ],
  ['exit 2 with allow', '{"decision":"allow"}', block('no'), { exitCode: 2, stderr: 'no' }],
  [
    'exit 2 with the reason of an allow, which is none to block',
    '{"decision":"allow","reason":"fine"}',
    block('no'),
    { exitCode: 2, stderr: 'no' },
  ],
  ['exit 2 with ask and no reason', '{"decision":"ask"}', block('no'), { exitCode: 2, stderr: 'no' }],
  ['exit 2 with text on stdout', 'no keys', block(), { exitCode: 2 }],
  [
    'exit 2 with too much on stdout',
    '{"decision":"allow"',
    block('no'),
    { exitCode: 2, stderr: 'no', isTruncated: true },
  ],
  ['exit 1', '', exited('exit code 1'), { exitCode: 1 }],
  ['exit 1 with stderr', '', exited('exit code 1: Traceback'), { exitCode: 1, stderr: 'Traceback\n' }],
  ['exit 1 with a deny', '{"decision":"deny","reason":"no"}', block('no'), { exitCode: 1 }],
  ['exit 1 with an allow', '{"decision":"allow"}', exited('exit code 1'), { exitCode: 1 }],
  ['exit 1 with a rewrite', '{"tool_input":{"command":"ls"}}', exited('exit code 1'), { exitCode: 1 }],
  [
    'exit 1 with a question',
    '{"decision":"ask","reason":"sure?"}',
    { ...exited('exit code 1'), kind: 'ask', reason: 'sure?' },
    { exitCode: 1 },
  ],
  ['exit 3 with text', 'oops', exited('exit code 3'), { exitCode: 3 }],
  [
    'exit 127',
    '',
    exited('exit code 127: sh: jq: not found'),
    { exitCode: 127, stderr: 'sh: jq: not found' },
  ],
  ['a signal', '', exited('a signal'), { exitCode: null }],
  ['a signal after a deny', '{"decision":"block","reason":"no"}', block('no'), { exitCode: null }],

  // What is no answer.
  ['text', 'all fine', notJson('"all fine"')],
  [
    'text before the object',
    'debug\n{"decision":"block"}',
    notJson('"debug\\n{\\"decision\\":\\"block\\"}"'),
  ],
  ['text after the object', '{} done', notJson('"{} done"')],
  ['two objects', '{"decision":"block"}\n{}', notJson('"{\\"decision\\":\\"block\\"}\\n{}"')],
  ['a list', '[]', notJson('"[]"')],
  ['null', 'null', notJson('"null"')],
  ['a number', '42', notJson('"42"')],
  ['a string', '"block"', notJson('"\\"block\\""')],
  [
    'a name twice',
    '{"decision":"allow","decision":"block"}',
    garbled('"{\\"decision\\":\\"allow\\",\\"decision\\":\\"block\\"}"'),
  ],
  ['half an object', '{"decision":', garbled('"{\\"decision\\":"')],
  ['single quotes', "{'decision':'block'}", garbled("\"{'decision':'block'}\"")],
  ['much text, shown by its head', 'x'.repeat(500), notJson(`"${'x'.repeat(80)}"…`)],
  [
    'more than the bound, of which the head looks like an answer',
    '{"decision":"block"}  ',
    fault('limit', 'It printed more than 1 MiB to stdout. An answer is one small JSON object.'),
    { isTruncated: true },
  ],
  [
    'more than the bound',
    '{"decision":"allow"}',
    fault('limit', 'It printed more than 1 MiB to stdout. An answer is one small JSON object.'),
    { isTruncated: true },
  ],
]

test('the table is as long as it should be', () => expect(cases.length).toBeGreaterThan(80))

describe('what a hook prints', () => {
  test.each<Case>(cases)('%s', (_, stdout, answer, printed) =>
    expect(decode(stdout, printed)).toEqual(answer),
  )
})

describe('bounds', () => {
  test('a long reason is cut, never inside a character', () => {
    const { reason = '' } = decode(JSON.stringify({ decision: 'block', reason: `x${'😀'.repeat(5000)}` }))
    expect(reason.length).toBe(2000)
    expect(reason.isWellFormed()).toBe(true)
  })

  test('a long context is cut, and stderr is told by its first and its last lines', () => {
    expect(decode(JSON.stringify({ context: 'x'.repeat(200_000) })).context?.length).toBe(64_000)
    const detailOf = (stderr: string): string | undefined => decode('', { exitCode: 1, stderr }).fault?.detail
    expect(detailOf(`${'x'.repeat(5000)}the end`)).toMatch(
      /^It ended with exit code 1: x{200}\n…\nx{393}the end\. /,
    )
    const lines = Array.from({ length: 400 }, (_, index) => `line ${index}`)
    expect(detailOf(lines.join('\n'))).toMatch(
      /^It ended with exit code 1: line 0\nline 1\n[^]*\n…\nline [^]*\nline 399\. /,
    )
  })

  test('many and long unknown fields make few and short notes', () => {
    const fields = Object.fromEntries(
      Array.from({ length: 10_000 }, (_, index) => [`${index}`.padStart(100, 'q'), 1]),
    )
    const { notes } = decode(JSON.stringify(fields))
    expect(notes).toHaveLength(5)
    for (const note of notes) expect(note.length).toBeLessThan(200)
    expect(decode(JSON.stringify({ ['q'.repeat(500_000)]: 1 })).notes).toEqual([unknown('q'.repeat(40))])
  })

  test('nesting too deep to walk is no answer, wherever it stands, and exit 2 still blocks', () => {
    const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`
    for (const field of ['reason', 'decision', 'tool_input', 'context', 'zzz']) {
      const kind = field === 'decision' ? 'garbled' : 'output'
      expect(decode(`{"${field}":${deep}}`)).toMatchObject({ kind: 'fault', fault: { kind } })
      expect(decode(`{"${field}":${deep}}`, { exitCode: 2, stderr: 'no' })).toEqual(block('no'))
    }
  })

  test('lone surrogates do not come through in words', () => {
    expect(decode('{"decision":"block","reason":"a\\ud800b"}').reason).toBe('a\uFFFDb')
  })
})
