import { describe, expect, test } from 'vitest'
import { viewFor } from '../../../src/dialects/dialects.ts'
import { conditionOf, conditionRemark } from '../../../src/handlers/condition/condition.ts'
import { planMatches } from '../../../src/core/hooks/match/matcher.ts'
import type { JsonObject } from '../../../src/core/model/base/json.ts'
import { armed, eventOf } from '../armed.ts'
import { measureProcessor } from '../../processor-time.ts'
import { stretched } from '../../stretched.ts'

const noSlow = () => Promise.resolve(true)
interface Asked {
  readonly cwd?: string
  readonly origin?: string
}

/** Whether a hook of Claude Code's with that `if` is asked about one of our calls. */
const isAsked = async (
  condition: string,
  call: JsonObject,
  { cwd = '/workspace', origin = '.claude/settings.json' }: Asked = {},
) => {
  const dialect = { name: 'claude-code', event: 'PreToolUse' } as const
  const hook = armed('hook', { event: 'pre_tool_call', dialect, condition, origin })
  return (
    await planMatches([hook], { searchSlowly: noSlow, view: viewFor, conditionOf }).match({
      ...eventOf('pre_tool_call', call),
      cwd,
    })
  ).has(0)
}

const bash = (command: string): JsonObject => ({ tool_name: 'bash', tool_input: { command } })
const path = (tool: string, file: string): JsonObject => ({ tool_name: tool, tool_input: { path: file } })

describe('the table of its documentation', () => {
  test.each([
    ['Bash(git *)', 'FOO=bar git push', true],
    ['Bash(git *)', 'npm test && git push', true],
    ['Bash(rm *)', 'echo $(rm -rf /)', true],
    ['Bash(rm *)', 'echo $(date)', false],
    ['Bash(git push *)', 'echo $(date)', true],
    ['Bash(rm *)', 'npm test', false],
    ['Bash(rm *)', 'rm -rf /tmp/build', true],
  ])('%s on %s: %s', async (rule, command, expected) => {
    expect(await isAsked(rule, bash(command))).toBe(expected)
  })
})

