import { describe, expect, test } from 'vitest'
import { ofEach } from '../../of-each.ts'
import type { EventPorts } from '../../../src/proposals/entry/entry-check.ts'
import { belongsTo, entryShape, type Option } from '../../../src/proposals/entry/entry-shape.ts'
import { readEntry } from '../../../src/proposals/entry/entry.ts'
import { HANDLER_TYPES, type Entry } from '../../../src/core/model/hooks/entry.ts'
import { EVENT_NAMES } from '../../../src/core/model/events/event.ts'
import type { Json, JsonObject } from '../../../src/core/model/base/json.ts'

const origin = 'config/shell_hooks.yaml'
/** Two systems with a few rows each: what an entry may name is told by these alone. */
const ports: EventPorts = {
  dialects: {
    ...ofEach({ events: [] }),
    'docker-agent': {
      events: [
        { name: 'pre_tool_use', event: 'pre_tool_call', failsClosed: true },
        { name: 'tool_guard', event: 'pre_tool_call', failsClosed: true },
        { name: 'stop', event: 'on_stop' },
        { name: 'on_error', event: 'on_notification' },
        { name: 'worktree_create', note: 'hookgate makes no worktrees' },
      ],
    },
    'claude-code': { events: [{ name: 'PreToolUse', event: 'pre_tool_call', matches: 'tool_name' }] },
  },
}
const read = (raw: Json) => readEntry(raw, 'hooks[0]', origin, ports)
const budget = { limits: { day: { dollars: 5 } }, price: { input: 3, output: 15 } }
const least = { event: 'pre_tool_call', command: './guard.sh' }

const entryOf = (rest: JsonObject = {}): Entry => {
  const result = read({ ...least, ...rest })
  if (!('entry' in result)) throw new Error(result.problem.message)
  return result.entry
}
/** Message and fix as a person reads them, and the option that they point to. */
const refusal = (raw: Json): { readonly text: string; readonly path: string } => {
  const result = read(raw)
  if ('entry' in result) throw new Error('Expected a problem, got an entry.')
  return { text: `${result.problem.message} ${result.problem.fix}`, path: result.path.join('.') }
}
const expected = (
  option: string,
  what: string,
  got: string,
  fix = `Correct or remove "${option}".`,
): string => `Expected "hooks[0].${option}" to be ${what}, got ${got}. ${fix}`

test('what is not said gets its default', () => {
  expect(entryOf()).toEqual({
    event: 'pre_tool_call',
    type: 'command',
    command: './guard.sh',
    args: [],
    timeoutMs: 20_000,
    onError: 'warn',
    priority: 100,
    isAsync: false,
    env: {},
    files: [],
    origin,
  })
})

