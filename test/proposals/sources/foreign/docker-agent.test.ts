import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { compilePattern } from '../../../../src/core/model/base/pattern.ts'
import { readDockerAgent } from '../../../../src/proposals/sources/foreign/docker-agent.ts'
import type { Source } from '../../../../src/proposals/sources/source.ts'
import { costOf, entriesOf, filePorts, problemOf, remarksOf, shownRows } from '../ports.ts'
import { stretched } from '../../../stretched.ts'

const read = (text: string): Source => readDockerAgent('agent.yaml', filePorts({ 'agent.yaml': text }))
const founding = (name: string): string =>
  readFileSync(new URL(`../../../fixtures/founding/docker/${name}`, import.meta.url), 'utf8')

/** The hooks of one agent, as YAML flow. */
const hooks = (flow: string): Source => read(`agents: {root: {hooks: ${flow}}}\n`)
const whole = (text: string): string => problemOf(read(text))
const command = '{type: command, command: ./a.sh}'

describe('the founding files run as they are', () => {
  test('all nineteen events of the one-stop example', () => {
    const source = read(founding('docker-hooks.yaml'))
    expect(source.proposed.filter(({ kind }) => kind === 'invalid')).toEqual([])
    expect(entriesOf(source).map(({ event, dialect, type }) => `${dialect?.event} ${event} ${type}`)).toEqual(
      [
        'pre_tool_use pre_tool_call command',
        'pre_tool_use pre_tool_call command',
        'post_tool_use post_tool_call command',
        'permission_request on_permission_request command',
        'session_start on_session_start builtin',
        'session_start on_session_start command',
        'user_prompt_submit on_user_message command',
        'turn_start pre_llm_call builtin',
        'turn_start pre_llm_call builtin',
        'turn_end on_step_end command',
        'before_llm_call pre_llm_call command',
        'after_llm_call post_llm_call command',
        'session_end on_session_end command',
        'pre_compact pre_compact command',
        'subagent_stop on_subagent_stop command',
        'on_user_input on_user_input command',
        'stop on_stop command',
        'notification on_notification command',
        'on_error on_error command',
        'on_max_iterations on_max_iterations command',
        'before_compaction pre_compact command',
        'after_compaction post_compact command',
      ],
    )
    const [guard, , after, , environment] = entriesOf(source)
    expect(guard).toMatchObject({
      shell: 'bash',
      matcher: { tool: '^(?:shell)$' },
      timeoutMs: 10_000,
      onError: 'block',
      origin: 'agent.yaml',
    })
    expect(guard?.command.split('\n')).toHaveLength(11)
    expect(after).toMatchObject({
      name: 'summarize shell output',
      cwd: '.',
      env: { HOOK_PROFILE: 'dev' },
      onError: 'warn',
    })
    expect(environment).toMatchObject({ type: 'builtin', command: 'add_environment_info', timeoutMs: 60_000 })
    expect(entriesOf(source)[8]).toMatchObject({
      command: 'add_prompt_files',
      args: ['GUIDELINES.md', 'PROJECT.md'],
    })
  })

  test("the first description's snippets", () => {
    expect(entriesOf(read(founding('docker-agent.yaml')))).toMatchObject([
      {
        event: 'pre_tool_call',
        command: './scripts/validate-command.sh',
        shell: 'bash',
        matcher: { tool: '^(?:shell|edit_file)$' },
        timeoutMs: 30_000,
        onError: 'block',
      },
      { event: 'pre_tool_call', command: './slow-validation.sh', timeoutMs: 120_000 },
      { event: 'post_tool_call', command: './scripts/log-tool-call.sh', timeoutMs: 60_000, onError: 'warn' },
      { event: 'on_session_start', command: './scripts/setup-env.sh' },
      { event: 'on_session_end' },
      { event: 'on_user_input' },
    ])
  })
})

