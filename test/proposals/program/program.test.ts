import fs from 'node:fs'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Entry } from '../../../src/core/model/hooks/entry.ts'
import { resolveProgram } from '../../../src/proposals/program/resolve.ts'
import { anEntry, createFixture, outcomesOf, type Fixture } from '../../core/gatekeeper/gate-fixture.ts'

let fixture: Fixture
beforeEach(() => {
  fixture = createFixture()
  fixture.write('hook.py', 'print()')
  fixture.write('rules.json', '{}', 0o644)
})
afterEach(() => fixture.remove())

const systemPath = '/usr/local/bin:/usr/bin:/bin'
const resolve = (options: Partial<Entry>) =>
  resolveProgram(anEntry(options), { workspace: fixture.workspace, path: systemPath })
const { good, codeOf } = outcomesOf(resolve)
const shell = (() => {
  const found = ['/usr/bin/bash', '/bin/bash'].find((file) => fs.existsSync(file))
  return { found, real: found === undefined ? undefined : fs.realpathSync(found) }
})()

test('a command with a slash names the file to seal, and args stand behind its words', () => {
  expect(good({ command: "./hooks/guard.sh 'a b'", args: ['c d'] })).toEqual({
    words: [{ sealed: 'hooks/guard.sh' }, 'a b', 'c d'],
    sources: ['hooks/guard.sh'],
    watched: [],
    absent: [],
    unsealed: [],
    hookDir: 'hooks',
  })
})

test('no shell reads the words: operators, variables and patterns stay as they are', () => {
  expect(good({ command: './hooks/guard.sh ; rm $HOME *.txt "#x" $(id)' }).words.slice(1)).toEqual([
    ';',
    'rm',
    '$HOME',
    '*.txt',
    '#x',
    '$(id)',
  ])
})

test('a bare word is found on the fixed PATH and pinned by real path, and its script is sealed', () => {
  expect(good({ command: 'bash -eu hook.py --fast' })).toEqual({
    words: [shell.found, '-eu', { sealed: 'hook.py' }, '--fast'],
    sources: ['hook.py'],
    watched: [],
    absent: [],
    interpreter: shell.real,
    unsealed: [],
    hookDir: '.',
  })
})

test('an interpreter named in full counts as one, and its script is sealed too', () => {
  expect(good({ command: '/bin/sh hook.py' }).sources).toEqual(['hook.py'])
})

test('"-e" before a script is a flag, "-c" is always followed by text', () => {
  expect(good({ command: 'bash -e hook.py' }).sources).toEqual(['hook.py'])
  for (const command of ['bash -c "./hook.py x"', 'bash -lc ./hook.py', 'perl -e "do q(hook.py)"']) {
    expect(good({ command })).toMatchObject({ sources: [], watched: ['hook.py'] })
  }
  expect(good({ command: 'bash -c "cat rules"' })).toMatchObject({
    sources: [],
    watched: [],
    unsealed: ['files named inside shell text are not sealed'],
  })
})

test('what else a hook may read from where it lies is marked, unless "files" lists it', () => {
  const unlisted = good({ command: 'bash hook.py rules.json --more=rules.json' })
  expect(unlisted.words.slice(2)).toEqual(['rules.json', '--more=rules.json'])
  expect(unlisted.unsealed).toHaveLength(1)
  expect(unlisted.unsealed[0]).toContain('"rules.json"')
  const listed = good({ command: 'bash hook.py rules.json', files: ['./rules.json'] })
  expect(listed).toMatchObject({ sources: ['hook.py', 'rules.json'], unsealed: [] })
  expect(listed.words.slice(1)).toEqual([{ sealed: 'hook.py' }, { sealed: 'rules.json' }])
})

test('a word that names a file only in the working directory is not sealed and is marked', () => {
  fixture.write('sub/data.txt', 'x')
  expect(good({ command: './hooks/guard.sh data.txt', cwd: 'sub' }).unsealed[0]).toContain('"data.txt"')
})

test('a module and a command without any file are marked', () => {
  fs.symlinkSync('/bin/sh', path.join(fixture.root, 'python3'))
  const program = resolveProgram(anEntry({ command: 'python3 -m guard' }), {
    workspace: fixture.workspace,
    path: fixture.root,
  })
  expect(program).toMatchObject({ unsealed: ['the module "guard" is not sealed'] })
  expect(good({ command: 'grep -q x' }).unsealed[0]).toContain('no file of this command is sealed')
})

test('an interpreter without its script is a problem: the file must not come later', () => {
  expect(codeOf({ command: 'bash hok.py' })).toBe('program.script')
  fixture.write('hok.py', '')
  expect(codeOf({ command: 'bash hok.py' })).toBe('none')
})

test.each([
  ['~/guard.sh', 'program.home'],
  ['"./guard.sh', 'program.quotes'],
  ['', 'program.empty'],
  ['""', 'program.empty'],
  ['./guard.sh \0', 'program.nul'],
  ['no-such-program-anywhere', 'program.missing'],
])('the command %j is a problem with a fix (%s)', (command, code) => {
  const program = resolve({ command })
  expect('problem' in program && program.problem).toMatchObject({
    code,
    message: expect.stringMatching(/^Expected .*\.$/),
    fix: expect.stringMatching(/\.$/),
  })
})

test('a program is never taken from the workspace by its bare name', () => {
  fixture.write('guard', '#!/bin/sh\n')
  expect(codeOf({ command: 'guard' })).toBe('program.missing')
})

test('a file outside the workspace keeps its full path', () => {
  const outside = path.join(fixture.root, 'out.sh')
  fs.writeFileSync(outside, '')
  expect(good({ command: '../out.sh' })).toMatchObject({
    words: [{ sealed: outside }],
    hookDir: fixture.root,
  })
})

test.each([
  ['http', 'https://example.com/hook', ['the server at the URL is not sealed']],
  [
    'llm',
    'Is this dangerous? Answer "no" if not.',
    ['the answers of the model are not sealed; the prompt is sealed'],
  ],
  ['builtin', 'redact_secrets', []],
] as const)(
  'a handler of type %s is no program: nothing of it is split, looked for or pinned',
  (type, command, unsealed) => {
    expect(good({ type, command })).toEqual({
      words: [],
      sources: [],
      watched: [],
      absent: [],
      unsealed,
      hookDir: '.',
    })
    expect(good({ type, command, files: ['./rules.json'] }).sources).toEqual(['rules.json'])
    expect(codeOf({ type, command, files: ['~/rules.json'] })).toBe('program.home')
  },
)
