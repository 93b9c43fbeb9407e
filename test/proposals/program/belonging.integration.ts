import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { copyDefaults } from '../../../src/config/first-start.ts'
import { runScript } from '../../../src/isolation/run-script.ts'
import { startAsGate } from '../../../src/shared/gate/separation.ts'
import type { ArmedHook, Entry } from '../../../src/core/model/hooks/entry.ts'
import {
  anEntry,
  approveGuard,
  createFixture,
  type Fixture,
  type FixtureGate,
} from '../../core/gatekeeper/gate-fixture.ts'
import { measureProcessor } from '../../processor-time.ts'
import { stretched } from '../../stretched.ts'

let fixture: Fixture
let gate: FixtureGate
beforeEach(async () => {
  fixture = createFixture()
  gate = await fixture.open()
})
afterEach(() => fixture.remove())

const foreign = (options: Partial<Entry>): Entry =>
  anEntry({
    shell: 'sh',
    dialect: { name: 'claude-code', event: 'PreToolUse' },
    origin: '.claude/settings.json',
    ...options,
  })
const arm = async (options: Partial<Entry>): Promise<ArmedHook> => {
  const fingerprint = await approveGuard(gate, foreign(options))
  const hook = gate.armed().find((one) => one.fingerprint === fingerprint)
  if (hook === undefined) throw new Error('not armed')
  return hook
}
const run = ({ argv: [program = '', ...words], cwd, workspace, root }: ArmedHook): string =>
  execFileSync(program, words, {
    cwd,
    encoding: 'utf8',
    stdio: 'pipe',
    env: {
      PATH: '/usr/local/bin:/usr/bin:/bin',
      HOME: '/nonexistent',
      CLAUDE_PROJECT_DIR: workspace,
      ...(root === undefined ? {} : { CLAUDE_PLUGIN_ROOT: root }),
    },
  }).trim()
const person = (name: string, content: string): void => {
  const file = path.join(fixture.root, 'person', name)
  fs.mkdirSync(path.dirname(file), { recursive: true })
  fs.writeFileSync(file, content, { mode: 0o755 })
}

const script = '#!/bin/sh\n. "${0%/*}/lib/words.sh"\nsay "$CLAUDE_PROJECT_DIR"\n'
const says = (word: string): string => `say() { echo "${word} $1"; }\n`

