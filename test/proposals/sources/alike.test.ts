import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { readBounded } from '../../../src/config/read-bounded.ts'
import { createFiles } from '../../../src/proposals/sources/foreign/files.ts'
import { createSources, shellHooksFile } from '../../../src/proposals/sources/sources.ts'
import type { Source } from '../../../src/proposals/sources/source.ts'
import { entriesOf, knowledge, remarksOf, shownRows } from './ports.ts'

let root: string
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'hookgate-alike-'))
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

const put = (path: string, content: unknown): void => {
  mkdirSync(dirname(join(root, path)), { recursive: true })
  writeFileSync(join(root, path), typeof content === 'string' ? content : JSON.stringify(content))
}
const read = (...sources: readonly object[]): Source => {
  put(`w/${shellHooksFile}`, { sources })
  const files = createFiles(join(root, 'w'), (path) => readBounded(path, 512 * 1024))
  return createSources({
    ...files,
    ...knowledge,
    userHooks: join(root, 'none'),
    person: join(root, 'person'),
  }).get()
}
const group = (matcher: string, command: string, more: object = {}) => ({
  matcher,
  hooks: [{ type: 'command', command, ...more }],
})

describe('the file of', () => {
  test('Codex is read as Codex reads it', () => {
    put('w/.codex/hooks.json', {
      hooks: {
        PreToolUse: [
          group('Bash', 'node "$(git rev-parse --show-toplevel)/.codex/hooks/x.mjs"', { timeout: 5 }),
        ],
      },
    })
    expect(entriesOf(read({ codex: '.codex/hooks.json' }))).toMatchObject([
      {
        event: 'pre_tool_call',
        dialect: { name: 'codex', event: 'PreToolUse' },
        shell: 'bash',
        matcher: { tool: 'Bash' },
        timeoutMs: 5000,
      },
    ])
  })

  test('Codex has one tool for files with three names, and its patches are told on the card', () => {
    const patterns = ['apply_patch', '^Write$', '(?i)EDIT', String.raw`\QEdit`, '^(?=Edit)', '.*', 'Bash', '']
    put('w/.codex/hooks.json', {
      hooks: { PreToolUse: patterns.map((one) => group(one, './x.sh')), Stop: [group('', './x.sh')] },
    })
    const source = read({ codex: '.codex/hooks.json' })
    expect(entriesOf(source).map(({ matcher }) => matcher?.tool)).toEqual([
      'apply_patch',
      '^apply_patch$|^Write$',
      '^apply_patch$|(?i)EDIT',
      String.raw`^apply_patch$|\QEdit`,
      '^apply_patch$|^(?=Edit)',
      '^apply_patch$|.*',
      'Bash',
      undefined,
      undefined,
    ])
    const isTold = [true, true, true, true, true, true, false, true, false]
    expect(isTold.map((_, index) => remarksOf(source, index).some((one) => /as a patch/.test(one)))).toEqual(
      isTold,
    )
  })

  test('Gemini CLI has its timeouts in milliseconds, and names its hooks', () => {
    put('w/.gemini/settings.json', {
      hooks: {
        enabled: true,
        BeforeTool: [
          group('run_shell_command|write_.*', '.gemini/hooks/x.sh', { timeout: 5000, name: 'guard' }),
        ],
      },
    })
    const source = read({ gemini: '.gemini/settings.json' })
    expect(entriesOf(source)).toMatchObject([
      {
        event: 'pre_tool_call',
        dialect: { name: 'gemini', event: 'BeforeTool' },
        timeoutMs: 5000,
        name: 'guard',
      },
    ])
    expect(shownRows(source)).toHaveLength(1)
  })

  test('Cursor lists its hooks in one level; those that close on a fault do so here', () => {
    put('w/.cursor/hooks.json', {
      version: 1,
      hooks: {
        beforeShellExecution: [{ command: './x.sh', matcher: 'curl|wget', failClosed: true, timeout: 5 }],
        beforeMCPExecution: [{ command: './y.sh' }],
        PreToolUse: [{ command: './z.sh' }],
      },
    })
    const source = read({ cursor: '.cursor/hooks.json' })
    expect(entriesOf(source)).toMatchObject([
      {
        event: 'pre_tool_call',
        dialect: { name: 'cursor', event: 'beforeShellExecution' },
        matcher: { pattern: 'curl|wget', field: 'tool_input.command' },
        onError: 'block',
        timeoutMs: 5000,
      },
      { event: 'pre_tool_call', matcher: { tool: '^mcp__' } },
    ])
    expect(shownRows(source)[2]).toMatch(/its event names begin with a small letter/)
  })

  test('Kimi is TOML, of which only its hooks are read', () => {
    put(
      'person/.kimi/config.toml',
      `model = "x" # a comment
[services]
key = "secret"
[[hooks]]
event = "PreToolUse"
matcher = 'Shell|WriteFile'
command = "bash .kimi/hooks/\\"x\\".sh" # why
timeout = 1_0
[[hooks]]
event = "Stop"
command = """
echo a
echo b"""
[[hooks]]
event = [1]
`,
    )
    const source = read({ kimi: '~/.kimi/config.toml' })
    expect(entriesOf(source)).toMatchObject([
      {
        event: 'pre_tool_call',
        dialect: { name: 'kimi-cli' },
        matcher: { tool: 'Shell|WriteFile' },
        command: 'bash .kimi/hooks/"x".sh',
        timeoutMs: 10_000,
      },
      { event: 'on_stop', command: 'echo a\necho b' },
    ])
    expect(shownRows(source)[2]).toMatch(/Expected "key = value" on line 15/)
  })

  test('Factory is read with its tools and folders', () => {
    put('person/.factory/settings.json', {
      hooks: { PreToolUse: [group('Execute', '"$FACTORY_PROJECT_DIR"/.factory/hooks/x.sh')] },
    })
    expect(entriesOf(read({ factory: '~/.factory/settings.json' }))).toMatchObject([
      {
        dialect: { name: 'factory' },
        matcher: { tool: '^(?:Execute)$' },
        origin: join(root, 'person/.factory/settings.json'),
      },
    ])
  })
})

