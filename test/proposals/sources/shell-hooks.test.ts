import { describe, expect, test } from 'vitest'
import { readShellHooks } from '../../../src/proposals/sources/shell-hooks.ts'
import { formatProblem } from '../../../src/shared/base/problem.ts'
import { knowledge, problemOf } from './ports.ts'

const read = (text: string) => readShellHooks(text, 'hooks.yaml', knowledge)
/** As a person reads it: each hook's command, or what is wrong with it and where. */
const shown = (text: string): readonly string[] =>
  read(text).proposed.map((place) =>
    place.kind === 'entry'
      ? place.entry.command
      : `✗ ${place.event} ${place.command} ${formatProblem(place.problem)}`,
  )

const whole = (text: string): string => problemOf(read(text))
const mend = 'Correct the file. Approved hooks stay in force.'

test('hooks stand in the order of the file', () => {
  expect(
    shown(
      'hooks:\n  - {event: on_stop, command: ./b.sh}\n  - {event: on_stop, command: ./a.sh, priority: 900}\n',
    ),
  ).toEqual(['./b.sh', './a.sh'])
})

test.each([
  ['', 'an empty file'],
  ['# nothing yet\n', 'only comments'],
  ['hooks:\n', 'no list yet'],
  ['hooks: []\n', 'an empty list'],
  ['{}', 'an empty object'],
  ['---\n...\n', 'an empty document'],
  ['\uFEFFhooks: []\n', 'a byte order mark'],
])('%j proposes nothing: %s', (text) => {
  expect(read(text)).toEqual({ proposed: [] })
})

test('bad entries never hide the good ones; each is told with file, line and fix', () => {
  const text = [
    'hooks:', // 1
    '  - event: pre_tool_call', // 2
    '    command: ./good.sh', // 3
    '  - event: pre_tool_cal', // 4
    '    command: ./typo.sh', // 5
    '  - event: on_stop', // 6
    '    command: ./late.sh', // 7
    '    timeout: 5s', // 8
    '  - just a word', // 9
    '  - event: on_stop', // 10
    '  - event: on_stop', // 11
    '    command: ./matcher.sh', // 12
    '    matcher:', // 13
    '      patern: x', // 14
    '  - event: on_stop', // 15
    '    command: ./last.sh', // 16
  ].join('\n')
  expect(shown(text)).toEqual([
    './good.sh',
    '✗ pre_tool_cal ./typo.sh hooks.yaml:4: Expected "hooks[1].event" to be the name of an event, got "pre_tool_cal" (string). Did you mean "pre_tool_call"?',
    '✗ on_stop ./late.sh hooks.yaml:8: Expected "hooks[2].timeout" to be a number from 1 to 120 (seconds), got "5s" (string). Correct or remove "timeout".',
    '✗ hooks[3] (no command) hooks.yaml:9: Expected "hooks[3]" to be a hook with event and command, got "just a word" (string). Write it as "- event: …" with "command: …" under it.',
    '✗ on_stop (no command) hooks.yaml:10: Expected "hooks[4].command" to be a command: a path or a program with its words, at most 4000 characters, got nothing. Add "command: …".',
    '✗ on_stop ./matcher.sh hooks.yaml:14: Expected "hooks[5].matcher" to have only the options tool, pattern, field, got "patern". Did you mean "pattern"?',
    './last.sh',
  ])
})

test('what stands beside "hooks" and "sources" is told, and hides nothing', () => {
  expect(
    shown(
      'hook:\n  - {event: on_stop, command: ./a.sh}\nhooks:\n  - {event: on_stop, command: ./b.sh}\nsource:\n  - copilot: ./x\n',
    ),
  ).toEqual([
    './b.sh',
    '✗ hook (no command) hooks.yaml:2: Expected only "hooks" and "sources", got "hook". Did you mean "hooks"?',
    '✗ source (no command) hooks.yaml:6: Expected only "hooks" and "sources", got "source". Did you mean "sources"?',
  ])
})

