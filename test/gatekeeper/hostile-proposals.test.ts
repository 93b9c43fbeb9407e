import fs from 'node:fs'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { paced } from '../../src/gatekeeper/pace.ts'
import { later, type Proposal } from '../../src/gatekeeper/proposal.ts'
import type { Entry } from '../../src/model/entry.ts'
import { anEntry, createFixture, type Fixture } from './gate-fixture.ts'

let fixture: Fixture
beforeEach(() => {
  fixture = createFixture()
})
afterEach(() => fixture.remove())

describe("the gate's own folder", () => {
  const text = (command: string): Entry => anEntry({ command, shell: 'sh', dialect: { name: 'claude-code', event: 'PreToolUse' } })

  test.each([
    ['sealed', (file: string) => anEntry({ command: 'cat', files: [file] })],
    ['run', (file: string) => anEntry({ command: file })],
    ['named by text', (file: string) => text(`cat ${file} | wc`)],
  ] as const)('nothing of it is %s, and none of its bytes is shown', (_, proposal) => {
    const gate = fixture.open()
    const key = path.join(fixture.home, 'secrets/ledger.key')
    fs.symlinkSync(fixture.home, path.join(fixture.workspace, 'innocent'))
    for (const file of [key, '../home/secrets/ledger.key', './innocent/secrets/ledger.key']) {
      const proposed = gate.propose(proposal(file))
      expect(proposed).toMatchObject({ problem: { code: 'file.home' }, files: [] })
      expect(proposed.watched).toBeUndefined()
      expect(gate.approve(proposal(file), 'telegram:7')).toMatchObject({ ok: false, problem: { code: 'file.home' } })
    }
    expect(fs.readdirSync(path.join(fixture.home, 'seal'))).toEqual([])
  })
})

describe('proposals that are expensive to look at', () => {
  const entries = Array.from({ length: 20 }, (_, index) => anEntry({ command: `./hooks/${index}.sh` }))
  let nowMs = 0
  let looks = new Map<string, number>()
  const open = (costMs: number) => {
    nowMs = 10_000
    looks = new Map()
    return paced((entry): Proposal => {
      nowMs += costMs
      looks.set(entry.command, (looks.get(entry.command) ?? 0) + 1)
      return { entry, fingerprint: `${entry.command} ${nowMs}`, unsealed: [], files: [] }
    }, later, () => nowMs)
  }
  /** What the gate does once a second; resolves with how long it took. */
  const pass = (propose: ReturnType<typeof open>): number => {
    const beganMs = nowMs
    for (const entry of entries) propose(entry)
    const tookMs = nowMs - beganMs
    nowMs = beganMs + 1000
    return tookMs
  }

  test('hold the gate for a part of each second only, and each has its turn', () => {
    const propose = open(100)
    for (let second = 0; second < 8; second++) expect(pass(propose)).toBeLessThanOrEqual(400)
    expect(looks.size).toBe(20)
    for (let second = 0; second < 8; second++) pass(propose)
    expect([...looks.values()].every((count) => count >= 2)).toBe(true)
  })

  test('say so while nothing is known of them, and show what was known last after that', () => {
    const propose = open(100)
    pass(propose)
    const late = entries[19] ?? anEntry()
    expect(propose(late).fingerprint).toBeDefined()
    nowMs -= 1000
    for (const entry of entries.slice(0, 10)) propose(entry)
    const other = anEntry({ command: './hooks/new.sh' })
    for (let index = 0; index < 5; index++) propose(other)
    const known = propose(late)
    expect(known.fingerprint).toBeDefined()
    expect(propose(anEntry({ command: './hooks/newest.sh' }))).toMatchObject({ problem: { code: 'program.later' }, files: [] })
  })

  test('ordinary ones are looked at anew each time', () => {
    const propose = open(1)
    for (let times = 0; times < 5; times++) for (const entry of entries) propose(entry)
    expect([...looks.values()]).toEqual(entries.map(() => 5))
  })

  test('large files that change all the time do not hold up the gate', () => {
    const gate = fixture.open()
    const proposals = Array.from({ length: 60 }, (_, index): Entry => {
      const file = fixture.write(`big/${index}`, '')
      fs.truncateSync(file, 16 * 1024 * 1024)
      return anEntry({ command: 'cat', files: [`big/${index}`] })
    })
    const beganMs = performance.now()
    for (const proposal of proposals) gate.propose(proposal)
    expect(performance.now() - beganMs).toBeLessThan(1500)
  })

  test('a watched file that was made large costs no more to compare than it had bytes', () => {
    const gate = fixture.open()
    const done = gate.approve(anEntry({ command: 'cat | ./hooks/guard.sh', shell: 'sh' }), 'telegram:7')
    expect(done.ok).toBe(true)
    const [hook] = gate.approvedHooks()
    const file = path.join(fixture.workspace, 'hooks/guard.sh')
    fs.truncateSync(file, 16 * 1024 * 1024)
    const beganMs = performance.now()
    for (let times = 0; times < 20; times++) {
      fs.utimesSync(file, times, times)
      expect(hook?.checkSeal()).toBe('./hooks/guard.sh changed since approval; approve it again')
    }
    expect(performance.now() - beganMs).toBeLessThan(200)
  })
})
