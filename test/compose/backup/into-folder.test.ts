import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { draftFolder, type FolderDraft } from '../../../src/compose/verbs/backup/into-folder.ts'
import {
  sealedFilesIn,
  wholeLedgerIn,
  type WholeLedger,
} from '../../../src/compose/verbs/backup/whole-ledger.ts'
import { prepareHome } from '../../../src/core/gatekeeper/home.ts'
import { approveGuard, createFixture, type Fixture } from '../../core/gatekeeper/gate-fixture.ts'

let from: Fixture
let to: Fixture
let ledger: WholeLedger
beforeEach(async () => {
  from = createFixture()
  to = createFixture()
  await approveGuard(await from.open())
  ledger = wholeLedgerIn(from.home)
  prepareHome(to.home)
  copyFileSync(join(from.home, 'secrets/ledger.key'), join(to.home, 'secrets/ledger.key'))
})
afterEach(() => {
  for (const fixture of [from, to]) fixture.remove()
})

const files = () => {
  const all = new Map(
    [...sealedFilesIn(from.home, ledger.approvals)].map(({ sha256, content }) => [sha256, content]),
  )
  return { get: async (sha256: string) => all.get(sha256) }
}

const prepared = async (): Promise<FolderDraft> => {
  const draft = draftFolder(to.home)
  await draft.write(ledger, files())
  writeFileSync(draft.store, 'the store')
  return draft
}

const head = () => join(to.home, 'secrets/ledger.head')
const seals = (): readonly string[] => readdirSync(join(to.home, 'seal'))

test('a folder that is filled has the same ledger, and its gate has the same approved hook', async () => {
  const draft = await prepared()
  expect(existsSync(to.ledger)).toBe(false)
  draft.place(ledger)
  draft.remove()
  rmSync(join(to.home, 'state.db'))
  expect(readFileSync(to.ledger)).toEqual(readFileSync(from.ledger))
  const gate = await to.open()
  expect(gate.approvedHooks()).toHaveLength(1)
  expect(to.lockdowns).toEqual([])
})

test('when the last step fails, the steps before it are undone, and the kept head is the one of before', async () => {
  const draft = await prepared()
  writeFileSync(head(), 'the head of before')
  // No file can replace a folder that is not empty.
  mkdirSync(join(to.ledger, 'in the way'), { recursive: true })
  expect(() => draft.place(ledger)).toThrow()
  draft.remove()
  expect(readFileSync(head(), 'utf8')).toBe('the head of before')
  expect(seals()).toEqual(['package.json'])
  expect(readdirSync(to.home).toSorted()).toEqual(['ledger.jsonl', 'seal', 'secrets'])
})

test('a folder in which a gate has begun is refused, and stays as it is', async () => {
  await to.open()
  const before = readFileSync(to.ledger)
  expect(() => draftFolder(to.home)).toThrow('got ledger.jsonl in')
  expect(readFileSync(to.ledger)).toEqual(before)
  expect(existsSync(join(to.home, 'moving'))).toBe(false)
})

test('what an interrupted move has left is no reason to refuse, and a ledger that was begun since is one', async () => {
  await prepared()
  writeFileSync(join(to.home, 'state.db'), 'half')
  const again = await prepared()
  expect(existsSync(join(to.home, 'state.db'))).toBe(false)
  expect(readFileSync(again.store, 'utf8')).toBe('the store')
  await to.open()
  expect(() => draftFolder(to.home)).toThrow('got ledger.jsonl in')
})

test('a sealed file with other bytes, or one that is gone, is carried nowhere', async () => {
  const draft = draftFolder(to.home)
  await expect(draft.write(ledger, { get: async () => undefined })).rejects.toThrow('is not in the database')
  const [approval] = ledger.approvals
  const file = join(from.home, 'seal', approval?.fingerprint ?? '', approval?.files[0]?.path ?? '')
  rmSync(file)
  writeFileSync(file, '#!/bin/sh\n', { mode: 0o555 })
  expect(() => [...sealedFilesIn(from.home, ledger.approvals)]).toThrow('has other bytes')
})
