import { split } from 'shlex'
import { describe, expect, test } from 'vitest'
import { compilePattern } from '../../../../src/core/model/base/pattern.ts'
import { readClaudeSettings } from '../../../../src/proposals/sources/foreign/claude-settings.ts'
import type { Source } from '../../../../src/proposals/sources/source.ts'
import type { Json, JsonObject } from '../../../../src/core/model/base/json.ts'
import { entriesOf, filePorts, problemOf, remarksOf, shownRows } from '../ports.ts'

const read = (text: string): Source =>
  readClaudeSettings('settings.json', filePorts({ 'settings.json': text }))

const settings = (hooks: Json, rest: JsonObject = {}): Source => read(JSON.stringify({ ...rest, hooks }))
const whole = (text: string): string => problemOf(read(text))
/** One handler, on an event without a false friend. */
const one = (handler: Json, event = 'PreToolUse', matcher?: Json): Source =>
  settings({ [event]: [{ ...(matcher === undefined ? {} : { matcher }), hooks: [handler] }] })

const command = { type: 'command', command: './a.sh' }

test('a settings file as people have it', () => {
  const source = settings(
    {
      PreToolUse: [
        {
          matcher: 'Bash|Write',
          hooks: [
            {
              type: 'command',
              command: '"$CLAUDE_PROJECT_DIR"/.claude/guard.sh',
              timeout: 30,
              onFailure: 'block',
              statusMessage: 'asking',
            },
          ],
        },
      ],
      SessionStart: [
        {
          matcher: 'startup|resume',
          hooks: [{ type: 'command', command: 'cat RULES.md', shell: 'bash', async: true }],
        },
      ],
      Stop: [{ hooks: [command] }],
    },
    { permissions: { allow: ['Bash'] }, model: 'opus' },
  )
  expect(entriesOf(source)).toMatchObject([
    {
      event: 'pre_tool_call',
      dialect: { name: 'claude-code', event: 'PreToolUse' },
      type: 'command',
      command: '"$CLAUDE_PROJECT_DIR"/.claude/guard.sh',
      shell: 'sh',
      matcher: { tool: '^(?:Bash|Write)$' },
      timeoutMs: 30_000,
      onError: 'block',
      origin: 'settings.json',
    },
    {
      event: 'on_session_start',
      shell: 'bash',
      isAsync: true,
      matcher: { pattern: '^(?:startup|resume)$', field: 'source' },
      timeoutMs: 600_000,
    },
    { event: 'on_stop', command: './a.sh' },
  ])
  expect(remarksOf(source)).toEqual([])
})

