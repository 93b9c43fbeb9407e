import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { claudeClient, claudeCode } from '../../../src/dialects/claude-code/claude-code.ts'
import { nativeEvent } from '../../../src/dialects/dialects.ts'
import type { NativeEvent } from '../../../src/shared/hooks/dialect.ts'
import { contractOf } from '../../../src/core/model/events/event.ts'
import { isObject, type JsonObject } from '../../../src/core/model/base/json.ts'
import { payloadOf, type Payload } from '../../../src/core/model/events/payload.ts'
import { syntheticPayload } from '../../../src/shared/events/synthetic.ts'

const { read: readClaude } = claudeClient
const native = (name: string): NativeEvent => nativeEvent('claude-code', name) ?? { name }
const sample = (name: string, fields: JsonObject = {}): Payload => ({
  ...syntheticPayload(native(name).event ?? 'on_error', '/project', new Date(0)),
  ...fields,
})

const encode = (name: string, fields: JsonObject = {}): JsonObject =>
  claudeCode.encode(native(name), sample(name, fields))

const read = (name: string, stdin: JsonObject) =>
  readClaude(native(name), { session_id: 's', cwd: '/project', ...stdin })

/** What Claude Code itself gave its hooks in one session. */
const captured = readFileSync(
  join(import.meta.dirname, '../../fixtures/native-stdin/claude-2.1.329.jsonl'),
  'utf8',
)
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as { ev: string; env: string[]; stdin: JsonObject })

const mapped = captured.filter(({ ev }) => native(ev).event !== undefined)

/** What hookgate does not know, and leaves out. */
const beyondUs = [
  'prompt_id',
  'effort',
  'background_tasks',
  'session_crons',
  'turn_id',
  'noOutputExpected',
  'duration_ms',
]

const shapeOf = (value: unknown): unknown =>
  isObject(value)
    ? Object.fromEntries(
        Object.entries(value)
          .filter(([key]) => !beyondUs.includes(key))
          .map(([key, inner]) => [key, shapeOf(inner)]),
      )
    : Array.isArray(value)
      ? 'list'
      : typeof value

describe('the events', () => {
  test('all 33 are there, once', () => {
    const names = claudeCode.events.map(({ name }) => name)
    expect(names).toHaveLength(33)
    expect(new Set(names).size).toBe(33)
  })

  test('one without an event of ours says why', () => {
    for (const { event, note = '' } of claudeCode.events)
      if (event === undefined) expect(note.length).toBeGreaterThan(20)
  })

  test('a gate there is one here, and a matcher is tried on a field that exists', () => {
    for (const { event, isGate, matches } of claudeCode.events) {
      if (event === undefined) continue
      if (isGate === true) expect(contractOf(event).gate).toContain('block')
      if (matches !== undefined) expect(Object.keys(contractOf(event).fields)).toContain(matches)
    }
  })

  test('no two of them stand for the same moment', () => {
    const ours = claudeCode.events.flatMap(({ event }) => event ?? [])
    expect(new Set(ours).size).toBe(ours.length)
  })
})

describe('what Claude Code sends', () => {
  test('there is a line for each event that a short session has', () =>
    expect(mapped.map(({ ev }) => ev)).toEqual([
      'SessionStart',
      'UserPromptSubmit',
      'PreToolUse',
      'PermissionRequest',
      'PostToolUse',
      'MessageDisplay',
      'Stop',
      'SessionEnd',
    ]))

  const expected: Readonly<Record<string, JsonObject>> = {
    SessionStart: { status: 'started', source: 'startup' },
    UserPromptSubmit: { message: 'please publish', kind: 'message' },
    PreToolUse: {
      tool_name: 'bash',
      tool_input: { command: 'touch made-by-tool; echo hello-from-tool', description: 'run' },
      tool_use_id: 'toolu_fake_1',
    },
    PostToolUse: {
      tool_name: 'bash',
      tool_result: 'hello-from-tool',
      tool_error: false,
      tool_use_id: 'toolu_fake_1',
    },
    MessageDisplay: { notification: 'All done: I published it.', parts: [] },
    Stop: { response: 'All done: I published it.', stop_hook_active: false },
    SessionEnd: { status: 'ended', reason: 'other' },
  }

  test.each(mapped.map((one) => [one.ev, one.stdin] as const))('%s is read', (name, stdin) => {
    const report = readClaude(native(name), stdin)
    expect(report).toMatchObject({
      event: native(name).event,
      session_id: stdin['session_id'],
      cwd: stdin['cwd'],
      fields: expected[name] ?? { tool_name: 'bash' },
    })
  })

  test.each(mapped.map((one) => [one.ev, one.stdin] as const))(
    '%s comes back with the same names and types',
    (name, stdin) => {
      const report = readClaude(native(name), stdin)
      if (!('event' in report)) throw new Error(JSON.stringify(report))
      const payload = payloadOf(
        report.event,
        {
          event_id: 'e',
          timestamp: new Date(0).toISOString(),
          session_id: report.session_id,
          agent_id: 'claude',
          cwd: report.cwd,
        },
        report.fields,
      )
      expect(shapeOf(claudeCode.encode(native(name), payload))).toEqual(shapeOf(stdin))
    },
  )

  test('the variables that its hooks find are those that hookgate sets', () => {
    const names = Object.keys(claudeCode.env(sample('Stop'), { hookDir: '/hooks', workspace: '/workspace' }))
    for (const { env } of mapped) expect(env).toEqual(expect.arrayContaining(names))
    expect(claudeCode.env(sample('Stop'), { hookDir: '/hooks', workspace: '/workspace' })).toEqual({
      CLAUDECODE: '1',
      CLAUDE_PROJECT_DIR: '/workspace',
      CLAUDE_CODE_SESSION_ID: 'synthetic',
    })
  })
})

