import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { brokenBy } from '../../../src/dialects/reading/broken.ts'
import { decodeFor } from '../../../src/dialects/dialects.ts'
import type { HandlerOutput } from '../../../src/core/model/hooks/dialect.ts'
import { syntheticPayload } from '../../../src/shared/events/synthetic.ts'
import { armed } from '../../handlers/armed.ts'
import { measureProcessor } from '../../processor-time.ts'
import { stretched } from '../../stretched.ts'

const folder = mkdtempSync(join(tmpdir(), 'hookgate-broken-'))
afterAll(() => rmSync(folder, { recursive: true }))
const script = (name: string, text: string): string => {
  const file = join(folder, name)
  writeFileSync(file, text)
  chmodSync(file, 0o755)
  return file
}

/** What a real program leaves behind. */
const leftBy = (program: string, ...args: readonly string[]): HandlerOutput => {
  const { status, stdout, stderr } = spawnSync(program, args, { encoding: 'utf8', input: '{}', cwd: folder })
  return { exitCode: status, stdout, stderr, isTruncated: false }
}

const missing = join(folder, 'not/there')
const shells = ['/bin/sh', '/bin/dash', '/bin/bash'].filter((shell) => existsSync(shell))
const failing = [
  `echo x >> ${missing}`,
  `cat < ${missing}`,
  `. ${missing}`,
  missing,
  'no-such-program-here',
  folder,
  `sh ${missing}`,
  `cd ${missing}`,
  `"${process.execPath}" ${missing}.mjs`,
  'if',
  `env ${missing}`,
  `cat ${missing}; exit 2`,
  `ls ${missing} >&2; exit 2`,
]

describe.each(shells)('%s', (shell) => {
  test.each(failing)('%s: the failure is told as one, with the path', (text) => {
    const left = leftBy(shell, '-c', text)
    expect(left.exitCode).not.toBe(0)
    const fault = brokenBy(left)
    expect(fault, left.stderr).toMatchObject({
      kind: 'broken',
      detail: expect.stringContaining('not an answer'),
    })
    if (text.includes(missing)) expect(fault?.detail).toContain(missing)
  })
  test.each([
    'echo "Blocked: rm is forbidden" >&2; exit 2',
    `echo x >> ${missing}; echo "Blocked: no" >&2; exit 2`,
    'exit 2',
    'exit 1',
    'echo x >&2; exit 1',
    `echo x >> ${missing}; exit 0`,
    'echo "sh: 1: rm: not allowed" >&2; exit 2',
    'echo "line 3: not found in the list" >&2; exit 2',
    'echo "Cannot find module x" >&2; exit 2',
    `printf 'sh: 1: cannot open x: No such file\\nDo it again.\\n' >&2; exit 2`,
  ])('%s: what the hook says itself is its own', (text) => {
    expect(brokenBy(leftBy(shell, '-c', text))).toBeUndefined()
  })
})

test('a script that cannot be run by its first line, or names what is not there, is told as well', () => {
  const inner = script('inner.sh', `#!/bin/sh\necho x >> ${missing}\n`)
  expect(brokenBy(leftBy(inner))?.detail).toContain(missing)
  expect(brokenBy(leftBy('/bin/sh', '-c', script('lost.sh', '#!/no/interpreter\n')))).toBeDefined()
})

