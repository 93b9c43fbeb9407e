import { conditionOf } from '../../../../src/handlers/condition/condition.ts'
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { readBounded } from '../../../../src/config/read-bounded.ts'
import { viewFor } from '../../../../src/dialects/dialects.ts'
import { planMatches } from '../../../../src/core/hooks/match/matcher.ts'
import { readCopilot } from '../../../../src/proposals/sources/foreign/copilot.ts'
import { createFiles } from '../../../../src/proposals/sources/foreign/files.ts'
import type { Source } from '../../../../src/proposals/sources/source.ts'
import type { JsonObject } from '../../../../src/core/model/base/json.ts'
import { armed, eventOf } from '../../../handlers/armed.ts'
import { costOf, entriesOf, filePorts, knowledge, remarksOf, shownRows } from '../ports.ts'
import { stretched } from '../../../stretched.ts'

const file = '.github/hooks/h.json'
const text = (hooks: unknown, more: JsonObject = {}): string => JSON.stringify({ version: 1, ...more, hooks })
const readText = (content: string, at = file): Source => readCopilot(at, filePorts({ [at]: content }))
const one = (event: string, hook: unknown, at = file): Source => readText(text({ [event]: [hook] }), at)

describe('a hook', () => {
  test("with a command for bash is that text under bash, in the project's folder", () =>
    expect(
      entriesOf(
        one('preToolUse', {
          type: 'command',
          bash: './scripts/check.sh',
          powershell: './check.ps1',
          timeoutSec: 15,
          comment: ' Security validation ',
          env: { LEVEL: 'info' },
        }),
      ),
    ).toEqual([
      {
        event: 'pre_tool_call',
        type: 'command',
        command: './scripts/check.sh',
        args: [],
        shell: 'bash',
        dialect: { name: 'copilot', event: 'preToolUse' },
        timeoutMs: 15_000,
        onError: 'block',
        priority: 100,
        isAsync: false,
        env: { LEVEL: 'info' },
        files: [],
        origin: file,
        name: 'Security validation',
      },
    ]))

  test('says little: its type, its timeout and its name have defaults', () =>
    expect(entriesOf(one('sessionEnd', { command: 'echo bye >> log' }))).toMatchObject([
      { type: 'command', shell: 'bash', command: 'echo bye >> log', timeoutMs: 30_000, onError: 'warn' },
    ]))

  test('has its own command for bash before the one for every shell', () =>
    expect(entriesOf(one('sessionEnd', { command: 'echo any', bash: 'echo bash' }))).toMatchObject([
      { command: 'echo bash', shell: 'bash' },
    ]))

  test('of a project in a folder of the workspace runs there', () => {
    expect(entriesOf(one('sessionEnd', { bash: 'x' }, 'repo/.github/hooks/h.json'))).toMatchObject([
      { cwd: 'repo' },
    ])
    expect(entriesOf(one('sessionEnd', { bash: 'x' }, './repo/.github/hooks/h.json'))).toMatchObject([
      { cwd: 'repo' },
    ])
    expect(
      entriesOf(one('sessionEnd', { bash: 'x', cwd: 'tools' }, '/srv/repo/.github/hooks/h.json')),
    ).toMatchObject([{ cwd: '/srv/repo/tools' }])
    expect(
      entriesOf(one('sessionEnd', { bash: 'x', cwd: '/opt' }, 'repo/.github/hooks/h.json')),
    ).toMatchObject([{ cwd: '/opt' }])
    expect(entriesOf(one('sessionEnd', { bash: 'x' }, 'hooks.json'))[0]?.cwd).toBeUndefined()
  })

  test('that is executed directly is words, its path from the project', () => {
    expect(entriesOf(one('preToolUse', { exec: 'node', args: ['./a b.js', '-x'] }))).toMatchObject([
      { command: 'node', args: ['./a b.js', '-x'] },
    ])
    const [entry] = entriesOf(
      one('preToolUse', { exec: './my tools/check', args: [] }, 'repo/.github/hooks/h.json'),
    )
    expect(entry).toMatchObject({ command: "'repo/my tools/check'", cwd: 'repo' })
    expect(entry?.shell).toBeUndefined()
  })

  test('that asks a server is ours, with the variables that it may name', () => {
    const source = one('postToolUse', {
      type: 'http',
      url: 'https://example.com/hook',
      headers: { 'X-A': 'Bearer $TOKEN', 'X-B': '${OTHER}' },
      allowedEnvVars: ['TOKEN'],
      timeoutSec: 5,
    })
    expect(entriesOf(source)).toMatchObject([
      {
        type: 'http',
        command: 'https://example.com/hook',
        headers: { 'X-A': 'Bearer $TOKEN', 'X-B': '' },
        timeoutMs: 5000,
      },
    ])
    expect(remarksOf(source).join(' ')).toMatch(
      /TOKEN, which gate\.yaml must list\..*OTHER, which its "allowedEnvVars" does not list, so the value is left empty/,
    )
  })

  test('timeoutSec comes before timeout, and too long a one is brought inside', () => {
    expect(entriesOf(one('preToolUse', { bash: 'x', timeout: 7 }))[0]?.timeoutMs).toBe(7000)
    expect(entriesOf(one('preToolUse', { bash: 'x', timeout: 7, timeoutSec: 8 }))[0]?.timeoutMs).toBe(8000)
    const long = one('preToolUse', { bash: 'x', timeoutSec: 3600 })
    expect([entriesOf(long)[0]?.timeoutMs, remarksOf(long).join(' ')]).toEqual([
      600_000,
      expect.stringContaining('3600 s'),
    ])
  })

  test('what it asks that is not done here is told', () => {
    const remarks = remarksOf(
      one('preToolUse', {
        bash: 'x',
        args: ['y'],
        env: { HOME_DIR: '${HOME}/x', LD_PRELOAD: 'x' },
        timeoutsec: 5,
        constructor: 1,
      }),
    ).join(' ')
    for (const told of [
      '"args" have no effect',
      'HOME_DIR is left out',
      'LD_PRELOAD',
      '"timeoutsec", "constructor"',
    ])
      expect(remarks).toContain(told)
    expect(entriesOf(one('preToolUse', { bash: 'x', env: { A: '${HOME}', B: 'b' } }))[0]?.env).toEqual({
      B: 'b',
    })
  })
})