/** Each type with every option that it has, and the entry that it makes. */
const saids: readonly (readonly [JsonObject, JsonObject])[] = [
  [
    {
      event: 'on_stop',
      type: 'command',
      command: 'python3 "./my hooks/a.py" -v',
      args: ['x y'],
      matcher: { pattern: 'done', field: 'response' },
      timeout: 1.5,
      on_error: 'block',
      priority: 0,
      async: true,
      nodes: 'all',
      warm: true,
      cwd: 'sub',
      env: { RULES: 'strict' },
      files: ['rules.json'],
      dialect: 'native',
      description: 'It guards.',
      name: 'guard',
    },
    {
      event: 'on_stop',
      type: 'command',
      command: 'python3 "./my hooks/a.py" -v',
      args: ['x y'],
      matcher: { pattern: 'done', field: 'response' },
      timeoutMs: 1500,
      onError: 'block',
      priority: 0,
      isAsync: true,
      nodes: 'all',
      isWarm: true,
      cwd: 'sub',
      env: { RULES: 'strict' },
      files: ['rules.json'],
      description: 'It guards.',
      name: 'guard',
    },
  ],
  [
    {
      event: 'on_stop',
      type: 'process',
      command: './serve.py',
      args: ['-q'],
      cwd: 'sub',
      env: { A: 'b' },
      files: ['rules.json'],
    },
    {
      event: 'on_stop',
      type: 'process',
      command: './serve.py',
      args: ['-q'],
      timeoutMs: 20_000,
      onError: 'warn',
      priority: 100,
      isAsync: false,
      cwd: 'sub',
      env: { A: 'b' },
      files: ['rules.json'],
    },
  ],
  [
    {
      event: 'on_stop',
      type: 'http',
      url: 'https://guard.example/hook?a=b',
      headers: { Authorization: 'Bearer ${TOKEN}', 'X-Team': '$TEAM' },
      sign_with: 'GUARD_KEY',
    },
    {
      event: 'on_stop',
      type: 'http',
      command: 'https://guard.example/hook?a=b',
      args: [],
      timeoutMs: 20_000,
      onError: 'warn',
      priority: 100,
      isAsync: false,
      env: {},
      files: [],
      headers: { Authorization: 'Bearer ${TOKEN}', 'X-Team': '$TEAM' },
      signWith: 'GUARD_KEY',
    },
  ],
  [
    {
      event: 'on_stop',
      type: 'builtin',
      command: 'add_date',
      args: ['3'],
      agents: ['main', 'helper', 'main'],
      ...budget,
      quiet: '22:00-07:00',
      busy: '10m',
    },
    {
      event: 'on_stop',
      type: 'builtin',
      command: 'add_date',
      args: ['3'],
      agents: ['helper', 'main'],
      ...budget,
      quiet: '22:00-07:00',
      busyMs: 600_000,
      timeoutMs: 20_000,
      onError: 'warn',
      priority: 100,
      isAsync: false,
      env: {},
      files: [],
    },
  ],
  [
    { event: 'on_stop', type: 'llm', prompt: 'Nothing\nrude.', model: 'small' },
    {
      event: 'on_stop',
      type: 'llm',
      command: 'Nothing\nrude.',
      args: [],
      timeoutMs: 20_000,
      onError: 'warn',
      priority: 100,
      isAsync: false,
      env: {},
      files: [],
      model: 'small',
    },
  ],
]

describe('what is said is taken over', () => {
  test.each(saids)('%j', (said, entry) => expect(read(said)).toEqual({ entry: { ...entry, origin } }))

  test('and no option is left out of this test', () => {
    expect([...new Set(saids.flatMap(([said]) => Object.keys(said)))].toSorted()).toEqual(
      Object.keys(entryShape).toSorted(),
    )
    expect(saids.map(([{ type }]) => type)).toEqual(HANDLER_TYPES)
  })
})

describe('an option belongs to the types that have a use for it', () => {
  const samples = Object.assign({}, ...saids.map(([said]) => said).toReversed()) as JsonObject
  const pairs = (Object.keys(belongsTo) as Option[]).flatMap((option) =>
    HANDLER_TYPES.filter((type) => belongsTo[option]?.includes(type) === false).map(
      (type) => [type, option] as const,
    ),
  )

  test.each(pairs)('%s has no %s', (type, option) => {
    const said = saids.find(([{ type: name }]) => name === type)?.[0] ?? {}
    const { text, path } = refusal({ ...said, [option]: samples[option] ?? null })
    expect(text).toContain(
      `Expected "hooks[0]" of type ${type} to have no "${option}", got one. "${option}" belongs to t`,
    )
    expect(path).toBe(option)
  })

  test('and which those are is said', () => {
    expect(refusal({ ...least, url: 'https://x.example' }).text).toBe(
      'Expected "hooks[0]" of type command to have no "url", got one. "url" belongs to type http.',
    )
    expect(refusal({ event: 'on_stop', type: 'http', command: 'https://x.example' }).text).toBe(
      'Expected "hooks[0]" of type http to have no "command", got one. "command" belongs to the types command, process, builtin. Write "url: …" instead.',
    )
    expect(refusal({ event: 'on_stop', type: 'llm', prompt: 'x', cwd: 'y' }).text).toContain(
      '"cwd" belongs to the types command, process.',
    )
  })

  test('and what a type cannot do without is asked for', () => {
    expect(refusal({ event: 'on_stop', type: 'http' })).toEqual({
      text: 'Expected "hooks[0].url" to be an http or https address of at most 2000 characters, got nothing. Add "url: …".',
      path: 'url',
    })
    expect(refusal({ event: 'pre_llm_call', type: 'llm', prompt: 'x' }).text).toContain(
      'Expected "hooks[0].type" to be a type other than llm at pre_llm_call',
    )
    expect(refusal({ event: 'on_stop', type: 'llm' }).text).toBe(
      'Expected "hooks[0].prompt" to be a prompt of at most 8000 characters, got nothing. Add "prompt: …".',
    )
    expect(refusal({ event: 'on_stop', type: 'builtin' }).text).toBe(
      'Expected "hooks[0].command" to be the name of a builtin, got nothing. Add "command: …".',
    )
    expect(refusal({ event: 'on_stop', type: 'process' }).text).toContain(
      '"hooks[0].command" to be a command: ',
    )
  })
})