describe('handlers', () => {
  test.each<[string, JsonObject, JsonObject]>([
    [
      'words that no shell reads',
      { type: 'command', command: './my guard.sh', args: ['a b', '|', '${CLAUDE_PROJECT_DIR}/x', '$HOME'] },
      { command: "'./my guard.sh'", args: ['a b', '|', './x', '$HOME'] },
    ],
    [
      'an address',
      { type: 'http', url: 'https://x.example/h' },
      { type: 'http', command: 'https://x.example/h' },
    ],
    [
      'a prompt',
      { type: 'prompt', prompt: 'Is it safe?', model: 'haiku' },
      { type: 'llm', command: 'Is it safe?', model: 'haiku', timeoutMs: 30_000 },
    ],
    [
      'a prompt with its own time',
      { type: 'prompt', prompt: 'Is it safe?', timeout: 5 },
      { timeoutMs: 5000 },
    ],
    ['one that may fail', { ...command, onFailure: 'continue' }, { onError: 'warn' }],
  ])('%s', (_, handler, entry) => expect(entriesOf(one(handler))).toMatchObject([entry]))

  test('a hook without a veto gets none by its option for failures', () => {
    const closed = (event: string): Source => one({ ...command, onFailure: 'block' }, event)
    expect(entriesOf(closed('SessionStart'))).toMatchObject([{ onError: 'warn' }])
    expect(remarksOf(closed('SessionStart'))).toContain(
      'A fault of this hook cannot block SessionStart, so it goes on.',
    )
    expect(entriesOf(closed('UserPromptSubmit'))).toMatchObject([{ onError: 'block' }])
  })

  test('words have no shell, and split into what they were', () => {
    const [entry] = entriesOf(one({ type: 'command', command: "./it's here.sh", args: [] }))
    expect(entry?.shell).toBeUndefined()
    expect(split(entry?.command ?? '')).toEqual(["./it's here.sh"])
  })

  test('a header keeps the variables that the handler lists, and no other', () => {
    const source = one({
      type: 'http',
      url: 'https://x.example',
      headers: { Authorization: 'Bearer ${TOKEN}', 'X-A': '$SECRET-$TOKEN-$5' },
      allowedEnvVars: ['TOKEN'],
    })
    expect(entriesOf(source)[0]?.headers).toEqual({ Authorization: 'Bearer ${TOKEN}', 'X-A': '-$TOKEN-$5' })
    expect(remarksOf(source)).toEqual([
      'Its headers use TOKEN, which gate.yaml must list.',
      'Its headers use SECRET, which its "allowedEnvVars" does not list, so the value is left empty.',
    ])
  })

  test.each<[Json, string]>([
    [{ type: 'agent', prompt: 'Look' }, 'a hook of type agent needs an agent of its own'],
    [
      { type: 'mcp_tool', server: 's', tool: 't', input: {} },
      'a hook of type mcp_tool needs a connection to its MCP server',
    ],
    [{ ...command, shell: 'powershell' }, 'its shell "powershell" (string) is not supported here'],
    [{ command: './a.sh' }, 'it has no "type"'],
    [
      { type: 'script', command: 'x' },
      'Expected its "type" to be command or http or prompt or agent or mcp_tool, got "script" (string).',
    ],
    [{ type: 'command' }, 'it has no command'],
    [{ ...command, timeout: '30' }, 'Expected its "timeout" to be a number, got "30" (string).'],
    [
      { ...command, onFailure: 'deny' },
      'Expected its "onFailure" to be block or continue, got "deny" (string).',
    ],
    [{ ...command, args: 'x' }, 'Expected its "args" to be a list of texts, got "x" (string).'],
    [{ type: 'http', url: 'file:///etc/passwd' }, 'it begins with "file:" (string)'],
    [
      { type: 'http', url: 'https://x.example', headers: { 'A\nB': 'c' } },
      'it has more than 32 headers, or one cannot be sent',
    ],
    ['./a.sh', 'Expected a hook with type and command, got "./a.sh" (string).'],
  ])('%j is listed with why it does not run', (handler, why) => {
    const [row, ...rest] = shownRows(one(handler))
    expect(row).toContain(why)
    expect(row).toContain(' settings.json:1: ')
    expect(rest).toEqual([])
  })

  test.each<[JsonObject, string]>([
    [
      { ...command, if: 'Edit(*.py)|Write(*.py)' },
      'Its condition "Edit(*.py)|Write(*.py)" is not one permission rule, so the hook is asked each time.',
    ],
    [
      { ...command, if: 'Skill(commit)' },
      'Only the tool of its condition "Skill(commit)" counts: the part in brackets is not supported for Skill.',
    ],
    [{ ...command, once: true }, '"once" has no effect. The hook is asked each time.'],
    [{ ...command, asyncRewake: true }, 'It does not wake an agent, so a late answer is not used.'],
    [
      { type: 'prompt', prompt: 'Judge $ARGUMENTS' },
      'When it refuses, the agent gets the reason and continues. In Claude Code the turn may end.',
    ],
    [{ ...command, retries: 3 }, 'Unknown options without effect: "retries".'],
    [
      { ...command, timeout: 86_400 },
      'Its timeout of 86400 s is outside 0.001 s to 600 s, so it gets 600 s.',
    ],
  ])('%j: what differs is said', (handler, remark) => expect(remarksOf(one(handler))).toEqual([remark]))
})

