import { expect, test } from 'vitest'
import {
  canonicalEntry,
  canonicalJson,
  fingerprintOf,
  type SealedFile,
} from '../../../../src/core/model/approval/canonical.ts'
import type { Entry } from '../../../../src/core/model/hooks/entry.ts'
import { anEntry } from '../../gatekeeper/gate-fixture.ts'

const file: SealedFile = { path: 'hooks/guard.sh', sha256: 'aa', bytes: 2, isExecutable: true }
const base = anEntry()

/** One other value for every option. A new option of `Entry` is a type error here until it is listed. */
const others: { readonly [Option in keyof Required<Entry>]: unknown } = {
  event: 'post_tool_call',
  type: 'process',
  command: './hooks/other.sh',
  args: ['--loose'],
  shell: 'bash',
  dialect: { name: 'copilot', event: 'preToolUse' },
  node: 'desk',
  nodes: 'all',
  agents: ['main'],
  matcher: { pattern: 'x' },
  condition: 'Bash(rm *)',
  timeoutMs: 1000,
  onError: 'ignore',
  priority: 101,
  isAsync: true,
  isWarm: true,
  cwd: 'sub',
  env: { A: 'b' },
  files: ['rules.json'],
  root: 'plugins/guard',
  headers: { 'x-team': 'blue' },
  signWith: 'GUARD_KEY',
  model: 'small',
  limits: { day: { dollars: 5 } },
  price: { input: 3, output: 15 },
  quiet: '22:00-07:00',
  busyMs: 600_000,
  origin: 'agent.yaml',
  description: 'keeps the house clean',
  name: 'my guard',
}

test.each(Object.entries(others))(
  'a change of "%s" changes the fingerprint, unless it is the name',
  (option, value) => {
    const changed = { ...base, [option]: value } as Entry
    expect(fingerprintOf(changed, [file]) === fingerprintOf(base, [file])).toBe(option === 'name')
  },
)

test('an option that nobody decided about is bound', () => {
  const odd = { ...base, odd: true } as Entry
  expect(canonicalEntry(odd)).not.toBe(canonicalEntry(base))
})

test('each part of a matcher and each value of env is bound', () => {
  const prints = [
    base,
    { ...base, matcher: { tool: 'x' } },
    { ...base, matcher: { pattern: 'x' } },
    { ...base, matcher: { pattern: 'x', field: 'y' } },
    { ...base, env: { A: '1' } },
    { ...base, env: { A: '2' } },
  ].map((entry) => fingerprintOf(entry, [file]))
  expect(new Set(prints).size).toBe(prints.length)
})

test('the bytes, the executable bit and the path of every file are bound', () => {
  const prints = [
    [file],
    [{ ...file, sha256: 'bb' }],
    [{ ...file, isExecutable: false }],
    [{ ...file, path: 'x' }],
    [file, { ...file, path: 'y' }],
    [],
  ].map((files) => fingerprintOf(base, files))
  expect(new Set(prints).size).toBe(prints.length)
})

test('bytes and executable bit of each watched file and the places where none was are bound; where there are none, nothing changes', () => {
  const watched = { path: 'x.sh', sha256: 'cc', bytes: 2 }
  const prints = [
    {},
    { watched: [watched] },
    { watched: [{ ...watched, sha256: 'dd' }] },
    { watched: [{ ...watched, path: 'y.sh' }] },
    { watched: [{ ...watched, isExecutable: false }] },
    { absent: ['x.sh'] },
    { absent: ['y.sh'] },
  ].map((around) => fingerprintOf(base, [file], around))
  expect(new Set(prints).size).toBe(prints.length)
  expect(prints[0]).toBe(fingerprintOf(base, [file]))
  // An older approval did not bind the bit and made every copy executable.
  const executable = fingerprintOf(base, [file], { watched: [{ ...watched, isExecutable: true }] })
  expect(executable).toBe(prints[1])
})

test('the order of keys and absent values do not matter, the order of words does', () => {
  expect(canonicalJson({ b: 1, a: [2, { d: 3, c: undefined }] })).toBe('{"a":[2,{"d":3}],"b":1}')
  expect(fingerprintOf({ ...base, cwd: undefined, matcher: { tool: 'x', field: undefined } }, [file])).toBe(
    fingerprintOf({ ...base, matcher: { tool: 'x' } }, [file]),
  )
  expect(fingerprintOf({ ...base, args: ['a', 'b'] }, [])).not.toBe(
    fingerprintOf({ ...base, args: ['b', 'a'] }, []),
  )
})

test('a hook for all machines is the same hook on each of them, and another one than a hook of a machine', () => {
  const onDesk: Entry = { ...base, node: 'desk', nodes: 'all' }
  expect(canonicalEntry(onDesk)).toBe(canonicalEntry({ ...onDesk, node: 'lab' }))
  expect(fingerprintOf(onDesk, [file])).toBe(fingerprintOf({ ...base, nodes: 'all' }, [file]))
  expect(fingerprintOf(onDesk, [file])).not.toBe(fingerprintOf({ ...base, node: 'desk' }, [file]))
})
