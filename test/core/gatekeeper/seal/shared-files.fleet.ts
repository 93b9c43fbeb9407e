import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Gatekeeper } from '../../../../src/core/gatekeeper/gatekeeper.ts'
import { openPostgresLines } from '../../../../src/store/postgres/ledger-lines.ts'
import { takeLease } from '../../../../src/store/postgres/lease.ts'
import { openSharedFiles } from '../../../../src/store/postgres/shared-files.ts'
import { useDatabase } from '../../../store/postgres-server.ts'
import { anEntry, approveGuard, createFixture, type Fixture } from '../gate-fixture.ts'

const me = 'telegram:7'
const database = useDatabase()
let fixture: Fixture
let ends: (() => Promise<unknown>)[] = []
beforeEach(() => {
  fixture = createFixture()
})
afterEach(async () => {
  for (const end of ends.toReversed()) await end()
  ends = []
  fixture.remove()
})

/** A gate that works on the database, until the next one takes over. */
const open = async (): Promise<Gatekeeper> => {
  for (const end of ends.splice(0).toReversed()) await end()
  const [url, log] = [database.url(), (): void => undefined]
  const { term, release } = await takeLease({ url, name: 'gate', holder: 'a gate', log, waits: log })
  const lines = await openPostgresLines({ url, deadlineMs: 10_000, term })
  const sharedFiles = openSharedFiles({ url, deadlineMs: 10_000, term })
  ends.push(release, lines.stop, sharedFiles.stop)
  return fixture.open({ lines, sharedFiles })
}
const kept = async (): Promise<readonly string[]> =>
  (
    await database.run("SELECT convert_from(content, 'UTF8') AS text FROM hookgate.sealed_file ORDER BY 1")
  ).map(({ text }) => String(text))

test('a gate that starts removes the files that no approval in force needs, and keeps the others', async () => {
  fixture.write('hooks/other.sh', '#!/bin/sh\necho other\n')
  const gate = await open()
  const fingerprint = await approveGuard(gate)
  await approveGuard(gate, anEntry({ command: './hooks/other.sh' }))
  await gate.revoke(fingerprint, me)
  expect(await kept()).toEqual(['#!/bin/sh\necho guard\n', '#!/bin/sh\necho other\n'])
  const next = await open()
  expect(await kept()).toEqual(['#!/bin/sh\necho other\n'])
  expect(next.approvedHooks()).toHaveLength(1)
  expect(fixture.lockdowns).toEqual([])
})

test('a gate that doubts its ledger removes nothing', async () => {
  const gate = await open()
  await gate.revoke(await approveGuard(gate), me)
  await database.run("UPDATE hookgate.ledger SET head = 'forged'")
  await open()
  expect(fixture.lockdowns).toHaveLength(1)
  expect(await kept()).toEqual(['#!/bin/sh\necho guard\n'])
})
