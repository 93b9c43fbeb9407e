import { expect, test } from 'vitest'
import { evidenceLines } from '../../../src/commands/cards/evidence.ts'
import { proseText } from '../../../src/core/model/chat/prose.ts'
import type { ListedHook } from '../../../src/shared/gate/catalogue.ts'
import type { Evidence } from '../../../src/shared/hooks/evidence.ts'
import { anEntry } from '../../core/gatekeeper/gate-fixture.ts'

const row: ListedHook = {
  status: 'waiting',
  event: 'pre_tool_call',
  command: './guard.sh',
  entry: anEntry({ command: './guard.sh' }),
  proposed: 'f'.repeat(64),
  unsealed: [],
  files: [],
}

const lines = (fail: number, pass: number, over: Partial<ListedHook> = {}): readonly string[] => {
  const evidence: Evidence = {
    fingerprint: 'f'.repeat(64),
    atMs: 0,
    events: 100,
    unkept: 0,
    matched: fail + pass,
    counts: { block: 0, ask: 0, rewrite: 0, fail, pass },
    failures: fail === 0 ? [] : [{ why: 'Its shell found no program jq', count: fail }],
    cases: [],
    different: 3,
    differences: [],
  }
  return evidenceLines({ ...row, ...over }, { evidenceOf: () => evidence }, 'k7f2q').map(proseText)
}

test('a hook that failed in its trial says so first on its card, before the yes', () => {
  expect(lines(12, 0)).toEqual(['⚠ It failed at each of 12 past events: Its shell found no program jq'])
  expect(lines(2, 10)).toEqual([
    '⚠ It failed at 2 of 12 past events: Its shell found no program jq',
    'of 100 past events 12 matched: 2 failed, 10 let through',
  ])
  expect(lines(0, 12)).toEqual(['of 100 past events 12 matched: 12 let through'])
  expect(lines(12, 0, { status: 'changed', live: 'e'.repeat(64) })).toEqual([
    '⚠ It failed at each of 12 past events: Its shell found no program jq',
    'the approved version answers 3 of them differently',
  ])
})