describe('a program in the folder that its system gives to hooks', () => {
  beforeEach(() => {
    fixture.write('.claude/hooks/guard.sh', script)
    fixture.write('.claude/hooks/lib/words.sh', says('approved'), 0o644)
    execFileSync('mkdir', ['-p', path.join(fixture.workspace, '.git')])
  })

  test.each([
    '.claude/hooks/guard.sh',
    './.claude/hooks/guard.sh',
    'sh .claude/hooks/guard.sh',
    '$CLAUDE_PROJECT_DIR/.claude/hooks/guard.sh',
    '"$CLAUDE_PROJECT_DIR"/.claude/hooks/guard.sh',
    '"$CLAUDE_PROJECT_DIR/.claude/hooks/guard.sh"',
    'sh "${CLAUDE_PROJECT_DIR}/.claude/hooks/guard.sh" --strict',
    'sh "${CLAUDE_PROJECT_DIR:-$PWD}"/.claude/hooks/guard.sh',
    'sh "$(git rev-parse --show-toplevel)/.claude/hooks/guard.sh"',
    'sh "$(git rev-parse --show-toplevel 2>/dev/null || pwd)"/.claude/hooks/guard.sh',
    'sh "$(pwd)/.claude/hooks/guard.sh"',
    'cd "$CLAUDE_PROJECT_DIR" && ./.claude/hooks/guard.sh',
    'cd .claude/hooks && ./guard.sh',
    'cd "$CLAUDE_PROJECT_DIR/.claude/hooks" && sh guard.sh',
    'sh -c \'"$CLAUDE_PROJECT_DIR"/.claude/hooks/guard.sh\'',
    'sh -c "\\"\\$CLAUDE_PROJECT_DIR\\"/.claude/hooks/guard.sh"',
    'X=guard; sh "$CLAUDE_PROJECT_DIR"/.claude/hooks/$X.sh',
    'for f in .claude/hooks/*.sh; do sh "$f"; done',
    'test -x .claude/hooks/guard.sh && .claude/hooks/guard.sh || true',
  ])('runs from its seal with what lies beside it, whatever happens to the files: %s', async (command) => {
    const hook = await arm({ command })
    fixture.write('.claude/hooks/guard.sh', '#!/bin/sh\necho evil\n')
    fixture.write('.claude/hooks/lib/words.sh', says('evil'))
    expect(hook.checkSeal()).toBeUndefined()
    expect(run(hook)).toBe(`approved ${fixture.workspace}`)
  })

  test('counts with all of its folder: a file that changes or comes there is told as a change', () => {
    const entry = foreign({ command: '.claude/hooks/guard.sh' })
    const first = gate.propose(entry)
    expect(first.files.map(({ path }) => path)).toEqual([
      '.claude/hooks/guard.sh',
      '.claude/hooks/lib/words.sh',
    ])
    fixture.write('.claude/hooks/lib/words.sh', says('other'), 0o644)
    const second = gate.propose(entry)
    expect(second.fingerprint).not.toBe(first.fingerprint)
    fixture.write('.claude/hooks/more.json', '{}', 0o644)
    expect(gate.propose(entry).fingerprint).not.toBe(second.fingerprint)
  })

  test('is sealed from the home of the person who started hookgate, which no hook sees', async () => {
    person('.claude/hooks/mine.sh', script)
    person('.claude/hooks/lib/words.sh', says('mine'))
    for (const command of [
      '~/.claude/hooks/mine.sh',
      'sh $HOME/.claude/hooks/mine.sh',
      'sh "${HOME}"/.claude/hooks/mine.sh',
    ]) {
      const hook = await arm({ command, origin: path.join(fixture.root, 'person/.claude/settings.json') })
      expect(run(hook)).toBe(`mine ${fixture.workspace}`)
    }
  })

  test('what the text itself writes there stays where it lies', async () => {
    const hook = await arm({
      command:
        'sh .claude/hooks/guard.sh; echo x >> "$CLAUDE_PROJECT_DIR"/.claude/hooks/log.txt; echo y > .claude/hooks/$$.txt',
    })
    run(hook)
    expect(fs.readFileSync(path.join(fixture.workspace, '.claude/hooks/log.txt'), 'utf8')).toBe('x\n')
  })

  test('links, secrets and the history of a repository stay outside the seal, and the card says so', () => {
    fs.symlinkSync('/etc/hosts', path.join(fixture.workspace, '.claude/hooks/hosts'))
    fixture.write('.claude/hooks/.env', 'TOKEN=1', 0o600)
    fixture.write('.claude/hooks/.git/config', 'x')
    fixture.write('.claude/hooks/__pycache__/a.pyc', 'x')
    const { files, unsealed } = gate.propose(foreign({ command: '.claude/hooks/guard.sh' }))
    expect(files.map((file) => file.path)).toEqual(['.claude/hooks/guard.sh', '.claude/hooks/lib/words.sh'])
    expect(unsealed).toEqual([
      './.claude/hooks/hosts is a link, so it is not sealed',
      './.claude/hooks/.env may hold a secret, so it is not sealed; give the hook what it needs with "env"',
    ])
  })

  test('a script of a folder that is too large is watched with its parts, not sealed, and the card says so', () => {
    const folder = path.join(fixture.workspace, '.claude/hooks/data')
    fs.mkdirSync(folder)
    for (let index = 0; index < 600; index++) fs.writeFileSync(path.join(folder, `${index}.txt`), 'x')
    const { files, watched, unsealed } = gate.propose(foreign({ command: 'sh .claude/hooks/guard.sh' }))
    expect(files).toEqual([])
    expect(watched?.map(({ path }) => path)).toEqual(['.claude/hooks/guard.sh', '.claude/hooks/lib/words.sh'])
    expect(unsealed).toContain(
      './.claude/hooks/lib/words.sh is used at its own path; a change stops the hook',
    )
    expect(unsealed.join()).toContain(
      './.claude/hooks has more than 500 files or 20 MB, so it is not sealed as a whole',
    )
  })
})

