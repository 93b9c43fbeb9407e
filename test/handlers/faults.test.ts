import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { decodeFor, DIALECTS, mayRefuse } from '../../src/dialects/dialects.ts'
import { failureOfStart } from '../../src/handlers/host/spawn/start-failure.ts'
import { mergeVerdict } from '../../src/core/hooks/settle/merge.ts'
import { settle, type Settlement } from '../../src/core/hooks/settle/settle.ts'
import { faultAnswer, type Answer, type FaultKind } from '../../src/core/model/hooks/answer.ts'
import type { ArmedHook, Entry, OnError } from '../../src/core/model/hooks/entry.ts'
import { FOREIGN_DIALECTS } from '../../src/core/model/hooks/dialect.ts'
import { blocksBeforehand, type EventName } from '../../src/core/model/events/event.ts'
import { FAULTS } from '../../src/core/model/hooks/fault.ts'
import type { Verdict } from '../../src/core/model/hooks/verdict.ts'
import { armed, eventOf } from './armed.ts'
import { leaveHost, takeHost } from '../hook-host.ts'

const judge = async (
  event: EventName,
  onError: OnError,
  answer: Answer,
  rest: Partial<ArmedHook> = {},
  dialect: Pick<Entry, 'dialect'> = {},
): Promise<Verdict> => {
  const hook = armed('guard', { event, onError, ...dialect }, rest)
  const settled = await settle([hook], eventOf(event), {
    matches: () => new Set([0]),
    ask: () => Promise.resolve({ answer, durationMs: 0 }),
    remainingMs: () => 60_000,
    isLive: () => true,
    mayRefuse,
    elapsedMs: () => 0,
  })
  return mergeVerdict(settled, 1, 1)
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

describe('a hook of another system', () => {
  const hooked = FOREIGN_DIALECTS.flatMap((name) =>
    DIALECTS[name].events.flatMap(({ name: native, event }) =>
      event !== undefined && blocksBeforehand(event) ? [{ dialect: { name, event: native }, event }] : [],
    ),
  )
  const withoutVeto = hooked.filter(({ dialect }) => !mayRefuse({ dialect }))

  test('has no veto where its system has none, and has one everywhere else', () => {
    const named = FOREIGN_DIALECTS.map((system) => [
      system,
      ...withoutVeto.flatMap(({ dialect: { name, event } }) => (name === system ? [event] : [])),
    ])
    expect(named).toEqual([
      ['claude-code', 'SessionStart', 'SubagentStart', 'MessageDisplay'],
      ['docker-agent', 'session_start', 'turn_start'],
      ['agent-hooks'],
      [
        'copilot',
        'userPromptTransformed',
        'sessionStart',
        'SessionStart',
        'subagentStart',
        'SubagentStart',
        'preCompact',
        'PreCompact',
        'vscode:SessionStart',
        'vscode:SubagentStart',
        'vscode:PreCompact',
      ],
      ['codex', 'SessionStart', 'PreCompact', 'SubagentStart'],
      ['gemini', 'SessionStart'],
      ['cursor', 'sessionStart', 'preCompact'],
      ['kimi', 'SessionStart', 'PreCompact', 'SubagentStart'],
      ['kimi-cli', 'SessionStart', 'PreCompact', 'SubagentStart'],
      ['factory', 'SessionStart', 'PreCompact', 'SubagentStart'],
      ['responsibleai-agent-hooks'],
    ])
    for (const { dialect } of hooked.filter(({ event }) => event === 'pre_tool_call'))
      expect(mayRefuse({ dialect }), JSON.stringify(dialect)).toBe(true)
    expect(mayRefuse({})).toBe(true)
    // An approval can be older than the table of events.
    expect(mayRefuse({ dialect: { name: 'cursor', event: 'beforeEverything' } })).toBe(true)
  })

  test.each(withoutVeto)(
    '$dialect.name cannot refuse by a failure of $dialect.event, and it is told',
    async ({ dialect, event }) => {
      for (const kind of agents.filter((one) => one !== 'changed')) {
        expect(await judge(event, 'warn', faultAnswer(kind, 'It broke.'), {}, { dialect })).toMatchObject({
          verdict: 'allow',
          warnings: [`guard failed (${kind}): It broke. On this fault the step went on without it.`],
        })
      }
      // What was approved and lies there changed is the gate's own doubt.
      const changed = await judge(event, 'warn', faultAnswer('changed', 'It changed.'), {}, { dialect })
      expect(changed.verdict).toBe('block')
      // An owner may want more than its system does.
      const closed = await judge(event, 'block', faultAnswer('crash', 'It broke.'), {}, { dialect })
      expect(closed.verdict).toBe('block')
    },
  )

  test('cannot refuse by being late either, and a guard behind it still can', async () => {
    const started = (name: string, ...events: readonly string[]): Promise<Settlement> =>
      settle(
        events.map((event, index) =>
          armed(`${name}${index}`, {
            event: 'on_session_start',
            ...(event === '' ? {} : { dialect: { name: 'claude-code', event } }),
          }),
        ),
        eventOf('on_session_start'),
        {
          matches: () => new Set(events.keys()),
          ask: (_hook, _payload, durationMs) =>
            Promise.resolve({ answer: faultAnswer('timeout', 'late'), durationMs }),
          remainingMs: (spentMs) => 1000 - spentMs,
          isLive: () => true,
          mayRefuse,
          elapsedMs: () => 0,
        },
      )
    const late = mergeVerdict(await started('a', 'SessionStart', 'SessionStart'), 2, 1)
    expect(late.verdict).toBe('allow')
    expect(late.hooks.map(({ why }) => why)).toEqual(['matched', 'was not reached'])
    expect((await started('b', 'SessionStart', '')).unsettled).toEqual(['b1'])
  })

  test('can refuse by a failure where its system lets it refuse', async () => {
    for (const { dialect, event } of hooked.filter((one) => !withoutVeto.includes(one)))
      expect(await judge(event, 'warn', faultAnswer('timeout', 'late'), {}, { dialect })).toMatchObject({
        verdict: 'block',
      })
  })
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

  const trace = 'Traceback (most recent call last):\n  File "g.py", line 2, in <module>\n    f()\n    ~^^\n'
  const node = 'node:fs:1\n  const made = binding.mkdir(\n                 ^\n\n'
  test.each([
    [
      'Error: ENOENT: no such file or directory',
      `${node}Error: ENOENT: no such file or directory\n    at f (g.mjs:1:1) {\n  errno: -2,\n  path: '/x'\n}\n\nNode.js v24.1.0\n`,
    ],
    [
      'Error: one',
      `${node}Error: one\ntwo\n    at g.mjs:1:1 {\n  [cause]: TypeError: deep\n      at g.mjs:1:2\n}\n\nNode.js v24.1.0`,
    ],
    ['plain words', `${node}plain words\n(Use \`node --trace-uncaught ...\`)\n\nNode.js v24.1.0`],
    ["KeyError: 'command'", `${trace}KeyError: 'command'`],
    ['ValueError: one', `${trace}ValueError: one\n  two\nthree\n`],
    ['RuntimeError: b', `${trace}KeyError: 'a'\n\nDuring handling of it:\n\n${trace}RuntimeError: b\na note`],
    [
      'ExceptionGroup: many (1 sub-exception)',
      '  + Exception Group Traceback (most recent call last):\n  |   File "g.py", line 1, in <module>\n  | ExceptionGroup: many (1 sub-exception)\n  +-+---- 1 ----\n    | ValueError: a\n    +----\n',
    ],
    [
      "g.rb:1:in 'x': undefined method 'y' (NoMethodError)",
      "g.rb:1:in 'x': undefined method 'y' (NoMethodError)\n\tfrom g.rb:2:in '<main>'\n",
    ],
    ['(node:1) odd', '(node:1) odd\nNode.js v24.1.0'],
  ])('is told by the line with the error: %s', (line, stderr) => {
    const output = { exitCode: 1, stdout: '', stderr, isTruncated: false }
    const { fault } = decodeFor(armed('guard', { event: 'pre_tool_call' }), eventOf('pre_tool_call'), output)
    expect(fault).toEqual({ kind: 'broken', detail: expect.stringContaining(`It crashed: ${line}. A crash`) })
  })

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
