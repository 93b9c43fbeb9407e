import { describe, expect, test } from 'vitest'
import { decodeFor, nativeEvent } from '../../src/dialects/dialects.ts'
import type { Answer, FaultKind } from '../../src/model/answer.ts'
import type { JsonObject } from '../../src/model/json.ts'
import { syntheticPayload } from '../../src/model/payload.ts'
import { besideText, endOf, garbled, inOtherWords, speaking } from './speaking.ts'

interface Left {
  readonly exitCode?: number | null
  readonly stderr?: string
  readonly isTruncated?: boolean
  /** Fields of our payload in place of the samples. */
  readonly payload?: JsonObject
}

const decode = (
  name: string,
  printed: string | object,
  { exitCode = 0, stderr = '', isTruncated = false, payload = {} }: Left = {},
): Answer => {
  const native = nativeEvent('claude-code', name)
  if (native?.event === undefined) throw new Error(`no event ${name}`)
  const stdout = typeof printed === 'string' ? printed : JSON.stringify(printed)
  return decodeFor(
    speaking('claude-code', native),
    { ...syntheticPayload(native.event, '/project', new Date(0)), ...payload },
    { exitCode, stdout, stderr, isTruncated },
  )
}

/** What stands in hookSpecificOutput, of the event by its name. */
const inner = (hookEventName: string, fields: object): object => ({
  hookSpecificOutput: { hookEventName, ...fields },
})
const pre = (fields: object): object => inner('PreToolUse', fields)
const permission = (decision: object): object => inner('PermissionRequest', { decision })

const abstain: Answer = { kind: 'abstain', notes: [] }
const block = (reason = 'blocked by hook', ...notes: readonly string[]): Answer => ({
  kind: 'block',
  reason,
  notes,
})
const noted = (...notes: readonly string[]): Answer => ({ kind: 'abstain', notes })
const ended = (reason: string, ...notes: readonly string[]): Answer => ({
  kind: 'block',
  reason,
  notes,
  stopsTurn: true,
})
const rewritten = (rewrite: JsonObject, ...notes: readonly string[]): Answer => ({
  kind: 'abstain',
  notes,
  rewrite,
})
const fault = (kind: FaultKind, detail: string, ...notes: readonly string[]): Answer => ({
  kind: 'fault',
  notes,
  fault: { kind, detail },
})
const exited = (how: string, ...notes: readonly string[]): Answer =>
  fault(
    endOf(how),
    `It ended with ${how}. A Claude Code hook exits 0 for an answer and 2 to block.`,
    ...notes,
  )
const notJson = (head: string): Answer =>
  fault('output', `Expected one JSON object or nothing on stdout, got ${head}.`)
const tooMuch = fault('limit', 'It printed more than 1 MiB on stdout; an answer is one small JSON object.')
const foreign =
  'Its hookSpecificOutput.hookEventName is not "PreToolUse"; Claude Code would drop the answer, here it counts.'
const misplaced = (path: string): string =>
  `Its "${path}" has no effect where it stands; it belongs in "hookSpecificOutput".`
const unbound = (name: string, reason = ''): string =>
  `It wanted to block${reason === '' ? '' : ` (${reason})`}, but ${name} cannot be blocked; the step went on.`
const unused = (path: string): string => `Its "${path}" was not used: hookgate has no such thing.`
const counts = (end: string): string =>
  `It ended with ${end}; what its JSON says counts all the same, as in Claude Code.`
const left = (key: string): string =>
  `Its updatedInput leaves out "${key}", which Claude Code would drop; it was kept.`

type Case = [what: string, event: string, printed: string | object, answer: Answer, left?: Left]

