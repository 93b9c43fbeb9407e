import fs from 'node:fs'
import path from 'node:path'
import { readKey } from '../../../src/core/gatekeeper/ledger/key.ts'
import { writeHead } from '../../../src/core/gatekeeper/ledger/head.ts'
import { chainOf } from '../../../src/core/gatekeeper/ledger/lines.ts'
import { approveGuard, anEntry, type Fixture } from './gate-fixture.ts'

export const me = 'telegram:7'

export const keyOf = (home: string): Buffer => {
  const key = readKey(home)
  if (typeof key === 'string') throw new Error(key)
  return key
}

/**
 * The kept head as a crash leaves it that came when only so many lines were acknowledged. None: before the
 * first.
 */
export const keepHead = (
  fixture: Fixture,
  lines: number,
  ledger: Buffer = fs.readFileSync(fixture.ledger),
): void => {
  const file = path.join(fixture.home, 'secrets/ledger.head')
  if (lines === 0) return fs.rmSync(file, { force: true })
  writeHead(
    fixture.home,
    { revision: lines, head: chainOf(ledger.toString('utf8').split('\n')[lines - 1] ?? '') },
    keyOf(fixture.home),
  )
}

/** What the gate's folder holds, to be put back later. */
export const copyOf = (fixture: Fixture): (() => void) => {
  const copy = fs.mkdtempSync(path.join(fixture.root, 'copy-'))
  fs.cpSync(fixture.home, copy, { recursive: true })
  return () => {
    fs.rmSync(fixture.home, { recursive: true, force: true })
    fs.cpSync(copy, fixture.home, { recursive: true })
  }
}

/** The fingerprints of a ledger in which each kind of act stands once at least. */
export interface Story {
  /** Approved and never revoked. */
  readonly standing: string
  /** Approved, then revoked by an owner. */
  readonly revoked: string
}

/**
 * 9 lines: genesis (on), owner_add 8, approve standing, approve revoked, off, on, revoke, owner_add 9,
 * owner_remove 9.
 */
export const writeStory = async (fixture: Fixture): Promise<Story> => {
  const gate = await fixture.open()
  await gate.addOwner({ id: 'telegram:8', chat_id: '8' }, me)
  const standing = await approveGuard(gate)
  const revoked = await approveGuard(gate, anEntry({ args: ['--old'] }))
  await gate.setSwitch(false, me)
  await gate.setSwitch(true, me)
  await gate.revoke(revoked, me)
  await gate.addOwner({ id: 'telegram:9', chat_id: '9' }, me)
  await gate.removeOwner('telegram:9', me)
  return { standing, revoked }
}