describe('sources', () => {
  test('name a system and a place each, and need no hooks beside them', () => {
    expect(
      read(
        'sources:\n  - docker-agent: ./agent.yaml\n  - agent-hooks: /abs/hooks\n  - copilot: .github/hooks\n  - claude-code: .claude/settings.json\n',
      ),
    ).toEqual({
      proposed: [],
      sources: [
        { system: 'docker-agent', place: './agent.yaml' },
        { system: 'agent-hooks', place: '/abs/hooks' },
        { system: 'copilot', place: '.github/hooks' },
        { system: 'claude-code', place: '.claude/settings.json' },
      ],
    })
    expect(read('hooks: []\nsources:\n')).toEqual({ proposed: [] })
  })

  const systems =
    'Write "- <system>: <path>". The systems are claude-code, claude-plugin, docker-agent, agent-hooks, copilot, codex, gemini, cursor, kimi, factory.'
  test.each([
    [
      'docker-agnt: x',
      '✗ docker-agnt x hooks.yaml:2: Expected "sources[0]" to name a system whose hooks can be read, got "docker-agnt" (string). Did you mean "docker-agent"?',
    ],
    [
      'zed: x',
      `✗ zed x hooks.yaml:2: Expected "sources[0]" to name a system whose hooks can be read, got "zed" (string). ${systems}`,
    ],
    [
      'windsurf: .windsurf/hooks.json',
      '✗ windsurf .windsurf/hooks.json hooks.yaml:2: Expected a system whose hooks can be read, got windsurf: Windsurf\'s hooks have events and a payload form of their own, which hookgate does not support. Write the hook again under "hooks:". To run its script there, write a small wrapper script that translates the payload.',
    ],
    [
      'claude-code: ./.kiro/hooks/x.json',
      '✗ kiro ./.kiro/hooks/x.json hooks.yaml:2: Expected a system whose hooks can be read, got kiro: Kiro\'s hooks are requests to its own agent, or commands with a payload form that hookgate does not support. Write the hook again under "hooks:". To run its script there, write a small wrapper script that translates the payload.',
    ],
    [
      'constructor: x',
      `✗ constructor x hooks.yaml:2: Expected "sources[0]" to name a system whose hooks can be read, got "constructor" (string). ${systems}`,
    ],
    [
      '{copilot: x, docker-agent: y}',
      `✗ sources[0] (no path) hooks.yaml:2: Expected "sources[0]" to be one system and its path, got {"copilot":"x","docker-agent":"y"} (object). ${systems}`,
    ],
    [
      'copilot',
      `✗ sources[0] (no path) hooks.yaml:2: Expected "sources[0]" to be one system and its path, got "copilot" (string). ${systems}`,
    ],
    [
      'copilot: [a, b]',
      '✗ copilot (no path) hooks.yaml:2: Expected "sources[0].copilot" to be a path of at most 1000 characters, got ["a","b"] (list). Write a path relative to the workspace, or an absolute path.',
    ],
    [
      'copilot: ""',
      '✗ copilot (no path) hooks.yaml:2: Expected "sources[0].copilot" to be a path of at most 1000 characters, got "" (string). Write a path relative to the workspace, or an absolute path.',
    ],
    [
      'copilot: "a\\0b"',
      '✗ copilot a\0b hooks.yaml:2: Expected "sources[0].copilot" to be a path of at most 1000 characters, got "a\\u0000b" (string). Write a path relative to the workspace, or an absolute path.',
    ],
    [
      'copilot: ~mia/hooks',
      '✗ copilot ~mia/hooks hooks.yaml:2: Expected "sources[0].copilot" to be a relative path, an absolute path or a path with "~/", got "~mia/hooks" (string). "~/" is the home of the person who started hookgate. Write the full path for the home of another user.',
    ],
  ])('%s is none, and hides none', (source, row) => {
    const text = `sources:\n  - ${source}\n  - copilot: ./good\nhooks:\n  - {event: on_stop, command: ./a.sh}\n`
    expect(shown(text)).toEqual(['./a.sh', row])
    expect(read(text).sources).toEqual([{ system: 'copilot', place: './good' }])
  })

  test('are a list, of at most 20', () => {
    expect(shown('sources: {copilot: x}\n')).toEqual([
      `✗ sources (no path) hooks.yaml:1: Expected "sources" to be a list, got {"copilot":"x"} (object). ${systems}`,
    ])
    const many = `sources:\n${'  - copilot: ./x\n'.repeat(25)}`
    expect(read(many).sources).toHaveLength(20)
    expect(shown(many)).toEqual([
      '✗ sources (5 more) hooks.yaml:22: Expected at most 20 sources, got 25. The last 5 are not read. Remove some sources.',
    ])
  })
})

