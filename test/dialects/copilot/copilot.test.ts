import { spawnSync } from 'node:child_process'
import { describe, expect, test } from 'vitest'
import { copilot } from '../../../src/dialects/copilot/copilot.ts'
import { decodeFor, nativeEvent, viewFor } from '../../../src/dialects/dialects.ts'
import { contractOf } from '../../../src/core/model/events/event.ts'
import type { Answer } from '../../../src/core/model/hooks/answer.ts'
import type { NativeEvent } from '../../../src/shared/hooks/dialect.ts'
import type { JsonObject } from '../../../src/core/model/base/json.ts'
import { armed, eventOf } from '../../handlers/armed.ts'
import { speaking } from '../speaking.ts'

const named = (name: string): NativeEvent => {
  const native = nativeEvent('copilot', name)
  if (native === undefined) throw new Error(`Expected an event ${name}.`)
  return native
}

const payloadFor = (native: NativeEvent, fields: JsonObject = {}) =>
  eventOf(native.event ?? 'on_error', fields)

const stdinOf = (name: string, fields: JsonObject = {}): JsonObject =>
  copilot.encode(named(name), payloadFor(named(name), fields))

const at = { sessionId: 's', timestamp: 1_893_456_000_000, cwd: '/' }
const atPascal = (name: string) => ({
  hook_event_name: name,
  session_id: 's',
  timestamp: '2030-01-01T00:00:00.000Z',
  cwd: '/',
})

const bash = { tool_name: 'bash', tool_input: { command: 'rm -rf dist' } }
const edit = { tool_name: 'edit_file', tool_input: { path: 'a', old_text: 'x', new_text: 'y' } }

type Case = readonly [name: string, fields: JsonObject, stdin: JsonObject]
const vsCodeBash = { tool_name: 'run_in_terminal', tool_input: { command: 'rm -rf dist' } }
const vsCodeEdit = {
  tool_name: 'replace_string_in_file',
  tool_input: { filePath: '/a', oldString: 'x', newString: 'y' },
}