const cases: readonly Case[] = [
  // Nothing to say.
  ['nothing', 'PreToolUse', '', abstain],
  ['an empty object', 'PreToolUse', '{}', abstain],
  ['nothing, with a log on stderr', 'PreToolUse', '', abstain, { stderr: 'fine' }],
  ['suppressOutput and continue true', 'PreToolUse', { continue: true, suppressOutput: true }, abstain],
  ['text on a tool event is a log', 'PreToolUse', 'checked 3 rules', abstain],
  ['text on Stop is a log', 'Stop', 'bye', abstain],
  ['a list is text', 'PreToolUse', '[1]', abstain],

  // Decisions.
  [
    'deny',
    'PreToolUse',
    pre({ permissionDecision: 'deny', permissionDecisionReason: 'no keys' }),
    block('no keys'),
  ],
  ['deny without a reason', 'PreToolUse', pre({ permissionDecision: 'deny' }), block()],
  [
    'deny with an empty reason',
    'PreToolUse',
    pre({ permissionDecision: 'deny', permissionDecisionReason: '  ' }),
    block(),
  ],
  [
    'allow',
    'PreToolUse',
    pre({ permissionDecision: 'allow', permissionDecisionReason: 'fine' }),
    { kind: 'allow', reason: 'fine', notes: [] },
  ],
  [
    'ask',
    'PreToolUse',
    pre({ permissionDecision: 'ask', permissionDecisionReason: 'sure?' }),
    { kind: 'ask', reason: 'sure?', notes: [] },
  ],
  [
    'ask without a reason',
    'PreToolUse',
    pre({ permissionDecision: 'ask' }),
    { kind: 'ask', reason: 'the hook asks the person', notes: [] },
  ],
  [
    'defer',
    'PreToolUse',
    pre({ permissionDecision: 'defer', permissionDecisionReason: 'later' }),
    { kind: 'ask', reason: 'later', notes: ['It defers the call; here the person in the chat is asked.'] },
  ],
  ['block, as it once was', 'PreToolUse', { decision: 'block', reason: 'no' }, block('no')],
  ['approve, as it once was', 'PreToolUse', { decision: 'approve' }, { kind: 'allow', notes: [] }],
  [
    'approve beside deny',
    'PreToolUse',
    {
      decision: 'approve',
      reason: 'fine',
      ...pre({ permissionDecision: 'deny', permissionDecisionReason: 'no' }),
    },
    block('no'),
  ],
  [
    'block beside allow keeps the reason of the block',
    'PreToolUse',
    {
      decision: 'block',
      reason: 'no',
      ...pre({ permissionDecision: 'allow', permissionDecisionReason: 'fine' }),
    },
    block('no'),
  ],
  [
    'deny without an event name',
    'PreToolUse',
    { hookSpecificOutput: { permissionDecision: 'deny', permissionDecisionReason: 'no' } },
    block('no', foreign),
  ],
  [
    'deny under another event name',
    'PreToolUse',
    inner('PostToolUse', { permissionDecision: 'deny', permissionDecisionReason: 'no' }),
    block('no', foreign),
  ],
  [
    'a flat deny, as Copilot has it',
    'PreToolUse',
    { permissionDecision: 'deny', permissionDecisionReason: 'no' },
    block('no', inOtherWords('permissionDecision', 'claude-code')),
  ],
  [
    'a flat allow is none',
    'PreToolUse',
    { permissionDecision: 'allow' },
    noted(misplaced('permissionDecision')),
  ],
  [
    'a deny in snake case',
    'PreToolUse',
    { hook_specific_output: { permission_decision: 'deny', permission_decision_reason: 'no' } },
    block('no', inOtherWords('hook_specific_output.permission_decision', 'claude-code')),
  ],
  [
    'an allow in snake case is none',
    'PreToolUse',
    { hook_specific_output: { permission_decision: 'allow' } },
    noted(
      'Its answer has the unknown field "hook_specific_output", which has no effect; did it mean "hookSpecificOutput"?',
    ),
  ],
  [
    'a deny beside a suppressOutput and an unknown field',
    'PreToolUse',
    { suppressOutput: true, zzz: 1, ...pre({ permissionDecision: 'deny', permissionDecisionReason: 'no' }) },
    block('no', 'Its answer has the unknown field "zzz", which has no effect.'),
  ],
  [
    'an unknown word',
    'PreToolUse',
    pre({ permissionDecision: 'alow' }),
    fault('output', 'Expected "decision" to be block, allow or ask, got "alow" (string).'),
  ],
  [
    'a deny beside an unknown word',
    'PreToolUse',
    { decision: 'maybe', ...pre({ permissionDecision: 'deny' }) },
    block(),
  ],
  [
    'hookSpecificOutput as text',
    'PreToolUse',
    { hookSpecificOutput: 'deny' },
    fault('output', 'Expected "hookSpecificOutput" to be an object, got "deny" (string).'),
  ],
  ['a prompt hook that is content', 'PreToolUse', { ok: true }, abstain],
  ['a prompt hook that is not', 'PreToolUse', { ok: false, reason: 'no' }, block('no')],
  [
    'a prompt hook that finds a stop impossible to satisfy',
    'Stop',
    { ok: false, reason: 'never', impossible: true },
    { kind: 'abstain', reason: 'never', notes: [] },
  ],
  ['a prompt hook that refuses a stop', 'Stop', { ok: false, reason: 'tests fail' }, block('tests fail')],

  // Ending the turn.
  ['continue false', 'PreToolUse', { continue: false, stopReason: 'enough' }, ended('enough')],
  [
    'continue false beside allow',
    'PreToolUse',
    { continue: false, ...pre({ permissionDecision: 'allow' }) },
    ended('blocked by hook'),
  ],
  [
    'continue false beside deny',
    'PreToolUse',
    {
      continue: false,
      stopReason: 'enough',
      ...pre({ permissionDecision: 'deny', permissionDecisionReason: 'no' }),
    },
    ended('no', 'enough'),
  ],
  [
    'continue false on Stop lets it stop',
    'Stop',
    { continue: false, stopReason: 'enough' },
    { ...noted('enough'), stopsTurn: true },
  ],
  [
    'continue false on Stop wins over its block',
    'Stop',
    { continue: false, decision: 'block', reason: 'go on' },
    { kind: 'abstain', reason: 'go on', notes: [], stopsTurn: true },
  ],
  ['continue false on SubagentStop', 'SubagentStop', { continue: false }, { ...abstain, stopsTurn: true }],
  [
    'continue false after a tool',
    'PostToolUse',
    { continue: false, stopReason: 'enough' },
    { ...noted('enough'), stopsTurn: true },
  ],
  [
    'continue false where no turn can end',
    'Notification',
    { continue: false },
    noted('It wanted the agent to stop, but Notification cannot do that here; the step went on.'),
  ],
  [
    'continue as text',
    'PreToolUse',
    { continue: 'false' },
    fault('output', 'Expected "continue" to be true or false, got "false" (string).'),
  ],

  // Rewrites.
  [
    'updatedInput of the shell',
    'PreToolUse',
    pre({ updatedInput: { command: 'ls' } }),
    rewritten({ tool_input: { command: 'ls' } }),
  ],
  [
    "updatedInput by Claude's names",
    'PreToolUse',
    pre({ updatedInput: { file_path: 'b', old_string: '1', new_string: '2' } }),
    rewritten({ tool_input: { path: 'b', old_text: '1', new_text: '2' } }),
    { payload: { tool_name: 'edit_file', tool_input: { path: 'a', old_text: '1', new_text: '2' } } },
  ],
  [
    'updatedInput that leaves a key out',
    'PreToolUse',
    pre({ permissionDecision: 'allow', updatedInput: { file_path: 'b' } }),
    { kind: 'allow', notes: [left('content')], rewrite: { tool_input: { path: 'b' } } },
    { payload: { tool_name: 'write_file', tool_input: { path: 'a', content: 'x' } } },
  ],
  [
    'updatedInput of a tool that Claude does not have',
    'PreToolUse',
    pre({ updatedInput: { path: 'b' } }),
    rewritten({ tool_input: { path: 'b' } }),
    { payload: { tool_name: 'mine', tool_input: { path: 'a' } } },
  ],
  [
    'updatedInput at the top has no effect',
    'PreToolUse',
    { updatedInput: { command: 'ls' } },
    noted('Its "updatedInput" has no effect where it stands; it belongs in "hookSpecificOutput".'),
  ],
  [
    'updatedToolOutput as text',
    'PostToolUse',
    inner('PostToolUse', { updatedToolOutput: '[redacted]' }),
    rewritten({ tool_result: '[redacted]' }),
  ],
  [
    "updatedToolOutput in the shell's shape",
    'PostToolUse',
    inner('PostToolUse', {
      updatedToolOutput: { stdout: 'x', stderr: '', interrupted: false, isImage: false },
    }),
    rewritten({ tool_result: 'x' }),
  ],
  [
    'updatedToolOutput with both streams',
    'PostToolUse',
    inner('PostToolUse', { updatedToolOutput: { stdout: 'x', stderr: 'y' } }),
    rewritten({ tool_result: 'x\ny' }),
  ],
  [
    'updatedMCPToolOutput in another shape',
    'PostToolUse',
    inner('PostToolUse', { updatedMCPToolOutput: [{ a: 1 }] }),
    rewritten({ tool_result: '[{"a":1}]' }),
  ],
  [
    'an empty updatedToolOutput clears',
    'PostToolUse',
    inner('PostToolUse', { updatedToolOutput: '' }),
    rewritten({ tool_result: '' }),
  ],
  [
    'displayContent',
    'MessageDisplay',
    inner('MessageDisplay', { displayContent: 'hi' }),
    rewritten({ notification: 'hi' }),
  ],

  // Context and notes.
  [
    'additionalContext',
    'PreToolUse',
    pre({ additionalContext: 'remember' }),
    { ...abstain, context: 'remember' },
  ],
  [
    'additionalContext after a tool',
    'PostToolUse',
    inner('PostToolUse', { additionalContext: 'remember' }),
    { ...abstain, context: 'remember' },
  ],
  [
    'additionalContext where there is no place for it',
    'PermissionRequest',
    inner('PermissionRequest', { additionalContext: 'x' }),
    noted('Its context was not used: PermissionRequest has nowhere to put it here.'),
  ],
  [
    'additionalContext at the top has no effect',
    'PreToolUse',
    { additionalContext: 'x' },
    noted('Its "additionalContext" has no effect where it stands; it belongs in "hookSpecificOutput".'),
  ],
  [
    'additionalContext on Stop asks to go on',
    'Stop',
    inner('Stop', { additionalContext: 'run the tests' }),
    block('run the tests'),
  ],
  [
    'additionalContext on SubagentStop too',
    'SubagentStop',
    inner('SubagentStop', { additionalContext: 'run the tests' }),
    block('run the tests'),
  ],
  [
    'additionalContext beside a block on Stop',
    'Stop',
    { decision: 'block', reason: 'no', ...inner('Stop', { additionalContext: 'more' }) },
    { ...block('no'), context: 'more' },
  ],
  [
    'text on SessionStart is context',
    'SessionStart',
    'branch main\n',
    { ...abstain, context: 'branch main' },
  ],
  [
    'text on UserPromptSubmit is context',
    'UserPromptSubmit',
    'it is Monday',
    { ...abstain, context: 'it is Monday' },
  ],
  ['a systemMessage', 'PreToolUse', { systemMessage: 'careful' }, noted('careful')],
  ['a terminal sequence', 'Stop', { terminalSequence: 'x' }, noted(unused('terminalSequence'))],
  [
    'a session title',
    'UserPromptSubmit',
    inner('UserPromptSubmit', { sessionTitle: 'x', additionalContext: 'y' }),
    { ...noted(unused('hookSpecificOutput.sessionTitle')), context: 'y' },
  ],
  [
    'a misspelled field',
    'PreToolUse',
    { desicion: 'block' },
    noted('Its answer has the unknown field "desicion", which has no effect; did it mean "decision"?'),
  ],
  [
    'a misspelled field within',
    'PreToolUse',
    pre({ permisionDecision: 'deny' }),
    noted(
      'Its answer has the unknown field "hookSpecificOutput.permisionDecision", which has no effect; did it mean "hookSpecificOutput.permissionDecision"?',
    ),
  ],

  // Exit codes.
  ['exit 2 with stderr', 'PreToolUse', '', block('no keys'), { exitCode: 2, stderr: 'no keys\n' }],
  ['exit 2, silent', 'PreToolUse', '', block(), { exitCode: 2 }],
  [
    'exit 2 with a reason in JSON',
    'PreToolUse',
    { reason: 'from JSON' },
    block('from JSON'),
    { exitCode: 2, stderr: 'from stderr' },
  ],
  [
    'exit 2 whatever JSON allows',
    'PreToolUse',
    pre({ permissionDecision: 'allow', permissionDecisionReason: 'fine' }),
    block('no'),
    { exitCode: 2, stderr: 'no' },
  ],
  ['exit 2 with half an object', 'PreToolUse', '{"decision":', block('no'), { exitCode: 2, stderr: 'no' }],
  [
    'exit 2 with too much on stdout',
    'PreToolUse',
    '{}',
    block('no'),
    { exitCode: 2, stderr: 'no', isTruncated: true },
  ],
  [
    'exit 2 after a first line for the background',
    'PreToolUse',
    '{"async":true}\nlog',
    block(),
    { exitCode: 2 },
  ],
  ['exit 2 on UserPromptSubmit', 'UserPromptSubmit', 'text', block('no'), { exitCode: 2, stderr: 'no' }],
  [
    'exit 2 on Stop sends the agent on',
    'Stop',
    '',
    block('run the tests'),
    { exitCode: 2, stderr: 'run the tests' },
  ],
  [
    'exit 2 on Stop wins over continue false',
    'Stop',
    { continue: false },
    block('no'),
    { exitCode: 2, stderr: 'no' },
  ],
  [
    'exit 2 on PermissionRequest refuses here',
    'PermissionRequest',
    '',
    block('no'),
    { exitCode: 2, stderr: 'no' },
  ],
  ['exit 2 on TaskCompleted', 'TaskCompleted', '', block('not done'), { exitCode: 2, stderr: 'not done' }],
  [
    'exit 2 after a tool tells the model',
    'PostToolUse',
    '',
    { ...abstain, context: 'lint failed' },
    { exitCode: 2, stderr: 'lint failed' },
  ],
  [
    'exit 2 after a failed tool tells the model',
    'PostToolUseFailure',
    '',
    { ...abstain, context: 'try again' },
    { exitCode: 2, stderr: 'try again' },
  ],
  [
    'exit 2 where nothing can be blocked',
    'SessionStart',
    '',
    noted(unbound('SessionStart', 'no')),
    { exitCode: 2, stderr: 'no' },
  ],
  ['exit 1', 'PreToolUse', '', exited('exit code 1: Traceback'), { exitCode: 1, stderr: 'Traceback\n' }],
  ['exit 1 with text on SessionStart', 'SessionStart', 'hello', exited('exit code 1'), { exitCode: 1 }],
  [
    'exit 1 with a deny',
    'PreToolUse',
    pre({ permissionDecision: 'deny', permissionDecisionReason: 'no' }),
    block('no'),
    { exitCode: 1 },
  ],
  [
    'exit 1 with an allow',
    'PreToolUse',
    pre({ permissionDecision: 'allow' }),
    exited('exit code 1'),
    { exitCode: 1 },
  ],
  [
    'exit 1 with a question',
    'PreToolUse',
    pre({ permissionDecision: 'ask', permissionDecisionReason: 'sure?' }),
    { ...exited('exit code 1'), kind: 'ask', reason: 'sure?' },
    { exitCode: 1 },
  ],
  [
    'exit 1 with a rewrite',
    'PreToolUse',
    pre({ updatedInput: { command: 'ls' } }),
    rewritten({ tool_input: { command: 'ls' } }, counts('exit code 1')),
    { exitCode: 1 },
  ],
  [
    'exit 1 with a permitted rewrite',
    'PreToolUse',
    pre({ permissionDecision: 'allow', updatedInput: { command: 'ls' } }),
    rewritten(
      { tool_input: { command: 'ls' } },
      counts('exit code 1').replace(/\.$/, ', but a permission from what failed does not.'),
    ),
    { exitCode: 1 },
  ],
  [
    'exit 1 with nothing but a note',
    'PreToolUse',
    { systemMessage: 'careful' },
    exited('exit code 1', 'careful'),
    { exitCode: 1 },
  ],
  [
    'exit 127',
    'PreToolUse',
    '',
    exited('exit code 127: jq: not found'),
    { exitCode: 127, stderr: 'jq: not found' },
  ],
  ['a signal', 'PreToolUse', '', exited('a signal'), { exitCode: null }],
  ['a signal after a deny', 'PreToolUse', pre({ permissionDecision: 'deny' }), block(), { exitCode: null }],

  // What is no answer.
  ['half an object', 'PreToolUse', '{"decision":', garbled('"{\\"decision\\":"')],
  [
    'two objects',
    'PreToolUse',
    '{"decision":"block"}\n{}',
    block('blocked by hook', besideText('decision', '{"decision":"block"}\n{}')),
  ],
  ['half an object is no context', 'SessionStart', '{"hook', notJson('"{\\"hook"')],
  ['too much', 'PreToolUse', '{"decision":"block"}  ', tooMuch, { isTruncated: true }],
  ['a hook in the background', 'PreToolUse', { async: true, asyncTimeout: 1000 }, abstain],
  ['a hook in the background, with its log', 'PreToolUse', '{"async":true}\nstarting…', abstain],

  // PermissionRequest.
  ['a permission', 'PermissionRequest', permission({ behavior: 'allow' }), { kind: 'allow', notes: [] }],
  ['a refused permission', 'PermissionRequest', permission({ behavior: 'deny', message: 'no' }), block('no')],
  [
    'a refused permission that ends the turn',
    'PermissionRequest',
    permission({ behavior: 'deny', message: 'no', interrupt: true }),
    ended('no'),
  ],
  [
    'a permission for other arguments is none for these',
    'PermissionRequest',
    permission({ behavior: 'allow', updatedInput: { command: 'ls' } }),
    noted(
      'It permits the call only with other arguments, which PermissionRequest cannot change here; the person decides.',
    ),
  ],
  [
    'a permission for the same arguments',
    'PermissionRequest',
    permission({ behavior: 'allow', updatedInput: { command: 'ls -la' } }),
    { kind: 'allow', notes: [] },
  ],
  [
    'a permission with lasting rules',
    'PermissionRequest',
    permission({ behavior: 'allow', updatedPermissions: [] }),
    { kind: 'allow', notes: [unused('hookSpecificOutput.decision.updatedPermissions')] },
  ],
  [
    'a decision without behavior',
    'PermissionRequest',
    permission({ kind: 'deny' }),
    fault('output', 'Expected "decision" to be block, allow or ask, got {"kind":"deny"} (object).'),
  ],
  [
    'a question about a question',
    'PermissionRequest',
    inner('PermissionRequest', { permissionDecision: 'ask' }),
    abstain,
  ],
  [
    'a flat refusal, as Copilot has it',
    'PermissionRequest',
    { behavior: 'deny', reason: 'no' },
    block('no', inOtherWords('behavior', 'claude-code')),
  ],

  // Blocks elsewhere.
  ['a blocked prompt', 'UserPromptSubmit', { decision: 'block', reason: 'no' }, block('no')],
  ['a blocked compaction', 'PreCompact', { decision: 'block', reason: 'not now' }, block('not now')],
  [
    'a block after a tool is told to the model',
    'PostToolUse',
    { decision: 'block', reason: 'lint failed' },
    { ...abstain, context: 'lint failed' },
  ],
  [
    'its reason stands beside further context',
    'PostToolUse',
    { decision: 'block', reason: 'lint failed', ...inner('PostToolUse', { additionalContext: 'see log' }) },
    { ...abstain, context: 'see log\nlint failed' },
  ],
  [
    'a block after a tool without a reason',
    'PostToolUse',
    { decision: 'block' },
    noted(unbound('PostToolUse')),
  ],
  [
    'a block on SessionEnd',
    'SessionEnd',
    { decision: 'block', reason: 'stay' },
    noted(unbound('SessionEnd', 'stay')),
  ],
  [
    'a block on SubagentStart, which is a gate here but not there',
    'SubagentStart',
    { decision: 'block', reason: 'no' },
    noted(unbound('SubagentStart', 'no')),
  ],
  [
    'a block on MessageDisplay, likewise',
    'MessageDisplay',
    { decision: 'block', reason: 'no' },
    noted(unbound('MessageDisplay', 'no')),
  ],
  [
    'a question on MessageDisplay',
    'MessageDisplay',
    inner('MessageDisplay', { permissionDecision: 'ask' }),
    noted('It wanted to ask the person, but MessageDisplay cannot wait for an answer; the step went on.'),
  ],
]

