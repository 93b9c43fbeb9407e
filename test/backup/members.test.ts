import { expect, test } from 'vitest'
import { frameOf, readMembers, roomFor, type Manifest, type PackedFile } from '../../src/backup/members.ts'
import { ProblemError } from '../../src/core/model/gate/problem.ts'

const head = 'a'.repeat(64)
const manifestOf = (files: number, bytes: number, more: object = {}): Manifest => ({
  from: 'folder',
  at: '2026-01-02T03:04:05.000Z',
  hookgate: '0.1.0',
  ledger: { revision: 1, head },
  left: 0,
  files,
  bytes,
  ...more,
})

/** Reads these parts of a file, and gives what it took, or the code of what is wrong. */
const taken = (...parts: readonly (Manifest | PackedFile | Buffer)[]): readonly string[] | string => {
  const all = Buffer.concat(parts.map((part) => (Buffer.isBuffer(part) ? part : frameOf(part))))
  const names: string[] = []
  // In pieces of three bytes, so that every value crosses a border.
  const pieces = Array.from({ length: Math.ceil(all.length / 3) }, (_, index) =>
    all.subarray(3 * index, 3 * index + 3),
  )
  try {
    readMembers(pieces.values(), {
      begin: () => undefined,
      file: ({ name }, content) => void names.push(`${name} ${Buffer.concat([...content]).toString()}`),
    })
    return names
  } catch (error) {
    if (error instanceof ProblemError) return error.problem.code
    throw error
  }
}
const file = (name: string, text = 'abc'): readonly [PackedFile, Buffer] => [
  { name, bytes: text.length },
  Buffer.from(text),
]

test('files of a gate are taken with their bytes', () => {
  expect(
    taken(manifestOf(3, 9), ...file('gate.yaml'), ...file('secrets/ledger.key'), ...file(`sealed/${head}`)),
  ).toEqual(['gate.yaml abc', 'secrets/ledger.key abc', `sealed/${head} abc`])
  expect(taken(manifestOf(0, 0))).toEqual([])
})

test('no name leads out of the folder, or to a file that a restore does not write', () => {
  const names = [
    '',
    '.',
    '..',
    '/etc/passwd',
    '../gate.yaml',
    'secrets/../gate.yaml',
    'secrets/..',
    'secrets/.',
    'secrets/.ssh',
    'secrets/a/b',
    'secrets/ledger.head',
    'secrets/login',
    'secrets/a\nb',
    'secrets/a\0',
    `secrets/${'a'.repeat(101)}`,
    'secrets',
    './gate.yaml',
    'gate.yaml/',
    'gate.yaml\n',
    'ledger.damaged-../x.jsonl',
    'run/gate.lock',
    'seal/package.json',
    `sealed/${'A'.repeat(64)}`,
    `sealed/${head}/x`,
    'sealed/../gate.yaml',
    'state.db-wal',
    String.raw`secrets\..\x`,
    'ledger.new',
  ]
  for (const name of names) {
    expect(roomFor(name), JSON.stringify(name)).toBeUndefined()
    expect(taken(manifestOf(1, 3), ...file(name)), JSON.stringify(name)).toBe('backup.damaged')
  }
})

test('a name twice, other sizes and other numbers than it says are damage', () => {
  const one = file('gate.yaml')
  expect(taken(manifestOf(2, 6), ...one, ...one)).toBe('backup.damaged')
  expect(taken(manifestOf(1, 2), ...one)).toBe('backup.damaged')
  expect(taken(manifestOf(1, 4), ...one)).toBe('backup.damaged')
  expect(taken(manifestOf(2, 3), ...one)).toBe('backup.damaged')
  expect(taken(manifestOf(1, 3), ...one, Buffer.from('x'))).toBe('backup.damaged')
  expect(taken(manifestOf(1, 3), one[0], Buffer.from('ab'))).toBe('backup.damaged')
  expect(taken(manifestOf(1, 2 ** 31), { name: 'gate.yaml', bytes: 2 ** 31 })).toBe('backup.damaged')
  expect(taken(manifestOf(1, 3), { ...one[0], bytes: -3 }, one[1])).toBe('backup.damaged')
})

test('what is no manifest, or says too much, is damage', () => {
  for (const more of [
    { from: 'elsewhere' },
    { at: 'now; rm' },
    { hookgate: '\u001B[31m' },
    { ledger: undefined },
    { ledger: { revision: -1, head } },
    { ledger: { revision: 1, head: 'x' } },
    { files: 100_001 },
    { files: 0.5 },
    { bytes: 2 ** 50 },
    { left: 'many' },
  ])
    expect(taken(manifestOf(0, 0, more)), JSON.stringify(more)).toBe('backup.damaged')
  expect(taken(Buffer.from([0xff, 0xff, 0xff, 0xff]))).toBe('backup.damaged')
  expect(taken(Buffer.from([0, 0, 0, 2, 0x7b, 0x7b]))).toBe('backup.damaged')
  expect(taken(Buffer.from([0, 0]))).toBe('backup.damaged')
})