describe('every way in which a hook may stand', () => {
  test.each([
    ['a list', `{stop: [${command}]}`, ['on_stop ./a.sh']],
    ['one mapping without the dash', `{stop: ${command}}`, ['on_stop ./a.sh']],
    ['a group on an event without tools', `{stop: [{hooks: [${command}]}]}`, ['on_stop ./a.sh']],
    ['a bare hook on an event with tools', `{pre_tool_use: [${command}]}`, ['pre_tool_call ./a.sh']],
    [
      'one group, one hook, no dashes',
      `{pre_tool_use: {matcher: shell, hooks: ${command}}}`,
      ['pre_tool_call ./a.sh'],
    ],
    ['without a type', '{stop: [{command: ./a.sh}]}', ['on_stop ./a.sh']],
    ['an empty event', '{stop: , pre_tool_use: []}', []],
  ])('%s', (_, flow, rows) => expect(shownRows(hooks(flow))).toEqual(rows))

  test("at the file's top, and in several agents: all run, and it is said whose they are", () => {
    const source = read(
      `agents:\n  root: {hooks: {stop: ${command}}}\n  helper: {hooks: {stop: {command: ./b.sh, name: log}}}\n  idle: {model: x}\nhooks: {stop: {command: ./c.sh}}\n`,
    )
    expect(entriesOf(source).map(({ command, name }) => [command, name])).toEqual([
      ['./a.sh', 'stop (root)'],
      ['./b.sh', 'log (helper)'],
      ['./c.sh', undefined],
    ])
  })

  test('identical definitions are one hook at the place of the first, asked for all that they match', () => {
    const group = (matcher: string, more = ''): string =>
      `{matcher: ${matcher}, hooks: [{command: ./a.sh${more}}]}`
    const [first, second, third, ...rest] = entriesOf(
      hooks(
        `{pre_tool_use: [${group('shell')}, ${group('shell', ', timeout: 60')}, ${group('edit_file')}], post_tool_use: [${group('shell')}, ${group('"*"')}]}`,
      ),
    )
    expect(first?.matcher).toEqual({ tool: '^(?:shell)$|^(?:edit_file)$' })
    expect(second).toMatchObject({ matcher: { tool: '^(?:shell)$' }, timeoutMs: 60_000 })
    expect(third?.matcher).toBeUndefined()
    expect(rest).toEqual([])
    expect(shownRows(hooks(`{pre_tool_use: [${group('shell')}, ${group('"["')}, ${group('")"')}]}`))).toEqual(
      [
        'pre_tool_call ./a.sh',
        expect.stringContaining('missing closing ]'),
        expect.stringContaining('unexpected )'),
      ],
    )
  })
})

describe('options', () => {
  const optionsOf = (flow: string, event = 'stop') => hooks(`{${event}: [{command: ./a.sh, ${flow}}]}`)
  test.each([
    ['timeout: 2.5', { timeoutMs: 2500 }],
    ['timeout: 0', { timeoutMs: 60_000 }],
    ['timeout: -5', { timeoutMs: 60_000 }],
    ['timeout: null', { timeoutMs: 60_000 }],
    ['on_error: ignore', { onError: 'ignore' }],
    ['working_dir: ./sub', { cwd: './sub' }],
    ['name: log', { name: 'log' }],
    ['env: {A: b, N: 5, F: true}', { env: { A: 'b', N: '5', F: 'true' } }],
  ])('%s', (flow, entry) => expect(entriesOf(optionsOf(flow))).toMatchObject([entry]))

  test.each([
    ['command: ./a.sh, timeout: 10s', 'Expected its "timeout" to be a number, got "10s" (string).'],
    [
      'command: ./a.sh, on_error: stop',
      'Expected its "on_error" to be warn or ignore or block, got "stop" (string).',
    ],
    ['command: ./a.sh, env: [A]', 'Expected its "env" to be names and texts, got ["A"] (list).'],
    [
      'command: ./a.sh, type: webhook',
      'Expected its "type" to be command or builtin or model or http, got "webhook" (string).',
    ],
    ['command: ./a.sh, matcher: [a]', 'Expected its "matcher" to be text, got ["a"] (list).'],
    ['command: 5', 'Expected its "command" to be text, got 5 (number).'],
    [
      'command: ./a.sh, working_dir: ~/x',
      'its folder "~/x" (string) depends on a person\'s home or environment',
    ],
    ['command: ./a.sh, working_dir: $HOME/x', 'its folder "$HOME/x" (string) depends'],
    ['command: ""', 'it has no command'],
    ['command: "a\\0b"', 'its command holds a NUL'],
    [`command: ${'x'.repeat(32_769)}`, 'its command has 32769 characters; at most 32768 are allowed'],
    ['type: http, url: "https://me:secret@x.example"', 'it holds a user or a password'],
    ['type: builtin, command: a b', 'of its builtin "a b" (string): a name is one word'],
  ])('%# is told where it stands', (flow, message) => {
    const rows = shownRows(read(`hooks:\n  stop:\n    - ${command}\n    - {${flow}}\n`))
    expect(rows).toEqual(['on_stop ./a.sh', expect.stringContaining(message)])
    expect(rows[1]).toContain(' agent.yaml:4: ')
  })

  test.each([
    ['strict_output: true', '"strict_output" has no effect.'],
    ['matcher: shell', 'stop takes no matcher, so the hook is asked each time.'],
    [
      'env: {KEY: "${env.KEY}", A: b}',
      'Its variable KEY is left out, because "${env.KEY}" (string) needs the environment of the gate.',
    ],
    [
      'env: {LD_PRELOAD: x.so}',
      'Its variable "LD_PRELOAD" (string) is left out, because it could replace the program or is not a valid name.',
    ],
    ['color: red, size: 5', 'Unknown options without effect: "color", "size".'],
    ['args: [a]', 'Its "args" have no effect. docker-agent passes them to builtins only.'],
    ['timeout: 5000', 'Its timeout of 5000 s is outside 0.001 s to 600 s, so it gets 600 s.'],
  ])('%s is said aloud', (flow, remark) => expect(remarksOf(optionsOf(flow))).toContain(remark))

  test('an event that nothing can refuse cannot fail closed, and that is said', () => {
    expect(remarksOf(optionsOf('on_error: block', 'session_end'))).toEqual([
      'A fault of this hook cannot block session_end, so it goes on.',
    ])
  })

  test('a variable that is left out is not there at all', () => {
    expect(entriesOf(optionsOf('env: {KEY: "${env.KEY}", LD_PRELOAD: x, A: b}'))[0]?.env).toEqual({ A: 'b' })
  })

  test('a guard fails closed whatever it says, as in its own system', () => {
    const guard = optionsOf('on_error: ignore', 'pre_tool_use')
    expect(entriesOf(guard)[0]?.onError).toBe('block')
    expect(remarksOf(guard)).toContain(
      'Its on_error: ignore has no effect. A fault blocks, as in docker-agent.',
    )
  })

  test('preempt_yolo changes nothing', () => {
    expect(
      remarksOf(hooks(`{pre_tool_use: [{matcher: shell, preempt_yolo: true, hooks: [${command}]}]}`)),
    ).toContain('"preempt_yolo" has no effect. The hook is asked about every call.')
  })
})

