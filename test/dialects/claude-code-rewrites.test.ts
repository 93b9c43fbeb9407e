import { describe, expect, test } from 'vitest'
import {
  abstain,
  block,
  decode,
  inner,
  left,
  noted,
  pre,
  rewritten,
  unused,
  testEach,
  type Case,
} from './claude-code-rig.ts'

const cases: readonly Case[] = [
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
]

describe('what a Claude Code hook changes and adds', () => testEach(cases))

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
