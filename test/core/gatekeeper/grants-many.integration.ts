import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Gatekeeper } from '../../../src/core/gatekeeper/gatekeeper.ts'
import { maxGrants } from '../../../src/core/gatekeeper/grants/granting.ts'
import { createFixture, startMs, type Fixture } from './gate-fixture.ts'

let fixture: Fixture
let gate: Gatekeeper
beforeEach(async () => {
  fixture = createFixture()
  gate = await fixture.open()
})
afterEach(() => fixture.remove())

const give = (command: string) =>
  gate.grant(
    {
      agent: 'main',
      tool: 'bash',
      cwd: '/w',
      shape: { kind: 'exact', input: JSON.stringify({ command }) },
      untilMs: startMs + 3_600_000,
    },
    'telegram:7',
    command,
    () => false,
  )

test('there are 500 grants at most, and the next is refused with words', async () => {
  for (let n = 0; n < maxGrants; n++) expect((await give(`ls ${n}`)).ok).toBe(true)
  expect(await give('one more')).toMatchObject({
    ok: false,
    problem: { code: 'grant.many', message: 'There are 500 grants already.' },
  })
  expect(gate.state().grants.size).toBe(maxGrants)
})
