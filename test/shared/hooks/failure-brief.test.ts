import { expect, test } from 'vitest'
import { decodeFor } from '../../../src/dialects/dialects.ts'
import { syntheticPayload } from '../../../src/shared/events/synthetic.ts'
import { failureBrief } from '../../../src/shared/hooks/failure-brief.ts'
import { armed } from '../../handlers/armed.ts'

const hook = armed('guard', { event: 'pre_tool_call' })
const payload = syntheticPayload('pre_tool_call', '/', new Date(0))

const brief = (exitCode: number | null, stderr: string): string => {
  const { fault } = decodeFor(hook, payload, { exitCode, stdout: '', stderr, isTruncated: false })
  return failureBrief(fault?.detail ?? '')
}

test.each([
  [127, 'guard.sh: 3: jq: not found', 'Its shell found no program jq'],
  [127, 'jq is needed here', 'exit code 127: jq is needed here'],
  [1, 'reading…\nloading…\nno rules. Write some.', 'exit code 1: no rules'],
  [3, '', 'exit code 3'],
  [null, '', 'a signal'],
  [
    2,
    'guard.sh: 2: Syntax error: "then" unexpected',
    'Its shell does not understand its text: Syntax error: "then" unexpected',
  ],
])('exit %s with %j is told as %j', (exitCode, stderr, words) => {
  expect(brief(exitCode, stderr)).toBe(words)
})

test('what to do is left out, and a long failure is cut', () => {
  expect(failureBrief('It did not answer within 5 s. Make it faster, or raise its "timeout".')).toBe(
    'It did not answer within 5 s',
  )
  expect(failureBrief('x'.repeat(9000))).toHaveLength(120)
  expect(failureBrief('')).toBe('')
})
