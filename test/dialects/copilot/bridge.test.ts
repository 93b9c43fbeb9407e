import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { copilot, copilotClient } from '../../../src/dialects/copilot/copilot.ts'
import { nativeEvent } from '../../../src/dialects/dialects.ts'
import { contractOf } from '../../../src/core/model/events/event.ts'
import type { Ruled } from '../../../src/shared/gate/client.ts'
import type { NativeEvent } from '../../../src/shared/hooks/dialect.ts'
import { isObject, type Json, type JsonObject } from '../../../src/core/model/base/json.ts'
import { checkEvent } from '../../../src/server/fields.ts'
import { eventOf } from '../../handlers/armed.ts'

const { read: readCopilot, write: writeCopilot } = copilotClient

const named = (name: string): NativeEvent => {
  const native = nativeEvent('copilot', name)
  if (native === undefined) throw new Error(`Expected an event ${name}.`)
  return native
}

interface Captured {
  readonly ev: string
  readonly stdin: JsonObject
}

const captured = ['camel', 'pascal'].flatMap((style) =>
  readFileSync(new URL(`../../fixtures/native-stdin/copilot-1.0.102-${style}.jsonl`, import.meta.url), 'utf8')
    .trim()
    .split('\n')
    .map((line) => ({ style, ...(JSON.parse(line) as Captured) })),
)

const read = (name: string, stdin: Json) => readCopilot(named(name), stdin)
const fieldsOf = (name: string, stdin: JsonObject): JsonObject => {
  const report = read(name, { sessionId: 's', cwd: '/', ...stdin })
  if (!('event' in report)) throw new Error(JSON.stringify(report))
  return report.fields
}

const call = {
  tool_name: 'bash',
  tool_input: { command: 'touch made-by-tool; echo hello-from-tool', description: 'run' },
}

const expected: Readonly<Record<string, JsonObject>> = {
  on_session_start: { status: 'started', source: 'startup', initial_prompt: 'please publish' },
  pre_tool_call: call,
  on_permission_request: {
    ...call,
    tool_input: { command: 'touch made-by-tool; echo hello-from-tool' },
    suggestions: [],
  },
  transform_tool_result: {
    ...call,
    tool_result: 'hello-from-tool\n<shellId: 0 completed with exit code 0>',
    tool_error: false,
  },
  on_stop: { response: '', stop_hook_active: false, stop_reason: 'no_tool_calls' },
  on_session_end: { status: 'ended', reason: 'complete' },
}