describe('commands', () => {
  test.each([
    ['Bash', 'ls', true],
    ['Bash(*)', 'ls', true],
    ['Bash()', 'ls', true],
    ['Write', 'ls', false],
    ['Wri*', 'ls', false],
    ['B*', 'ls', true],
    ['Bash(npm run build)', 'npm run build', true],
    ['Bash(npm run build)', 'npm run build:dev', false],
    ['Bash(npm run test *)', 'npm run test -- --watch', true],
    ['Bash(npm run test *)', 'npm run test', true],
    ['Bash(ls *)', 'ls -la', true],
    ['Bash(ls *)', 'ls', true],
    ['Bash(ls *)', 'lsof', false],
    ['Bash(ls*)', 'lsof', true],
    ['Bash(ls:*)', 'ls -la', true],
    ['Bash(ls:*)', 'lsof', false],
    ['Bash(ls:*)', 'ls', true],
    ['Bash(* install)', 'npm install', true],
    ['Bash(* --version)', 'node --version', true],
    ['Bash(git * main)', 'git push origin main', true],
    ['Bash(git * main)', 'git push origin dev', false],
    ['Bash(git:* push)', 'git push', false],
    ['Bash(git push *--force*)', 'git push --force', true],
    ['Bash(git push *--force*)', 'git push origin main --force-with-lease', true],
    ['Bash(git push *--force*)', 'git push origin main', false],
    ['Bash(git push *--force*)', 'npm run --force', false],
    ['Bash(echo \\*)', 'echo \\*', true],
    ['Bash(echo \\*)', 'echo x', false],
    ['Bash(run_in_background:true)', 'ls', false],
    ['Bash(git commit *)', 'git commit -m "a\nb"', true],
  ])('%s on %j: %s', async (rule, command, expected) => {
    expect(await isAsked(rule, bash(command))).toBe(expected)
  })

  test.each([
    'rm x',
    '  rm   x',
    'a; rm x',
    'a && rm x',
    'a || rm x',
    'a | rm x',
    'a |& rm x',
    'a & rm x',
    'a\nrm x',
    '(rm x)',
    '{ rm x; }',
    '! rm x',
    'if true; then rm x; fi',
    'for f in a b; do rm $f; done',
    'while rm x; do :; done',
    'the\\\nn rm x',
    'if a\nthe\\\nn rm x\nfi',
    'A=1 B="2 3" rm x',
    'A=$B rm x',
    'r"m" x',
    "'rm' x",
    '\\rm x',
    'r\\\nm x',
    'rm',
    'rm>log x',
    '>log rm x',
    '2>&1 rm x',
    'rm x # y',
    'echo `rm x`',
    'echo "a $(rm x)"',
    'diff <(rm x) b',
    'echo $(echo $(rm x))',
    'echo `echo \\`rm x\\``',
    'timeout 30 rm x',
    'timeout -s KILL 5 rm x',
    'time -p rm x',
    'nice -n 10 rm x',
    'nohup rm x',
    'stdbuf -oL rm x',
    'command rm x',
    'builtin rm x',
    'ls | xargs rm',
    'nohup nice -n 5 timeout 3 rm x',
    'sh -c "rm x"',
    "bash -lc 'cd a && rm x'",
    '/bin/sh -c "rm x"',
    'eval rm x',
    'cat <<EOF\nhello\nEOF\nrm x',
    "cat <<'EOF' | tee y\n$(date)\nEOF\nrm x",
    'cat <<-EOF\n\tEOF\nrm x',
    'git commit -m "$(cat <<\'EOF\'\nit\'s "done"\nEOF\n)" && rm x',
    // What only the shell knows.
    '$CMD x',
    '"$CMD" x',
    '`echo rm` x',
    '$(echo rm) x',
    '{rm,-rf,x}',
    'r? x',
    "$'\\x72m' x",
    'eval "$X"',
    'sh -c "$X"',
    '${X} y',
    'nice $X y',
    // What is not read at all.
    'case x in x) rm y;; esac',
    'f() { rm x; }; f',
    'function f { rm x; }',
    'echo "',
    "echo '",
    'echo $(',
    'echo `',
    'echo ${X:-$(rm x)}',
    'a)',
    '(a',
    '((a))',
    'echo $((1 + $(rm x)))',
    `echo ${'x'.repeat(10_000)}`,
    'cat <<EOF\n$(rm x)\nEOF',
    `${'nice '.repeat(20)}rm`,
    `${'$('.repeat(500)}rm${')'.repeat(500)}`,
  ])('Bash(rm *) is asked about %j', async (command) => {
    expect(await isAsked('Bash(rm *)', bash(command))).toBe(true)
  })

  test.each([
    'echo rm x',
    'echo "rm x"',
    "echo 'a; rm x'",
    'echo a\\;rm',
    'ls # rm x',
    'ls rm',
    'echo $HOME',
    'echo $((1 + 2))',
    'echo ${HOME}/x',
    'farm x',
    'rmdir x',
    'cat <<EOF\nrm x\nEOF',
    "cat <<'EOF'\n$(rm x)\nEOF",
    'git commit -m "$(cat <<\'EOF\'\nrm x\nEOF\n)"',
    'command -v rm',
    'xargs -n1 rm',
    'A=rm',
    'echo {a,b}',
    'ls *.rm',
    '[[ a && b ]]',
    'echo a >rm',
    'timeout 5 echo rm',
    "sh -c 'echo rm'",
    'eval echo rm',
    'echo "$(date)" && ls',
    '',
  ])('Bash(rm *) is not asked about %j', async (command) => {
    expect(await isAsked('Bash(rm *)', bash(command))).toBe(false)
  })

  test('a command that is no text is asked about', async () => {
    expect(await isAsked('Bash(rm *)', { tool_name: 'bash', tool_input: { command: ['ls'] } })).toBe(true)
    expect(await isAsked('Bash(rm *)', { tool_name: 'bash', tool_input: {} })).toBe(true)
  })
})

