import fs from 'node:fs'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { catalogue } from '../../../../src/proposals/catalogue.ts'
import { resolveProgram } from '../../../../src/proposals/program/resolve.ts'
import type { Entry } from '../../../../src/core/model/hooks/entry.ts'
import { anEntry, createFixture, outcomesOf, type Fixture } from '../../../core/gatekeeper/gate-fixture.ts'

let fixture: Fixture
beforeEach(() => {
  fixture = createFixture()
})
afterEach(() => fixture.remove())

const systemPath = '/usr/local/bin:/usr/bin:/bin'
const foreign = (options: Partial<Entry>): Entry =>
  anEntry({
    shell: 'sh',
    dialect: { name: 'claude-code', event: 'PreToolUse' },
    origin: '.claude/settings.json',
    ...options,
  })
const resolve = (options: Partial<Entry>) =>
  resolveProgram(foreign(options), { workspace: fixture.workspace, path: systemPath })
const { good, codeOf } = outcomesOf(resolve)
const found = (shell: string): string | undefined =>
  ['/usr/local/bin', '/usr/bin', '/bin']
    .map((folder) => path.join(folder, shell))
    .find((file) => fs.existsSync(file))

test.each(['./hooks/guard.sh', 'hooks/guard.sh --strict a=b x@y:1,2 50% +z', ' ./hooks/guard.sh\n'])(
  '%j holds nothing for a shell to do: it runs as words, sealed',
  (command) => {
    expect(good({ command })).toMatchObject({
      words: [{ sealed: 'hooks/guard.sh' }, ...command.trim().split(' ').slice(1)],
      sources: ['hooks/guard.sh'],
      watched: [],
      unsealed: [],
      hookDir: 'hooks',
    })
    expect(good({ command })).not.toHaveProperty('under')
  },
)

test('a program of the system runs as words too, pinned, with its script sealed', () => {
  const program = good({ command: `${found('sh')} hooks/guard.sh x` })
  expect(program).toMatchObject({
    words: [found('sh'), { sealed: 'hooks/guard.sh' }, 'x'],
    interpreter: expect.any(String),
    watched: [],
  })
})

test.each([
  ['an operator', './hooks/guard.sh; true'],
  ['a pipe', './hooks/guard.sh|cat'],
  ['a variable', './hooks/guard.sh $HOME'],
  ['a pattern', './hooks/guard.sh *.txt'],
  ['a brace', './hooks/guard.sh {a,b}'],
  ['a tilde', './hooks/guard.sh ~'],
  ['a quote', './hooks/guard.sh "a b"'],
  ['a comment', './hooks/guard.sh #x'],
  ['a backslash', './hooks/guard.sh \\x'],
  ['a second line', './hooks/guard.sh\n./hooks/guard.sh'],
  ['a tab', './hooks/guard.sh\tx'],
  ['two spaces', './hooks/guard.sh  x'],
  ['no slash in the first word', 'echo hooks/guard.sh'],
  ['a leading assignment', 'A=./hooks/guard.sh ./hooks/guard.sh'],
  ['a redirection', './hooks/guard.sh <hooks/guard.sh'],
  ['a negation', '! ./hooks/guard.sh'],
])('text with %s is given to its shell, whole', (_, command) => {
  expect(good({ command })).toMatchObject({
    words: [found('sh'), '-c', command],
    under: 'sh',
    sources: [],
    watched: ['hooks/guard.sh'],
    hookDir: '.claude',
  })
})

test('an executable text that names no interpreter is left to the shell, which reads it itself', () => {
  fixture.write('plain.sh', 'echo hi\n')
  expect(good({ command: './plain.sh', shell: 'bash' })).toMatchObject({
    words: [found('bash'), '-c', './plain.sh'],
    under: 'bash',
    watched: ['plain.sh'],
  })
})

test('where bash is missing, sh reads the text, and the list says so', async () => {
  const tools = path.join(fixture.root, 'tools')
  fs.mkdirSync(tools)
  fs.symlinkSync('/bin/sh', path.join(tools, 'sh'))
  const gate = await fixture.open({ path: tools })
  const entry = foreign({ command: 'echo hi; true', shell: 'bash' })
  const proposal = gate.propose(entry)
  expect(proposal).toMatchObject({ under: 'sh' })
  expect(await gate.approve(entry, 'memory:owner', proposal.fingerprint)).toMatchObject({ ok: true })
  const rows = (...proposed: readonly Entry[]) =>
    catalogue(
      proposed.map((one) => ({ kind: 'entry', entry: one })),
      [...gate.state().approvals.values()],
      gate.propose,
    )
  expect(rows(entry)).toMatchObject([
    { status: 'approved', under: 'sh', remarks: [expect.stringContaining('for bash, which is not on')] },
  ])
  expect(rows()).toMatchObject([{ status: 'gone', under: 'sh' }])
  expect(rows(foreign({ command: 'echo hi; true' }))[0]?.remarks).toBeUndefined()
})

