import fs from 'node:fs'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { auditLedger } from '../../../src/compose/verbs/audit/audit.ts'
import { createFixture, type Fixture } from '../../core/gatekeeper/gate-fixture.ts'
import { writeStory } from '../../core/gatekeeper/ledger-fixture.ts'

let fixture: Fixture
beforeEach(() => {
  fixture = createFixture()
})
afterEach(() => fixture.remove())

test('lines that are missing at the end, with all that is there in order, are damage', async () => {
  await writeStory(fixture)
  fs.writeFileSync(
    fixture.ledger,
    fixture
      .lines()
      .slice(0, 6)
      .map((line) => `${line}\n`)
      .join(''),
  )
  expect(await auditLedger(fixture.home, false)).toMatchObject({
    code: 3,
    text: expect.stringMatching(/^DAMAGED: the ledger is damaged: it should have 9 lines and has 6\.\n/),
  })
})
