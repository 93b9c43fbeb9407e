import { describe, expect, test } from 'vitest'
import { readClaudeSettings } from '../../../../src/proposals/sources/foreign/claude-settings.ts'
import { costOf, filePorts } from '../ports.ts'

const read = (text: string) => readClaudeSettings('settings.json', filePorts({ 'settings.json': text }))

describe('a file that is none, or hostile', () => {
  test('costs a bounded time', () => {
    const size = 1_048_000
    for (const text of [
      `{"a":[${'[],'.repeat(size / 3 - 10)}1]}`,
      `{"a":"${'\\\\'.repeat(size / 2 - 10)}"}`,
      `{"a":"${'x'.repeat(size - 20)}`,
      `{${Array.from({ length: 60_000 }, (_, index) => `"${index}":1`).join(',')}}`,
    ]) {
      expect(
        costOf(() => read(text)),
        text.slice(0, 20),
      ).toBeLessThan(5000)
    }
  })
})
