import { expect, test } from 'vitest'
import { createNodeTransport, type NodeTransportPorts } from '../../../src/handlers/remote/node-transport.ts'
import type { JsonObject } from '../../../src/core/model/base/json.ts'
import type { ArmedHook } from '../../../src/core/model/hooks/entry.ts'
import { syntheticPayload } from '../../../src/shared/events/synthetic.ts'

const hook = {
  fingerprint: 'f'.repeat(64),
  entry: { event: 'pre_tool_call', type: 'command', node: 'desk' },
} as ArmedHook

const payload = syntheticPayload('pre_tool_call', '/work', new Date(0))

type Reply = Awaited<ReturnType<NodeTransportPorts['ask']>>
const answer = async (reply: Reply) =>
  await createNodeTransport({ ask: () => Promise.resolve(reply), nodeFor: () => 'desk' }).ask(hook, payload, {
    timeoutMs: 1000,
    chain: ['pre_tool_call:1'],
  })

test('the node is asked for this hook, with the event, the time and the chain, and its answer is the result', async () => {
  const asked: unknown[] = []
  const result = { exitCode: 2, stdout: 'no', stderr: '', isTruncated: false, durationMs: 5 }
  const { ask } = createNodeTransport({
    ask: (...question) => {
      asked.push(question)
      return Promise.resolve({ kind: 'answer', body: result })
    },
    nodeFor: () => 'desk',
  })
  expect(await ask(hook, payload, { timeoutMs: 1000, chain: ['a:1'] })).toEqual(result)
  expect(asked).toEqual([
    [
      'desk',
      { ask: 'hook', fingerprint: hook.fingerprint, payload, timeoutMs: 1000, chain: ['a:1'] },
      { timeoutMs: 4000 },
    ],
  ])
})

test.each([
  ['away', 'host', 'start hookgate node there'],
  ['late', 'timeout', 'within 1 s'],
  ['busy', 'limit', 'Too many hooks run at once'],
  ['stopped', 'killed', 'nobody waited'],
] as const)('a node that is %s is a fault of its hook, in words', async (kind, fault, words) => {
  const { failure } = await answer({ kind })
  expect(failure?.kind).toBe(fault)
  expect(failure?.detail).toContain(words)
})

test.each<JsonObject>([
  {},
  { exitCode: 0 },
  { exitCode: 0, stdout: 1, stderr: '', isTruncated: false, durationMs: 1 },
  { exitCode: 0.5, stdout: '', stderr: '', isTruncated: false, durationMs: 1 },
  { exitCode: 0, stdout: '', stderr: '', isTruncated: false, durationMs: -1 },
  {
    exitCode: null,
    stdout: '',
    stderr: '',
    isTruncated: false,
    durationMs: 1,
    failure: { kind: 'fine', detail: '' },
  },
])('%j is no answer of a hook, so it is a fault and no consent', async (body) => {
  expect((await answer({ kind: 'answer', body })).failure?.kind).toBe('host')
})
