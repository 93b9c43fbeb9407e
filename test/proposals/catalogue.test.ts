import fs from 'node:fs'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { catalogue } from '../../src/proposals/catalogue.ts'
import { proseText } from '../../src/core/model/chat/prose.ts'
import { statusWords, type ListedHook } from '../../src/shared/gate/catalogue.ts'
import type { Entry } from '../../src/core/model/hooks/entry.ts'
import {
  anEntry,
  approveGuard,
  createFixture,
  type Fixture,
  type FixtureGate,
} from '../core/gatekeeper/gate-fixture.ts'

let fixture: Fixture
let gate: FixtureGate
beforeEach(async () => {
  fixture = createFixture()
  gate = await fixture.open()
})
afterEach(() => fixture.remove())

const rows = (...entries: readonly Entry[]): readonly ListedHook[] =>
  catalogue(
    entries.map((entry) => ({ kind: 'entry', entry })),
    [...gate.state().approvals.values()],
    gate.propose,
  )

const shown = (...entries: readonly Entry[]): readonly string[] =>
  rows(...entries).map(
    ({ status, live, proposed }) => `${status} ${live?.slice(0, 6) ?? '-'} ${proposed?.slice(0, 6) ?? '-'}`,
  )

const short = (fingerprint: string | undefined): string => fingerprint?.slice(0, 6) ?? '-'
const change = (text: string): string => fixture.write('hooks/guard.sh', `#!/bin/sh\necho ${text}\n`)

test('a proposal waits, is approved, changes and goes', async () => {
  const first = short(gate.propose(anEntry()).fingerprint)
  expect(shown(anEntry())).toEqual([`waiting - ${first}`])
  await approveGuard(gate)
  expect(shown(anEntry())).toEqual([`approved ${first} ${first}`])
  change('other')
  expect(shown(anEntry())).toEqual([`changed ${first} ${short(gate.propose(anEntry()).fingerprint)}`])
  expect(shown()).toEqual([`gone ${first} -`])
  expect(rows()[0]).toMatchObject({
    event: 'pre_tool_call',
    command: './hooks/guard.sh',
    files: [{ path: 'hooks/guard.sh', bytes: 21 }],
  })
})

test('an approved hook whose entry cannot be read any more is one row that says why, and is not gone', async () => {
  await approveGuard(gate)
  const problem = { code: 'http.url', message: 'Expected a public address.', fix: 'Name one.' }
  const listed = catalogue(
    ['./hooks/guard.sh', './hooks/other.sh'].map((command) => ({
      kind: 'invalid',
      event: 'pre_tool_call',
      command,
      problem,
    })),
    [...gate.state().approvals.values()],
    gate.propose,
  )
  const live = gate.propose(anEntry()).fingerprint
  expect(listed).toMatchObject([
    { status: 'changed', live, problem, entry: anEntry() },
    { status: 'invalid', problem },
  ])
  expect(listed[1]?.live).toBeUndefined()
})

test('a hook for all machines has one row, and other bytes of one machine have another', () => {
  const onAll = anEntry({ nodes: 'all' })
  const other = anEntry({ nodes: 'all', node: 'shop', command: './hooks/other.sh' })
  fixture.write('hooks/other.sh', '#!/bin/sh\nexit 2\n')
  expect(rows(onAll, { ...onAll, node: 'desk' }, { ...onAll, node: 'lab' }, other)).toMatchObject([
    { entry: onAll },
    { entry: other },
  ])
})

test('an approved hook of a node that has not connected yet is not called gone, and no other node changes it', async () => {
  const onDesk = anEntry({ node: 'desk' })
  await gate.approve(onDesk, 'telegram:7')
  const approvals = [...gate.state().approvals.values()]
  const onLab = { kind: 'entry', entry: anEntry({ node: 'lab' }) } as const
  const listed = catalogue([onLab], approvals, gate.propose, (node) => node === 'desk')
  expect(listed.map(({ status }) => status)).toEqual(['waiting', 'gone'])
  expect(listed.map((row) => proseText(statusWords(row)))).toEqual([
    '✗ NOT approved',
    'approved, and its node is not connected',
  ])
})

test('other options of an approved place are a change of it, a name is none', async () => {
  const live = short(await approveGuard(gate))
  expect(rows(anEntry({ timeoutMs: 5000 }))).toMatchObject([{ status: 'changed' }])
  expect(shown(anEntry({ name: 'my guard' }))).toEqual([`approved ${live} ${live}`])
  expect(rows(anEntry({ command: './hooks/guard.sh --x' })).map(({ status }) => status)).toEqual([
    'waiting',
    'gone',
  ])
  expect(rows(anEntry({ event: 'on_stop' })).map(({ status }) => status)).toEqual(['waiting', 'gone'])
  expect(rows(anEntry({ origin: 'other.yaml' })).map(({ status }) => status)).toEqual(['waiting', 'gone'])
})