describe('a Claude Code plugin', () => {
  const hooks = { PreToolUse: [group('Bash', '${CLAUDE_PLUGIN_ROOT}/x.sh')] }
  test('is its hooks/hooks.json, and what its manifest names or says itself', () => {
    put('w/p/hooks/hooks.json', { description: 'd', hooks })
    put('w/p/more.json', { hooks: { Stop: [group('', './b.sh')] } })
    put('w/p/.claude-plugin/plugin.json', {
      name: 'p',
      hooks: ['./hooks/hooks.json', './more.json', { SessionEnd: [group('', './c.sh')] }],
    })
    expect(
      entriesOf(read({ 'claude-plugin': './p' })).map(({ event, root: folder, origin }) => [
        event,
        folder,
        origin,
      ]),
    ).toEqual([
      ['pre_tool_call', 'p', 'p/hooks/hooks.json'],
      ['on_stop', 'p', 'p/more.json'],
      ['on_session_end', 'p', 'p/.claude-plugin/plugin.json'],
    ])
  })

  test('gives its folder to words that no shell reads', () => {
    put('w/p/hooks/hooks.json', {
      hooks: { Stop: [group('', 'node', { args: ['${CLAUDE_PLUGIN_ROOT}/x.js'] })] },
    })
    expect(entriesOf(read({ 'claude-plugin': 'p' }))[0]?.args).toEqual(['p/x.js'])
  })

  test.each([
    ['has no hooks', { 'p/README.md': 'x' }, /got a folder with neither/],
    [
      'names a file outside itself',
      { 'p/.claude-plugin/plugin.json': { hooks: '../x.json' } },
      /Expected "hooks" to name files of the plugin, got "\.\.\/x\.json"/,
    ],
    ['has a file that is none', { 'p/hooks/hooks.json': '{' }, /Expected JSON/],
  ])('that %s is listed with what is wrong', (_, files, wrong) => {
    for (const [path, content] of Object.entries(files)) put(`w/${path}`, content)
    expect(shownRows(read({ 'claude-plugin': 'p' })).join()).toMatch(wrong)
  })
})

test('an event of another system is told with the source that reads it', () => {
  put('w/s.json', { hooks: { BeforeTool: [group('', './a.sh')] } })
  expect(shownRows(read({ 'claude-code': 's.json' }))[0]).toMatch(
    /claude-code has no event "BeforeTool" \(string\); gemini has it, and its files belong under "gemini"\./,
  )
})

test('what a file says that is not known hides no hook', () => {
  put('w/s.json', { strange: 1, hooks: { Stop: [group('', './a.sh', { colour: 'red' })] } })
  const source = read({ 'claude-code': 's.json' })
  expect(entriesOf(source)).toHaveLength(1)
  expect(remarksOf(source).join()).toContain('Unknown options without effect: "colour".')
})
