import { describe, expect, test } from 'vitest'
import { readDockerAgent } from '../../../../src/proposals/sources/foreign/docker-agent.ts'
import { costOf, filePorts } from '../ports.ts'

const read = (text: string) => readDockerAgent('agent.yaml', filePorts({ 'agent.yaml': text }))

describe('a file that is none, or hostile', () => {
  test('costs a bounded time', () => {
    const size = 262_000
    const fill = (piece: string, head = ''): string =>
      head + piece.repeat(Math.floor((size - head.length) / piece.length))
    const many = Array.from(
      { length: 1000 },
      (_, index) => `    - {matcher: '\\pL{${index % 9}}a|b', hooks: [{command: ./a.sh}]}\n`,
    ).join('')
    for (const text of [
      fill('['),
      fill('- a\n', 'agents:\n'),
      fill('{a,'),
      fill('&a ', '- '),
      `hooks:\n  pre_tool_use:\n${many}`,
    ])
      expect(
        costOf(() => read(text)),
        text.slice(0, 40),
      ).toBeLessThan(10_000)
  })
})
