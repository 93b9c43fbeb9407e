import { spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { readBounded } from '../../../../src/config/read-bounded.ts'
import { readAgentHooks } from '../../../../src/proposals/sources/foreign/agent-hooks.ts'
import { createFiles } from '../../../../src/proposals/sources/foreign/files.ts'
import type { Source } from '../../../../src/proposals/sources/source.ts'
import { costOf, entriesOf, knowledge, remarksOf, shownRows } from '../ports.ts'
import { stretched } from '../../../stretched.ts'

let workspace = ''
beforeEach(() => {
  workspace = mkdtempSync(join(tmpdir(), 'agent-hooks-'))
})
afterEach(() => rmSync(workspace, { recursive: true, force: true }))

const place = '.agents/hooks'
const put = (path: string, text: string, mode = 0o644): void => {
  const file = join(workspace, place, path)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
  chmodSync(file, mode)
}
const md = (name: string, more = ''): string =>
  `---\nname: ${name}\ndescription: Keeps watch\ntrigger: before_tool\n${more}---\n\n# Prose\n\n---\nnot: options\n`
const hook = (name: string, more = '', script = 'run.sh'): void => {
  put(`${name}/HOOK.md`, md(name, more))
  put(`${name}/scripts/${script}`, '#!/bin/sh\nexit 0\n', 0o755)
}
const ports = () => ({ ...knowledge, ...createFiles(workspace, (path) => readBounded(path, 512 * 1024)) })
const read = (at = place): Source => readAgentHooks(at, ports())

describe('a hook', () => {
  test('of the specification is an entry with its defaults', () => {
    hook(
      'guard',
      'matcher:\n  tool: "Shell"\n  pattern: "rm -rf /|mkfs"\ntimeout: 5000\nasync: false\npriority: 999\nmetadata:\n  team: [a, {b: c}]\n',
    )
    expect(entriesOf(read())).toEqual([
      {
        event: 'pre_tool_call',
        type: 'command',
        command: '.agents/hooks/guard/scripts/run.sh',
        args: [],
        dialect: { name: 'agent-hooks', event: 'before_tool' },
        matcher: { tool: 'Shell', pattern: 'rm -rf /|mkfs', field: 'tool_input' },
        timeoutMs: 5000,
        onError: 'warn',
        priority: 999,
        isAsync: false,
        env: {},
        files: ['.agents/hooks/guard/HOOK.md'],
        origin: '.agents/hooks/guard/HOOK.md',
        description: 'Keeps watch',
        name: 'guard',
      },
    ])
  })

  test("by today's names, asynchronous, with what it says nothing about", () => {
    put(
      'log-it/HOOK.md',
      '\uFEFF---\r\nname: log-it\r\ndescription: "Logs --- all\r\n  of it"\r\ntrigger: post-session\r\nasync: true\r\n---\r\n',
    )
    put('log-it/scripts/run', '#!/bin/sh\n', 0o755)
    expect(entriesOf(read())).toMatchObject([
      {
        event: 'on_session_end',
        isAsync: true,
        timeoutMs: 30_000,
        priority: 100,
        dialect: { event: 'post-session' },
        description: 'Logs --- all of it',
      },
    ])
  })

  test('is found in a folder of its own and in a folder of hooks, in order; other folders are none', () => {
    for (const name of ['b', 'a', 'c']) hook(name)
    put('notes/hook.md', md('notes'))
    put('README.md', '# Hooks')
    expect(entriesOf(read()).map(({ name }) => name)).toEqual(['a', 'b', 'c'])
    expect(entriesOf(read(`${place}/b`)).map(({ name }) => name)).toEqual(['b'])
    expect(entriesOf(read(join(workspace, place))).map(({ command }) => command)).toEqual(
      ['a', 'b', 'c'].map((name) => join(workspace, place, name, 'scripts/run.sh')),
    )
  })

  test('a folder with a blank is one word of its command', () => {
    put('my hooks/x/HOOK.md', md('x'))
    put('my hooks/x/scripts/run.sh', '#!/bin/sh\n', 0o755)
    expect(entriesOf(read(`${place}/my hooks`)).map(({ command }) => command)).toEqual([
      "'.agents/hooks/my hooks/x/scripts/run.sh'",
    ])
  })

  test('with another name than its folder has, and a remark on it', () => {
    put('a/HOOK.md', md('Another--name'))
    put('a/scripts/run.sh', '#!/bin/sh\n', 0o755)
    expect(read().proposed).toMatchObject([
      {
        kind: 'entry',
        entry: { name: 'Another--name' },
        remarks: ['Its "name" is "Another--name", but its folder is named "a".'],
      },
    ])
  })
  test('names are compared as people read them', () => {
    hook('café')
    put('cafe\u0301-2/HOOK.md', md('caf\u00e9-2'))
    put('cafe\u0301-2/scripts/run', '#!/bin/sh\n', 0o755)
    expect(new Set(entriesOf(read()).map(({ name }) => name))).toEqual(new Set(['café', 'caf\u00e9-2']))
  })

  test('runs the first of run, run.sh and run.py', () => {
    hook('a', '', 'run.py')
    expect(entriesOf(read())[0]?.command).toMatch(/run\.py$/)
    hook('a', '', 'run.sh')
    expect(entriesOf(read())[0]).toMatchObject({
      command: '.agents/hooks/a/scripts/run.sh',
      files: ['.agents/hooks/a/HOOK.md', '.agents/hooks/a/scripts/run.py'],
    })
    hook('a', '', 'run')
    expect(entriesOf(read())[0]?.command).toMatch(/scripts\/run$/)
  })

  test('is sealed with every other file of its folder', () => {
    hook('a')
    put('a/lib/deep/x.py', '')
    put('a/references/list.txt', '')
    expect(entriesOf(read())[0]?.files.toSorted()).toEqual(
      ['a/HOOK.md', 'a/lib/deep/x.py', 'a/references/list.txt'].map((file) => join(place, file)),
    )
    for (let index = 0; index < 60; index++) put(`a/many/${index}`, '')
    expect(entriesOf(read())[0]?.files).toHaveLength(50)
    expect(remarksOf(read())).toEqual([
      'Its folder holds more than 50 files or folders. Only the first 50 files are sealed with it.',
    ])
  })

  test('its matcher counts for tools only, and that is told', () => {
    put('a/HOOK.md', '---\nname: a\ndescription: d\ntrigger: session_start\nmatcher: {tool: Shell}\n---\n')
    put('a/scripts/run', '#!/bin/sh\n', 0o755)
    expect(entriesOf(read())[0]?.matcher).toBeUndefined()
    expect(remarksOf(read()).join(' ')).toContain('takes no matcher')
  })

  test('a backslash that YAML does not know is read as it stands, as the specification writes it', () => {
    hook('py', 'matcher:\n  tool: "WriteFile"\n  pattern: "\\.(py|js)\\s\\d$"\n')
    expect(entriesOf(read())[0]?.matcher).toEqual({
      tool: 'WriteFile',
      pattern: '\\.(py|js)\\s\\d$',
      field: 'tool_input',
    })
    expect(remarksOf(read()).join(' ')).toContain('Use single quotes instead.')
  })

  test('a timeout outside the specification is brought inside, and that is told', () => {
    hook('a', 'timeout: 9000000\n')
    expect(entriesOf(read())[0]?.timeoutMs).toBe(600_000)
    expect(remarksOf(read()).join(' ')).toContain('9000 s')
  })
})

test('keys of others are listed with a remark, and hide nothing', () => {
  hook('a', 'homepage: https://example.org\nlicense: MIT\n')
  expect(entriesOf(read()).map(({ name }) => name)).toEqual(['a'])
  expect(remarksOf(read())).toEqual(['Unknown options without effect: "homepage", "license".'])
})

test('a module for another program says that it cannot run here, and why', () => {
  put('boot/HOOK.md', '---\nname: boot\ndescription: d\nmetadata: {openclaw: {events: [gateway]}}\n---\n')
  put('boot/handler.ts', 'export default async () => {}\n')
  expect(shownRows(read())[0]).toMatch(/handler\.ts is a module that only OpenClaw can load/)
})

describe('what cannot be a hook is listed with what is wrong and where', () => {
  const head = 'name: a\ndescription: d\ntrigger: before_tool\n'
  test.each<[what: string, text: string, wrong: RegExp]>([
    ['no frontmatter', '# Hook\n', /HOOK\.md:1: Expected the first line to be "---", got "# Hook"/],
    ['an end that is none', '---\nname: a\n --- \n', /Expected a line "---" after the options/],
    ['bytes', '---\n\0\n---\n', /Expected text, got binary data/],
    ['no options', '---\n---\n', /Expected options such as "name: …", got null/],
    ['a list', '---\n- a\n---\n', /Expected options such as "name: …", got \["a"\]/],
    ['bad YAML', '---\nname: a\ndescription: [\n---\n', /HOOK\.md:\d+:\d+: Expected YAML/],
    ['a key that stands twice', '---\nname: a\nname: b\n---\n', /HOOK\.md:3:\d+: .*occurs twice/],
    [
      'an empty name',
      `---\n${head.replace('name: a', 'name: ""')}---\n`,
      /HOOK\.md:2: Expected "name" to be a text of 1 to 64 characters, got ""/,
    ],
    [
      'a name with a line break',
      `---\n${head.replace('name: a', 'name: "a\\nb"')}---\n`,
      /1 to 64 characters, got "a\\nb"/,
    ],
    [
      'too long a name',
      `---\n${head.replace('name: a', `name: ${'a'.repeat(65)}`)}---\n`,
      /1 to 64 characters/,
    ],
    [
      'a name that is a number',
      `---\n${head.replace('name: a', 'name: 7')}---\n`,
      /Expected its "name" to be text, got 7/,
    ],
    [
      'no description',
      '---\nname: a\ntrigger: before_tool\n---\n',
      /Expected "description" to be a text of 1 to 1024 characters, got nothing/,
    ],
    [
      'too long a description',
      `---\nname: a\ndescription: ${'x'.repeat(1025)}\ntrigger: before_tool\n---\n`,
      /1 to 1024/,
    ],
    [
      'no trigger',
      '---\nname: a\ndescription: d\n---\n',
      /Expected "trigger" to be the name of an event, got nothing/,
    ],
    [
      'an unknown trigger',
      `---\n${head.replace('before_tool', 'before_tools')}---\n`,
      /before_tools .*:4: .*did you mean "before_tool"/,
    ],
    [
      'a mistyped option',
      `---\n${head}prioritty: 1\n---\n`,
      /got "prioritty" \(string\)\. Did you mean "priority"\?/,
    ],
    [
      'a priority out of range',
      `---\n${head}priority: 1001\n---\n`,
      /HOOK\.md:5: Expected "priority" to be a whole number from 0 to 1000, got 1001/,
    ],
    [
      'a timeout as text',
      `---\n${head}timeout: 5s\n---\n`,
      /Expected its "timeout" to be a number, got "5s"/,
    ],
    ['async as text', `---\n${head}async: yes\n---\n`, /Expected its "async" to be true or false, got "yes"/],
    [
      'a matcher as text',
      `---\n${head}matcher: Shell\n---\n`,
      /Expected "matcher" to be \{tool, pattern\}, got "Shell"/,
    ],
    [
      'a mistyped matcher',
      `---\n${head}matcher: {tools: Shell}\n---\n`,
      /got "tools" \(string\)\. Did you mean "tool"\?/,
    ],
    [
      'a matcher that is no pattern',
      `---\n${head}matcher: {pattern: "("}\n---\n`,
      /Expected its matcher to be a regular expression/,
    ],
    [
      'a backspace for a word boundary',
      `---\n${head}matcher: {pattern: "\\brm\\b"}\n---\n`,
      /control character\. Write it in single quotes\./,
    ],
  ])('%s', (_, text, wrong) => {
    hook('a')
    put('a/HOOK.md', text)
    hook('good')
    expect(shownRows(read())[0]).toMatch(wrong)
    expect(
      entriesOf(read()).map(({ name }) => name),
      'and never hides the good ones',
    ).toEqual(['good'])
  })

  test('no script, or one that cannot be executed', () => {
    put('a/HOOK.md', md('a'))
    expect(shownRows(read())).toEqual([
      '✗ before_tool .agents/hooks/a .agents/hooks/a/HOOK.md: Expected one of scripts/run, scripts/run.sh, scripts/run.py beside HOOK.md, got none. Write .agents/hooks/a/scripts/run.sh.',
    ])
    put('a/scripts/run.sh', '#!/bin/sh\n')
    expect(shownRows(read())[0]).toContain('but it is not. Run chmod +x .agents/hooks/a/scripts/run.sh.')
  })

  test('a folder that is not there', () =>
    expect(read('nowhere').problem).toMatchObject({ code: 'source.unreadable', file: 'nowhere' }))
})

describe('bounds', () => {
  test('a huge file, nested brackets and aliases that multiply are each one row, in a moment', () => {
    const bomb = `a: &a [x,x,x,x,x,x,x,x,x]\n${['b', 'c', 'd', 'e', 'f', 'g', 'h'].map((name, index) => `${name}: &${name} [${Array.from({ length: 9 }, () => `*${'abcdefg'[index]}`).join(',')}]\n`).join('')}`
    for (const text of [
      md('a', `metadata: ${'x'.repeat(70_000)}\n`),
      md('a', `metadata: ${'['.repeat(30_000)}\n`),
      md('a', bomb),
      '\u0000'.repeat(1000),
      md('a', `metadata: "${'\\q'.repeat(30_000)}"\n`),
    ]) {
      hook('a')
      put('a/HOOK.md', text)
      expect(costOf(() => expect(read().proposed).toHaveLength(1))).toBeLessThan(stretched(3000))
    }
    put('a/HOOK.md', 'x'.repeat(600 * 1024))
    expect(shownRows(read())[0]).toContain('too large')
  })

  test('a FIFO for a HOOK.md does not wait for a writer', () => {
    mkdirSync(join(workspace, place, 'a'), { recursive: true })
    expect(spawnSync('mkfifo', [join(workspace, place, 'a/HOOK.md')]).status).toBe(0)
    expect(shownRows(read())[0]).toContain('not a regular file')
  })

  test('of more than 200 hooks the rest is told', () => {
    for (let index = 0; index < 203; index++) put(`h${index}/HOOK.md`, md(`h${index}`))
    expect(read().proposed).toHaveLength(201)
    expect(shownRows(read()).at(-1)).toContain(
      'Expected at most 200 hooks, got 203. The last 3 are not listed.',
    )
  })
})