describe('what a real Copilot reports', () => {
  test('there is a captured line of fifteen moments', () => expect(captured.length).toBe(15))

  test.each(captured)('$style $ev is our event, and the server takes it', ({ ev, stdin }) => {
    const report = read(ev, stdin)
    if (!('event' in report)) throw new Error(JSON.stringify(report))
    expect(report).toMatchObject({
      event: named(ev).event,
      cwd: '/home/dev/proj-copilot',
      session_id: stdin['sessionId'] ?? stdin['session_id'],
    })
    const fields = expected[report.event]
    if (fields === undefined)
      expect(report.fields).toMatchObject({
        kind: 'message',
        message: expect.stringMatching(/please publish$/),
      })
    else expect(report.fields).toEqual(fields)
    expect(() =>
      checkEvent(report.event, { ...report.fields, session_id: report.session_id, cwd: report.cwd }),
    ).not.toThrow()
  })

  test('arguments as text are read like arguments as an object', () => {
    for (const toolArgs of [
      { path: 'a', old_str: 'x', new_str: 'y' },
      '{"path":"a","old_str":"x","new_str":"y"}',
    ]) {
      expect(fieldsOf('preToolUse', { toolName: 'edit', toolArgs })).toEqual({
        tool_name: 'edit_file',
        tool_input: { path: 'a', old_text: 'x', new_text: 'y' },
      })
    }
  })

  test('a result that was denied or failed is an error', () => {
    for (const resultType of ['failure', 'denied'])
      expect(
        fieldsOf('postToolUse', {
          toolName: 'bash',
          toolArgs: {},
          toolResult: { resultType, textResultForLlm: 'no' },
        }),
      ).toMatchObject({ tool_error: true, tool_result: 'no' })
    expect(
      fieldsOf('PostToolUse', {
        tool_name: 'Bash',
        tool_input: {},
        tool_result: { result_type: 'failure', text_result_for_llm: 'no' },
      }),
    ).toMatchObject({ tool_error: true })
  })

  test('what our own encoding says is read back as what it said', () => {
    for (const native of copilot.events) {
      // VS Code's files are read, and VS Code itself is no client of the bridge.
      if (native.event === undefined || native.name.startsWith('vscode:')) continue
      const payload = eventOf(native.event)
      const report = readCopilot(native, copilot.encode(native, payload))
      if (!('event' in report)) throw new Error(`${native.name}: ${JSON.stringify(report)}`)
      const searched = contractOf(native.event).search.filter((field) => field !== 'tool_use_id')
      expect(Object.fromEntries(searched.map((field) => [field, report.fields[field]])), native.name).toEqual(
        Object.fromEntries(searched.map((field) => [field, payload[field]])),
      )
    }
  })

  test.each<[what: string, name: string, stdin: Json, wrong: string]>([
    ['no object', 'preToolUse', 'text', 'Expected one JSON object on stdin, got "text" (string).'],
    ['no session', 'preToolUse', { toolName: 'bash' }, 'Expected "sessionId" to be a name, got nothing.'],
    ['no tool', 'preToolUse', { sessionId: 's' }, 'Expected "toolName" to be a name, got nothing.'],
    [
      'arguments that are none',
      'preToolUse',
      { sessionId: 's', toolName: 'bash', toolArgs: 'rm -rf /' },
      'Expected "toolArgs" to be an object or one as JSON text, got "rm -rf /" (string).',
    ],
    [
      'a list for arguments',
      'PreToolUse',
      { session_id: 's', tool_name: 'Bash', tool_input: ['rm'] },
      'Expected "toolArgs" to be an object or one as JSON text, got ["rm"] (list).',
    ],
    [
      'another event',
      'PreToolUse',
      { session_id: 's', hook_event_name: 'Stop' },
      'Expected "hook_event_name" to be "PreToolUse", got "Stop" (string); name the same event in the bridge\'s command.',
    ],
    [
      'an event that is none here',
      'preMcpToolCall',
      { sessionId: 's' },
      'preMcpToolCall has no counterpart here: only programs that embed Copilot are asked, never a hook in a file.',
    ],
  ])('%s is refused with its reason', (_, name, stdin, wrong) => expect(read(name, stdin)).toEqual({ wrong }))
})

const write = (
  name: string,
  ruled: Partial<Ruled>,
  fields: JsonObject = {},
  asked?: JsonObject,
): JsonObject | undefined => {
  const native = named(name)
  const payload = eventOf(native.event ?? 'on_error', fields)
  return writeCopilot(
    native,
    { verdict: 'allow', isConsent: false, contexts: [], notes: [], payload, ...ruled },
    asked ?? payload,
  )
}

const refused = { verdict: 'block', reason: 'no' } as const
const edit = { tool_name: 'edit_file', tool_input: { path: 'b', old_text: 'x', new_text: 'y' } }
const before = { tool_input: { path: 'a', old_text: 'x', new_text: 'y' } }
const deny = { permissionDecision: 'deny', permissionDecisionReason: 'no' }
const theirs = { path: 'b', old_str: 'x', new_str: 'y' }
const claudes = { file_path: 'b', old_string: 'x', new_string: 'y' }

