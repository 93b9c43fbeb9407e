import { expect, test } from 'vitest'
import { dockerAgent } from '../../../src/dialects/docker-agent/docker-agent.ts'
import { readerOf } from '../speaking.ts'

const { decode } = readerOf(dockerAgent, 'pre_tool_use')

test('a hook cannot make reading slow: an answer of 16,000 unknown fields is read in time', () => {
  const stdout = JSON.stringify(
    Object.fromEntries(Array.from({ length: 16_000 }, (_, index) => [`field_${index}`, 1])),
  )
  const startMs = performance.now()
  expect(decode(stdout).notes).toHaveLength(5)
  expect(performance.now() - startMs).toBeLessThan(2_000)
})