describe('a plugin', () => {
  beforeEach(() => {
    fixture.write('plugins/p/hooks/guard.sh', script.replace('lib/', '../lib/'))
    fixture.write('plugins/p/lib/words.sh', says('approved'), 0o644)
  })

  test.each([
    '${CLAUDE_PLUGIN_ROOT}/hooks/guard.sh',
    '"${CLAUDE_PLUGIN_ROOT}"/hooks/guard.sh',
    'sh "$CLAUDE_PLUGIN_ROOT/hooks/guard.sh"',
    'X=guard; sh "$CLAUDE_PLUGIN_ROOT/hooks/$X.sh"',
    'cd "$CLAUDE_PLUGIN_ROOT" && X=$(cat lib/words.sh) && sh hooks/guard.sh',
  ])('is sealed as a whole, and its hooks find the copy as CLAUDE_PLUGIN_ROOT: %s', async (command) => {
    const hook = await arm({ command, root: 'plugins/p', origin: 'plugins/p/hooks/hooks.json' })
    fixture.write('plugins/p/lib/words.sh', says('evil'), 0o644)
    expect(hook.checkSeal()).toBeUndefined()
    expect(hook.root).toBe(path.join(fixture.home, 'seal', hook.fingerprint, 'plugins/p'))
    expect(run(hook)).toBe(`approved ${fixture.workspace}`)
  })

  test('at the root of the workspace is sealed without what hookgate itself writes there', () => {
    fixture.write('config/rules.json', '{}', 0o644)
    const files = () =>
      gate
        .propose(foreign({ command: '${CLAUDE_PLUGIN_ROOT}/plugins/p/hooks/guard.sh', root: '.' }))
        .files.map(({ path }) => path)
    const own = files()
    expect(own).toContain('config/rules.json')
    expect(copyDefaults(fixture.workspace, true, (...of) => runScript(startAsGate, ...of))).toBeUndefined()
    const written = [
      'config/agent.yaml.hookgate-42',
      'config/context.hookgate-new/skills/agent-hooks/SKILL.md',
      '.hookgate/sessions/main/1.json',
      '.hookgate-audit.jsonl',
    ]
    for (const name of written) fixture.write(name, 'x', 0o644)
    expect(files()).toEqual(own)
  })

  test('with more files than anybody looks at costs no more than one with a few, and is not sealed as a whole', async () => {
    const folder = path.join(fixture.workspace, 'plugins/p/many')
    fs.mkdirSync(folder)
    for (let index = 0; index < 6000; index++)
      fs.linkSync(path.join(fixture.workspace, 'plugins/p/lib/words.sh'), path.join(folder, String(index)))
    const tookMs = measureProcessor()
    const hook = await arm({ command: '${CLAUDE_PLUGIN_ROOT}/hooks/guard.sh', root: 'plugins/p' })
    expect(tookMs()).toBeLessThan(stretched(1500))
    expect(hook.root).toBe(path.join(fixture.workspace, 'plugins/p'))
  })
})

test('a file behind ~ is sealed from the home of the person who started hookgate', () => {
  person('.claude/hooks/words.sh', says('mine'))
  const { files } = gate.propose(anEntry({ files: ['~/.claude/hooks/words.sh'] }))
  expect(files.map((file) => file.path)).toEqual([
    'hooks/guard.sh',
    path.join(fixture.root, 'person/.claude/hooks/words.sh'),
  ])
})

test('many hooks of one large folder have their turn in the time of a few looks, and an approval reads it anew', async () => {
  for (let index = 0; index < 100; index++)
    fixture.write(`.claude/hooks/lib/${index}.sh`, `echo ${index}\n`, 0o644)
  const entries = Array.from({ length: 12 }, (_, index) => {
    fixture.write(`.claude/hooks/${index}.sh`, script)
    return foreign({ command: `sh "$CLAUDE_PROJECT_DIR"/.claude/hooks/${index}.sh` })
  })
  const beganMs = performance.now()
  while (entries.some((entry) => gate.propose(entry).problem !== undefined))
    if (performance.now() - beganMs > 10_000) break
  expect(entries.map((entry) => gate.propose(entry).files.length)).toEqual(entries.map(() => 112))
  const [entry = foreign({})] = entries
  const shown = gate.propose(entry).fingerprint
  fixture.write('.claude/hooks/lib/0.sh', 'echo evil\n', 0o644)
  expect(await gate.approve(entry, 'telegram:7', shown)).toMatchObject({
    ok: false,
    problem: { code: 'approve.changed' },
  })
})
