import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { until } from '../../src/attack/gate/until.ts'
import { openHistory } from '../../src/history/history.ts'
import { eventOf } from '../handlers/armed.ts'
import { needs } from '../needs.ts'
import { verdictOn } from '../verdict.ts'

const root = mkdtempSync(join(tmpdir(), 'hookgate-history-disk-'))
const disk = join(root, 'disk')

describe.skipIf(process.getuid?.() !== 0)('on a disk of four megabytes', needs('mount'), () => {
  beforeAll(() => {
    mkdirSync(disk)
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=4m', 'tmpfs', disk])
  })
  afterAll(() => {
    execFileSync('umount', [disk])
    rmSync(root, { recursive: true, force: true })
  })

  test('a full disk costs events of the history alone, and it goes on when there is room', async () => {
    const logged: string[] = []
    const history = openHistory({
      path: join(disk, 'history.db'),
      keptMs: 1e9,
      maxBytes: 1e9,
      withPayload: true,
      now: Date.now,
      log: (_, what) => logged.push(what),
    })
    let count = 0
    const keep = (): void => {
      const payload = {
        ...eventOf('pre_tool_call', { tool_name: 'bash', tool_input: { command: 'x'.repeat(2000) } }),
        event_id: `e${(count += 1)}`,
      }
      const startMs = performance.now()
      history.keep(payload, verdictOn(payload, 'allow', 1), 1)
      expect(performance.now() - startMs).toBeLessThan(50)
    }
    const ballast = join(disk, 'ballast')
    writeFileSync(ballast, Buffer.alloc(2_000_000))
    await until('the disk to be full', async () => {
      for (let at = 0; at < 256; at += 1) keep()
      await new Promise((done) => setTimeout(done, 20))
      return logged.length > 0
    })
    expect(logged).toEqual(['events are missing in the history'])
    rmSync(ballast)
    const { bavail, bsize } = statfsSync(disk)
    expect(bavail * bsize).toBeGreaterThan(1_000_000)
    const before = count
    for (let at = 0; at < 20; at += 1) keep()
    const { events } = await history.events({ sinceMs: 0, limit: 1 })
    expect(events[0]?.id).toBe(`e${before + 20}`)
    const { verdicts, missed } = await history.stats({ sinceMs: 0 })
    expect(verdicts.allow + missed).toBe(count)
    await history.stop()
  })
})