describe('models, addresses and builtins', () => {
  test('a model hook with a plain prompt is asked as a model', () => {
    const source = hooks(
      '{pre_tool_use: [{type: model, model: small, schema: pre_tool_use_decision, prompt: "Is it safe?"}], stop: [{type: model, prompt: Sum up}]}',
    )
    expect(entriesOf(source)).toMatchObject([
      { type: 'llm', command: 'Is it safe?', model: 'small' },
      { type: 'llm', command: 'Sum up' },
    ])
    expect(remarksOf(source, 1)).toContain(
      'Its reply is read as a verdict. docker-agent would add it to the conversation.',
    )
  })
  test('so is a template of fields; what more it holds is named', () => {
    const [filled, branching] = shownRows(
      hooks('{stop: [{type: model, prompt: "Look at {{.ToolName}}"}, {type: model, prompt: "{{if .X}}"}]}'),
    )
    expect(filled).toBe('on_stop Look at {{.ToolName}}')
    expect(branching).toContain('its prompt holds {{if .X}}, which hookgate does not fill in')
  })
  test('before each model call no model is asked', () => {
    const [row] = shownRows(hooks('{before_llm_call: [{type: model, prompt: Judge}]}'))
    expect(row).toContain('it would add a second model call to each model call')
  })
  test('what a kind has no use for is said', () => {
    const source = hooks(
      '{stop: [{type: http, url: "https://x.example/h", headers: {A: b}, env: {A: b}, working_dir: x}]}',
    )
    expect(entriesOf(source)).toMatchObject([
      { type: 'http', command: 'https://x.example/h', headers: { A: 'b' }, env: {} },
    ])
    expect(remarksOf(source)).toContain('A hook of type http has no use for its cwd, env.')
  })
})

describe('a matcher is anchored, on their names of tools', () => {
  const toolOf = (matcher: string): string | undefined =>
    entriesOf(hooks(`{pre_tool_use: [{matcher: '${matcher}', hooks: [${command}]}]}`))[0]?.matcher?.tool
  test.each([
    ['*', undefined],
    ['', undefined],
    ['shell', '^(?:shell)$'],
    ['shell|edit_file', '^(?:shell|edit_file)$'],
  ])('%s', (matcher, tool) => expect(toolOf(matcher)).toBe(tool))
  test('mcp: and mcp__ are the same tools', () => {
    const pattern = compilePattern(toolOf('mcp:.*') ?? '')
    if (!('test' in pattern)) throw new Error('expected a linear pattern')
    expect(['mcp:x', 'mcp__git__log', 'mcp', 'xmcp:y'].map(pattern.test)).toEqual([true, true, false, false])
  })
  test.each([
    ['[', 'missing closing ]'],
    ['a{1000}', 'too costly'],
    ['(a+)+$)', 'unexpected )'],
    ['x'.repeat(2000), 'at most 1000 are allowed'],
  ])('%# is told', (matcher, why) => {
    expect(shownRows(hooks(`{pre_tool_use: [{matcher: '${matcher}', hooks: [${command}]}]}`))).toEqual([
      expect.stringContaining(why),
    ])
  })
  test('one that would run for ages elsewhere is only linear here', () => {
    const pattern = compilePattern(toolOf('(a+)+') ?? '')
    if (!('test' in pattern)) throw new Error('expected a linear pattern')
    expect(costOf(() => pattern.test(`${'a'.repeat(50_000)}!`))).toBeLessThan(stretched(1000))
  })
})