describe("where Copilot's own example says the scripts are", () => {
  let workspace = ''
  beforeEach(() => {
    workspace = mkdtempSync(join(tmpdir(), 'copilot-'))
  })
  afterEach(() => rmSync(workspace, { recursive: true, force: true }))
  const put = (path: string, content: string, mode = 0o755): void => {
    mkdirSync(dirname(join(workspace, path)), { recursive: true })
    writeFileSync(join(workspace, path), content)
    chmodSync(join(workspace, path), mode)
  }
  const read = (place: string): Source =>
    readCopilot(place, { ...knowledge, ...createFiles(workspace, (path) => readBounded(path, 1024 * 1024)) })

  test('a folder that lacks the script gives way to the project, and that is told', () => {
    put(file, text({ sessionStart: [{ bash: './scripts/session-start.sh', cwd: 'scripts' }] }))
    expect(entriesOf(read('.github/hooks'))).toMatchObject([{ cwd: 'scripts' }])
    put('scripts/session-start.sh', '#!/bin/sh\n')
    expect(entriesOf(read('.github/hooks'))[0]?.cwd).toBeUndefined()
    expect(remarksOf(read('.github/hooks')).join(' ')).toContain("the hook runs in the project's folder")
    put('scripts/scripts/session-start.sh', '#!/bin/sh\n')
    expect(entriesOf(read('.github/hooks'))).toMatchObject([{ cwd: 'scripts' }])
  })

  test('every *.json of the folder is read, in order, and nothing else', () => {
    put('.github/hooks/b.json', text({ sessionEnd: [{ bash: 'b' }] }))
    put('.github/hooks/a.json', text({ sessionEnd: [{ bash: 'a1' }, { bash: 'a2' }] }))
    put('.github/hooks/c.json.off', text({ sessionEnd: [{ bash: 'c' }] }))
    put('.github/hooks/d.json/x', '')
    expect(entriesOf(read('.github/hooks')).map(({ command }) => command)).toEqual(['a1', 'a2', 'b'])
    expect(entriesOf(read('.github/hooks/b.json')).map(({ command }) => command)).toEqual(['b'])
    expect(read('nowhere').problem?.code).toBe('source.unreadable')
  })

  test('a file that cannot be read does not hide the others', () => {
    put('.github/hooks/a.json', '{"version": 1,\n  "hooks": {,}\n}')
    put('.github/hooks/b.json', text({ sessionEnd: [{ bash: 'b' }] }))
    expect(shownRows(read('.github/hooks'))).toEqual([
      expect.stringMatching(/^✗ copilot \.github\/hooks\/a\.json \.github\/hooks\/a\.json:2: Expected JSON/),
      'on_session_end b',
    ])
  })
})

