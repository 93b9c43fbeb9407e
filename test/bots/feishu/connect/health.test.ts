import { proseText } from '../../../../src/core/model/chat/prose.ts'
import { expect, test } from 'vitest'
import { createHealth } from '../../../../bots/feishu/connect/health.ts'
import type { CallFailure } from '../../../../src/shared/chat/connection.ts'

const lost: CallFailure = { kind: 'lost', code: 'SOCKET' }
const refusedBy = (code: number): CallFailure => ({ kind: 'refused', code, status: 200, description: 'x' })

const create = () => {
  const clock = { nowMs: 0 }
  const told: string[] = []
  const health = createHealth({
    elapsedMs: () => clock.nowMs,
    trouble: (why, isBack) => void told.push(`${isBack ? 'back' : 'away'}: ${proseText(why)}`),
  })
  return { clock, told, health }
}

test('the pauses between two tries grow up to a minute, and begin anew after a success', () => {
  const { health } = create()
  expect([1, 2, 3, 4, 5, 6, 7, 8].map(() => health.reportFailure(lost))).toEqual([
    1000, 2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000,
  ])
  health.reportSuccess()
  expect(health.reportFailure(lost)).toBe(1000)
})

test('an outage is told after half a minute, once, and its end too', () => {
  const { clock, told, health } = create()
  for (clock.nowMs = 0; clock.nowMs < 30_000; clock.nowMs += 1000) health.reportFailure(lost)
  expect(told).toEqual([])
  for (let nth = 0; nth < 3; nth++) health.reportFailure(lost)
  health.reportSuccess()
  health.reportSuccess()
  expect(told).toEqual([
    'away: not connected, it cannot be reached. hookgate keeps trying, and sends the waiting messages when it answers again.',
    'back: connected again. Messages arrive and leave.',
  ])
})

test('what a person has to mend is told at once, and tried again only every five minutes', () => {
  for (const code of [10003, 10014, 10015, 99991543]) {
    const { told, health } = create()
    expect([health.reportFailure(refusedBy(code)), health.reportFailure(refusedBy(code))]).toEqual([
      300_000, 300_000,
    ])
    expect(told).toHaveLength(1)
    expect(told[0]).toContain('the id or the secret of the app is refused')
  }
  const { told, health } = create()
  expect(health.reportFailure(refusedBy(99991672))).toBe(300_000)
  expect(told[0]).toContain('permissions')
  expect(health.reportFailure(refusedBy(99991401))).toBe(300_000)
  expect(told[1]).toContain('list of allowed addresses')
})

test('a busy platform is an outage, not a wrong secret', () => {
  const { told, health } = create()
  expect(health.reportFailure(refusedBy(1000040345))).toBe(1000)
  expect(told).toEqual([])
})
