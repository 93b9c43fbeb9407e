import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { fromNative, inputFromNative, toNative, TOOLS, type ToolNaming } from '../../src/dialects/tools.ts'
import { CLIENT_NAMES } from '../../src/shared/gate/client.ts'
import { FOREIGN_DIALECTS, type ForeignDialect } from '../../src/core/model/hooks/dialect.ts'
import { isObject, type Json, type JsonObject } from '../../src/core/model/base/json.ts'
import { tries } from '../tries.ts'

/** Our agent's tools with arguments that they take. */
const ours: readonly { readonly name: string; readonly input: JsonObject }[] = [
  { name: 'bash', input: { command: 'rm -rf dist' } },
  { name: 'read_file', input: { path: 'src/a.ts' } },
  { name: 'write_file', input: { path: 'src/a.ts', content: 'x' } },
  { name: 'edit_file', input: { path: 'src/a.ts', old_text: 'x', new_text: 'y' } },
  { name: 'subagent', input: { agent: 'helper', task: 'look it up' } },
  { name: 'fetch', input: { url: 'https://example.com' } },
  { name: 'grep', input: { pattern: 'x', path: '.' } },
  { name: 'glob', input: { pattern: '**/*.ts' } },
  { name: 'ask_user', input: { question: 'Which?' } },
]

const nativeOf = (dialect: ForeignDialect, name: string) =>
  TOOLS.find((tool) => tool.ours === name)?.names[dialect === 'kimi-cli' ? 'agent-hooks' : dialect]
const every = FOREIGN_DIALECTS.flatMap((dialect) => ours.map((call) => ({ dialect, ...call }))).filter(
  // A tool that is told under the name of a similar one comes back as that one.
  ({ dialect, name }) =>
    nativeOf(dialect, name) !== undefined || toNative(dialect, { name, input: {} }).name === name,
)
const inputTo = (dialect: ForeignDialect, name: string, input: JsonObject): JsonObject => {
  const told = toNative(dialect, { name, input }).input
  if (!isObject(told)) throw new Error('Expected arguments to stay an object.')
  return told
}

