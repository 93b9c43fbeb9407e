import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { needs } from '../needs.ts'
import { makeWorkspace, runProgram, type Workspace } from './run-example.ts'

/** It parts what a scanner would take for a key. */
const cut: string = ''

describe('block_secrets.py', needs('python3'), () => {
  let workspace: Workspace
  beforeAll(() => {
    workspace = makeWorkspace()
  })
  afterAll(() => workspace.remove())

  it('a megabyte made to be slow is judged within its timeout', async () => {
    for (const piece of [
      'abandon ',
      'legal winner ',
      `-----BEGIN PRIVATE ${cut}KEY-----x `,
      'PuTTY-User-Key-File-2: Private-Lines: 1 ',
      ' eyJ',
      'K',
      'a\u200B',
      '0x',
    ]) {
      const startedAtMs = performance.now()
      const payload = {
        event: 'on_outbound_message',
        notification: piece.repeat(1_000_000 / piece.length),
        recent: [piece.repeat(2000)],
      }
      expect(
        (await runProgram('block_secrets.py', JSON.stringify(payload), workspace.folder)).exitCode,
        piece,
      ).toBe(0)
      expect(performance.now() - startedAtMs, piece).toBeLessThan(15_000)
    }
  }, 120_000)
})
