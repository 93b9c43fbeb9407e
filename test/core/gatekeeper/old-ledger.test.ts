import fs from 'node:fs'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { fold } from '../../../src/core/gatekeeper/ledger/fold.ts'
import { readKey } from '../../../src/core/gatekeeper/ledger/key.ts'
import { chainOf, formatLine } from '../../../src/core/gatekeeper/ledger/lines.ts'
import { anEntry, createFixture, type Fixture } from './gate-fixture.ts'

let fixture: Fixture
beforeEach(() => {
  fixture = createFixture()
})
afterEach(() => fixture.remove())

const entry = {
  event: 'pre_tool_call',
  type: 'command',
  command: './hooks/guard.sh',
  args: [],
  timeoutMs: 20_000,
  onError: 'warn',
  priority: 100,
  isAsync: false,
  env: {},
  files: [],
  origin: 'config/shell_hooks.yaml',
}
/** As version 1 wrote them, with the fingerprints that it computed. */
const sealed = {
  fingerprint: 'aaedc0fa98a0166412db6c4ccdbbdb3e1f7f7a0830dca2c22e4c9820405e0dc0',
  entry,
  words: [{ sealed: 'hooks/guard.sh' }],
  unsealed: [],
  hookDir: 'hooks',
  files: [
    {
      path: 'hooks/guard.sh',
      sha256: '8a462e6c8487cecf02dcd424b9697b9c5853e0d996fdb6b580e2d9d8990e8c39',
      bytes: 21,
      isExecutable: true,
    },
  ],
}
const shellText = {
  fingerprint: '9285ba9cfdd8cfd1dfec0d33ff97699e40a594622623b427722cabd9d33ef739',
  entry: { ...entry, command: 'sh -c ./hooks/guard.sh' },
  words: ['/bin/sh', '-c', './hooks/guard.sh'],
  interpreter: fs.realpathSync('/bin/sh'),
  unsealed: ['files named inside shell text are not sealed'],
  hookDir: '.',
  files: [],
}

/** Puts approvals behind a new gate's first line, with its own key. */
const append = async (...records: readonly object[]): Promise<void> => {
  await fixture.open()
  const key = readKey(fixture.home)
  if (typeof key === 'string') throw new Error(key)
  for (const data of records) {
    const lines = fixture.lines()
    const line = formatLine(
      lines.length + 1,
      '2026-01-02T03:04:05.000Z',
      { act: 'approve', by: 'telegram:7', data: { ...data } },
      chainOf(lines.at(-1) ?? ''),
      key,
    )
    fs.appendFileSync(fixture.ledger, `${line}\n`)
  }
}

test('an approval from before the new options verifies, folds and keeps its fingerprint', async () => {
  const seal = path.join(fixture.home, 'seal', sealed.fingerprint, 'hooks')
  await append(sealed)
  fs.mkdirSync(seal, { recursive: true })
  fs.copyFileSync(path.join(fixture.workspace, 'hooks/guard.sh'), path.join(seal, 'guard.sh'))
  const gate = await fixture.open()
  expect(gate.state().lockdown).toBeUndefined()
  expect(gate.armed().map(({ fingerprint, checkSeal }) => [fingerprint, checkSeal()])).toEqual([
    [sealed.fingerprint, undefined],
  ])
  expect(gate.propose(anEntry()).fingerprint).toBe(sealed.fingerprint)
  // Approved again, what its first line asks for is pinned.
  expect(await gate.approve(anEntry(), 'telegram:7')).toMatchObject({ ok: true, isNew: true })
  expect(await gate.approve(anEntry(), 'telegram:7')).toMatchObject({ ok: true, isNew: false })
})

test('what is approved now without any of the new options is written as it was, with the interpreter of its first line', async () => {
  const gate = await fixture.open()
  await gate.approve(anEntry(), 'telegram:7')
  const { data } = JSON.parse(fixture.lines().at(-1) ?? '') as { data: object }
  expect(data).toEqual({
    ...sealed,
    words: ['/bin/sh', ...sealed.words],
    interpreter: fs.realpathSync('/bin/sh'),
  })
})

test('shell text that was approved before files were watched stands as it was; approving it again watches them', async () => {
  await append(shellText)
  fs.mkdirSync(path.join(fixture.home, 'seal', shellText.fingerprint), { recursive: true })
  const gate = await fixture.open()
  expect(gate.armed().map(({ checkSeal }) => checkSeal())).toEqual([undefined])
  const done = await gate.approve(anEntry({ command: shellText.entry.command }), 'telegram:7')
  expect(done).toMatchObject({ ok: true, isNew: true, approval: { watched: [{ path: 'hooks/guard.sh' }] } })
  expect(gate.armed()).toHaveLength(1)
})

test.each([
  ['a program without words', { ...sealed, words: [] }],
  [
    'words of what is no program',
    { ...sealed, entry: { ...entry, type: 'http', command: 'https://example.com' } },
  ],
  ['a part that nobody knows', { ...sealed, trusted: true }],
  ['a watched file without its hash', { ...sealed, watched: [{ path: 'x', bytes: 1 }] }],
])('an approval with %s is no act that the ledger can hold', (_, data) => {
  const genesis = { n: 1, at: '', act: 'genesis', by: '', data: { owners: [], isOn: false } }
  expect(fold([genesis, { n: 2, at: '', act: 'approve', by: '', data: sealed }]).problem).toBeUndefined()
  expect(fold([genesis, { n: 2, at: '', act: 'approve', by: '', data }]).problem).toMatch(/^line 2 /)
})
