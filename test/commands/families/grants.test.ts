import { believing } from '../../consent.ts'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createGrantActs } from '../../../src/core/gatekeeper/grants/grant-acts.ts'
import type { Grant } from '../../../src/core/model/gate/grant.ts'
import { createBridgeService, me, type BridgeService } from '../rig.ts'

let desk: BridgeService
beforeEach(async () => {
  desk = await createBridgeService()
})
afterEach(() => desk.stop())

const words = ' [\\w./:=@%+,-]+'
/** A grant as the ledger of an older version may hold it. */
const aGrant = (pattern: string, atMs: number): Grant => ({
  id: pattern,
  agent: 'main',
  tool: 'bash',
  cwd: '/w',
  shape: { kind: 'pattern', field: 'command', pattern, others: '{}', loose: [] },
  untilMs: atMs + 1000,
  by: me,
  at: new Date(atMs).toISOString(),
})

test.each([
  [
    true,
    [
      `uv run python(${words})*`,
      'npm run .*',
      `git push(${words})*`,
      `A=1 bash(${words})*`,
      'git log --output=x',
    ],
  ],
  [false, [`git log(${words})*`, 'git .* -5', `ls src(${words})*`, '(git|ls) x', 'git l.g -5']],
])('the list says of a grant that it answers nothing: %s', async (isSaid, patterns) => {
  const nowMs = desk.fixture.clock.nowMs
  const state = {
    ...desk.gatekeeper.state(),
    grants: new Map(patterns.map((pattern) => [pattern, aGrant(pattern, nowMs)])),
  }
  const { grants } = createGrantActs({
    gatekeeper: { ...desk.gatekeeper, state: () => state },
    ownerOf: believing,
    uses: { begin: () => Promise.resolve(), usesLeft: () => undefined, isSpent: () => false },
    record: () => undefined,
    now: () => nowMs,
  })
  Object.assign(desk.ports, { grants })
  desk.theirs(['command', ...patterns].join('\n'))
  const text = await desk.say('/grants')
  expect(text).toContain(`${patterns.length} grants`)
  expect(text.split('It answers nothing').length - 1).toBe(isSaid ? patterns.length : 0)
})
