import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'
import { rememberTool, type ToolUse } from '../../../src/shared/events/evidence.ts'

test('The evidence that a session keeps is bounded: 2000 characters an address, 50 a tool, 500 in all, 100 tools', () => {
  const tools: ToolUse[] = []
  const result = (text: string) => ({ text, isError: false, exitCode: 0 })
  const many = (count: number) => Array.from({ length: count }, (_, index) => `http://h/${index}`).join(' ')
  rememberTool(
    tools,
    'bash',
    result(`http://h/${'x'.repeat(1_991)} http://h/${'x'.repeat(1_992)} ${many(60)}`),
  )
  expect(tools[0]?.urls).toHaveLength(50)
  expect(tools[0]?.urls[0]).toHaveLength(2_000)
  expect(tools[0]?.urls[1]).toBe('http://h/0')
  for (let i = 0; i < 20; i++) rememberTool(tools, 'bash', result(many(50)))
  expect(tools.flatMap(({ urls }) => urls)).toHaveLength(500)
  for (let i = 0; i < 200; i++) rememberTool(tools, 'read_file', result(''))
  expect(tools).toHaveLength(100)
})

test('An address does not keep the result in memory that it was found in', () => {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  const tools: ToolUse[] = []
  collect()
  const before = process.memoryUsage().heapUsed
  for (let at = 0; at < 50; at++)
    rememberTool(tools, 'bash', {
      text: `${'x'.repeat(1_000_000)}${at} https://example.org/${at}`,
      isError: false,
      exitCode: 0,
    })
  collect()
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(10_000_000)
  expect(tools.at(-1)?.urls).toEqual(['https://example.org/49'])
})
