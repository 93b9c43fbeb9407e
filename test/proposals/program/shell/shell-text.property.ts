import { spawnSync } from 'node:child_process'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { resolveProgram } from '../../../../src/proposals/program/resolve.ts'
import { seeded } from '../../../handlers/builtins/redact/seeded.ts'
import { tries } from '../../../tries.ts'
import { anEntry, createFixture, outcomesOf, type Fixture } from '../../../core/gatekeeper/gate-fixture.ts'

let fixture: Fixture
beforeEach(() => {
  fixture = createFixture()
})
afterEach(() => fixture.remove())

const foreign = { shell: 'sh', dialect: { name: 'claude-code', event: 'PreToolUse' } } as const
const { good } = outcomesOf((options) => {
  const { workspace } = fixture
  return resolveProgram(anEntry({ ...foreign, ...options }), {
    workspace,
    path: '/usr/local/bin:/usr/bin:/bin',
  })
})

test('what runs as words gets the very arguments that a shell would have given it', () => {
  fixture.write('show', `#!${process.execPath}\nconsole.log(JSON.stringify(process.argv.slice(2)))\n`)
  const alphabet = [
    'a',
    'Z',
    '0',
    '_',
    '@',
    '%',
    '+',
    '=',
    ':',
    ',',
    '.',
    '/',
    '-',
    '--',
    'a=b',
    '%1',
    '@(',
    ' ',
    '!',
    '~',
    '*',
    '$x',
    '{a,b}',
    '^',
    '?',
    '[a]',
  ]
  const chance = seeded(7)
  const most = tries(80)
  let compared = 0
  for (let round = 0; round < 16_000 && compared < most; round++) {
    const command = `./show ${chance.joined(alphabet, 1, 5)}`
    const { under, words } = good({ command })
    if (under !== undefined) continue
    compared += 1
    const shell = spawnSync('/bin/sh', ['-c', command], { cwd: fixture.workspace, encoding: 'utf8' })
    expect(shell.stdout.trim(), command).toBe(JSON.stringify(words.slice(1)))
  }
  expect(compared).toBe(most)
}, 60_000)
