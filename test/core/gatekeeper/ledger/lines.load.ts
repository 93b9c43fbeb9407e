import { expect, test } from 'vitest'
import { fold } from '../../../../src/core/gatekeeper/ledger/fold.ts'
import { verifyLedger, type Act } from '../../../../src/core/gatekeeper/ledger/lines.ts'
import { genesis, key, owner, write } from '../ledger-text.ts'
import { measureProcessor } from '../../../processor-time.ts'

test('100 000 entries are verified and folded in about a second of computing', () => {
  const others = Array.from({ length: 99_999 }, (_, index): Act =>
    index % 2 === 0 ? owner(`telegram:${index}`) : { act: 'on', by: 'telegram:7', data: {} },
  )
  const big = write([genesis, ...others])
  // Processor time: other programs on the machine do not count.
  const tookMs = measureProcessor()
  const { entries, problem } = verifyLedger(Buffer.from(big), key)
  const { state } = fold(entries)
  const verifiedMs = tookMs()
  expect(problem).toBeUndefined()
  expect(state).toMatchObject({ revision: 100_000, isOn: true })
  expect(verifiedMs).toBeLessThan(2000)
})
