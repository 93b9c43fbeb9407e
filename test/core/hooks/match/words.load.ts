import { describe, expect, test } from 'vitest'
import { createScreen } from '../../../../src/core/hooks/match/screen.ts'

describe('the words of a pattern', () => {
  test('a long hostile text costs one step a character, however many words there are', () => {
    const screen = createScreen(
      Array.from({ length: 1000 }, (_, index) => ['a'.repeat(1 + (index % 11)) + 'b']),
    )
    const startedAtMs = performance.now()
    screen('a'.repeat(1_000_000))
    expect(performance.now() - startedAtMs).toBeLessThan(500)
  })
})
