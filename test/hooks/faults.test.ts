import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { decodeFor } from '../../src/dialects/dialects.ts'
import { failureOfStart } from '../../src/hooks/host/spawn/start-failure.ts'
import { mergeVerdict } from '../../src/hooks/settle/merge.ts'
import { settle } from '../../src/hooks/settle/settle.ts'
import { faultAnswer, type Answer, type FaultKind } from '../../src/model/hooks/answer.ts'
import type { ArmedHook, OnError } from '../../src/model/hooks/entry.ts'
import type { EventName } from '../../src/model/events/event.ts'
import { FAULTS } from '../../src/model/hooks/fault.ts'
import type { Verdict } from '../../src/model/hooks/verdict.ts'
import { armed, eventOf } from './armed.ts'
import { leaveHost, takeHost } from '../hook-host.ts'

const judge = async (
  event: EventName,
  onError: OnError,
  answer: Answer,
  rest: Partial<ArmedHook> = {},
): Promise<Verdict> => {
  const hook = armed('guard', { event, onError }, rest)
  const settled = await settle([hook], eventOf(event), 60_000, {
    matches: () => new Set([0]),
    ask: () => Promise.resolve(answer),
    isLive: () => true,
    elapsedMs: () => 0,
  })
  return mergeVerdict(settled, 1)
}
const kinds = Object.keys(FAULTS) as readonly FaultKind[]
const agents = kinds.filter((kind) => FAULTS[kind].by === 'agent')
const others = kinds.filter((kind) => FAULTS[kind].by !== 'agent')

test('on_error decides about nothing but what the agent cannot bring about', () => {
  expect([...others].toSorted()).toEqual(['exit', 'output', 'refused', 'start'])
})

describe('a fault that the agent can bring about', () => {
  test.each(agents)('%s blocks what lies ahead, whatever on_error says, and says why', async (kind) => {
    for (const event of ['pre_tool_call', 'on_outbound_message', 'on_user_message'] as const) {
      for (const onError of ['warn', 'ignore', 'block'] as const) {
        const { verdict, reason } = await judge(event, onError, faultAnswer(kind, 'It broke.'))
        expect([event, onError, verdict]).toEqual([event, onError, 'block'])
        const isSaid =
          onError === 'block' || kind === 'changed' || reason?.includes('(the agent can bring this about)')
        expect(isSaid, reason).toBe(true)
      }
    }
  })

  test.each(agents.filter((kind) => kind !== 'changed'))(
    '%s lets pass where an owner said so, and is told',
    async (kind) => {
      const open = await judge('pre_tool_call', 'warn', faultAnswer(kind, 'It broke.'), { failsOpen: true })
      expect(open).toMatchObject({
        verdict: 'allow',
        warnings: [expect.stringContaining('went on without it')],
      })
    },
  )

  test('ends no turn and sends no agent on, where a block would do only that', async () => {
    for (const event of ['post_tool_call', 'on_stop', 'on_subagent_stop'] as const) {
      expect((await judge(event, 'warn', faultAnswer('timeout', 'It broke.'))).verdict).toBe('allow')
    }
  })

  test('is outweighed by the question that stands beside it: then a person decides', async () => {
    const asked: Answer = {
      kind: 'ask',
      reason: 'sure?',
      notes: [],
      fault: { kind: 'limit', detail: 'It broke.' },
    }
    expect((await judge('pre_tool_call', 'warn', asked)).verdict).toBe('ask')
  })
})

test('what was approved and lies there changed is never let pass, whatever an owner chose', async () => {
  const said = await judge('pre_tool_call', 'ignore', faultAnswer('changed', 'It changed.'), {
    failsOpen: true,
  })
  expect(said.verdict).toBe('block')
})

test.each(others)('%s follows on_error: the hook or the machine failed by itself', async (kind) => {
  expect((await judge('pre_tool_call', 'warn', faultAnswer(kind, 'It broke.'))).verdict).toBe('allow')
  expect((await judge('pre_tool_call', 'block', faultAnswer(kind, 'It broke.'))).verdict).toBe('block')
})