test('the table is as long as it should be', () => expect(cases.length).toBeGreaterThan(100))

describe('what a Claude Code hook leaves behind', () => {
  test.each<Case>(cases)('%s (%s)', (_, event, printed, answer, given) =>
    expect(decode(event, printed, given)).toEqual(answer),
  )
})

describe('bounds', () => {
  test('a long context on Stop makes a short reason and keeps its text', () => {
    const answer = decode('Stop', inner('Stop', { additionalContext: 'x'.repeat(100_000) }))
    expect(answer.reason).toHaveLength(2000)
    expect(answer.context).toHaveLength(64_000)
  })

  test('many missing keys make few notes', () => {
    const tool_input = Object.fromEntries(
      Array.from({ length: 5000 }, (_, index) => [`${'k'.repeat(100)}${index}`, 1]),
    )
    const { notes } = decode('PreToolUse', pre({ updatedInput: {} }), { payload: { tool_input } })
    expect(notes).toHaveLength(5)
    for (const note of notes) expect(note.length).toBeLessThan(200)
  })

  test('keys that every object has are plain keys', () => {
    const updatedInput: unknown = JSON.parse(
      '{"command":"ls","constructor":1,"__proto__":{"x":1},"toString":2}',
    )
    const { rewrite } = decode('PreToolUse', JSON.stringify(pre({ updatedInput })))
    expect(Object.keys(Object(rewrite?.['tool_input']))).toEqual([
      'command',
      'constructor',
      '__proto__',
      'toString',
    ])
  })

  test('nesting too deep to walk is no answer, and exit 2 still blocks', () => {
    const deep = `{"reason":${'['.repeat(100_000)}${']'.repeat(100_000)}}`
    expect(decode('PreToolUse', deep)).toMatchObject({ kind: 'fault', fault: { kind: 'output' } })
    expect(decode('PreToolUse', deep, { exitCode: 2, stderr: 'no' })).toEqual(block('no'))
  })
})