describe('an address is one that can be approved by reading it', () => {
  const http = { event: 'on_stop', type: 'http' }
  test.each([
    ['ftp://x.example', 'it begins with "ftp:" (string)'],
    ['javascript:x', 'it begins with "javascript:" (string)'],
    ['/path', 'it is not a URL'],
    ['https://', 'it is not a URL'],
    ['https://user:secret@x.example', 'it holds a user or a password'],
    ['https://@x.example', 'it holds a user or a password'],
    ['https:\\/\\/secret@x.example', 'it holds a user or a password'],
    ['https://x.example/a b', 'it holds a blank or a line break'],
    ['ht\ntps://x.example', 'it holds a blank or a line break'],
  ])('%j is refused', (url, why) => {
    const { text, path } = refusal({ ...http, url })
    expect(text).toContain(`Expected "hooks[0].url" to be an http or https address, but ${why}`)
    expect(text).not.toContain('secret')
    expect(path).toBe('url')
  })
  test.each(['http://127.0.0.1:8080/x', 'https://[::1]/x', 'https://x.example/a@b'])(
    '%s is not: who may be reached is judged elsewhere',
    (url) => {
      expect(read({ ...http, url })).toMatchObject({ entry: { command: url } })
    },
  )
  test('it is never quoted when it is too long', () => {
    expect(refusal({ ...http, url: `https://x.example/?key=${'s'.repeat(2000)}` }).text).toBe(
      'Expected "hooks[0].url" to be an http or https address of at most 2000 characters, got 2023 characters. Correct or remove "url".',
    )
  })
  test.each<[string, JsonObject]>([
    ['a line break', { A: 'x\r\nB: y' }],
    ['a NUL', { A: '\0' }],
    ['what HTTP cannot carry', { A: '→' }],
    ['too much', { A: 'x'.repeat(4001) }],
    ['no text', { A: 5 }],
    ['no token', { 'A B': 'x' }],
    ['no name', { '': 'x' }],
    ['one name twice', { authorization: 'secret', Authorization: 'y' }],
    ['too many', Object.fromEntries(Array.from({ length: 33 }, (_, index) => [`h${index}`, 'x']))],
  ])('a header with %s is refused, and its value is not shown', (_, headers) => {
    const { text, path } = refusal({ ...http, url: 'https://x.example', headers })
    expect(text).toMatch(/Expected "hooks\[0\]\.headers" to be header names, each once, .*, got some for \[/)
    expect(text).not.toContain('secret')
    expect(path).toMatch(/^headers/)
  })
})

describe('a dialect is the hook system whose world the handler sees', () => {
  const docker = (event: string, rest: JsonObject = {}) => ({
    event,
    command: './x.sh',
    dialect: 'docker-agent',
    ...rest,
  })
  test.each([
    ['tool_guard', 'pre_tool_call', 'tool_guard', 'its own name'],
    ['pre_tool_call', 'pre_tool_call', 'pre_tool_use', 'ours: the first of its own'],
    ['on_stop', 'on_stop', 'stop', 'ours'],
    ['on_error', 'on_notification', 'on_error', 'a name that stands in both is its own'],
  ])('%s is %s as %s: %s', (event, ours, theirs) => {
    expect(read(docker(event))).toMatchObject({
      entry: { event: ours, dialect: { name: 'docker-agent', event: theirs } },
    })
  })
  test('a guard that its system closes on a fault stays closed, unless the file says otherwise', () => {
    expect(entryOf(docker('tool_guard')).onError).toBe('block')
    expect(entryOf(docker('tool_guard', { on_error: 'warn' })).onError).toBe('warn')
    expect(entryOf(docker('stop')).onError).toBe('warn')
  })
  test('native is none', () => expect(entryOf({ dialect: 'native' }).dialect).toBeUndefined())
  test.each([
    [
      'worktree_create',
      'the name of an event that docker-agent and hookgate both have',
      'worktree_create cannot be mapped: hookgate makes no worktrees.',
    ],
    [
      'tool_gard',
      'the name of an event that docker-agent and hookgate both have',
      'Did you mean "tool_guard"?',
    ],
    [
      'on_session_start',
      'the name of an event that docker-agent and hookgate both have',
      'docker-agent has no such event; remove "dialect" or name another event.',
    ],
    [
      'zzzzzzzzzz',
      'the name of an event that docker-agent and hookgate both have',
      'The events of docker-agent are pre_tool_use, tool_guard, stop, on_error.',
    ],
  ])('%s is refused', (event, what, fix) => {
    expect(refusal(docker(event))).toEqual({
      text: expected('event', what, `"${event}" (string)`, fix),
      path: 'event',
    })
  })
})

test('every event can be hooked', () => {
  for (const event of EVENT_NAMES) expect(read({ event, command: 'x' })).toHaveProperty('entry.event', event)
})

describe('a bad value is told in one grammar', () => {
  const command = 'a command: a path or a program with its words, at most 4000 characters'
  const env =
    'names and strings (HOME, PATH, LD_*, PYTHON*, GIT_*, NODE_*, BASH_*, XDG_*, HOOKGATE_* and the like are refused)'
  const matcher = 'a regular expression (write alternatives as "a|b"), "*", or {tool, pattern, field}'
  const seconds = 'a number from 1 to 120 (seconds)'
  const priority = 'a whole number from 0 to 1000'
  const events = `The events are ${EVENT_NAMES.join(', ')}.`

  test.each<[Option, Json, string, string, string?]>([
    [
      'event',
      'pre_tool_cal',
      'the name of an event',
      '"pre_tool_cal" (string)',
      'Did you mean "pre_tool_call"?',
    ],
    ['event', 'PreToolUse!!', 'the name of an event', '"PreToolUse!!" (string)', events],
    ['event', 'constructor', 'the name of an event', '"constructor" (string)', events],
    ['event', ['on_stop'], 'the name of an event', '["on_stop"] (list)', events],
    ['type', 'https', 'command, process, http, builtin or llm', '"https" (string)'],
    ['warm', 'yes', 'true or false', '"yes" (string)'],
    ['nodes', ['desk'], 'all', '["desk"] (list)'],
    [
      'dialect',
      'docker',
      'native, claude-code, docker-agent, agent-hooks, copilot, codex, gemini, cursor, kimi, kimi-cli, factory or responsibleai-agent-hooks',
      '"docker" (string)',
    ],
    [
      'description',
      'x'.repeat(1025),
      'a description of at most 1024 characters',
      `"${'x'.repeat(56)}… (string)`,
    ],
    ['sign_with', '$KEY', 'the name of an environment variable that holds the key', '"$KEY" (string)'],
    ['prompt', 'x'.repeat(8001), 'a prompt of at most 8000 characters', `"${'x'.repeat(56)}… (string)`],
    ['model', '', 'the name of a model', '"" (string)'],
    ['command', '', command, '"" (string)'],
    ['command', 5, command, '5 (number)'],
    ['command', ['a', 'b'], command, '["a","b"] (list)'],
    ['command', 'x'.repeat(4001), command, `"${'x'.repeat(56)}… (string)`],
    ['args', 'x', 'a list of strings', '"x" (string)'],
    ['args', [1], 'a list of strings', '[1] (list)'],
    ['matcher', 5, matcher, '5 (number)'],
    ['matcher', null, matcher, 'null (null)'],
    ['matcher', ['rm', 'dd'], matcher, '["rm","dd"] (list)'],
    ['matcher', { pattern: ['rm'] }, matcher, '{"pattern":["rm"]} (object)'],
    ['timeout', '5s', seconds, '"5s" (string)'],
    ['timeout', 0, seconds, '0 (number)'],
    ['timeout', 121, seconds, '121 (number)'],
    ['timeout', null, seconds, 'null (null)'],
    ['on_error', 'stop', 'warn, block or ignore', '"stop" (string)'],
    ['on_error', true, 'warn, block or ignore', 'true (boolean)'],
    ['priority', 1001, priority, '1001 (number)'],
    ['priority', -1, priority, '-1 (number)'],
    ['priority', 1.5, priority, '1.5 (number)'],
    ['priority', 'high', priority, '"high" (string)'],
    ['async', 'yes', 'true or false', '"yes" (string)'],
    ['cwd', '', 'a folder, relative to the workspace', '"" (string)'],
    ['cwd', 5, 'a folder, relative to the workspace', '5 (number)'],
    ['env', [], env, '[] (list)'],
    ['env', { A: 5 }, env, '{"A":5} (object)'],
    ['env', { 'A-B': 'x' }, env, '{"A-B":"x"} (object)'],
    ['env', { LD_PRELOAD: 'x.so' }, env, '{"LD_PRELOAD":"x.so"} (object)'],
    ['files', 'rules.json', 'a list of files, relative to the workspace', '"rules.json" (string)'],
    ['files', [''], 'a list of files, relative to the workspace', '[""] (list)'],
    ['name', '', 'a name of at most 80 characters', '"" (string)'],
    ['name', 'x'.repeat(81), 'a name of at most 80 characters', `"${'x'.repeat(56)}… (string)`],
  ])('%s: %j', (option, value, what, got, fix) => {
    expect(refusal({ ...least, [option]: value })).toEqual({
      text: expected(option, what, got, fix),
      path: option,
    })
  })

  test('what must be there and is not', () => {
    expect(refusal({ command: 'x' }).text).toBe(
      'Expected "hooks[0].event" to be the name of an event, got nothing. Add "event: …".',
    )
    expect(refusal({ event: 'on_stop' }).text).toBe(
      expected('command', command, 'nothing', 'Add "command: …".'),
    )
  })

  test('an option that there is not', () => {
    const known = Object.keys(entryShape).join(', ')
    expect(refusal({ ...least, comand: 'x' })).toEqual({
      text: `Expected "hooks[0]" to have only the options ${known}, got "comand". Did you mean "command"?`,
      path: 'comand',
    })
    expect(refusal({ ...least, zzz: 1 }).text).toContain('got "zzz". Remove it.')
    expect(
      refusal(JSON.parse('{"event":"on_stop","command":"x","__proto__":{"async":true}}') as Json).text,
    ).toContain('got "__proto__".')
    expect(refusal({ ...least, matcher: { patern: 'x' } })).toEqual({
      text: 'Expected "hooks[0].matcher" to have only the options tool, pattern, field, got "patern". Did you mean "pattern"?',
      path: 'matcher.patern',
    })
  })

  test.each<[Json, string]>([
    ['x', '"x" (string)'],
    [null, 'null (null)'],
    [[], '[] (list)'],
    [7, '7 (number)'],
  ])('%j is no hook', (raw, got) => {
    expect(refusal(raw)).toEqual({
      text: `Expected "hooks[0]" to be a hook with event and command, got ${got}. Write it as "- event: …" with "command: …" under it.`,
      path: '',
    })
  })
})

describe('an environment that would replace the program', () => {
  test.each([
    'LD_PRELOAD',
    'LD_X',
    'DYLD_INSERT_LIBRARIES',
    'NODE_OPTIONS',
    'PYTHONPATH',
    'PYTHONSTARTUP',
    'BASH_ENV',
    'ENV',
    'PATH',
    'GIT_DIR',
    'HOOKGATE_CHAIN',
    'IFS',
    'PERL5OPT',
    'RUBYOPT',
    'HOME',
    'GCONV_PATH',
    'OPENSSL_CONF',
    'LUA_INIT',
    'XDG_CONFIG_HOME',
    'JAVA_TOOL_OPTIONS',
    'DOTNET_STARTUP_HOOKS',
    'npm_config_script_shell',
    'PS4',
    'GIT_EDITOR',
    '1A',
    '',
  ])('%s is refused', (name) => {
    expect(refusal({ ...least, env: { [name]: 'x' } }).path).toBe('env')
  })
  test.each(['RULES', 'TZ', 'MY_PATH', 'OLD_X', '_x'])('%s is not', (name) =>
    expect(entryOf({ env: { [name]: 'x' } }).env).toEqual({ [name]: 'x' }),
  )
})

describe('a command is words, and no shell reads them', () => {
  test.each([
    ['./a.sh | tee log', '"|" is a shell\'s operator'],
    ['./a.sh && ./b.sh', '"&&" is a shell\'s operator'],
    ['./a.sh || true', '"||" is a shell\'s operator'],
    ['./a.sh ; ./b.sh', '";" is a shell\'s operator'],
    ['./a.sh &', '"&" is a shell\'s operator'],
    ['./a.sh > log', '">" is a shell\'s operator'],
    ['./a.sh 2>/dev/null', '"2>/dev/null" is a shell\'s operator'],
    ['./a.sh 2>&1', '"2>&1" is a shell\'s operator'],
    ['./a.sh < in', '"<" is a shell\'s operator'],
    ["./a.sh $'x'", 'which only a shell reads'],
    ['./a.sh\n./b.sh', 'it holds a line break or a NUL'],
    ['./a.sh "x', 'a quote is not closed'],
  ])('%j is refused', (command, why) => {
    const { text, path } = refusal({ ...least, command })
    expect(text).toContain(`Expected "hooks[0].command" to be words that run without a shell, but `)
    expect(text).toContain(why)
    expect(path).toBe('command')
  })
  test.each([
    "sh -c './a.sh | tee log'",
    'python3 -c "print(1)"',
    "grep -q '<b>'",
    'a.sh --x=1>2',
    './a.sh "a b" c\\ d',
  ])('%j is taken as it is', (command) => {
    expect(entryOf({ command }).command).toBe(command)
  })
})

describe('matchers', () => {
  test.each<[Json, Json | undefined]>([
    ['rm -rf|mkfs', { pattern: 'rm -rf|mkfs' }],
    ['*', undefined],
    ['', undefined],
    [{}, undefined],
    [{ tool: '*', pattern: '*' }, undefined],
    [{ tool: 'bash', pattern: '*' }, { tool: 'bash' }],
    [
      { tool: '', pattern: 'rm', field: 'tool_input.command' },
      { pattern: 'rm', field: 'tool_input.command' },
    ],
    [
      { tool: 'bash', pattern: 'rm' },
      { tool: 'bash', pattern: 'rm' },
    ],
    ['rm(?! -i)', { pattern: 'rm(?! -i)' }],
  ])('%j', (matcher, read) => expect(entryOf({ matcher }).matcher).toEqual(read))

  const could = 'Expected "hooks[0].matcher" to be a regular expression that can match, but '
  test.each<[JsonObject, string]>([
    [{ matcher: 'a(' }, '"a(" (string) is not a usable pattern: missing closing ). Correct the pattern.'],
    [
      { matcher: { tool: '[' } },
      '"[" (string) is not a usable pattern: missing closing ]. Correct the pattern.',
    ],
    [
      { matcher: 'a{1000}' },
      '"a{1000}" (string) is not a usable pattern: it is too costly (1002 instructions; at most 600): use smaller repeat counts. Correct the pattern.',
    ],
    [
      { matcher: { field: 'tool_input' } },
      'it names the field "tool_input" without a pattern. Add "pattern: …" or remove "field".',
    ],
    [
      { matcher: { tool: 'bash', field: 'tool_input' } },
      'it names the field "tool_input" without a pattern. Add "pattern: …" or remove "field".',
    ],
    [
      { matcher: { pattern: 'rm', field: 'tool_inputs.command' } },
      'pre_tool_call has no field "tool_inputs". Did you mean "tool_input"?',
    ],
    [{ event: 'on_stop', matcher: { tool: 'bash' } }, 'on_stop has no tool to match. Remove "tool".'],
    [
      { event: 'on_user_input', matcher: 'startup' },
      'on_user_input has nothing that is searched by itself. Write {pattern, field}; its fields are prompt.',
    ],
  ])('%j could never match', (raw, rest) =>
    expect(refusal({ ...least, ...raw })).toEqual({ text: could + rest, path: 'matcher' }),
  )

  test.each([
    ['every payload', 'on_session_start', { pattern: '^/work', field: 'cwd' }],
    ['a payload in a group alone', 'on_user_message', { pattern: '^false$', field: 'is_owner' }],
  ])('a field of %s can be named, too', (_, event, matcher) => {
    expect(entryOf({ event, matcher }).matcher).toEqual(matcher)
  })
})