const cases: readonly Case[] = [
  ['sessionStart', {}, { ...at, source: 'new', initialPrompt: 'hello' }],
  ['sessionStart', { source: 'resume', initial_prompt: '' }, { ...at, source: 'resume' }],
  ['sessionStart', { source: 'clear' }, { ...at, source: 'new', initialPrompt: 'hello' }],
  ['sessionEnd', {}, { ...at, reason: 'complete' }],
  ['sessionEnd', { reason: 'logout' }, { ...at, reason: 'user_exit' }],
  ['userPromptSubmitted', {}, { ...at, prompt: 'hello' }],
  ['userPromptTransformed', {}, { ...at, prompt: 'hello', transformedPrompt: 'hello' }],
  ['preToolUse', bash, { ...at, toolName: 'bash', toolArgs: '{"command":"rm -rf dist"}', ...vsCodeBash }],
  [
    'preToolUse',
    edit,
    { ...at, toolName: 'edit', toolArgs: '{"path":"a","old_str":"x","new_str":"y"}', ...vsCodeEdit },
  ],
  [
    'permissionRequest',
    bash,
    {
      hookName: 'permissionRequest',
      ...at,
      toolName: 'bash',
      toolInput: { command: 'rm -rf dist' },
      permissionSuggestions: [],
    },
  ],
  [
    'postToolUse',
    { ...bash, tool_result: 'done' },
    {
      ...at,
      toolName: 'bash',
      toolArgs: '{"command":"rm -rf dist"}',
      ...vsCodeBash,
      toolResult: { resultType: 'success', textResultForLlm: 'done' },
    },
  ],
  [
    'postToolUse',
    { ...bash, tool_result: 'no', tool_error: true },
    {
      ...at,
      toolName: 'bash',
      toolArgs: '{"command":"rm -rf dist"}',
      ...vsCodeBash,
      toolResult: { resultType: 'failure', textResultForLlm: 'no' },
    },
  ],
  [
    'postToolUseFailure',
    { ...bash, error: 'no' },
    { ...at, toolName: 'bash', toolArgs: '{"command":"rm -rf dist"}', ...vsCodeBash, error: 'no' },
  ],
  [
    'agentStop',
    {},
    { ...at, transcriptPath: '', stopReason: 'end_turn', stop_hook_active: false, response: 'Hello.' },
  ],
  [
    'subagentStart',
    {},
    {
      ...at,
      transcriptPath: '',
      agentName: 'helper',
      agentDisplayName: 'helper',
      agentDescription: 'look it up',
    },
  ],
  [
    'subagentStop',
    {},
    {
      ...at,
      transcriptPath: '',
      agentId: 'helper',
      agentType: 'general',
      agentName: 'helper',
      agentDisplayName: 'helper',
      response: 'found it',
      stopReason: 'end_turn',
    },
  ],
  [
    'errorOccurred',
    {},
    {
      ...at,
      error: { message: 'it broke', name: 'Error', stack: '' },
      errorContext: 'system',
      recoverable: false,
    },
  ],
  [
    'preCompact',
    { source: 'tool_overflow' },
    { ...at, transcriptPath: '', trigger: 'auto', customInstructions: '' },
  ],
  [
    'notification',
    {},
    { ...at, hook_event_name: 'Notification', message: 'the model is slow', notification_type: 'warning' },
  ],
  ['SessionStart', {}, { ...atPascal('SessionStart'), source: 'new', initial_prompt: 'hello' }],
  ['SessionEnd', {}, { ...atPascal('SessionEnd'), reason: 'complete' }],
  ['UserPromptSubmit', {}, { ...atPascal('UserPromptSubmit'), prompt: 'hello' }],
  [
    'PreToolUse',
    bash,
    { ...atPascal('PreToolUse'), tool_name: 'Bash', tool_input: { command: 'rm -rf dist' } },
  ],
  [
    'PreToolUse',
    edit,
    {
      ...atPascal('PreToolUse'),
      tool_name: 'Edit',
      tool_input: { file_path: '/a', filePath: '/a', old_string: 'x', new_string: 'y' },
    },
  ],
  [
    'PermissionRequest',
    bash,
    {
      hookName: 'permissionRequest',
      ...at,
      toolName: 'bash',
      toolInput: { command: 'rm -rf dist' },
      permissionSuggestions: [],
    },
  ],
  [
    'PostToolUse',
    { ...bash, tool_result: 'done' },
    {
      ...atPascal('PostToolUse'),
      tool_name: 'Bash',
      tool_input: { command: 'rm -rf dist' },
      tool_result: { result_type: 'success', text_result_for_llm: 'done' },
    },
  ],
  [
    'PostToolUseFailure',
    { ...bash, error: 'no' },
    {
      ...atPascal('PostToolUseFailure'),
      tool_name: 'Bash',
      tool_input: { command: 'rm -rf dist' },
      error: 'no',
    },
  ],
  [
    'Stop',
    { stop_hook_active: true },
    {
      ...atPascal('Stop'),
      transcript_path: '',
      stop_reason: 'end_turn',
      stop_hook_active: true,
      last_assistant_message: 'Hello.',
    },
  ],
  [
    'SubagentStop',
    {},
    {
      ...atPascal('SubagentStop'),
      transcript_path: '',
      agent_id: 'helper',
      agent_type: 'general',
      agent_name: 'helper',
      agent_display_name: 'helper',
      last_assistant_message: 'found it',
      stop_reason: 'end_turn',
    },
  ],
  [
    'PreCompact',
    { source: 'manual' },
    { ...atPascal('PreCompact'), transcript_path: '', trigger: 'manual', custom_instructions: '' },
  ],
  [
    'Notification',
    {},
    { ...at, hook_event_name: 'Notification', message: 'the model is slow', notification_type: 'warning' },
  ],
]