test('a judge that wants the agent to go on runs as it is', () => {
  expect(remarksOf(one({ type: 'prompt', prompt: 'Judge $ARGUMENTS', continueOnBlock: true }))).toEqual([])
})

test('an `if` is part of the entry; where there is no tool it never holds, and the hook is listed as one that never runs', () => {
  expect(entriesOf(one({ ...command, if: 'Bash(rm *)' }))).toMatchObject([{ condition: 'Bash(rm *)' }])
  expect(remarksOf(one({ ...command, if: 'Bash(rm *)' }))).toEqual([])
  expect(entriesOf(one({ ...command, if: ' ' }))[0]?.condition).toBeUndefined()
  expect(shownRows(one({ ...command, if: 'Bash(rm *)' }, 'Stop'))[0]).toContain(
    'its "if" is about tools and Stop is not',
  )
  expect(shownRows(one({ ...command, if: `Bash(${'x'.repeat(500)})` }))[0]).toContain(
    'its condition is longer than 500 characters',
  )
})

describe('a matcher', () => {
  const toolOf = (matcher: Json): string | undefined =>
    entriesOf(one(command, 'PreToolUse', matcher))[0]?.matcher?.tool
  test.each<[Json, string | undefined]>([
    ['*', undefined],
    ['', undefined],
    [null, undefined],
    ['Bash', '^(?:Bash)$'],
    ['Edit|Write', '^(?:Edit|Write)$'],
    ['Edit, Write', '^(?:Edit|Write)$'],
    ['my-tool', '^(?:my-tool)$'],
    ['mcp__.*', 'mcp__.*'],
    ['Notebook.*', 'Notebook.*'],
    ['^Bash$', '^Bash$'],
    ['Agent', '^(?:Agent|Task)$'],
    ['Task|Bash', '^(?:Task|Agent|Bash)$'],
  ])('%j is %j', (matcher, tool) => expect(toolOf(matcher)).toBe(tool))
  test('of plain characters is a list of whole names; any other is searched', () => {
    const matches = (matcher: string, name: string): boolean => {
      const pattern = compilePattern(toolOf(matcher) ?? '')
      return 'test' in pattern && pattern.test(name)
    }
    expect([matches('Bash', 'BashOutput'), matches('Bash', 'Bash'), matches('Bas.', 'BashOutput')]).toEqual([
      false,
      true,
      true,
    ])
  })
  test('on an event that takes none is dropped, and that is said', () => {
    const source = one(command, 'UserPromptSubmit', 'x')
    expect(entriesOf(source)[0]?.matcher).toBeUndefined()
    expect(remarksOf(source)).toContain('UserPromptSubmit takes no matcher, so the hook is asked each time.')
  })
  test.each<[Json, string]>([
    ['(', 'missing closing )'],
    ['(?<!x', 'Unterminated'],
    [5, 'Expected its "matcher" to be text, got 5 (number).'],
    [['Bash'], 'to be text, got ["Bash"] (list).'],
    ['a.'.repeat(1000), 'at most 1000 are allowed'],
  ])('%# that cannot be read is told', (matcher, why) => {
    expect(shownRows(one(command, 'PreToolUse', matcher))).toEqual([expect.stringContaining(why)])
  })
})

