import { describe, expect, test } from 'vitest'
import { readKimi } from '../../../../src/proposals/sources/foreign/kimi.ts'
import { costOf, filePorts } from '../ports.ts'

const read = (text: string) => readKimi('config.toml', filePorts({ 'config.toml': text }))

describe('a file that is none, or hostile', () => {
  test('costs a bounded time', () => {
    const size = 1_048_000
    for (const text of [
      'a="""\n'.repeat(size / 6),
      `[[hooks]]\n${'a=\'\'\'\n"""\n'.repeat(size / 10 - 2)}`,
      `[[hooks]]\na="${'\\\\'.repeat(size / 2 - 20)}`,
      `[[hooks]]\na=${'1'.repeat(size - 20)}x`,
      `a${' '.repeat(size - 20)}x`,
    ]) {
      expect(
        costOf(() => read(text)),
        text.slice(0, 20),
      ).toBeLessThan(1000)
    }
  })
})
