import { randomBytes } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { diffText } from '../../../src/commands/diff/text-diff.ts'
import { createBridgeService, type BridgeService } from '../rig.ts'

let desk: BridgeService
beforeEach(async () => {
  desk = await createBridgeService('hooks: []\n')
  desk.fixture.write('guard.sh', '#!/bin/sh\n')
})
afterEach(() => desk.stop())

describe('diff', () => {
  test('many files that differ much are compared for a moment, and the rest named', async () => {
    const names = Array.from({ length: 40 }, (_, index) => `data/${index}.txt`)
    const fill = (): void => {
      for (const name of names)
        desk.fixture.write(name, randomBytes(40_000).toString('hex').replace(/.{8}/g, '$&\n'), 0o644)
    }
    fill()
    desk.propose(`hooks:\n  - {event: pre_tool_call, command: ./guard.sh, files: [${names.join(', ')}]}\n`)
    await desk.say('/hooks approve pre_tool_call ./guard.sh')
    fill()
    // The first look at so much may be left for later.
    await desk.say('/hooks')
    const startedMs = performance.now()
    const text = await desk.say('/hooks diff ./guard.sh')
    expect(performance.now() - startedMs).toBeLessThan(5000)
    expect(text).toContain('Changed: 40 files.')
    expect(text.length).toBeLessThan(4500)
    expect(text.split('\n').length).toBeLessThanOrEqual(75)
    expect(text).toContain('not compared: too much changed at once')
  })

  test('whatever is in two texts, they are compared in a moment', () => {
    const noise = (): string => randomBytes(60_000).toString('hex').replace(/.{16}/g, '$&\n')
    const startedMs = performance.now()
    for (const [before, after] of [
      [noise(), noise()],
      ['a\n'.repeat(30_000) + 'b\n'.repeat(30_000), 'b\n'.repeat(30_000) + 'a\n'.repeat(30_000)],
      ['\n'.repeat(120_000), 'x\n'.repeat(60_000)],
      ['x'.repeat(120_000), 'y'.repeat(120_000)],
    ] as const) {
      expect(diffText(before, after).length).toBeLessThan(40)
    }
    expect(performance.now() - startedMs).toBeLessThan(8000)
  })
})