test('an approved file that cannot be sealed any more is a change with a problem', async () => {
  const live = await approveGuard(gate)
  fs.rmSync(path.join(fixture.workspace, 'hooks/guard.sh'))
  const [row] = rows(anEntry())
  expect(row).toMatchObject({ status: 'changed', live, problem: expect.anything() })
  expect(row?.proposed).toBeUndefined()
})

test('the same entry with other bytes finds its own approval, in whatever order the places stand', async () => {
  const [a, b] = [anEntry({ matcher: { pattern: 'a' } }), anEntry({ matcher: { pattern: 'b' } })]
  const [liveB, liveA] = [await approveGuard(gate, b), await approveGuard(gate, a)]
  change('other')
  // The first place moved on to another option, the second has its own approval with other bytes.
  const moved = anEntry({ matcher: { pattern: 'c' } })
  expect(rows(moved, b).map(({ live }) => live)).toEqual([liveA, liveB])
  expect(rows(b, moved).map(({ live }) => live)).toEqual([liveB, liveA])
})

test('one approval is never the past of two places, and a proposal twice is approved twice', async () => {
  const live = await approveGuard(gate)
  expect(rows(anEntry(), anEntry()).map((row) => row.live)).toEqual([live, live])
  expect(rows(anEntry(), anEntry({ timeoutMs: 5000 })).map(({ status }) => status)).toEqual([
    'approved',
    'waiting',
  ])
  change('other')
  expect(
    rows(anEntry({ timeoutMs: 5000 }), anEntry({ timeoutMs: 6000 })).map(({ status }) => status),
  ).toEqual(['changed', 'waiting'])
})

test('an invalid entry stands where it is, beside the good ones', () => {
  const problem = { code: 'entry.event', message: 'Expected an event.', fix: 'Correct it.' }
  const all = catalogue(
    [
      { kind: 'invalid', event: 'x', command: './y', problem },
      { kind: 'entry', entry: anEntry() },
    ],
    [],
    gate.propose,
  )
  expect(all).toMatchObject([
    { status: 'invalid', event: 'x', command: './y', problem },
    { status: 'waiting' },
  ])
})

describe('what runs from where it lies', () => {
  const text = (options: Partial<Entry> = {}): Entry =>
    anEntry({
      shell: 'sh',
      command: 'cat | ./hooks/guard.sh; ./later.sh',
      origin: '.claude/settings.json',
      ...options,
    })

  test('is on the row, with the shell, also when the file is gone', async () => {
    expect(rows(text())).toMatchObject([
      { status: 'waiting', under: 'sh', watched: [{ path: 'hooks/guard.sh', bytes: 21 }] },
    ])
    await approveGuard(gate, text())
    expect(rows()).toMatchObject([{ status: 'gone', under: 'sh', watched: [{ path: 'hooks/guard.sh' }] }])
    expect(rows(anEntry({ shell: 'sh' }))[0]?.under).toBeUndefined()
  })

  test.each([
    ['a watched file changes', () => change('other'), true],
    ['one comes where none was', () => fixture.write('later.sh', ''), true],
    [
      'a link takes its place',
      () => {
        fs.rmSync(path.join(fixture.workspace, 'hooks/guard.sh'))
        fs.symlinkSync('/bin/sh', path.join(fixture.workspace, 'hooks/guard.sh'))
      },
      true,
    ],
    ['only another option changes', () => undefined, false],
  ])('is told to have stopped when %s', async (_, happen, isStopped) => {
    await approveGuard(gate, text())
    happen()
    const [row] = rows(text({ timeoutMs: isStopped ? 20_000 : 5000 }))
    expect(row?.status).toBe('changed')
    expect(row?.isStopped).toBe(isStopped ? true : undefined)
  })

  test('sealed bytes that differ from the file never count as stopped', async () => {
    await approveGuard(gate)
    change('other')
    expect(rows(anEntry())[0]?.isStopped).toBeUndefined()
  })
})

test('one command on two events of its own system is two places', async () => {
  const at = (event: string): Entry =>
    anEntry({
      event: 'post_tool_call',
      dialect: { name: 'claude-code', event },
      origin: '.claude/settings.json',
    })
  const live = await approveGuard(gate, at('PostToolUseFailure'))
  change('other')
  expect(
    rows(at('PostToolUse'), { ...at('PostToolUseFailure'), timeoutMs: 5000 }).map((row) => row.live),
  ).toEqual([undefined, live])
})
