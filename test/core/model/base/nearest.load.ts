import { describe, expect, test } from 'vitest'
import { nearest } from '../../../../src/shared/base/nearest.ts'

describe('the nearest name', () => {
  test('costs little, however long the names', () => {
    const startedAtMs = performance.now()
    nearest(
      'x'.repeat(1_000_000),
      Array.from({ length: 500 }, (_, index) => `${index}`.repeat(10_000)),
    )
    expect(performance.now() - startedAtMs).toBeLessThan(2000)
  })
})