type Encoded = [name: string, fields: JsonObject, stdin: JsonObject, absent?: readonly string[]]
const encoded: readonly Encoded[] = [
  [
    'PreToolUse',
    { tool_name: 'edit_file', tool_input: { path: 'a', old_text: '1', new_text: '2' } },
    {
      tool_name: 'Edit',
      tool_input: { file_path: '/project/a', old_string: '1', new_string: '2' },
      tool_use_id: 'call-1',
      permission_mode: 'default',
    },
  ],
  [
    'PreToolUse',
    { tool_name: 'mine', tool_input: { path: 'a' } },
    { tool_name: 'mine', tool_input: { path: 'a' } },
    ['agent_id'],
  ],
  ['PreToolUse', { parent_session_id: 'p' }, { agent_id: 'doctor' }],
  [
    'PermissionRequest',
    { suggestions: [{ type: 'setMode' }] },
    { tool_name: 'Bash', permission_suggestions: [{ type: 'setMode' }] },
    ['tool_use_id', 'suggestions'],
  ],
  [
    'PostToolUse',
    { tool_name: 'bash', tool_result: 'x' },
    { tool_response: { stdout: 'x', stderr: '', interrupted: false, isImage: false } },
    ['tool_result', 'tool_error'],
  ],
  [
    'PostToolUse',
    { tool_name: 'read_file', tool_input: { path: 'a' }, tool_result: 'x' },
    { tool_name: 'Read', tool_input: { file_path: '/project/a' }, tool_response: 'x' },
  ],
  ['PostToolUseFailure', { error: 'broke' }, { tool_name: 'Bash', error: 'broke' }],
  ['UserPromptSubmit', { message: 'hi' }, { prompt: 'hi' }, ['message']],
  ['SessionStart', { source: 'resume' }, { source: 'resume', model: 'demo' }, ['permission_mode']],
  ['SessionEnd', { reason: 'user_exit' }, { reason: 'prompt_input_exit' }],
  ['SessionEnd', { reason: 'constructor' }, { reason: 'other' }],
  [
    'Stop',
    { response: 'bye', stop_hook_active: true },
    { last_assistant_message: 'bye', stop_hook_active: true },
    ['response'],
  ],
  [
    'StopFailure',
    { error: { message: 'it broke', name: 'Error', stack: 'secret' } },
    { error: 'unknown', error_details: 'it broke' },
  ],
  ['SubagentStart', {}, { agent_id: 'helper', agent_type: 'general' }],
  [
    'SubagentStop',
    {},
    {
      agent_id: 'helper',
      agent_type: 'general',
      last_assistant_message: 'found it',
      stop_hook_active: false,
      agent_transcript_path: '',
    },
  ],
  ['PreCompact', { source: 'overflow' }, { trigger: 'auto', custom_instructions: '' }, ['source', 'summary']],
  ['PreCompact', { source: 'manual' }, { trigger: 'manual' }],
  ['PostCompact', {}, { trigger: 'auto', compact_summary: 'they said hello' }],
  ['Notification', {}, { message: 'the model is slow' }, ['level', 'notification_type']],
  [
    'MessageDisplay',
    { notification: 'hi' },
    { delta: 'hi', final: true, index: 0, message_id: 'synthetic' },
    ['permission_mode', 'notification'],
  ],
  ['PermissionDenied', { decision: 'deny', reason: 'no' }, { tool_name: 'Bash', reason: 'no' }, ['decision']],
  ['TaskCompleted', {}, { task_subject: 'published the site', task_description: 'publish the site' }],
]