describe('an event', () => {
  test('that is none is told with the nearest; one that cannot be mapped with why', () => {
    expect(
      shownRows(hooks(`{pre_tool_us: [${command}], worktree_create: [${command}], stop: [${command}]}`)),
    ).toEqual([
      expect.stringContaining(
        'docker-agent has no event "pre_tool_us" (string) (did you mean "pre_tool_use"?)',
      ),
      expect.stringContaining('worktree_create cannot be mapped: it fires before'),
      'on_stop ./a.sh',
    ])
  })
  test('with a false friend says so', () =>
    expect(remarksOf(hooks(`{pre_tool_use: [${command}]}`))).toEqual([
      'pre_tool_use: docker-agent skips it for calls that need no approval; hookgate asks it about every call.',
    ]))
})

describe('a file that is none, or hostile', () => {
  test('is one clear problem', () => {
    expect(readDockerAgent('none.yaml', filePorts({})).problem?.message).toBe(
      'Expected a readable file, but it is missing.',
    )
    expect(whole('hello: 1\n')).toBe(
      'agent.yaml: Expected a docker-agent file with "agents" in it, got {"hello":1} (object). Correct it in its file.',
    )
    for (const text of ['', '- a\n', 'x', 'agents: 5\n'])
      expect(whole(text)).toContain('Expected a docker-agent file with "agents" in it')
    expect(whole('#'.repeat(10_000_000))).toContain(
      'Expected a file of at most 262144 characters, got 10000000.',
    )
    expect(whole(`hooks:\n  stop:\n${'    - {}\n'.repeat(10_000)}`)).toBe(
      'agent.yaml: Expected at most 1000 hooks, got 10000. Correct it in its file.',
    )
    expect(whole('hooks:\n  stop:\n    - {command: a}\n  stop:\n    - {command: b}\n')).toContain(
      'agent.yaml:4:3: Expected YAML, but the key "stop" (string) occurs twice.',
    )
    expect(whole(`agents: ${'['.repeat(5000)}`)).toContain('Expected YAML')
    expect(whole(`agents: ${'{a: '.repeat(100)}1${'}'.repeat(100)}`)).toContain('nested too deep')
    expect(
      whole(
        `a: &a [x,x,x,x,x,x,x,x,x,x]\n${'bcdefghij'
          .split('')
          .map(
            (name, index) =>
              `${name}: &${name} [${Array.from({ length: 10 }, () => `*${'abcdefghi'[index]}`).join(',')}]`,
          )
          .join('\n')}\nhooks: {stop: *j}\n`,
      ),
    ).toContain('Excessive alias count')
  })
  test('but what is no hook hides none', () => {
    expect(
      shownRows(
        read(
          `agents:\n  root:\n    hooks: [1]\nhooks:\n  stop:\n    - 5\n    - ${command}\n    - {}\n    - {hooks: [x]}\n`,
        ),
      ),
    ).toEqual([
      '✗ stop (no command) agent.yaml:6: Expected "hooks.stop.0" to be a hook with type and command, got 5 (number). Correct it in its file.',
      'on_stop ./a.sh',
      '✗ stop (no command) agent.yaml:8: Expected a hook that hookgate can run, but it has no command. Correct it in its file.',
      expect.stringContaining(
        '✗ stop (no command) agent.yaml:9: Expected "hooks.stop.3.hooks.0" to be a hook',
      ),
      '✗ agents.root.hooks (no command) agent.yaml:3: Expected "agents.root.hooks" to name events, got [1] (list). Correct it in its file.',
    ])
    expect(
      shownRows(read('hooks: {__proto__: {command: ./a.sh}, constructor: [{command: ./b.sh}]}\n')),
    ).toEqual([
      expect.stringContaining('no event "__proto__"'),
      expect.stringContaining('no event "constructor"'),
    ])
  })
})