describe('paths', () => {
  test.each([
    ['Write(.env*)', '.env', true],
    ['Write(.env*)', '/workspace/.env.local', true],
    ['Write(.env*)', 'a/b/.env', true],
    ['Write(.env*)', 'a/.env/x', true],
    ['Write(.env*)', 'env', false],
    ['Write(.env*)', '/other/.env', false],
    ['Write(.env*)', 'x/../.env', true],
    ['Write(.env*)', '.ENV', true],
    ['Write(//**/.env)', '/other/.env', true],
    ['Write(./.env)', '.env', true],
    ['Write(./.env)', 'a/.env', false],
    ['Write(*.ts)', 'src/a.ts', true],
    ['Write(*.ts)', 'src/a.tsx', false],
    ['Write(*.{ts,tsx})', 'a.ts', false],
    ['Write(/src/**)', 'src/a/b', true],
    ['Write(/src/**)', 'vendor/src/a', false],
    ['Write(src/**)', 'src/a', true],
    ['Write(src/**)', 'v/src/a', false],
    ['Write(**/src/**)', 'v/src/a', true],
    ['Write(src/**/x.md)', 'src/x.md', true],
    ['Write(src/**/x.md)', 'src/a/b/x.md', true],
    ['Write(src/*/x.md)', 'src/a/b/x.md', false],
    ['Write(/src)', 'src/deep/file', true],
    ['Write(src/)', 'src/deep/file', true],
    ['Write(a?c)', 'abc', true],
    ['Write(a?c)', 'a/c', false],
    ['Write([ab].md)', 'b.md', true],
    ['Write([!ab].md)', 'b.md', false],
    ['Write([a-c].md)', 'b.md', true],
    ['Write(~/.ssh/**)', '/root/.ssh/id', true],
    ['Write(~/.ssh/**)', '/home/ann/.ssh/id', true],
    ['Write(~/.ssh/**)', '/Users/ann/.ssh/id', true],
    ['Write(~/.ssh/**)', '~/.ssh/id', true],
    ['Write(~/.ssh/**)', '/workspace/.ssh/id', false],
    ['Write(~/.ssh/**)', '/home/ann/x/.ssh/id', false],
    ['Write(//etc/**)', '/etc/passwd', true],
    ['Write(/etc/**)', '/etc/passwd', false],
    ['Write(//etc/**)', '../etc/passwd', true],
    ['Edit(.env)', '.env', false],
    ['Write(file_path:x)', 'y', true],
    ['Write(!x)', 'y', true],
    ['Write([)', 'y', true],
    ['Write', 'y', true],
  ])('%s on a write to %s: %s', async (rule, file, expected) => {
    expect(await isAsked(rule, path('write_file', file))).toBe(expected)
  })

  test('a relative one counts from the folder of the event and from the workspace, whichever the agent reports', async () => {
    expect(await isAsked('Edit(/src/**)', path('edit_file', 'src/a'), { cwd: '/workspace/pkg' })).toBe(false)
    expect(await isAsked('Edit(src/**)', path('edit_file', 'src/a'), { cwd: '/workspace/pkg' })).toBe(true)
    expect(await isAsked('Edit(src/**)', path('edit_file', '/workspace/src/a'), { cwd: '/elsewhere' })).toBe(
      true,
    )
    expect(await isAsked('Read(.env)', path('read_file', '/elsewhere/.env'), { cwd: '/elsewhere' })).toBe(
      true,
    )
  })

  test("from the settings: a project's own folder, or the folder of a person's own settings", async () => {
    const origin = '/home/ann/.claude/settings.json'
    expect(
      await isAsked('Write(/plans/**)', path('write_file', '/home/ann/.claude/plans/x'), { origin }),
    ).toBe(true)
    expect(await isAsked('Write(/plans/**)', path('write_file', '/workspace/plans/x'), { origin })).toBe(
      false,
    )
    expect(
      await isAsked('Write(~/x)', path('write_file', '/srv2/ann/x'), {
        origin: '/srv2/ann/.claude/settings.json',
      }),
    ).toBe(true)
  })

  test('a path that is none, or longer than any, is asked about', async () => {
    for (const file of [1, null, 'a/'.repeat(3000)])
      expect(await isAsked('Write(x)', { tool_name: 'write_file', tool_input: { path: file } })).toBe(true)
  })
})