describe('its events', () => {
  test('each names one of ours or says why not, and only what can refuse fails closed', () => {
    for (const { name, event, note, failsClosed, matches } of copilot.events) {
      expect(event ?? note, name).toBeDefined()
      if (failsClosed) expect(event && contractOf(event).gate, name).toContain('block')
      if (matches !== undefined && event !== undefined)
        expect(Object.keys(contractOf(event).fields), name).toContain(matches)
    }
    expect(copilot.events.filter(({ failsClosed }) => failsClosed).map(({ name }) => name)).toEqual([
      'preToolUse',
      'PreToolUse',
      'vscode:PreToolUse',
    ])
    expect(new Set(copilot.events.map(({ name }) => name)).size).toBe(copilot.events.length)
  })

  test('a session that only went on after compaction is none that starts', () => {
    const hook = armed('h', {
      event: 'on_session_start',
      dialect: { name: 'copilot', event: 'sessionStart' },
    })
    expect(viewFor(hook.entry, eventOf('on_session_start', { source: 'compact' }))).toBeUndefined()
    expect(viewFor(hook.entry, eventOf('on_session_start', { source: 'resume' }))).toBeDefined()
  })
})

describe('its stdin', () => {
  test.each<Case>(cases)('%s of %j', (name, fields, stdin) => expect(stdinOf(name, fields)).toEqual(stdin))

  test("a file of VS Code hears VS Code's names alone, and is heard in them", () => {
    expect(stdinOf('vscode:PreToolUse', edit)).toEqual({
      timestamp: expect.any(String),
      cwd: '/',
      session_id: 's',
      sessionId: 's',
      hook_event_name: 'PreToolUse',
      hookEventName: 'PreToolUse',
      transcript_path: '',
      tool_use_id: expect.any(String),
      tool_name: 'replace_string_in_file',
      tool_input: { filePath: '/a', oldString: 'x', newString: 'y' },
    })
    expect(stdinOf('vscode:PostToolUse', { ...bash, tool_result: 'done' })).toMatchObject({
      tool_name: 'run_in_terminal',
      tool_response: 'done',
    })
    expect(stdinOf('vscode:Stop', {})).toMatchObject({ hook_event_name: 'Stop', stop_hook_active: false })
    const hook = armed('h', {
      event: 'pre_tool_call',
      dialect: { name: 'copilot', event: 'vscode:PreToolUse' },
    })
    const say = (specific: JsonObject) =>
      decodeFor(hook, eventOf('pre_tool_call', edit), {
        exitCode: 0,
        stdout: JSON.stringify({ hookSpecificOutput: { hookEventName: 'PreToolUse', ...specific } }),
        stderr: '',
        isTruncated: false,
      })
    expect(say({ permissionDecision: 'deny', permissionDecisionReason: 'no' })).toMatchObject({
      kind: 'block',
      reason: 'no',
      notes: [],
    })
    expect(say({ permissionDecision: 'allow', updatedInput: { filePath: 'b' } })).toMatchObject({
      kind: 'allow',
      rewrite: { tool_input: { path: 'b' } },
    })
  })

  test('what VS Code would tell stands beside it: its own names of the tool and its arguments', () => {
    expect(stdinOf('preToolUse', edit)).toMatchObject({
      tool_name: 'replace_string_in_file',
      tool_input: { filePath: '/a', oldString: 'x', newString: 'y' },
    })
    const write = { tool_name: 'write_file', tool_input: { path: 'a', content: 'x' } }
    expect(stdinOf('postToolUse', { ...write, tool_result: '' })).toMatchObject({
      tool_name: 'create_file',
      tool_input: { filePath: '/a', content: 'x' },
    })
    expect(stdinOf('PreToolUse', write)).toMatchObject({
      tool_name: 'Write',
      tool_input: { file_path: '/a', filePath: '/a' },
    })
    expect(stdinOf('preToolUse', { tool_name: 'mcp__a__b', tool_input: {} })).toMatchObject({
      tool_name: 'mcp__a__b',
      tool_input: {},
    })
  })

  test('every event that can fire has a case', () =>
    expect(
      copilot.events
        .filter(
          ({ event, name }) =>
            !name.startsWith('vscode:') && event !== undefined && !cases.some(([known]) => known === name),
        )
        .map(({ name }) => name),
    ).toEqual(['SubagentStart', 'ErrorOccurred']))

  test('no payload without its tool, and a timestamp that is none, break it', () => {
    expect(stdinOf('preToolUse', { tool_name: '__proto__', tool_input: {} })).toMatchObject({
      toolName: '__proto__',
      toolArgs: '{}',
    })
    expect(
      copilot.encode(named('sessionEnd'), { ...payloadFor(named('sessionEnd')), timestamp: 'soon' }),
    ).toMatchObject({ timestamp: 0 })
    expect(
      stdinOf('postToolUse', { ...bash, tool_result: { stdout: 'out', stderr: 'err' } })['toolResult'],
    ).toMatchObject({ textResultForLlm: 'out\nerr' })
  })

  test('its hooks find the folders of project and hook', () =>
    expect(
      copilot.env(payloadFor(named('preToolUse'), {}), {
        hookDir: '/p/.github/hooks',
        workspace: '/workspace',
      }),
    ).toEqual({
      COPILOT_CLI: '1',
      COPILOT_PROJECT_DIR: '/workspace',
      COPILOT_HOOK_DIR: '/p/.github/hooks',
      CLAUDE_PROJECT_DIR: '/workspace',
    }))
})