test('an entry of another type is named by what it asks', () => {
  expect(
    shown(
      'hooks:\n  - {event: on_stp, type: http, url: "https://x.example"}\n  - {event: on_stp, type: llm, prompt: Be kind.}\n',
    ).map((row) => row.split(' hooks.yaml')[0]),
  ).toEqual(['✗ on_stp https://x.example', '✗ on_stp Be kind.'])
})

describe('a file that is none', () => {
  test.each([
    [
      'hooks: [\n  {event: on_stop',
      'hooks.yaml:2:18: Expected YAML, but Flow map in block collection must be sufficiently indented and end with a }. ',
    ],
    [
      'hooks:\n\t- event: on_stop',
      'hooks.yaml:2:1: Expected YAML, but Tabs are not allowed as indentation. ',
    ],
    ['hooks:\n  - event: "on_stop', 'hooks.yaml:2:20: Expected YAML, but Missing closing "quote. '],
    [
      'hooks:\n  - command: a: b',
      'hooks.yaml:2:14: Expected YAML, but Nested mappings are not allowed in compact mappings. ',
    ],
    ['a: 1\n---\nb: 2\n', 'Expected YAML, but Source contains multiple documents'],
  ])('%j has its place told', (text, message) => {
    const problem = whole(text)
    expect(problem).toContain(message)
    expect(problem).toContain(mend)
  })

  test.each([
    ['hooks:\n  event: on_stop\n', '{"event":"on_stop"} (object)'],
    ['hooks: ./a.sh\n', '"./a.sh" (string)'],
    ['- {event: on_stop, command: ./a.sh}\n', '[{"event":"on_stop","command":"./a.sh"}] (list)'],
    ['./a.sh\n', '"./a.sh" (string)'],
  ])('%j is no list of hooks', (text, got) => {
    expect(whole(text)).toBe(
      `hooks.yaml:1: Expected "hooks" to be a list of hooks, got ${got}. Write "hooks:", and below it one "- event: …" for each hook.`,
    )
  })
})

test('a key that stands twice is told, where it stands the second time', () => {
  expect(whole('hooks:\n  - event: on_stop\n    command: ./a.sh\n    command: ./b.sh\n')).toBe(
    `hooks.yaml:4:5: Expected YAML, but the key "command" (string) occurs twice. ${mend}`,
  )
  expect(whole('hooks: []\nhooks:\n  - {event: on_stop, command: ./a.sh}\n')).toContain(
    'hooks.yaml:2:1: Expected YAML, but the key "hooks" (string) occurs twice.',
  )
})

test('__proto__ and its like are options that there are not', () => {
  const [proto, constructor] = shown(
    'hooks:\n  - {event: on_stop, command: ./a.sh, __proto__: {async: true}}\n  - {event: on_stop, command: ./a.sh, constructor: x}\n',
  )
  expect(proto).toContain('got "__proto__".')
  expect(constructor).toContain('got "constructor".')
  expect(({} as { async?: boolean }).async).toBeUndefined()
  expect(shown('__proto__: {hooks: [{event: on_stop, command: ./a.sh}]}')).toEqual([
    expect.stringContaining('Expected only "hooks" and "sources", got "__proto__"'),
  ])
})

test('words that YAML itself reads are told by their type', () => {
  expect(
    shown(
      'hooks:\n  - {event: on_stop, command: ./a.sh, timeout: .inf}\n  - {event: on_stop, command: ./a.sh, name: 2030-01-01}\n  - {event: on_stop, command: ./a.sh, name: null}\n',
    ),
  ).toEqual([
    expect.stringContaining('"hooks[0].timeout" to be a number from 1 to 120'),
    './a.sh',
    expect.stringContaining('got null (null)'),
  ])
})