test("args become the text's own parameters behind what the shell calls itself", () => {
  const program = good({ command: 'echo "$1" "$2"', args: ['a b', 'hooks/guard.sh'] })
  expect(program.words).toEqual([found('sh'), '-c', 'echo "$1" "$2"', 'sh', 'a b', 'hooks/guard.sh'])
  expect(program.watched).toEqual(['hooks/guard.sh'])
  // A shell would not hand them on to the program either.
  expect(good({ command: './hooks/guard.sh', args: ['x'] })).toMatchObject({ under: 'sh' })
})

test('relative names are looked for in the working folder, where the shell would, and nowhere else', () => {
  fixture.write('sub/guard.sh', '#!/bin/sh\n')
  fixture.write('sub/data.txt', 'x', 0o644)
  expect(good({ command: './guard.sh data.txt', cwd: 'sub' })).toMatchObject({
    words: [{ sealed: 'sub/guard.sh' }, 'data.txt'],
    watched: ['sub/data.txt'],
  })
  expect(good({ command: './guard.sh && cat data.txt', cwd: 'sub' }).watched).toEqual([
    'sub/guard.sh',
    'sub/data.txt',
  ])
  expect(good({ command: 'hooks/guard.sh && true', cwd: 'sub' }).watched).toEqual([])
  expect(good({ command: 'cd sub && ./guard.sh' }).watched).toEqual(['sub/guard.sh'])
})

test('a file that plain words name beside their program is watched, as it would be under the shell', () => {
  fixture.write('rules.json', '{}', 0o644)
  const program = good({ command: './hooks/guard.sh rules.json --more=rules.json' })
  expect(program).toMatchObject({
    watched: ['rules.json'],
    unsealed: ['./rules.json is used at its own path; a change stops the hook'],
  })
  expect(good({ command: './hooks/guard.sh rules.json', files: ['rules.json'] })).toMatchObject({
    words: [{ sealed: 'hooks/guard.sh' }, { sealed: 'rules.json' }],
    watched: [],
  })
})

test('every existing file that the text names is watched; folders, systems and what it writes are not', () => {
  fixture.write('a.sh', '#!/bin/sh\n')
  fixture.write('.claude/b.py', '')
  fixture.write('log.txt', '')
  const command =
    'INPUT=$(cat); cd hooks; "$CLAUDE_PROJECT_DIR"/a.sh | python3 .claude/b.py >> log.txt; cat /usr/bin/env /dev/null /proc/self/status /bin'
  const program = good({ command })
  expect(program.watched).toEqual(['a.sh', '.claude/b.py'])
  expect(program.unsealed).toEqual([
    './a.sh is used at its own path; a change stops the hook',
    './.claude/b.py is used at its own path; a change stops the hook',
    './log.txt is written by the hook itself, so it is not watched',
    'other files that the text runs or reads are not sealed',
  ])
})

test('a name with blanks is watched as the shell would read it', () => {
  fixture.write('my hooks/a b.sh', '#!/bin/sh\n')
  for (const command of ['"./my hooks/a b.sh" x', "'./my hooks'/a\\ b.sh;"])
    expect(good({ command }).watched, command).toEqual(['my hooks/a b.sh'])
})

test('a path that leads nowhere yet is remembered as such; a pattern, an address or an option is no path', () => {
  const program = good({
    command:
      './later.sh || sh scripts/later.sh; sed s/a/b/; curl https://x.test/a.sh -H Accept:application/json; : > ./out.sh',
  })
  expect(program.absent).toEqual(['later.sh', 'scripts/later.sh'])
  expect(program.unsealed).toContain('nothing is at ./later.sh; a file that appears there stops the hook')
})

test.each([
  ['a home folder', '~/.claude/guard.sh', 'program.home'],
  ['a home folder by its variable', '${HOME}/guard.sh x', 'program.home'],
  ['nothing', ' \n', 'program.empty'],
  ['a NUL', './hooks/guard.sh \0', 'program.nul'],
  ['more text than can be looked through', `: ${'x'.repeat(33_000)}`, 'program.text'],
  [
    'more names than can be looked for',
    `: ${Array.from({ length: 5000 }, (_, index) => `w${index}`).join(' ')}`,
    'program.text',
  ],
])('text with %s is a problem with a fix', (_, command, code) => {
  const program = resolve({ command })
  expect('problem' in program && program.problem).toMatchObject({
    code,
    message: expect.stringMatching(/^Expected .*\.$/),
    fix: expect.stringMatching(/\.$/),
  })
})

test("a shell that is not on the hooks' PATH is a problem", () => {
  const program = resolveProgram(foreign({ command: 'true;' }), {
    workspace: fixture.workspace,
    path: fixture.root,
  })
  expect(program).toMatchObject({ problem: { code: 'program.missing' } })
  expect(codeOf({ command: 'true;' })).toBe('none')
})

test('a native command with shell text is watched like a foreign one', () => {
  const program = resolveProgram(anEntry({ command: "sh -c './hooks/guard.sh; ./later.sh'" }), {
    workspace: fixture.workspace,
    path: systemPath,
  })
  expect(program).toMatchObject({
    words: [found('sh'), '-c', './hooks/guard.sh; ./later.sh'],
    watched: ['hooks/guard.sh'],
    absent: ['later.sh'],
  })
})