/** Runs a script as Copilot would, and reads what it left behind. */
const run = (name: string, script: string, fields: JsonObject): Answer => {
  const payload = payloadFor(named(name), fields)
  const { status, stdout, stderr } = spawnSync('bash', ['-c', script], {
    input: JSON.stringify(copilot.encode(named(name), payload)),
    encoding: 'utf8',
  })
  return decodeFor(speaking('copilot', named(name)), payload, {
    exitCode: status,
    stdout,
    stderr,
    isTruncated: false,
  })
}

const isJqMissing = process.env['CI'] !== 'true' && spawnSync('jq', ['--version']).status !== 0

describe.skipIf(isJqMissing)('scripts as its users write them', () => {
  const onlySource = `
    input=$(cat)
    [ "$(jq -r .toolName <<<"$input")" = edit ] || exit 0
    path=$(jq -r .toolArgs <<<"$input" | jq -r .path)
    [[ $path =~ ^(src/|test/) ]] || echo '{"permissionDecision":"deny","permissionDecisionReason":"outside"}'`
  const dangerous = `
    args=$(jq -r .toolArgs)
    if grep -qE 'rm -rf /|DROP TABLE' <<<"$args"; then echo '{"permissionDecision":"deny","permissionDecisionReason":"dangerous"}'; exit 0; fi
    echo '{"permissionDecision":"allow"}'`

  test('arguments go through jq twice', () => {
    expect(
      run('preToolUse', onlySource, {
        tool_name: 'edit_file',
        tool_input: { path: '/etc/passwd', old_text: 'a', new_text: 'b' },
      }),
    ).toEqual({ kind: 'block', reason: 'outside', notes: [] })
    expect(
      run('preToolUse', onlySource, {
        tool_name: 'edit_file',
        tool_input: { path: 'src/a.ts', old_text: 'a', new_text: 'b' },
      }),
    ).toEqual({ kind: 'abstain', notes: [] })
  })

  test('a guard denies and allows', () => {
    expect(run('preToolUse', dangerous, { tool_name: 'bash', tool_input: { command: 'rm -rf /' } })).toEqual({
      kind: 'block',
      reason: 'dangerous',
      notes: [],
    })
    expect(run('preToolUse', dangerous, { tool_name: 'bash', tool_input: { command: 'ls' } })).toEqual({
      kind: 'allow',
      notes: [],
    })
  })

  test('a deny counts although a linter printed before it', () => {
    const linted = `echo '> lint-staged'; echo '2 problems'; echo '{"permissionDecision":"deny","permissionDecisionReason":"lint"}'`
    expect(run('preToolUse', linted, edit)).toMatchObject({ kind: 'block', reason: 'lint' })
  })

  test('the timestamp is a number of milliseconds', () =>
    expect(run('sessionStart', `jq '{additionalContext: ((.timestamp / 1000) | todate)}'`, {})).toMatchObject(
      { context: '2030-01-01T00:00:00Z' },
    ))
})