describe('what Copilot is told', () => {
  test.each<
    [
      what: string,
      name: string,
      ruled: Partial<Ruled>,
      answer: JsonObject | undefined,
      fields?: JsonObject,
      asked?: JsonObject,
    ]
  >([
    ['no opinion', 'preToolUse', {}, undefined],
    ['consent', 'preToolUse', { isConsent: true }, { permissionDecision: 'allow' }],
    ['a refusal', 'preToolUse', refused, deny],
    [
      'a refusal without a reason',
      'preToolUse',
      { verdict: 'block' },
      { permissionDecision: 'deny', permissionDecisionReason: 'blocked by hook' },
    ],
    [
      'a refusal, in both forms',
      'PreToolUse',
      refused,
      { ...deny, hookSpecificOutput: { hookEventName: 'PreToolUse', ...deny } },
    ],
    [
      'a question is a refusal',
      'preToolUse',
      { verdict: 'ask', reason: 'sure?' },
      { permissionDecision: 'deny', permissionDecisionReason: 'a person has to approve this first: sure?' },
    ],
    ['a rewrite, whole', 'preToolUse', {}, { modifiedArgs: theirs }, edit, before],
    [
      'a rewrite with consent',
      'PreToolUse',
      { isConsent: true },
      {
        permissionDecision: 'allow',
        hookSpecificOutput: {
          hookEventName: 'PreToolUse',
          permissionDecision: 'allow',
          updatedInput: claudes,
        },
      },
      edit,
      before,
    ],
    ['a refusal, not the rewrite before it', 'preToolUse', refused, deny, edit, before],
    ['context', 'preToolUse', { contexts: ['a', 'b'] }, { additionalContext: 'a\n\nb' }],
    ['a permission', 'permissionRequest', { isConsent: true }, { behavior: 'allow' }],
    ['no permission either way', 'permissionRequest', {}, undefined],
    ['a permission refused', 'PermissionRequest', refused, { behavior: 'deny', message: 'no' }],
    [
      'and the turn ended',
      'permissionRequest',
      { ...refused, stopsTurn: true },
      { behavior: 'deny', message: 'no', interrupt: true },
    ],
    [
      'a question about a permission is a refusal',
      'permissionRequest',
      { verdict: 'ask', reason: 'sure?' },
      { behavior: 'deny', message: 'a person has to approve this first: sure?' },
    ],
    ['a result as it was', 'postToolUse', {}, undefined],
    [
      'a result rewritten',
      'postToolUse',
      { contexts: ['c'] },
      { modifiedResult: { resultType: 'success', textResultForLlm: 'x' }, additionalContext: 'c' },
      { tool_result: 'x' },
      { tool_result: 'secret' },
    ],
    ['guidance after a failure', 'postToolUseFailure', { contexts: ['c'] }, { additionalContext: 'c' }],
    ['a prompt refused', 'UserPromptSubmit', refused, { decision: 'block', reason: 'no' }],
    ['context for a prompt', 'userPromptSubmitted', { contexts: ['c'] }, { additionalContext: 'c' }],
    [
      'a prompt rewritten',
      'userPromptTransformed',
      { contexts: ['c'] },
      { modifiedTransformedPrompt: 'hi\n\nc' },
      { message: 'hi' },
      { message: 'hello' },
    ],
    ['a prompt as it was', 'userPromptTransformed', {}, undefined],
    [
      'a prompt that cannot be refused is withheld',
      'userPromptTransformed',
      refused,
      { modifiedTransformedPrompt: 'This message was withheld by a hook: no' },
    ],
    ['another round', 'agentStop', { ...refused, contexts: ['c'] }, { decision: 'block', reason: 'no\n\nc' }],
    ['context alone makes no other round', 'Stop', { contexts: ['c'] }, undefined],
    ['a subagent goes on', 'subagentStop', refused, { decision: 'block', reason: 'no' }],
    [
      'a session that cannot be refused',
      'sessionStart',
      refused,
      { additionalContext: 'A hook refused this, and Copilot cannot be stopped here: no' },
    ],
    ['what nobody reads', 'sessionEnd', { contexts: ['c'] }, undefined],
    ['a compaction that cannot be refused', 'preCompact', refused, undefined],
  ])('%s (%s)', (_, name, ruled, answer, fields, asked) =>
    expect(write(name, ruled, fields, asked)).toEqual(answer),
  )

  test('without what was asked, everything is written as it settled', () => {
    const payload = eventOf('pre_tool_call', edit)
    expect(
      writeCopilot(named('preToolUse'), {
        verdict: 'allow',
        isConsent: false,
        contexts: [],
        notes: [],
        payload,
      }),
    ).toEqual({ modifiedArgs: theirs })
  })

  test('what is written there is decoded here as the same', () => {
    for (const name of [
      'preToolUse',
      'PreToolUse',
      'permissionRequest',
      'userPromptSubmitted',
      'agentStop',
      'SubagentStop',
    ]) {
      const native = named(name)
      const payload = eventOf(native.event ?? 'on_error')
      const stdout = JSON.stringify(write(name, refused))
      expect(
        copilot.decode(native, payload, { exitCode: 0, stdout, stderr: '', isTruncated: false }),
        name,
      ).toEqual({ kind: 'block', reason: 'no', notes: [] })
      expect(isObject(write(name, refused))).toBe(true)
    }
  })
})
