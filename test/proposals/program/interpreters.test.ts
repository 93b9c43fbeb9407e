import fs from 'node:fs'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import {
  anEntry,
  approveGuard,
  createFixture,
  type Fixture,
  type FixtureGate,
} from '../../core/gatekeeper/gate-fixture.ts'

let fixture: Fixture
let gate: FixtureGate
let [real, found] = ['', '']
beforeEach(async () => {
  fixture = createFixture()
  const bin = path.join(fixture.root, 'bin')
  fs.mkdirSync(bin)
  ;[real, found] = [path.join(fixture.root, 'speak-1'), path.join(bin, 'speak')]
  fs.writeFileSync(real, '#!/bin/sh\n', { mode: 0o755 })
  fs.symlinkSync(real, found)
  fixture.write('hooks/guard.sh', '#!/usr/bin/env speak\n')
  gate = await open()
  for (const word of ['a', 'b', 'c']) await approveGuard(gate, anEntry({ args: [word] }))
})
afterEach(() => fixture.remove())

const open = (): Promise<FixtureGate> => fixture.open({ path: `${path.dirname(found)}:/bin` })
/** What is told when it rests: of two looks, as the gate looks each second. */
const news = (of = gate) => [...of.interpreterNews(), ...of.interpreterNews()]
const replace = (file: string, content: string): void => {
  fs.rmSync(file, { force: true })
  fs.writeFileSync(file, content, { mode: 0o755 })
}

test('other bytes of an interpreter are told once for all its hooks, also across restarts, and are no fault', async () => {
  expect(news()).toEqual([])
  replace(real, '#!/bin/sh\n# updated\n')
  expect(gate.armed().map((hook) => hook.checkSeal())).toEqual([undefined, undefined, undefined])
  expect(news()).toEqual([
    {
      real,
      hooks: 3,
      words: [`${real} has changed, as after an update of the system. They still run with it.`],
    },
  ])
  expect(news()).toEqual([])
  expect(news(await open())).toEqual([])
})

test('what changed while hookgate was not running is told at the next start, and only at that', async () => {
  news()
  replace(real, '#!/bin/sh\n# updated\n')
  expect(news(await open())).toHaveLength(1)
  expect(news(await open())).toEqual([])
})

test('a name that leads to another version is told with what runs on, and approving again takes the new one', async () => {
  news()
  replace(path.join(fixture.root, 'speak-2'), '#!/bin/sh\n')
  fs.rmSync(found)
  fs.symlinkSync(path.join(fixture.root, 'speak-2'), found)
  expect(news()).toEqual([
    {
      real,
      hooks: 3,
      words: [
        `${found} now points to ${fixture.root}/speak-2. They still run with ${real}, as approved. Approve them again to use the new one.`,
      ],
    },
  ])
  expect(gate.armed()[0]?.argv[0]).toBe(real)
  for (const word of ['a', 'b', 'c'])
    expect(await gate.approve(anEntry({ args: [word] }), 'telegram:7')).toMatchObject({
      ok: true,
      isNew: true,
    })
  expect(gate.armed()[0]?.argv[0]).toBe(path.join(fixture.root, 'speak-2'))
  expect(news()).toEqual([])
})

test('one that is gone is told with what to do, and so is its return', () => {
  news()
  fs.rmSync(real)
  expect(news()).toMatchObject([
    { words: [`${real} is missing. They cannot run until it is back, or until you approve them again.`] },
  ])
  replace(real, '#!/bin/sh\n')
  expect(news()).toMatchObject([{ words: [expect.stringContaining('is back')] }])
})

test('what a package manager takes away and puts back within a look is one change', () => {
  news()
  fs.rmSync(real)
  expect(gate.interpreterNews()).toEqual([])
  replace(real, '#!/bin/sh\n# updated\n')
  expect(news()).toMatchObject([{ words: [expect.stringContaining('has changed')] }])
})

test('what was kept and cannot be read is learnt anew, without a word', async () => {
  news()
  fs.writeFileSync(path.join(fixture.home, 'interpreters.json'), '{"x":')
  replace(real, '#!/bin/sh\n# updated\n')
  expect(news(await open())).toEqual([])
  replace(real, '#!/bin/sh\n# again\n')
  expect(news(await open())).toHaveLength(1)
})

test('an interpreter that nothing runs with any more is forgotten', async () => {
  news()
  for (const { fingerprint } of gate.armed()) await gate.revoke(fingerprint, 'telegram:7')
  news()
  expect(fs.readFileSync(path.join(fixture.home, 'interpreters.json'), 'utf8')).toBe('{}')
})
