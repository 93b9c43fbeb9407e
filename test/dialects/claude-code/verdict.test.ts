import { describe, expect, test } from 'vitest'
import { writeClaude } from '../../../src/dialects/claude-code/write.ts'
import { nativeEvent } from '../../../src/dialects/dialects.ts'
import type { Ruled } from '../../../src/shared/gate/client.ts'
import type { JsonObject } from '../../../src/core/model/base/json.ts'
import { syntheticPayload } from '../../../src/shared/events/synthetic.ts'

interface Rules extends Partial<Omit<Ruled, 'payload'>> {
  /** What hooks changed. */
  readonly changed?: JsonObject
  /** What else was reported. */
  readonly asked?: JsonObject
}

const write = (
  name: string,
  { changed = {}, asked = {}, ...ruled }: Rules = {},
  isAskedKnown = true,
): JsonObject | undefined => {
  const native = nativeEvent('claude-code', name)
  if (native?.event === undefined) throw new Error(`no event ${name}`)
  const reported = { ...syntheticPayload(native.event, '/project', new Date(0)), ...asked }
  const full: Ruled = {
    verdict: 'allow',
    isConsent: false,
    contexts: [],
    notes: [],
    ...ruled,
    payload: { ...reported, ...changed },
  }
  return isAskedKnown ? writeClaude(native, full, reported) : writeClaude(native, full)
}

const inner = (hookEventName: string, fields: object): object => ({
  hookSpecificOutput: { hookEventName, ...fields },
})

const edit = { tool_name: 'edit_file', tool_input: { path: 'a', old_text: '1', new_text: '2' } }

