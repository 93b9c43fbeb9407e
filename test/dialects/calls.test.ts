import { describe, expect, test } from 'vitest'
import { decodeFor, stdinFor, viewFor } from '../../src/dialects/dialects.ts'
import type { ForeignDialect } from '../../src/model/hooks/dialect.ts'
import type { Answer } from '../../src/model/hooks/answer.ts'
import type { EventName } from '../../src/model/events/event.ts'
import type { JsonObject } from '../../src/model/base/json.ts'
import type { Payload } from '../../src/model/events/payload.ts'
import { armed, eventOf } from '../hooks/armed.ts'

/** What a hook of another system is told of a call, and what becomes of its answer. */

const hookAt = (name: ForeignDialect, native: string, event: EventName = 'pre_tool_call') =>
  armed('hook', { event, dialect: { name, event: native } })
const callOf = (tool_name: string, tool_input: JsonObject, cwd = '/home/dev'): Payload => ({
  ...eventOf('pre_tool_call', { tool_name, tool_input }),
  cwd,
})
const told = async (
  dialect: ForeignDialect,
  native: string,
  payload: Payload,
  event: EventName = 'pre_tool_call',
): Promise<JsonObject> =>
  JSON.parse(await stdinFor(hookAt(dialect, native, event), { ...payload, event })) as JsonObject
const answered = (dialect: ForeignDialect, native: string, payload: Payload, answer: JsonObject): Answer =>
  decodeFor(hookAt(dialect, native), payload, {
    exitCode: 0,
    stdout: JSON.stringify(answer),
    stderr: '',
    isTruncated: false,
  })

describe('the path of a file', () => {
  const before: readonly (readonly [ForeignDialect, string])[] = [
    ['claude-code', 'PreToolUse'],
    ['factory', 'PreToolUse'],
    ['gemini', 'BeforeTool'],
    ['cursor', 'preToolUse'],
    ['copilot', 'PreToolUse'],
  ]
  const files: readonly (readonly [string, JsonObject])[] = [
    ['read_file', {}],
    ['write_file', { content: 'K=1' }],
    ['edit_file', { old_text: 'a', new_text: 'b' }],
  ]

  test.each(
    before.flatMap(([dialect, native]) => files.map(([tool, rest]) => ({ dialect, native, tool, rest }))),
  )(
    '$dialect $native is told the whole path by $tool, and so is its matcher',
    async ({ dialect, native, tool, rest }) => {
      for (const [path, full] of [
        ['.env', '/home/dev/.env'],
        ['db/../.env', '/home/dev/.env'],
        ['./migrations/1.sql', '/home/dev/migrations/1.sql'],
        ['/etc/x/../passwd', '/etc/passwd'],
        // Nobody here knows whose home it is, so it stays. What leaves it is below the folder of the call.
        ['~/.ssh/id', '~/.ssh/id'],
        ['~/../.env', '/home/dev/.env'],
      ]) {
        const payload = callOf(tool, { path: path ?? '', ...rest })
        expect(await told(dialect, native, payload)).toMatchObject({ tool_input: { file_path: full } })
        const view = viewFor(hookAt(dialect, native).entry, payload)?.['tool_input']
        expect(Object.values(view as JsonObject)).toContain(full)
      }
    },
  )

  test('Copilot, and VS Code beside it, are told the whole path by their own names', async () => {
    const payload = callOf('read_file', { path: '.env' })
    expect(await told('copilot', 'preToolUse', payload)).toMatchObject({
      toolArgs: '{"path":"/home/dev/.env"}',
      tool_input: { filePath: '/home/dev/.env' },
    })
    expect(await told('copilot', 'PreToolUse', payload)).toMatchObject({
      tool_input: { file_path: '/home/dev/.env', filePath: '/home/dev/.env' },
    })
    expect(await told('copilot', 'vscode:PreToolUse', payload)).toMatchObject({
      tool_input: { filePath: '/home/dev/.env' },
    })
  })

  test("Cursor's events about files are told it", async () => {
    const read = callOf('read_file', { path: '.env' })
    const edit = callOf('edit_file', { path: '.env', old_text: 'a', new_text: 'b' })
    expect(await told('cursor', 'beforeReadFile', read)).toMatchObject({ file_path: '/home/dev/.env' })
    expect(await told('cursor', 'afterFileEdit', edit, 'post_tool_call')).toMatchObject({
      file_path: '/home/dev/.env',
      edits: [{ old_string: 'a', new_string: 'b' }],
    })
  })

  test('Cursor has no tool of its own for an edit, and tells it as Write', async () => {
    const edit = callOf('edit_file', { path: '.env', old_text: 'a', new_text: 'b' })
    expect(await told('cursor', 'preToolUse', edit)).toMatchObject({ tool_name: 'Write' })
  })

  test.each<[ForeignDialect, string]>([
    ['docker-agent', 'pre_tool_use'],
    ['agent-hooks', 'pre-tool-call'],
    ['kimi', 'PreToolUse'],
  ])('%s tells paths as the model wrote them, as at home', async (dialect, native) =>
    expect(await told(dialect, native, callOf('read_file', { path: 'a/b' }))).toMatchObject({
      tool_input: { path: 'a/b' },
    }),
  )

  test('it stays as it is where no folder is known, and where it is no text', async () => {
    for (const [path, cwd] of [
      ['.env', ''],
      ['.env', 'w'],
      [7, '/home/dev'],
      [['a'], '/home/dev'],
    ] as const)
      expect(await told('claude-code', 'PreToolUse', callOf('read_file', { path }, cwd))).toMatchObject({
        tool_input: { file_path: path },
      })
  })

  test.each<[ForeignDialect, string, (input: JsonObject) => JsonObject]>([
    [
      'claude-code',
      'PreToolUse',
      (updatedInput) => ({ hookSpecificOutput: { hookEventName: 'PreToolUse', updatedInput } }),
    ],
    [
      'gemini',
      'BeforeTool',
      (tool_input) => ({ hookSpecificOutput: { hookEventName: 'BeforeTool', tool_input } }),
    ],
    ['cursor', 'preToolUse', (updated_input) => ({ updated_input })],
    ['copilot', 'PreToolUse', (modifiedArgs) => ({ modifiedArgs })],
  ])("in an answer of %s the path that was sent is the call's own", (dialect, native, say) => {
    const payload = callOf('write_file', { path: '.env', content: 'x' })
    const rewritten = (file_path: string) =>
      answered(dialect, native, payload, say({ file_path, content: 'y' })).rewrite
    expect(rewritten('/home/dev/.env')).toEqual({ tool_input: { path: '.env', content: 'y' } })
    expect(rewritten('/home/dev/.env.example')).toEqual({
      tool_input: { path: '/home/dev/.env.example', content: 'y' },
    })
  })
})