describe('other tools', () => {
  test.each<[string, string, JsonObject, boolean]>([
    ['WebFetch(domain:example.com)', 'fetch', { url: 'https://EXAMPLE.com./x' }, true],
    ['WebFetch(domain:example.com)', 'fetch', { url: 'https://a.example.com' }, false],
    ['WebFetch(domain:*.example.com)', 'fetch', { url: 'https://a.b.example.com' }, true],
    ['WebFetch(domain:*.example.com)', 'fetch', { url: 'https://example.com' }, false],
    ['WebFetch(domain:example.*)', 'fetch', { url: 'https://example.org' }, true],
    ['WebFetch(domain:example.*)', 'fetch', { url: 'https://example.evil.com' }, false],
    ['WebFetch(domain:*)', 'fetch', { url: 'https://x.y' }, true],
    ['WebFetch(domain:example.com)', 'fetch', { url: 'example.com/x' }, true],
    ['WebFetch(https://x/*)', 'fetch', { url: 'https://y' }, true],
    ['mcp__git', 'mcp__git__log', {}, true],
    ['mcp__git', 'mcp__github__log', {}, false],
    ['mcp__git__*', 'mcp__git__log', {}, true],
    ['mcp__git__log', 'mcp__git__log', {}, true],
    ['mcp__git__log', 'mcp__git__logs', {}, false],
    ['mcp__*', 'mcp__a__b', {}, true],
    ['mcp__git__log(branch:main)', 'mcp__git__log', { branch: 'main' }, true],
    ['mcp__git__log(branch:main)', 'mcp__git__log', { branch: 'dev' }, false],
    ['mcp__git__log(branch:*)', 'mcp__git__log', {}, false],
    ['mcp__git__log(main)', 'mcp__git__log', {}, true],
    ['Agent(Explore)', 'subagent', { task: 'x', subagent_type: 'Explore' }, true],
    ['Task(Explore)', 'subagent', { task: 'x', subagent_type: 'Plan' }, false],
    ['Agent(Explore)', 'subagent', { task: 'x' }, true],
    ['Agent(model:opus)', 'subagent', { task: 'x', model: 'opus' }, true],
  ])('%s on %s %j: %s', async (rule, tool_name, tool_input, expected) => {
    expect(await isAsked(rule, { tool_name, tool_input })).toBe(expected)
  })

  test('what is not one rule, or whose brackets are not known, is asked about, and said', async () => {
    for (const rule of [
      'Edit(*.py)|Write(*.py)',
      'Bash(a) && Bash(b)',
      'git push',
      '',
      'Bash(',
      "tool_input.command matches 'x'",
    ]) {
      expect(await isAsked(rule, bash('ls')), rule).toBe(true)
      expect(conditionRemark(rule), rule).toContain('asked each time')
    }
    expect(conditionRemark('Skill(commit)')).toContain('Only the tool of its condition')
    for (const rule of [
      'Bash(rm *)',
      'Bash(ls:*)',
      'mcp__a__b',
      'WebFetch(domain:x)',
      'Edit(/src/**)',
      'Bash(a | b)',
    ])
      expect(conditionRemark(rule), rule).toBeUndefined()
  })
})

test('what costs too much counts as held, in a bounded time, whatever the command', async () => {
  const dialect = { name: 'claude-code', event: 'PreToolUse' } as const
  const hooks = Array.from({ length: 500 }, (_, index) =>
    armed(`h${index}`, { event: 'pre_tool_call', dialect, condition: `Bash(x${index} *a*b*c*d*)` }),
  )
  const plan = planMatches(hooks, { searchSlowly: noSlow, view: viewFor, conditionOf })
  for (const command of [
    'a;'.repeat(4999),
    'x1 '.repeat(3000),
    '{'.repeat(9999),
    '$(('.repeat(3000),
    '"$'.repeat(4999),
    '`'.repeat(9999),
    '<<'.repeat(4999),
    "'\\".repeat(4999),
  ]) {
    const tookMs = measureProcessor()
    await plan.match(eventOf('pre_tool_call', bash(command)))
    expect(tookMs(), command.slice(0, 10)).toBeLessThan(stretched(3000))
  }
})