describe('what is no hook hides none', () => {
  test('an event, a group, a list', () => {
    const source = read(
      '{\n"hooks": {\n"PreToolUs": [{"hooks": [{"type": "command", "command": "./x.sh"}]}],\n"WorktreeCreate": [{"hooks": [{"type": "command", "command": "./y.sh"}]}],\n"Stop": {"hooks": []},\n"PreToolUse": [\n7,\n{"matcher": "Bash"},\n{"type": "command", "command": "./flat.sh"},\n{"hooks": [{"type": "command", "command": "./a.sh"}]}\n]\n}}',
    )
    expect(shownRows(source)).toEqual([
      expect.stringContaining(
        '✗ PreToolUs ./x.sh settings.json:3: Expected a hook that hookgate can run, but claude-code has no event "PreToolUs" (string) (did you mean "PreToolUse"?).',
      ),
      expect.stringContaining(
        '✗ WorktreeCreate ./y.sh settings.json:4: Expected a hook that hookgate can run, but WorktreeCreate cannot be mapped: ',
      ),
      '✗ Stop (no command) settings.json:5: Expected a list of groups, got {"hooks":[]} (object). Correct it in its file.',
      '✗ PreToolUse (no command) settings.json:7: Expected a group with a list of "hooks", got 7 (number). Correct it in its file.',
      expect.stringContaining(
        '✗ PreToolUse (no command) settings.json:8: Expected a group with a list of "hooks", got {"matcher":"Bash"}',
      ),
      expect.stringContaining('✗ PreToolUse (no command) settings.json:9: '),
      'pre_tool_call ./a.sh',
    ])
  })
  test('a file that disables its hooks has them listed with that reason', () => {
    expect(
      shownRows(
        settings(
          { Stop: [{ hooks: [command, { ...command, command: './b.sh' }] }] },
          { disableAllHooks: true },
        ),
      ),
    ).toEqual([
      expect.stringContaining(
        '✗ Stop ./a.sh settings.json:1: Expected a hook that hookgate can run, but its file says "disableAllHooks": true.',
      ),
      expect.stringContaining('✗ Stop ./b.sh'),
    ])
  })
  test('a file without hooks proposes nothing', () =>
    expect(read('{"model": "opus"}')).toEqual({ proposed: [] }))
})

describe('a file that is none, or hostile', () => {
  test('a byte order mark is passed over', () =>
    expect(shownRows(read(`\uFEFF${JSON.stringify({ hooks: { Stop: [{ hooks: [command] }] } })}`))).toEqual([
      'on_stop ./a.sh',
    ]))
  test('is one clear problem', () => {
    expect(readClaudeSettings('none.json', filePorts({})).problem?.message).toBe(
      'Expected a readable file, but it is missing.',
    )
    expect(whole('{"hooks": {\n')).toContain('settings.json:2: Expected JSON, but it has: ')
    expect(whole('{"hooks": {}, // comment\n}')).toContain('Expected JSON')
    for (const text of ['[]', '"x"', 'null', '{"hooks": []}', '{"hooks": "x"}'])
      expect(whole(text)).toContain('Expected an object with "hooks" in it, got ')
    expect(whole(`{"hooks": {"Stop": [{"hooks": [${`${JSON.stringify(command)},`.repeat(9999)}1]}]}}`)).toBe(
      'settings.json: Expected at most 1000 hooks, got 10000. Correct it in its file.',
    )
    expect(whole('x'.repeat(10_000_000))).toContain(
      'Expected a file of at most 1048576 characters, got 10000000.',
    )
    expect(whole(`{"hooks": ${'['.repeat(500_000)}${']'.repeat(500_000)}}`)).toContain(
      'Expected JSON, but its brackets are nested too deep to read.',
    )
    expect(whole(`{"hooks": ${'['.repeat(500_000)}`)).toContain('Expected JSON')
  })
  test('a guard that a second key of its name would hide is told', () => {
    expect(
      whole(
        '{"hooks": {\n"PreToolUse": [{"hooks": [{"type": "command", "command": "./guard.sh"}]}],\n"PreToolUse": []\n}}',
      ),
    ).toContain('settings.json:3: Expected JSON, but the key "PreToolUse" (string) occurs twice.')
    expect(whole('{"hooks": {}, "hook\\u0073": {}}')).toContain('the key "hooks" (string) occurs twice')
  })
})
