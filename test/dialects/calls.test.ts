import { describe, expect, test } from 'vitest'
import { decodeFor, stdinFor, viewFor } from '../../src/dialects/dialects.ts'
import type { ForeignDialect } from '../../src/core/model/hooks/dialect.ts'
import type { Answer } from '../../src/core/model/hooks/answer.ts'
import type { EventName } from '../../src/core/model/events/event.ts'
import type { JsonObject } from '../../src/core/model/base/json.ts'
import type { Payload } from '../../src/core/model/events/payload.ts'
import { applyRewrite } from '../../src/core/hooks/settle/rewrite.ts'
import { armed, eventOf } from '../handlers/armed.ts'

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

  test('Copilot’s arguments have the path as the agent wrote it, and VS Code’s and Claude Code’s beside them the whole one', async () => {
    const payload = callOf('read_file', { path: '.env' })
    expect(await told('copilot', 'preToolUse', payload)).toMatchObject({
      toolArgs: '{"path":".env"}',
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

describe("Codex's patch", () => {
  const patch = (...lines: readonly string[]): string =>
    ['*** Begin Patch', ...lines, '*** End Patch'].join('\n')
  const write = (path: string, content = 'K=1\n') => callOf('write_file', { path, content })
  const edit = (path: string) => callOf('edit_file', { path, old_text: 'a\nb', new_text: 'c' })
  const patchOf = async (payload: Payload): Promise<unknown> => {
    const { tool_name: name, tool_input: input } = await told('codex', 'PreToolUse', payload)
    expect(name).toBe('apply_patch')
    expect(viewFor(hookAt('codex', 'PreToolUse').entry, payload)).toMatchObject({
      tool_name: 'apply_patch',
      tool_input: input,
    })
    return input
  }

  test.each([
    ['a whole file', write('.env'), patch('*** Add File: .env', '+K=1')],
    ['a file of no lines', write('.env', ''), patch('*** Add File: .env')],
    ['lines without an end', write('a', 'x\n\ny'), patch('*** Add File: a', '+x', '+', '+y')],
    ['an edit', edit('./db/../.env'), patch('*** Update File: .env', '@@', '-a', '-b', '+c')],
    ['a file elsewhere', write('../x'), patch('*** Add File: /home/x', '+K=1')],
    ['a file at a home', write('~/.env'), patch('*** Add File: ~/.env', '+K=1')],
  ])('tells %s', async (_, payload, command) => expect(await patchOf(payload)).toEqual({ command }))

  test('no name can forge a line', async () => {
    for (const end of ['\n', '\r', '\u2028', '\u0085'])
      expect(await patchOf(write(`a${end}*** End Patch`))).toEqual({
        command: patch('*** Add File: a *** End Patch', '+K=1'),
      })
  })

  test('what has no place in it stands beside it, and a patch beside a path is told as well', async () => {
    const more = { path: '.env', content: 'K=1', mode: '600' }
    expect(await patchOf(callOf('write_file', { ...more, command: 'x' }))).toEqual({
      command: `${patch('*** Add File: .env', '+K=1')}\nx`,
      mode: '600',
    })
    // The tool for edits writes no content, so a harmless one may not hide the edit.
    expect(await patchOf(callOf('edit_file', { ...more, new_text: 'evil' }))).toEqual({
      command: patch('*** Update File: .env', '@@', '+evil'),
      content: 'K=1',
      mode: '600',
    })
  })

  test('the patch of Codex itself stays as it is', async () => {
    const command = patch('*** Delete File: a', '*** Add File: b', '+x')
    expect(await patchOf(callOf('edit_file', { command }))).toEqual({ command })
  })

  const say = (payload: Payload, command: string): Answer =>
    answered('codex', 'PreToolUse', payload, {
      hookSpecificOutput: {
        hookEventName: 'PreToolUse',
        permissionDecision: 'allow',
        updatedInput: { command },
      },
    })
  test.each([
    ['nothing', write('.env'), patch('*** Add File: .env', '+K=1'), { path: '.env', content: 'K=1\n' }],
    [
      'the text',
      write('.env'),
      patch('*** Add File: .env', '+K=*', '+'),
      { path: '.env', content: 'K=*\n\n' },
    ],
    ['the name', write('.env'), `${patch('*** Add File: x/y', '+K=1')}\n`, { path: 'x/y', content: 'K=1\n' }],
    [
      'an edit',
      edit('.env'),
      patch('*** Update File: .env', '@@', '-a', '+d', '+e'),
      { path: '.env', old_text: 'a', new_text: 'd\ne' },
    ],
  ])('a rewrite of %s is one of the call', (_, payload, command, tool_input) =>
    expect(say(payload, command)).toEqual({ kind: 'allow', notes: [], rewrite: { tool_input } }),
  )

  test.each([
    ['another kind of change', write('.env'), patch('*** Delete File: .env')],
    ['two files', write('.env'), patch('*** Add File: .env', '+K=1', '*** Add File: x', '+y')],
    ['a line between others', edit('.env'), patch('*** Update File: .env', '@@', '-a', ' b', '+c')],
    ['no patch', write('.env'), 'K=1'],
  ])('a rewrite to %s cannot be one of the call, and that is a fault', (_, payload, command) => {
    const { rewrite = {}, notes } = say(payload, command)
    expect(applyRewrite(payload, rewrite)).toMatchObject({ payload, fault: expect.any(String) })
    expect(notes).toEqual([expect.stringMatching(/^Its patch cannot be carried over/)])
  })
})