describe('matchers', () => {
  /** Our tools, or other agents' that we have no name for, about which the hook is asked. */
  const asked = async (
    event: string,
    matcher: string,
    names: readonly string[],
    field = 'tool_name',
  ): Promise<readonly string[]> => {
    const [entry] = entriesOf(one(event, { bash: 'x', matcher }))
    if (entry === undefined)
      throw new Error(`Expected a hook, got ${shownRows(one(event, { bash: 'x', matcher })).join()}.`)
    const plan = planMatches([armed('h', entry)], {
      searchSlowly: () => Promise.resolve(true),
      view: viewFor,
      conditionOf,
    })
    const found = await Promise.all(
      names.map(async (name) => ({
        name,
        isHit: (await plan.match(eventOf(entry.event, { [field]: name }))).size > 0,
      })),
    )
    return found.filter(({ isHit }) => isHit).map(({ name }) => name)
  }
  const tools = [
    'bash',
    'read_file',
    'write_file',
    'edit_file',
    'subagent',
    'grep',
    'mcp__git__push',
    'bash2',
    'TodoWrite',
    'update_todo',
  ]

  test.each<[event: string, matcher: string, hit: readonly string[]]>([
    ['preToolUse', 'bash', ['bash']],
    ['preToolUse', 'bash|edit', ['bash', 'edit_file']],
    ['preToolUse', 'Bash', []],
    ['preToolUse', 'mcp__.*', ['mcp__git__push']],
    ['preToolUse', '*', tools],
    ['preToolUse', '', tools],
    ['permissionRequest', '.*', tools],
    ['PreToolUse', 'Bash', ['bash']],
    ['PreToolUse', 'bash', ['bash']],
    ['PreToolUse', 'Edit|Write', ['write_file', 'edit_file']],
    ['PreToolUse', 'Edit, Read', ['read_file', 'edit_file']],
    ['PreToolUse', 'Task', ['subagent']],
    ['PreToolUse', 'Agent', ['subagent']],
    ['PreToolUse', 'TodoWrite', ['TodoWrite', 'update_todo']],
    ['PreToolUse', '(Edit|Wri).*', ['write_file', 'edit_file']],
    ['PreToolUse', 'mcp__.*', ['mcp__git__push']],
    ['PreToolUse', '**', tools],
    ['PermissionRequest', 'Ba.h', ['bash']],
    ['PostToolUse', 'Read', ['read_file']],
  ])('%s with "%s"', async (event, matcher, hit) => expect(await asked(event, matcher, tools)).toEqual(hit))

  test('a name of every object is only a name', async () =>
    expect(await asked('PreToolUse', 'constructor|__proto__', ['bash', 'constructor'])).toEqual([
      'constructor',
    ]))

  test('a pattern that cannot be put in our names is asked each time, and that is told', async () => {
    expect(await asked('PreToolUse', '(?!Bash).*', ['bash', 'read_file'])).toEqual(['bash', 'read_file'])
    expect(remarksOf(one('PreToolUse', { bash: 'x', matcher: '(?!Bash).*' })).join(' ')).toContain(
      'the hook is asked each time',
    )
  })

  test('compaction that Copilot would call automatic is', async () => {
    expect(
      await asked('preCompact', 'auto', ['manual', 'auto', 'overflow', 'tool_overflow'], 'source'),
    ).toEqual(['auto', 'overflow', 'tool_overflow'])
    expect(await asked('preCompact', 'manual', ['manual', 'auto', 'overflow'], 'source')).toEqual(['manual'])
  })

  test('a subagent is matched by its name, a notification not at all', async () => {
    expect(await asked('subagentStart', 'explore', ['explore', 'explorer'], 'subagent_name')).toEqual([
      'explore',
    ])
    expect(await asked('notification', 'permission_prompt', ['a', 'b'], 'message')).toEqual(['a', 'b'])
    expect(remarksOf(one('notification', { bash: 'x', matcher: 'permission_prompt' })).join(' ')).toContain(
      'takes no matcher',
    )
  })
})

