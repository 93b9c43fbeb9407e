import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { array, constantFrom, sample } from 'fast-check'
import { expect, test } from 'vitest'
import { callOf } from '../../../src/handlers/condition/call.ts'
import { compileCondition } from '../../../src/handlers/condition/condition.ts'
import { eventOf } from '../armed.ts'

const bash = ['/bin/bash', '/usr/bin/bash', '/usr/local/bin/bash'].find((file) => existsSync(file)) ?? ''
const runs = 400

/** What lines are put together from: the more it means to a shell, the better. */
const pieces = [
  'rm',
  'rm x',
  ' rm x',
  ';rm x',
  '\nrm x',
  '$(rm x)',
  'r',
  'm',
  ' ',
  '  ',
  ';',
  '; ',
  ' && ',
  ' || ',
  ' | ',
  '"',
  "'",
  '\\',
  '\\\n',
  '\n',
  '$(',
  ')',
  '`',
  '(',
  ') ',
  '{ ',
  '; }',
  'echo ',
  'if ',
  '; then ',
  '; fi',
  'for x in a; do ',
  '; done',
  '<<E\n',
  '<<"E"\n',
  '<<-E\n',
  '\nE\n',
  '\n\tE\n',
  ' #',
  '#',
  'x=1 ',
  'x=$(',
  '{rm,x}',
  '$x',
  "$'",
  'eval ',
  'command ',
  'builtin ',
  '! ',
  'time ',
  ' >/dev/null',
  ' 2>&1',
  '>&2 ',
  ' & ',
  '[[ ',
  ' ]]',
  'case x in x) ',
  ' ;; esac',
  '$((',
  '))',
  '${x',
  '${y:-',
  '}',
  'g() ',
  '<(',
  'a=(',
  '1',
  '+=',
  '~',
  '*',
  '?',
  '-',
  '$"',
  '$',
  '!',
  'function g ',
  'coproc ',
  'y=rm; $y ',
  '&>/dev/null ',
  '<<<',
  '|& ',
  '\t',
  ' g',
]

/** Whether each line starts `rm`. There is no other program on the PATH. */
const startsRm = (lines: readonly string[]): readonly boolean[] => {
  const cwd = mkdtempSync(join(tmpdir(), 'hookgate-line-'))
  const script = `
    rm() { printf 1 >&9; }
    while IFS= read -r -d '' line; do
      printf '\\n' >&9
      ( ulimit -t 2; exec </dev/null >/dev/null 2>&1; eval "$line"; wait )
    done 9>&1`
  const { stdout, status } = spawnSync(bash, ['-c', script], {
    input: lines.map((line) => `${line}\0`).join(''),
    encoding: 'utf8',
    cwd,
    env: { PATH: '/nowhere' },
    timeout: 120_000,
  })
  rmSync(cwd, { recursive: true })
  expect(status).not.toBeNull()
  return stdout
    .split('\n')
    .slice(1)
    .map((hits) => hits !== '')
}

const title =
  'whatever line makes bash start a program, a hook with an `if` on that program is asked about it'
test.skipIf(bash === '')(title, () => {
  const isHeld = compileCondition('Bash(rm *)', { workspace: '/work', origin: '.claude/settings.json' })
  const line = array(constantFrom(...pieces), { minLength: 1, maxLength: 7 }).map((parts) => parts.join(''))
  const lines = sample(line, { numRuns: runs })
  const started = startsRm(lines)
  expect(started.length).toBe(lines.length)
  expect(started.filter(Boolean).length).toBeGreaterThan(runs / 100)
  const callFor = (command: string) =>
    callOf(eventOf('pre_tool_call', { tool_name: 'Bash', tool_input: { command } }))
  const missed = lines.filter((command, index) => started[index] === true && !isHeld(callFor(command)))
  expect(missed).toEqual([])
})