test.each([
  [`python3: can't open file '/x/y.py': [Errno 2] No such file or directory`, 2],
  [`/usr/bin/python3.13: can't open file '/x y/z.py': [Errno 13] Permission denied`, 2],
  [
    `/opt/homebrew/Python.app/Contents/MacOS/Python: can't open file 'a.py': [Errno 2] No such file or directory`,
    2,
  ],
  ['Can\'t open perl script "/x.pl": No such file or directory', 2],
  ['ruby: No such file or directory -- /x.rb (LoadError)', 1],
  ['env: ‘deno’: No such file or directory', 127],
  ["sh: can't create /x/y: nonexistent directory", 1],
  ['sh: jq: not found', 127],
  ['zsh:1: command not found: jq', 127],
  ['jq: error: Could not open file /x: No such file or directory', 2],
  ['bash: line 1: /tmp/x.log: Read-only file system\nbash: line 2: jq: command not found', 127],
  [
    "node:internal/modules/cjs/loader:1\n  throw err;\n  ^\n\nError: Cannot find module '/x.js'\n    at x\n{\n  code: 1\n}\n\nNode.js v24",
    1,
  ],
])('%j is such a failure', (stderr, exitCode) => {
  expect(brokenBy({ exitCode, stdout: '', stderr, isTruncated: false })).toBeDefined()
})

test.each([
  [
    'sh: 1: cannot create /x/y: Directory nonexistent',
    'Its shell could not write /x/y (Directory nonexistent).',
    'HOME and TMPDIR',
  ],
  [
    'sh: 0: cannot open /x/y: No such file',
    'Its shell could not open /x/y (No such file).',
    'beside their program',
  ],
  ['bash: line 1: jq: command not found', 'Its shell found no program jq.', 'Install it'],
  [
    'bash: -c: line 2: syntax error: unexpected end of file',
    'Its shell does not understand its text:',
    'Correct its text',
  ],
  [
    `python3: can't open file '/x/y.py': [Errno 2] No such file or directory`,
    'Python could not open /x/y.py (',
    'beside',
  ],
  [
    'bash: line 1: /x/y: No space left on device',
    'Its shell could not use /x/y (No space left on device).',
    'make room',
  ],
  [
    'cat: /x/y: Permission denied',
    'A program that it starts failed: cat: /x/y: Permission denied.',
    'open to everybody',
  ],
])('%j is told in plain words: what failed, the path, and what to do', (stderr, says, way) => {
  const { detail = '' } = brokenBy({ exitCode: 2, stdout: '', stderr, isTruncated: false }) ?? {}
  expect(detail.startsWith(says), detail).toBe(true)
  expect(detail).toContain('That is not an answer of the hook.')
  expect(detail).toContain(way)
})

test('it is no verdict: only a refusal that was printed counts beside it', () => {
  const stderr = 'sh: 1: cannot create /tmp/x: Permission denied\n'
  const read = (stdout: string, native?: string) => {
    const dialect = native === undefined ? {} : { dialect: { name: 'claude-code' as const, event: native } }
    const event = native === 'PostToolUse' ? 'transform_tool_result' : 'pre_tool_call'
    const payload = syntheticPayload(event, '/', new Date(0))
    return decodeFor(armed('hook', { event, ...dialect }), payload, {
      exitCode: 2,
      stdout,
      stderr,
      isTruncated: false,
    })
  }
  for (const native of [undefined, 'PreToolUse', 'PostToolUse']) {
    expect(read('', native)).toEqual({
      kind: 'fault',
      notes: [],
      fault: { kind: 'broken', detail: expect.stringContaining('/tmp/x') },
    })
  }
  expect(read('{"decision":"allow"}')).toMatchObject({ kind: 'fault' })
  expect(read('{"decision":"block","reason":"no"}')).toMatchObject({ kind: 'block', reason: 'no' })
  expect(read('{"permission":"deny"}', 'PreToolUse').kind).not.toBe('allow')
})

test('reading it has a bounded cost, whatever a hook prints', () => {
  for (const stderr of [
    'a: '.repeat(2600),
    `sh: 1: ${'x: '.repeat(2600)}`,
    'node:internal/'.repeat(500),
    "'".repeat(7990),
    'x'.repeat(1e6),
    'sh: 1: a: not found\n'.repeat(400),
  ]) {
    const tookMs = measureProcessor()
    brokenBy({ exitCode: 2, stdout: '', stderr, isTruncated: false })
    expect(tookMs()).toBeLessThan(stretched(2000))
  }
})