describe('what a hook reads', () => {
  test.each(encoded)('%s with %j', (name, fields, stdin, absent = []) => {
    const given = encode(name, fields)
    expect(given).toMatchObject({
      session_id: 'synthetic',
      transcript_path: '',
      cwd: '/project',
      hook_event_name: name,
      ...stdin,
    })
    for (const key of [...absent, 'event', 'event_id', 'timestamp', 'attempt'])
      expect(given).not.toHaveProperty(key)
  })

  test('every event that is mapped has fields of its own', () => {
    for (const { name, event } of claudeCode.events)
      if (event !== undefined) expect(Object.keys(encode(name)).length).toBeGreaterThan(4)
  })
})

describe('what an agent of Claude Code reports', () => {
  test.each<[string, string, JsonObject, object]>([
    [
      'a prompt as a list of blocks',
      'UserPromptSubmit',
      {
        prompt: [
          { type: 'text', text: 'look' },
          { type: 'image', source: {} },
        ],
      },
      { fields: { message: 'look\n[image]' } },
    ],
    [
      'a tool of another name',
      'PreToolUse',
      { tool_name: 'Agent', tool_input: { prompt: 'x' } },
      { fields: { tool_name: 'subagent', tool_input: { task: 'x' } } },
    ],
    [
      'an MCP tool',
      'PreToolUse',
      { tool_name: 'mcp__a__Bash', tool_input: {} },
      { fields: { tool_name: 'mcp__a__Bash' } },
    ],
    [
      'a call inside a subagent',
      'PreToolUse',
      { tool_name: 'Bash', tool_input: {}, agent_id: 'a1' },
      { agent_id: 'a1' },
    ],
    [
      'a failed tool',
      'PostToolUseFailure',
      { tool_name: 'Bash', tool_input: {}, error: 'broke' },
      { event: 'on_tool_error', fields: { error: 'broke' } },
    ],
    [
      'a result as text',
      'PostToolUse',
      { tool_name: 'x', tool_input: {}, tool_response: 'y' },
      { fields: { tool_result: 'y', tool_error: false } },
    ],
    [
      'a result in another shape',
      'PostToolUse',
      { tool_name: 'x', tool_input: {}, tool_response: { a: 1 } },
      { fields: { tool_result: '{"a":1}' } },
    ],
    [
      'a subagent',
      'SubagentStop',
      { agent_id: 'a1', agent_type: 'explore', last_assistant_message: 'found' },
      { fields: { subagent_name: 'a1', subagent_type: 'explore', response: 'found' } },
    ],
    ['an end', 'SessionEnd', { reason: 'prompt_input_exit' }, { fields: { reason: 'user_exit' } }],
    [
      'a compaction',
      'PostCompact',
      { trigger: 'manual', compact_summary: 'short' },
      { fields: { source: 'manual', summary: 'short' } },
    ],
    [
      'a failure',
      'StopFailure',
      { error: 'rate_limit', error_details: '429' },
      { fields: { error: { name: 'rate_limit', message: '429' } } },
    ],
    [
      'a task',
      'TaskCompleted',
      { task_id: '1', task_subject: 'ship' },
      { event: 'on_completion_claim', fields: { summary: 'ship', goal: 'ship' } },
    ],
    [
      'a refused permission',
      'PermissionDenied',
      { tool_name: 'Bash', tool_input: {}, reason: 'no' },
      { event: 'on_permission_decision', fields: { decision: 'deny' } },
    ],
  ])('%s', (_, name, stdin, report) => expect(read(name, stdin)).toMatchObject(report))

  test.each<[string, string, JsonObject]>([
    ['an event that has no place here', 'Setup', { trigger: 'init' }],
    [
      'another event than the one it was started for',
      'PreToolUse',
      { hook_event_name: 'Stop', tool_name: 'Bash', tool_input: {} },
    ],
    ['a call without a tool', 'PreToolUse', { tool_input: {} }],
    ['a call without arguments', 'PreToolUse', { tool_name: 'Bash' }],
    ['arguments that are no object', 'PermissionRequest', { tool_name: 'Bash', tool_input: '{}' }],
    ['a prompt that is neither text nor a list', 'UserPromptSubmit', { prompt: 7 }],
    ['no session', 'Stop', { session_id: '' }],
    ['no folder', 'Stop', { cwd: 7 }],
  ])('%s cannot be read', (_, name, stdin) =>
    expect(read(name, stdin)).toEqual({ wrong: expect.stringMatching(/\.$/) }),
  )

  test('what is no object cannot be read', () => {
    for (const stdin of [null, [], 'x', 7]) expect(readClaude(native('Stop'), stdin)).toHaveProperty('wrong')
  })
})
