import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { auditLedger } from '../../../src/compose/verbs/audit/audit.ts'
import { createFixture, type Fixture } from '../../core/gatekeeper/gate-fixture.ts'
import { writeStory } from '../../core/gatekeeper/ledger-fixture.ts'
import { cli } from '../../e2e/program.ts'

let fixture: Fixture
beforeEach(() => {
  fixture = createFixture()
})
afterEach(() => fixture.remove())

const audit = (...args: readonly string[]) => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [cli, 'audit', ...args], {
    encoding: 'utf8',
    env: {
      PATH: process.env['PATH'],
      HOME: fixture.root,
      HOOKGATE_HOME: fixture.home,
      HOOKGATE_WORKSPACE: fixture.workspace,
    },
  })
  return { status, stdout: stdout.replace(/head [0-9a-f]{12}/, 'head HEAD'), stderr }
}

/** Everything that can be seen of a folder without reading it: what a look must not move. */
const stamps = (folder: string): readonly string[] =>
  fs
    .readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .toSorted()
    .map((name) => {
      const { mode, size, mtimeMs, ctimeMs, ino } = fs.lstatSync(path.join(folder, name))
      return [name, mode, size, mtimeMs, ctimeMs, ino].join(' ')
    })

test('a good ledger: how many lines, revision, head, what stands and the last change, and nothing is touched', async () => {
  await writeStory(fixture)
  fs.chmodSync(path.join(fixture.home, 'secrets/ledger.key'), 0o640)
  const before = stamps(fixture.home)
  expect(audit('verify')).toEqual({
    status: 0,
    stderr: '',
    stdout: `The ledger is good: 9 lines, each signed and chained to the line before it.
revision 9 · head HEAD
Hooks are ON · 1 approval · 2 owners: telegram:7, telegram:8
Last change: owner_remove by telegram:7, 2026-01-02T03:04:05.000Z
No messenger can pin a checkpoint, so a rollback of the folder would go unnoticed.
`,
  })
  expect(stamps(fixture.home)).toEqual(before)
})

test('a damaged one: where and what, how much of it is good, and 3', async () => {
  await writeStory(fixture)
  fs.writeFileSync(
    fixture.ledger,
    fs.readFileSync(fixture.ledger, 'utf8').replace('"act":"off"', '"act":"on"'),
  )
  expect(audit('verify')).toEqual({
    status: 3,
    stderr: '',
    stdout: `DAMAGED: the ledger is damaged: line 5 has a wrong signature.
The first 4 lines are good:
revision 4 · head HEAD
Hooks are ON · 2 approvals · 2 owners: telegram:7, telegram:8
Last good change: approve by telegram:7, 2026-01-02T03:04:05.000Z
The audit changed nothing. An owner ends the lockdown with /hooks recover in the chat.
`,
  })
})

test('what is not there, or cannot be verified, is 2; anything but verify is 1', async () => {
  expect(audit('verify')).toMatchObject({
    status: 2,
    stdout: `There is no ledger in ${fixture.home} yet. "hookgate start" begins one.\n`,
  })
  await fixture.open()
  fs.rmSync(path.join(fixture.home, 'secrets/ledger.key'))
  expect(audit('verify')).toMatchObject({
    status: 2,
    stdout: `Nothing in ${fixture.home} can be verified: the ledger cannot be verified: its key is missing.\n`,
  })
  expect(audit()).toMatchObject({
    status: 1,
    stderr: 'Expected "hookgate audit verify" or "hookgate audit export", got nothing to audit.\n',
  })
  expect(audit('repair')).toMatchObject({ status: 1 })
})

test('while the gate runs and never stops writing, no look finds damage', async () => {
  const child = spawn(
    process.execPath,
    [
      path.join(import.meta.dirname, '../../core/gatekeeper/append-forever.ts'),
      fixture.home,
      fixture.workspace,
    ],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  )
  await once(child.stdout.resume(), 'data')
  for (let count = 0; count < 40; count++)
    expect(await auditLedger(fixture.home, true)).toMatchObject({
      code: 0,
      text: expect.stringContaining(
        'Checkpoint: compare revision and head with the notice that is pinned in your chat.',
      ),
    })
  expect(child.exitCode).toBeNull()
  child.kill('SIGKILL')
  await once(child, 'exit')
})
