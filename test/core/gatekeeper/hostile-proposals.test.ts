import fs from 'node:fs'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Entry } from '../../../src/core/model/hooks/entry.ts'
import { anEntry, createFixture, type Fixture } from './gate-fixture.ts'
import { measureProcessor } from '../../processor-time.ts'
import { stretched } from '../../stretched.ts'

let fixture: Fixture
beforeEach(() => {
  fixture = createFixture()
})
afterEach(() => fixture.remove())

describe("the gate's own folder", () => {
  const text = (command: string): Entry =>
    anEntry({ command, shell: 'sh', dialect: { name: 'claude-code', event: 'PreToolUse' } })

  test.each([
    ['sealed', (file: string) => anEntry({ command: 'cat', files: [file] })],
    ['run', (file: string) => anEntry({ command: file })],
    ['named by text', (file: string) => text(`cat ${file} | wc`)],
  ] as const)('nothing of it is %s, and none of its bytes is shown', async (_, proposal) => {
    const gate = await fixture.open()
    const key = path.join(fixture.home, 'secrets/ledger.key')
    fs.symlinkSync(fixture.home, path.join(fixture.workspace, 'innocent'))
    for (const file of [key, '../home/secrets/ledger.key', './innocent/secrets/ledger.key']) {
      const proposed = gate.propose(proposal(file))
      expect(proposed).toMatchObject({ problem: { code: 'file.home' }, files: [] })
      expect(proposed.watched).toBeUndefined()
      expect(await gate.approve(proposal(file), 'telegram:7')).toMatchObject({
        ok: false,
        problem: { code: 'file.home' },
      })
    }
    expect(fs.readdirSync(path.join(fixture.home, 'seal'))).toEqual(['package.json'])
  })
})

describe('proposals that are expensive to look at', () => {
  test('a watched file that was made large costs no more to compare than it had bytes', async () => {
    const gate = await fixture.open()
    const done = await gate.approve(anEntry({ command: 'cat | ./hooks/guard.sh', shell: 'sh' }), 'telegram:7')
    expect(done.ok).toBe(true)
    const [hook] = gate.approvedHooks()
    const file = path.join(fixture.workspace, 'hooks/guard.sh')
    fs.truncateSync(file, 512 * 1024 * 1024)
    const tookMs = measureProcessor()
    for (let times = 0; times < 20; times++) {
      fs.utimesSync(file, times, times)
      expect(hook?.checkSeal()).toBe('./hooks/guard.sh changed since approval; approve it again')
    }
    expect(tookMs()).toBeLessThan(stretched(1500))
  })
})
