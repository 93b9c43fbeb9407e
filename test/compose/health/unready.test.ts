import { expect, test } from 'vitest'
import { unreadyWords, type Standing } from '../../../src/compose/health/unready.ts'

const works: Standing = { phase: 'started', isInCharge: true, isInLockdown: false }

test('a gate works when it has started, is in charge of its database and is not in lockdown', () => {
  expect(unreadyWords(works)).toBeUndefined()
  expect(unreadyWords({ ...works, phase: 'starting' })).toContain('starting')
  expect(unreadyWords({ ...works, phase: 'stopping' })).toContain('stopping')
  expect(unreadyWords({ ...works, isInCharge: false })).toContain('cannot reach its database')
  expect(unreadyWords({ ...works, isInLockdown: true })).toContain('lockdown')
})