describe('hostile files', () => {
  test('aliases may repeat a little and not explode', () => {
    expect(
      shown(
        'hooks:\n  - {event: on_stop, command: ./a.sh, matcher: &m done}\n  - {event: on_stop, command: ./b.sh, matcher: *m}\n',
      ),
    ).toEqual(['./a.sh', './b.sh'])
    const bomb = `a: &a [x,x,x,x,x,x,x,x,x,x]\n${'bcdefghij'
      .split('')
      .map(
        (name, index) =>
          `${name}: &${name} [${Array.from({ length: 10 }, () => `*${'abcdefghi'[index]}`).join(',')}]`,
      )
      .join('\n')}\nhooks: *j\n`
    expect(whole(bomb)).toContain('Excessive alias count')
    expect(whole(`hooks:\n  - &a x\n${'  - *a\n'.repeat(101)}`)).toContain('it uses more than 100 aliases')
  })

  test('an alias of nothing is told', () => {
    expect(whole('hooks: *nobody')).toBe(
      'hooks.yaml: Expected aliases that can be replaced by their values, but Unresolved alias (the anchor must be set before the alias): nobody. Write the values out instead of using aliases.',
    )
  })

  test('a file is at most 128 Ki characters and 1000 hooks long', () => {
    expect(whole('#'.repeat(131_073))).toBe(
      `hooks.yaml: Expected a file of at most 131072 characters, got 131073. ${mend}`,
    )
    expect(whole(`hooks:\n${'- x\n'.repeat(1001)}`)).toBe(
      `hooks.yaml: Expected at most 1000 hooks, got 1001. ${mend}`,
    )
    expect(read(`hooks:\n${'- x\n'.repeat(1000)}`).proposed).toHaveLength(1000)
  })
})

describe('a pattern that matches less than it seems to has a remark', () => {
  const remarks = (hook: string, event = 'pre_tool_call'): readonly string[] =>
    read(`hooks:\n  - {event: ${event}, command: ./a.sh, ${hook}}\n`).proposed.flatMap((place) =>
      place.kind === 'entry' ? (place.remarks ?? []) : ['invalid'],
    )
  const where = 'Write {tool: …} or {pattern: …, field: …} to say where to search.'
  const lines = 'Its matcher expects a tool and its arguments on one line, but each is on its own line.'

  test.each([
    [
      `matcher: 'tool_name.*bash'`,
      `Its matcher names the field tool_name, but only values are searched. ${where}`,
    ],
    [
      `matcher: '"command"\\s*:\\s*"rm'`,
      `Its matcher contains JSON syntax, but only the values are searched, as plain text. ${where}`,
    ],
    [
      `matcher: '"cmd": "rm'`,
      `Its matcher contains JSON syntax, but only the values are searched, as plain text. ${where}`,
    ],
    [`matcher: 'bash.*rm -rf'`, `${lines} ${where}`],
    [`matcher: '^(bash).{0,9}rm'`, `${lines} ${where}`],
    [`matcher: 'write_file:.*secret'`, `${lines} ${where}`],
    [`matcher: 'Bash(rm:*)'`, `${lines} ${where}`],
  ])('%s', (matcher, remark) => expect(remarks(matcher)).toEqual([remark]))

  test('before a model call, where only what the user said last is searched', () => {
    const remark =
      'Its matcher searches only the last message of the user. Write {pattern: …, field: messages} to search the whole conversation.'
    expect(remarks(`matcher: 'secret'`, 'pre_llm_call')).toEqual([remark])
    expect(remarks(`matcher: {pattern: secret, field: messages}`, 'pre_llm_call')).toEqual([])
    expect(remarks(`timeout: 5`, 'pre_llm_call')).toEqual([])
  })

  test.each([
    `matcher: 'rm -rf|mkfs'`,
    `matcher: {tool: tool_name, pattern: x}`,
    `matcher: {pattern: '"a":', field: tool_input.content}`,
    `matcher: 'my_tool_names'`,
    `matcher: '^bash$|^write_file$'`,
    `matcher: 'bash -c .*rm'`,
    `matcher: {tool: bash, pattern: 'rm.*-rf'}`,
  ])('%s has none', (matcher) => expect(remarks(matcher)).toEqual([]))
})
