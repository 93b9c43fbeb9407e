import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { needs } from '../needs.ts'
import { approveAll, bring, holds } from './bring.ts'

describe(
  'the hooks of a .claude/settings.json, which document 000 says run unchanged',
  needs('bash', 'jq', 'python3'),
  async () => {
    const source = 'sources:\n  - claude-code: ./.claude/settings.json\n'
    const plane = await bring('hooks: []\n')
    cpSync(join(import.meta.dirname, '../fixtures/founding/claude'), plane.workspace, { recursive: true })
    await plane.propose(source)
    await approveAll(plane)
    afterAll(() => plane.stop())

    test('commands and writes pass or are denied under its names', async () => {
      expect(plane.gate.rows().map(({ status }) => status)).toEqual([
        'approved',
        'approved',
        'approved',
        'approved',
      ])
      await plane.script('finished', '')
      await plane.ask('!echo hello', holds('hello'))
      await plane.ask('!echo git push --force', holds('bash', 'no force pushes'))
      await plane.ask('write note.txt hello', holds('Wrote'))
      await plane.ask('write prod.env KEY=1', holds('write_file', 'holds secrets'))
    })
    test('it replaces a result before the agent sees it', async () => {
      await plane.ask('!echo token', holds('[cut]'))
    })
  },
)
