import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Gatekeeper } from '../../../src/core/gatekeeper/gatekeeper.ts'
import { createReserve } from '../../../src/compose/health/reserve.ts'
import { makeRoom, createReserveWatch } from '../../../src/compose/health/reserve-watch.ts'
import { proseText } from '../../../src/core/model/chat/prose.ts'
import { needs } from '../../needs.ts'
import { anEntry, openFixtureGate } from './gate-fixture.ts'

const me = 'telegram:7'
let root: string
let home: string
beforeEach(() => {
  root = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'hookgate-full-')))
  home = path.join(root, 'disk', 'home')
  fs.mkdirSync(path.join(root, 'workspace', 'hooks'), { recursive: true })
  fs.writeFileSync(path.join(root, 'workspace/hooks/guard.sh'), '#!/bin/sh\n', { mode: 0o755 })
  fs.mkdirSync(path.join(root, 'disk'))
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=16m', 'tmpfs', path.join(root, 'disk')])
  fs.mkdirSync(home)
})
afterEach(() => {
  execFileSync('umount', ['-l', path.join(root, 'disk')])
  fs.rmSync(root, { recursive: true, force: true })
})

const open = (): Promise<Gatekeeper> =>
  openFixtureGate({
    home,
    workspace: path.join(root, 'workspace'),
    path: '/usr/bin:/bin',
    adopt: { owners: [{ id: me, chat_id: '7' }], isOn: false },
    isForcedOn: false,
    reserve: createReserve(home),
    now: () => Date.now(),
    elapsedMs: () => performance.now(),
    log: () => undefined,
    onLockdown: (why) => {
      throw new Error(why)
    },
  })

const filler = (): string => path.join(root, 'disk', 'filler')
/** Whoever can write there takes all of it. */
const fillUp = (): void => {
  const file = fs.openSync(filler(), 'a')
  try {
    for (;;) fs.writeSync(file, Buffer.alloc(4096, 1))
  } catch {
    // It is full.
  } finally {
    fs.closeSync(file)
  }
}

describe.skipIf(process.getuid?.() !== 0)('on a full disk', needs('mount'), () => {
  test('the switch, a revoke and a new start work from the reserve, which is told of and laid by again when there is room', async () => {
    const told: string[] = []
    const watch = createReserveWatch(createReserve(home), (text) => void told.push(proseText(text)))
    const gate = await open()
    const approved = await gate.approve(anEntry(), me)
    expect(approved).toMatchObject({ ok: true })
    await gate.setSwitch(true, me)
    watch.look()
    expect(told).toEqual([])

    fillUp()
    expect(await gate.setSwitch(false, me)).toBe(true)
    expect(gate.state().isOn).toBe(false)
    fillUp()
    expect(
      (await gate.revoke(approved.ok ? approved.approval.fingerprint : '', me))?.fingerprint,
    ).toBeDefined()
    watch.look()
    watch.look()
    expect(told).toEqual([expect.stringContaining('The disk is full')])

    fillUp()
    makeRoom(home)
    fs.writeFileSync(path.join(home, 'small'), 'what a start writes')
    const again = await open()
    expect(again.state()).toMatchObject({ isOn: false, approvals: new Map() })
    expect(await again.setSwitch(true, me)).toBe(true)

    fs.rmSync(filler())
    watch.look()
    expect(told.at(-1)).toContain('The disk has free space again')
    expect(fs.readdirSync(path.join(home, 'reserve'))).toHaveLength(4)
  })
})