describe('how a program ended', () => {
  const kindOf = (
    exitCode: number,
    stderr = '',
    stdout = '',
    cut: { readonly isStderrCut?: true } = {},
  ): string | undefined => {
    const output = { exitCode, stdout, stderr, isTruncated: false, ...cut }
    return decodeFor(armed('guard', { event: 'pre_tool_call' }), eventOf('pre_tool_call'), output).fault?.kind
  }
  test.each([
    ['limit', 1, 'bash: fork: retry: Resource temporarily unavailable'],
    ['limit', 254, 'guard.sh: line 3: fork: Cannot allocate memory'],
    ['limit', 1, "OSError: [Errno 24] Too many open files: '/x'"],
    [
      'limit',
      1,
      'Traceback (most recent call last):\n  File "g.py", line 1, in <module>\nRecursionError: maximum depth',
    ],
    ['limit', 1, 'FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory'],
    [
      'broken',
      1,
      'Traceback (most recent call last):\n  File "g.py", line 2, in <module>\nKeyError: \'command\'',
    ],
    [
      'broken',
      1,
      "/x/g.js:3\n  a.b.c\n\nTypeError: Cannot read properties of undefined (reading 'c')\n    at x\n\nNode.js v24.1.0",
    ],
    [
      'broken',
      1,
      `Traceback (most recent call last):\n  File "g.py", line 2, in <module>\nOSError: [Errno 36] File name too long: '${'a'.repeat(20_000)}'`,
    ],
    ['broken', 1, "guard.rb:1:in '<main>': undefined method 'x' for nil (NoMethodError)"],
    ['crash', 137, ''],
    ['crash', 134, 'Aborted'],
    ['crash', 124, ''],
    ['crash', 3, ''],
  ])('%s, by exit code %d and %j', (kind, exitCode, stderr) => expect(kindOf(exitCode, stderr)).toBe(kind))

  test('is not known where it said more than is kept, for what it was given can be that long', () => {
    expect(kindOf(1, 'I could not decide', '', { isStderrCut: true })).toBe('limit')
  })

  test('is its own word where it ended by itself', () => {
    expect(kindOf(1, 'I could not decide')).toBe('exit')
    expect(kindOf(0, '', 'chatter')).toBe('output')
  })
})

test.each([
  ['limit', 'E2BIG'],
  ['limit', 'EAGAIN'],
  ['limit', 'EMFILE'],
  ['limit', 'ENFILE'],
  ['limit', 'ENOMEM'],
  ['limit', 'EIO'],
  ['start', 'ENOENT'],
])('a start that fails is of the kind %s with %s', (kind, code) => {
  const program = code === 'ENOENT' ? '/no/such/program' : process.execPath
  const error = Object.assign(new Error(`spawn ${code}`), { code })
  expect(failureOfStart({ argv: [program], cwd: '/', env: {} }, error)).toMatchObject({ kind })
})

describe('a working folder that is gone', () => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'hookgate-faults-')))
  afterAll(() => rmSync(root, { recursive: true }))
  const ownFolder = join(root, 'own')
  mkdirSync(ownFolder)
  const request = { argv: ['/bin/pwd'], cwd: join(root, 'gone'), env: {}, stdin: '', timeoutMs: 10_000 }

  test('ends no hook that has a folder of its own, and is a fault of one that asks for it', async () => {
    const host = await takeHost()
    try {
      expect(await host.run({ ...request, ownFolder })).toMatchObject({
        exitCode: 0,
        stdout: `${ownFolder}\n`,
        inOwnFolder: true,
      })
      expect(await host.run(request)).toMatchObject({
        failure: { kind: 'folder', detail: expect.stringContaining('gone') },
      })
      expect(await host.run({ ...request, cwd: root, ownFolder })).toEqual(
        expect.not.objectContaining({ inOwnFolder: true }),
      )
    } finally {
      await leaveHost(host)
    }
  })
})