/** Every name that some system gives an argument, and names that a program may stumble over. */
const names = [
  ...new Set(
    TOOLS.flatMap(({ names: of }) =>
      Object.values(of).flatMap(({ keys = {}, nest, fill = {} }) => [
        ...Object.entries(keys).flat(),
        ...Object.entries(nest?.names ?? {}).flat(),
        ...(nest === undefined ? [] : [nest.key]),
        ...Object.keys(fill),
      ]),
    ),
  ),
]
const hostile = ['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'valueOf', '']
const key = fc.oneof(fc.constantFrom(...names, ...hostile), fc.string())
const value = fc.oneof(
  fc.string(),
  fc.constantFrom('.', null, true, 0),
  fc.jsonValue().map((json) => json as Json),
)
/** Own keys only, `__proto__` among them. */
const strangers = fc
  .array(fc.tuple(key, value), { maxLength: 8 })
  .map((entries): JsonObject => Object.fromEntries(entries))

describe('the table', () => {
  test('each class has a name of ours and one in each system, and no two classes share one', () => {
    expect(new Set(TOOLS.map((tool) => tool.ours)).size).toBe(TOOLS.length)
    for (const dialect of FOREIGN_DIALECTS) {
      const all = TOOLS.flatMap(({ names: of }) => [of[dialect]?.name ?? [], of[dialect]?.also ?? []].flat())
      expect(new Set(all).size, dialect).toBe(all.length)
    }
  })

  test.each<[ForeignDialect, string, JsonObject, string, JsonObject]>([
    ['claude-code', 'bash', { command: 'ls' }, 'Bash', { command: 'ls' }],
    ['claude-code', 'read_file', { path: 'a' }, 'Read', { file_path: 'a' }],
    ['claude-code', 'write_file', { path: 'a', content: 'x' }, 'Write', { file_path: 'a', content: 'x' }],
    [
      'claude-code',
      'edit_file',
      { path: 'a', old_text: 'x', new_text: 'y' },
      'Edit',
      { file_path: 'a', old_string: 'x', new_string: 'y' },
    ],
    ['claude-code', 'subagent', { agent: 'h', task: 't' }, 'Agent', { agent: 'h', prompt: 't' }],
    ['docker-agent', 'bash', { command: 'ls' }, 'shell', { cmd: 'ls', cwd: '.' }],
    ['docker-agent', 'bash', { command: 'ls', cwd: '/x' }, 'shell', { cmd: 'ls', cwd: '/x' }],
    [
      'docker-agent',
      'edit_file',
      { path: 'a', old_text: 'x', new_text: 'y' },
      'edit_file',
      { path: 'a', edits: [{ oldText: 'x', newText: 'y' }] },
    ],
    ['agent-hooks', 'bash', { command: 'ls' }, 'Shell', { command: 'ls' }],
    ['agent-hooks', 'write_file', { path: 'a', content: 'x' }, 'WriteFile', { path: 'a', content: 'x' }],
    [
      'agent-hooks',
      'edit_file',
      { path: 'a', old_text: 'x', new_text: 'y' },
      'StrReplaceFile',
      { path: 'a', edit: { old: 'x', new: 'y' } },
    ],
    ['copilot', 'bash', { command: 'ls' }, 'bash', { command: 'ls' }],
    [
      'copilot',
      'bash_input',
      { command: 'rm -rf ~', sessionId: '1' },
      'write_bash',
      { input: 'rm -rf ~', sessionId: '1' },
    ],
    [
      'codex',
      'bash_input',
      { command: 'rm -rf ~', session_id: 1 },
      'write_stdin',
      { chars: 'rm -rf ~', session_id: 1 },
    ],
    // A system that cannot type into a running shell knows such a call as a command.
    [
      'claude-code',
      'bash_input',
      { command: 'rm -rf ~', session_id: 1 },
      'Bash',
      { command: 'rm -rf ~', session_id: 1 },
    ],
    ['docker-agent', 'bash_input', { command: 'ls' }, 'shell', { cmd: 'ls', cwd: '.' }],
    ['copilot', 'read_file', { path: 'a' }, 'view', { path: 'a' }],
    ['copilot', 'write_file', { path: 'a', content: 'x' }, 'create', { path: 'a', file_text: 'x' }],
    [
      'copilot',
      'edit_file',
      { path: 'a', old_text: 'x', new_text: 'y' },
      'edit',
      { path: 'a', old_str: 'x', new_str: 'y' },
    ],
  ])('%s calls %s %j the tool %s', (dialect, name, input, theirs, told) =>
    expect(toNative(dialect, { name, input })).toEqual({ name: theirs, input: told }),
  )

  test.each<[ForeignDialect, string, string]>([
    ['claude-code', 'Task', 'subagent'],
    ['claude-code', 'Agent', 'subagent'],
    ['copilot', 'rg', 'grep'],
    ['copilot', 'powershell', 'bash'],
    ['copilot', 'write_bash', 'bash_input'],
    ['codex', 'write_stdin', 'bash_input'],
    ['copilot', 'str_replace_editor', 'edit_file'],
    ['agent-hooks', 'Agent', 'subagent'],
  ])('%s: %s is our %s', (dialect, theirs, name) =>
    expect(fromNative(dialect, { name: theirs, input: {} }).name).toBe(name),
  )

  test.each(FOREIGN_DIALECTS)('%s: tools that nobody here knows keep name and arguments', (dialect) => {
    for (const name of [
      'mcp__github__create_issue',
      'MCP:edit',
      'mcp:view',
      'github-create_issue',
      'constructor',
      '__proto__',
      '',
      'NotebookEdit',
    ]) {
      const call = { name, input: { path: 'a', cmd: 'b' } }
      expect(toNative(dialect, call)).toEqual(call)
      expect(fromNative(dialect, call)).toEqual(call)
    }
  })

  test.each(FOREIGN_DIALECTS)('%s: arguments that are no object stay what they are', (dialect) => {
    for (const input of ['ls', null, 7, ['ls']]) {
      expect(toNative(dialect, { name: 'bash', input }).input).toEqual(input)
      expect(fromNative(dialect, { name: nativeOf(dialect, 'bash')?.name ?? '', input }).input).toEqual(input)
    }
  })
})

describe.each(every)('$dialect: our $name', ({ dialect, name, input }) => {
  test('there and back it is the same call', () => {
    expect(fromNative(dialect, toNative(dialect, { name, input: { ...input, cwd: '/w' } }))).toEqual({
      name,
      input: { ...input, cwd: '/w' },
    })
    expect(inputFromNative(dialect, name, inputTo(dialect, name, input))).toEqual(input)
  })

  test('so it is whatever else the call holds, both names at once and __proto__ included', () => {
    fc.assert(
      fc.property(strangers, (more) => {
        const call = Object.fromEntries([...Object.entries(more), ...Object.entries(input)])
        expect(inputFromNative(dialect, name, inputTo(dialect, name, call), call)).toStrictEqual(call)
      }),
      { numRuns: tries(300) },
    )
  })

  test('what our tool reads is what their hooks read, whatever else the call holds', () => {
    const { keys = {}, nest } = nativeOf(dialect, name) ?? { name }
    fc.assert(
      fc.property(strangers, (more) => {
        const call = Object.fromEntries([...Object.entries(more), ...Object.entries(input)])
        const told = inputTo(dialect, name, call)
        const inner = nest === undefined ? undefined : [told[nest.key]].flat()[0]
        for (const [mine, said] of Object.entries(input)) {
          const nested = nest?.names[mine]
          expect(
            nested === undefined
              ? told[keys[mine] ?? mine]
              : isObject(inner ?? null) && (inner as JsonObject)[nested],
          ).toEqual(said)
        }
      }),
      { numRuns: tries(300) },
    )
  })

  test('each argument alone comes back as that argument: a rewrite may hold one of them', () => {
    for (const [mine, said] of Object.entries(input))
      expect(inputFromNative(dialect, name, inputTo(dialect, name, { [mine]: said }))).toEqual({
        [mine]: said,
      })
  })
})

describe('an agent of another system behind the gate', () => {
  test.each(['claude-code', 'copilot', 'codex', 'gemini', 'kimi', 'cursor', 'opencode'] as const)(
    '%s: its arguments come back to it as they were',
    (client) => {
      for (const { names: of } of TOOLS) {
        const { name } = of[client] ?? {}
        if (name === undefined) continue
        fc.assert(
          fc.property(strangers, (input) => {
            const there = fromNative(client, { name, input })
            expect(toNative(client, there)).toStrictEqual({ name, input })
          }),
          { numRuns: tries(100) },
        )
      }
    },
  )

  test.each<[ToolNaming, string, JsonObject, string, JsonObject]>([
    ['codex', 'Bash', { command: 'ls' }, 'bash', { command: 'ls' }],
    ['codex', 'apply_patch', { command: '*** Begin Patch' }, 'edit_file', { command: '*** Begin Patch' }],
    ['gemini', 'run_shell_command', { command: 'ls' }, 'bash', { command: 'ls' }],
    [
      'gemini',
      'replace',
      { file_path: 'a', old_string: 'x', new_string: 'y' },
      'edit_file',
      { path: 'a', old_text: 'x', new_text: 'y' },
    ],
    [
      'kimi',
      'Edit',
      { path: 'a', old_string: 'x', new_string: 'y' },
      'edit_file',
      { path: 'a', old_text: 'x', new_text: 'y' },
    ],
    ['cursor', 'Shell', { command: 'ls' }, 'bash', { command: 'ls' }],
    ['cursor', 'MCP:bash', { command: 'ls' }, 'MCP:bash', { command: 'ls' }],
    ['opencode', 'write', { filePath: 'a', content: 'x' }, 'write_file', { path: 'a', content: 'x' }],
    ['kimi', 'SomethingNew', { a: 1 }, 'SomethingNew', { a: 1 }],
  ])('%s: %s %j is our %s', (client, name, input, ours, ourInput) =>
    expect(fromNative(client, { name, input })).toEqual({ name: ours, input: ourInput }),
  )

  test('no client calls two of our tools by one name', () => {
    for (const client of CLIENT_NAMES) {
      const all = TOOLS.flatMap(({ names: of }) => [of[client]?.name ?? [], of[client]?.also ?? []].flat())
      expect(new Set(all).size, client).toBe(all.length)
    }
  })

  test('what cannot be said by our names stays as it is', () => {
    const kept = (dialect: ForeignDialect, theirs: string, input: JsonObject): void => {
      const there = fromNative(dialect, { name: theirs, input })
      expect(there).toEqual({ name: 'edit_file', input })
      expect(toNative(dialect, there).input).toEqual(input)
    }
    kept('docker-agent', 'edit_file', {
      path: 'a',
      edits: [
        { oldText: 'a', newText: 'b' },
        { oldText: 'c', newText: 'd' },
      ],
    })
    kept('docker-agent', 'edit_file', { path: 'a', edits: [] })
    kept('docker-agent', 'edit_file', { path: 'a', edits: 'all' })
    kept('agent-hooks', 'StrReplaceFile', {
      path: 'a',
      edit: [
        { old: 'a', new: 'b' },
        { old: 'c', new: 'd' },
      ],
    })
  })

  test('a second path inside an edit does not take the place of the path that is edited', () => {
    const input = { path: '/etc/shadow', edits: [{ oldText: 'a', newText: 'b', path: 'src/a.ts' }] }
    expect(fromNative('docker-agent', { name: 'edit_file', input }).input).toEqual(input)
  })

  test('its own folder is its own, and a rewrite of it is one', () => {
    expect(fromNative('docker-agent', { name: 'shell', input: { cmd: 'ls', cwd: '.' } }).input).toEqual({
      command: 'ls',
      cwd: '.',
    })
    expect(inputFromNative('docker-agent', 'bash', { cwd: '.' }, { command: 'ls', cwd: '/etc' })).toEqual({
      cwd: '.',
    })
    expect(inputFromNative('docker-agent', 'bash', { cwd: '.' }, { command: 'ls' })).toEqual({})
  })
})