describe('what cannot be a hook is listed with what is wrong', () => {
  test.each<[what: string, source: string, wrong: RegExp]>([
    ['no JSON', 'hooks: yes', /Expected JSON/],
    ['a list', '[]', /Expected an object with "version": 1, got \[\]/],
    [
      'another version',
      '{\n"hooks":{},\n"version":2}',
      /h\.json:3: Expected an object with "version": 1, got 2/,
    ],
    ['no hooks', '{"version":1,"hook":{}}', /Expected "hooks" to be an object of events, got nothing/],
    ['hooks as a list', '{"version":1,"hooks":[]}', /Expected "hooks" to be an object of events, got \[\]/],
    [
      'an event that is no list',
      text({ preToolUse: { bash: 'x' } }),
      /Expected "hooks\.preToolUse" to be a list of hooks/,
    ],
    ['a hook that is none', text({ preToolUse: ['x'] }), /Expected a hook with type and bash, got "x"/],
    [
      'an unknown event',
      text({ preTooluse: [{ bash: 'x' }] }),
      /copilot has no event "preTooluse" .*did you mean "preToolUse"/,
    ],
    [
      'an event that only programs have',
      text({ preMcpToolCall: [{ bash: 'x' }] }),
      /cannot be mapped: only programs that embed Copilot/,
    ],
    ['nothing to run', text({ preToolUse: [{ type: 'command' }] }), /it has no "bash", "command" or "exec"/],
    ['PowerShell alone', text({ preToolUse: [{ powershell: './x.ps1' }] }), /a command for PowerShell only/],
    [
      'both ways of running',
      text({ preToolUse: [{ exec: 'x', bash: 'y' }] }),
      /Copilot accepts only one of them/,
    ],
    [
      'a prompt',
      text({ sessionStart: [{ type: 'prompt', prompt: '/model' }] }),
      /✗ sessionStart \/model .*a hook of type prompt would enter a prompt/,
    ],
    [
      'an unknown type',
      text({ preToolUse: [{ type: 'shell', bash: 'x' }] }),
      /Expected its "type" to be command or http or prompt, got "shell"/,
    ],
    ['an address that is none', text({ preToolUse: [{ type: 'http', url: 'ftp://x' }] }), /of its address/],
    ['no address', text({ preToolUse: [{ type: 'http' }] }), /it has no address/],
    [
      'a timeout as text',
      text({ preToolUse: [{ bash: 'x', timeoutSec: '5' }] }),
      /Expected its "timeoutSec" to be a number, got "5"/,
    ],
    [
      'a matcher that is no pattern',
      text({ preToolUse: [{ bash: 'x', matcher: '(' }] }),
      /Expected its matcher to be a regular expression/,
    ],
    [
      'the same, in PascalCase',
      text({ PreToolUse: [{ bash: 'x', matcher: '(' }] }),
      /Expected its matcher to be a regular expression/,
    ],
    ['a folder in a home', text({ preToolUse: [{ bash: 'x', cwd: '~/x' }] }), /depends on a person's home/],
    [
      'all that is switched off',
      text({ preToolUse: [{ bash: 'x' }] }, { disableAllHooks: true }),
      /✗ preToolUse x .*its file sets "disableAllHooks"/,
    ],
  ])('%s', (_, source, wrong) => {
    expect(shownRows(readText(source))).toEqual([expect.stringMatching(wrong)])
    expect(entriesOf(readText(source))).toEqual([])
  })

  test('each with its line, and none hides the good ones', () => {
    const rows = shownRows(
      readText(
        '{"version": 1, "hooks": {\n  "preToolUse": [\n    {"bash": "a"},\n    {"bash": 7},\n    {"bash": "c"}\n  ]\n}}',
      ),
    )
    expect(rows).toEqual([
      'pre_tool_call a',
      expect.stringContaining(`${file}:4: Expected its "bash" to be text, got 7`),
      'pre_tool_call c',
    ])
  })
})

test('a file without a version is read, as VS Code reads it, and that is said', () => {
  const source = readText('{"hooks": {"preToolUse": [{"type": "command", "bash": "./a.sh"}]}}')
  expect(entriesOf(source)).toMatchObject([{ event: 'pre_tool_call', command: './a.sh' }])
  expect(remarksOf(source)).toContain(
    'Its file has no "version". Copilot CLI ignores such a file, and VS Code reads it.',
  )
})

test("its events in PascalCase are VS Code's there, and Copilot's in a file with a version", () => {
  const hooks = { PreToolUse: [{ type: 'command', command: './a.sh', matcher: 'Edit' }] }
  expect(entriesOf(readText(JSON.stringify({ hooks })))).toMatchObject([
    { dialect: { event: 'vscode:PreToolUse' } },
  ])
  expect(entriesOf(readText(JSON.stringify({ hooks })))[0]?.matcher).toBeUndefined()
  expect(entriesOf(readText(JSON.stringify({ version: 1, hooks })))).toMatchObject([
    { dialect: { event: 'PreToolUse' } },
  ])
})

test('where it is stricter here than at home, its card says so before anybody approves it', () => {
  const failing = {
    'A failure that the agent can bring about (a timeout, its shell) stops the step': [
      'userPromptSubmitted',
      'UserPromptSubmit',
    ],
    'in Copilot it cannot refuse; here it can, but not by a failure': [
      'userPromptTransformed',
      'sessionStart',
      'subagentStart',
      'preCompact',
    ],
  }
  for (const [words, events] of Object.entries(failing)) {
    for (const event of events) expect(remarksOf(one(event, { bash: 'x' })).join(' ')).toContain(words)
  }
})

describe('bounds', () => {
  test('too many hooks, too large a file and nested brackets are each told, in a moment', () => {
    const many = readText(
      text({ preToolUse: Array.from({ length: 1200 }, (_, index) => ({ bash: `x${index}` })) }),
    )
    expect([many.proposed.length, shownRows(many).at(-1)]).toEqual([
      1001,
      expect.stringContaining('at most 1000 hooks, got more'),
    ])
    for (const source of [
      'x'.repeat(1024 * 1024 + 1),
      `{"version":1,"hooks":${'['.repeat(200_000)}${']'.repeat(200_000)}}`,
      `{"version":1,"hooks":{"preToolUse":[${'0,'.repeat(400_000)}0]}}`,
    ]) {
      expect(costOf(() => expect(entriesOf(readText(source))).toEqual([]))).toBeLessThan(stretched(3000))
    }
  })

  test('a pattern that would take for ever elsewhere does not run while it is read', () => {
    const slow = `(?=((a*)*)*b)${'(\\w*)*'.repeat(20)}!`
    expect(costOf(() => readText(text({ PreToolUse: [{ bash: 'x', matcher: slow }] })))).toBeLessThan(
      stretched(1000),
    )
  })
})