type Case = [what: string, event: string, rules: Rules, printed: object | undefined]
const cases: readonly Case[] = [
  ['nothing to say', 'PreToolUse', {}, undefined],
  [
    'a block',
    'PreToolUse',
    { verdict: 'block', reason: 'no' },
    inner('PreToolUse', { permissionDecision: 'deny', permissionDecisionReason: 'no' }),
  ],
  [
    'a block without a reason',
    'PreToolUse',
    { verdict: 'block' },
    inner('PreToolUse', { permissionDecision: 'deny', permissionDecisionReason: 'blocked by hook' }),
  ],
  [
    'a question is a refusal',
    'PreToolUse',
    { verdict: 'ask', reason: 'sure?' },
    inner('PreToolUse', {
      permissionDecision: 'deny',
      permissionDecisionReason: 'a person has to approve this first: sure?',
    }),
  ],
  [
    'a question that stays open, without what is said again when it is asked again',
    'PreToolUse',
    { verdict: 'block', isParked: true, reason: 'later', contexts: ['a'], stopsTurn: true },
    inner('PreToolUse', { permissionDecision: 'defer', permissionDecisionReason: 'later' }),
  ],
  [
    'a question that stays open where that has no word',
    'PermissionRequest',
    { verdict: 'block', isParked: true, reason: 'later' },
    inner('PermissionRequest', { decision: { behavior: 'deny', message: 'later' } }),
  ],
  [
    'a block that ends the turn',
    'PreToolUse',
    { verdict: 'block', reason: 'no', stopsTurn: true },
    {
      continue: false,
      stopReason: 'no',
      ...inner('PreToolUse', { permissionDecision: 'deny', permissionDecisionReason: 'no' }),
    },
  ],
  [
    'a block despite a consent',
    'PreToolUse',
    { verdict: 'block', isConsent: true, reason: 'no' },
    inner('PreToolUse', { permissionDecision: 'deny', permissionDecisionReason: 'no' }),
  ],
  [
    'a block despite a rewrite',
    'PreToolUse',
    { verdict: 'block', reason: 'no', changed: { tool_input: { command: 'ls' } } },
    inner('PreToolUse', { permissionDecision: 'deny', permissionDecisionReason: 'no' }),
  ],
  ['a consent', 'PreToolUse', { isConsent: true }, inner('PreToolUse', { permissionDecision: 'allow' })],
  [
    'a rewrite, whole and by its names',
    'PreToolUse',
    { asked: edit, changed: { tool_input: { path: 'b', old_text: '1', new_text: '2' } } },
    inner('PreToolUse', { updatedInput: { file_path: 'b', old_string: '1', new_string: '2' } }),
  ],
  [
    'a rewrite with consent',
    'PreToolUse',
    { isConsent: true, asked: edit, changed: { tool_input: { path: 'b', old_text: '1', new_text: '2' } } },
    inner('PreToolUse', {
      permissionDecision: 'allow',
      updatedInput: { file_path: 'b', old_string: '1', new_string: '2' },
    }),
  ],
  ['context', 'PreToolUse', { contexts: ['a', 'b'] }, inner('PreToolUse', { additionalContext: 'a\n\nb' })],
  ['notes', 'PreToolUse', { notes: ['careful', 'slow'] }, { systemMessage: 'careful\nslow' }],
  [
    'a permission',
    'PermissionRequest',
    { isConsent: true },
    inner('PermissionRequest', { decision: { behavior: 'allow' } }),
  ],
  ['no opinion on a permission leaves it to the person', 'PermissionRequest', {}, undefined],
  [
    'a refused permission',
    'PermissionRequest',
    { verdict: 'block', reason: 'no' },
    inner('PermissionRequest', { decision: { behavior: 'deny', message: 'no' } }),
  ],
  [
    'a refused permission that ends the turn',
    'PermissionRequest',
    { verdict: 'block', reason: 'no', stopsTurn: true },
    inner('PermissionRequest', { decision: { behavior: 'deny', message: 'no', interrupt: true } }),
  ],
  [
    'a blocked prompt',
    'UserPromptSubmit',
    { verdict: 'block', reason: 'no' },
    { decision: 'block', reason: 'no' },
  ],
  [
    'a prompt with context',
    'UserPromptSubmit',
    { contexts: ['a'] },
    inner('UserPromptSubmit', { additionalContext: 'a' }),
  ],
  [
    'a rewritten prompt cannot pass as it was',
    'UserPromptSubmit',
    { changed: { message: 'hi ***' } },
    {
      decision: 'block',
      reason:
        'A hook rewrote this message, and Claude Code cannot replace one. As it would be let through: hi ***',
    },
  ],
  [
    'a rewritten result of the shell',
    'PostToolUse',
    { changed: { tool_result: '***' } },
    inner('PostToolUse', {
      updatedToolOutput: { stdout: '***', stderr: '', interrupted: false, isImage: false },
    }),
  ],
  [
    'a rewritten result of an MCP tool',
    'PostToolUse',
    { asked: { tool_name: 'mcp__a__b' }, changed: { tool_result: '***' } },
    inner('PostToolUse', { updatedToolOutput: '***' }),
  ],
  [
    'a rewritten result whose shape is not known',
    'PostToolUse',
    { asked: { tool_name: 'read_file' }, changed: { tool_result: '***' } },
    {
      systemMessage:
        "A hook rewrote the result of this tool. Claude Code takes over only a result of the tool's own shape, so it may have used the first one.",
      ...inner('PostToolUse', { updatedToolOutput: '***' }),
    },
  ],
  [
    'context beside an unchanged result',
    'PostToolUse',
    { contexts: ['a'] },
    inner('PostToolUse', { additionalContext: 'a' }),
  ],
  [
    'the end of the turn after a tool',
    'PostToolUse',
    { stopsTurn: true, reason: 'enough' },
    { continue: false, stopReason: 'enough' },
  ],
  [
    'another round',
    'Stop',
    { verdict: 'block', reason: 'tests', contexts: ['a'] },
    { decision: 'block', reason: 'tests', ...inner('Stop', { additionalContext: 'a' }) },
  ],
  ['context alone is no other round', 'Stop', { contexts: ['a'] }, undefined],
  ['stop now', 'Stop', { stopsTurn: true }, { continue: false, stopReason: 'a hook ended the turn' }],
  [
    'stop now wins over another round',
    'Stop',
    { verdict: 'block', reason: 'enough', stopsTurn: true, contexts: ['a'] },
    { continue: false, stopReason: 'enough' },
  ],
  [
    'a refused claim',
    'TaskCompleted',
    { verdict: 'block', reason: 'not done' },
    { decision: 'block', reason: 'not done' },
  ],
  ['no compaction', 'PreCompact', { verdict: 'block', reason: 'no' }, { decision: 'block', reason: 'no' }],
  [
    'context that its event has no place for',
    'PreCompact',
    { contexts: ['a'] },
    {
      systemMessage:
        'What hooks wanted the model to know was not passed on: PreCompact has no place for it in Claude Code.',
    },
  ],
  [
    'a session that may not be',
    'SessionStart',
    { verdict: 'block', reason: 'no' },
    { continue: false, stopReason: 'no' },
  ],
  ['a message as it was', 'MessageDisplay', {}, undefined],
  [
    'a rewritten message',
    'MessageDisplay',
    { changed: { notification: '***' } },
    inner('MessageDisplay', { displayContent: '***' }),
  ],
  [
    'a withheld message',
    'MessageDisplay',
    { verdict: 'block', reason: 'a key' },
    inner('MessageDisplay', { displayContent: '[withheld by a hook: a key]' }),
  ],
  ['an observer', 'SessionEnd', {}, undefined],
]

describe('what Claude Code is told', () => {
  test.each<Case>(cases)('%s (%s)', (_, event, rules, printed) =>
    expect(write(event, rules)).toEqual(printed),
  )
})

describe('without what was asked about', () => {
  test('the arguments are written as they settled, and no permission is made up', () => {
    expect(write('PreToolUse', { changed: { tool_input: { command: 'ls' } } }, false)).toEqual(
      inner('PreToolUse', { updatedInput: { command: 'ls' } }),
    )
    expect(write('PreToolUse', { isConsent: true }, false)).toEqual(
      inner('PreToolUse', { permissionDecision: 'allow', updatedInput: { command: 'ls -la' } }),
    )
  })

  test('texts are written as they settled', () => {
    expect(write('MessageDisplay', { changed: { notification: '***' } }, false)).toEqual(
      inner('MessageDisplay', { displayContent: '***' }),
    )
    expect(
      write('PostToolUse', { asked: { tool_name: 'read_file' }, changed: { tool_result: '***' } }, false),
    ).toEqual(inner('PostToolUse', { updatedToolOutput: '***' }))
  })
})

test('nothing is ever said that Claude Code does not know', () => {
  const known = ['continue', 'stopReason', 'decision', 'reason', 'systemMessage', 'hookSpecificOutput']
  for (const [, event, rules] of cases) {
    for (const key of Object.keys(write(event, rules) ?? {})) expect(known).toContain(key)
  }
})
