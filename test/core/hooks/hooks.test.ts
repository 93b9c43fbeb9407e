import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import {
  hearsRefusals,
  isSideBySide,
  decodeFor,
  envFor,
  stdinFor,
  viewFor,
} from '../../../src/dialects/dialects.ts'
import {
  createObservedHooks as createHooks,
  type ObservedHooks as Hooks,
  type ObservedHooksPorts as HooksPorts,
} from '../../../src/handlers/observers/observed-hooks.ts'
import type { HookHost } from '../../../src/handlers/host/host.ts'
import { createHookEnv } from '../../../src/handlers/world/hook-env.ts'
import { createCommandTransport } from '../../../src/handlers/transports/command.ts'
import { faultAnswer } from '../../../src/core/model/hooks/answer.ts'
import { machineFor, type ArmedHook, type Entry } from '../../../src/core/model/hooks/entry.ts'
import type { JsonObject } from '../../../src/core/model/base/json.ts'
import type { EventRecord } from '../../../src/core/model/events/record.ts'
import { armed, eventOf } from '../../handlers/armed.ts'
import { createPidFile, fixture, untilGone } from '../../handlers/host/processes.ts'
import { leaveHost, takeHost } from '../../hook-host.ts'

let host: HookHost
let hooks: Hooks
let folder: string
let pidFile: ReturnType<typeof createPidFile>
let live: readonly ArmedHook[]
let logged: string[]
let recorded: EventRecord[]

beforeAll(async () => {
  host = await takeHost()
})
afterAll(() => leaveHost(host))

const portsOf = (rest: Partial<HooksPorts> = {}): HooksPorts => ({
  armed: () => live,
  revision: () => 3,
  run: createCommandTransport({
    host,
    speech: { stdin: stdinFor, env: envFor },
    envOf: createHookEnv({
      path: process.env['PATH'] ?? '/usr/bin:/bin',
      lang: 'C.UTF-8',
      user: 'hooks',
      tmpdir: tmpdir(),
      home: '/nonexistent',
    }),
  }).ask,
  view: viewFor,
  isSideBySide,
  hearsRefusals,
  retire: () => undefined,
  recordShadows: (record) => void recorded.push(record),
  decode: (hook, payload, result) =>
    result.failure === undefined
      ? decodeFor(hook, payload, result)
      : faultAnswer(result.failure.kind, result.failure.detail),
  now: () => Date.now(),
  elapsedMs: () => performance.now(),
  log: (level, what) => logged.push(`${level} ${what}`),
  ...rest,
})

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'hookgate-'))
  pidFile = createPidFile()
  live = []
  logged = []
  recorded = []
  hooks = createHooks(portsOf())
})
afterEach(async () => {
  await hooks.stop()
  pidFile.remove()
  rmSync(folder, { recursive: true, force: true })
})

/** A hook that is a few words of shell. */
const shell = (
  name: string,
  script: string,
  entry: Partial<Entry> = {},
  rest: Partial<ArmedHook> = {},
): ArmedHook => armed(name, entry, { argv: ['/bin/sh', '-c', script], ...rest })
const print = (name: string, answer: JsonObject, entry: Partial<Entry> = {}): ArmedHook =>
  shell(name, `cat > /dev/null; echo '${JSON.stringify(answer)}'`, entry)
/** Stays until it is killed, and says which processes are to be gone then. */
const stay = (name: string, entry: Partial<Entry> = {}): ArmedHook =>
  armed(name, entry, { argv: [fixture('stay.sh'), pidFile.path] })
/** Writes what it reads, one line for each run. */
const writer = (name: string, file: string, entry: Partial<Entry> = {}): ArmedHook =>
  shell(name, `cat >> ${file}; echo >> ${file}`, entry)
const linesOf = (file: string): readonly JsonObject[] =>
  existsSync(file)
    ? readFileSync(file, 'utf8')
        .trim()
        .split('\n')
        .map((line): JsonObject => JSON.parse(line))
    : []

/** What the run of a hook came to that says nothing. */
const silent = { exitCode: 0, stdout: '', stderr: '', isTruncated: false, durationMs: 0 }

const push = (notification = 'Hello.') => eventOf('on_outbound_message', { notification })

test('hooks of a gate are asked one after another, each about the payload as it stands', async () => {
  const file = join(folder, 'seen')
  live = [
    print('a', { notification: 'hi', systemMessage: 'shortened' }),
    writer('b', file),
    print('c', { decision: 'ask', reason: 'sure?' }),
  ]
  const verdict = await hooks.judge(push())
  expect(verdict).toMatchObject({
    verdict: 'ask',
    reason: 'sure?',
    by: 'c',
    notes: ['shortened'],
    revision: 3,
    payload: { notification: 'hi', attempt: 1 },
  })
  expect(linesOf(file)).toMatchObject([
    { event: 'on_outbound_message', event_id: 'e1', notification: 'hi', attempt: 1 },
  ])
  for (const { fingerprint } of live)
    expect(hooks.lastFiredMs(fingerprint)).toBeGreaterThan(Date.now() - 60_000)
})

test('matchers are tried on what other hooks wrote', async () => {
  live = [
    print('guard', { decision: 'block', reason: 'a key' }, { matcher: { pattern: 'KEY' } }),
    print('a', { notification: 'a KEY' }),
  ]
  expect(await hooks.judge(push())).toMatchObject({ verdict: 'block', by: 'guard' })
})

test('hooks of other events are not asked', async () => {
  live = [print('a', { decision: 'block' }, { event: 'pre_tool_call' })]
  expect(await hooks.judge(push())).toMatchObject({ verdict: 'allow', hooks: [] })
})

test('what hooks saw of the events that led here stands in their environment', async () => {
  live = [shell('a', 'echo "{\\"systemMessage\\":\\"$HOOKGATE_CHAIN\\"}"')]
  expect((await hooks.judge(push(), { chain: ['on_stop:e0'] })).notes).toEqual([
    'on_stop:e0,on_outbound_message:e1',
  ])
})

describe('when nothing matches', () => {
  test('nobody is asked, and those that did not match are counted', async () => {
    live = [
      print('a', { decision: 'block' }, { matcher: { pattern: 'KEY' } }),
      print('b', { decision: 'block' }, { matcher: { pattern: 'SEED' }, isAsync: true }),
    ]
    const first = await hooks.judge(push())
    expect(first).toMatchObject({ verdict: 'allow', isConsent: false, warnings: [], hooks: [], missed: 2 })
    expect(hooks.lastFiredMs('a')).toBeUndefined()
  })

  test('beside a hook that matches, too, the others are counted', async () => {
    hooks = createHooks(portsOf({ run: async () => silent }))
    const matcher = { pattern: 'KEY' }
    live = [armed('a', { matcher }), armed('b', { matcher, isAsync: true }), armed('c')]
    const verdict = await hooks.judge(push())
    expect(verdict.hooks.map(({ label, why }) => [label, why])).toEqual([['c', 'matched']])
    expect(verdict.missed).toBe(2)
  })

  test('a change of what is in force is seen at once', async () => {
    live = [print('a', { decision: 'block' }, { matcher: { pattern: 'KEY' } })]
    expect((await hooks.judge(push())).verdict).toBe('allow')
    live = [...live, print('b', { decision: 'block' })]
    expect((await hooks.judge(push())).by).toBe('b')
    live = []
    expect((await hooks.judge(push())).hooks).toEqual([])
  })
})

describe('an event with neither gate nor rewrite', () => {
  test('asks all at once', async () => {
    // Each waits for the other.
    const waiting = (name: string, other: string) => {
      const wait = `until [ -e ${folder}/${other} ]; do sleep 0.02; done`
      return shell(name, `touch ${folder}/${name}; ${wait}; echo '{"systemMessage":"${name}"}'`, {
        event: 'post_llm_call',
      })
    }
    live = [waiting('a', 'b'), waiting('b', 'a')]
    expect((await hooks.judge(eventOf('post_llm_call'))).notes).toEqual(['a', 'b'])
  })

  test('tells what cannot be honoured, and goes on', async () => {
    live = [
      print('a', { decision: 'block', reason: 'no' }, { event: 'post_llm_call' }),
      print('b', { tool_input: {} }, { event: 'post_llm_call' }),
      shell('c', 'exit 1', { event: 'post_llm_call', onError: 'block' }),
    ]
    expect(await hooks.judge(eventOf('post_llm_call'))).toMatchObject({
      verdict: 'allow',
      warnings: [
        'b: post_llm_call cannot rewrite "tool_input"; it was dropped.',
        expect.stringContaining('a answered "block"'),
        expect.stringContaining('c failed (exit)'),
      ],
    })
  })
})

describe('switched off or revoked while a hook runs', () => {
  test('its processes are killed and its answer is dropped', async () => {
    live = [stay('a', { onError: 'block' })]
    const judging = hooks.judge(push())
    const group = await pidFile.read()
    live = []
    hooks.drop()
    const verdict = await judging
    expect(verdict).toMatchObject({
      verdict: 'allow',
      warnings: [],
      hooks: [{ fired: true, why: 'was revoked or switched off while it ran; its answer was dropped' }],
    })
    await untilGone(group)
  })

  test('who is still in force is asked all the same', async () => {
    const guard = print('guard', { decision: 'block', reason: 'no' })
    live = [stay('a'), guard]
    const judging = hooks.judge(push())
    await pidFile.read()
    live = [guard]
    hooks.drop()
    expect(await judging).toMatchObject({ verdict: 'block', by: 'guard' })
  })

  test('what other hooks run goes on', async () => {
    live = [shell('a', `echo $$ > ${pidFile.path}; sleep 1; echo '{"decision":"block","reason":"late"}'`)]
    const judging = hooks.judge(push())
    await pidFile.read()
    hooks.drop()
    expect(await judging).toMatchObject({ verdict: 'block', reason: 'late' })
  })

  test('a hook that comes back is asked again', async () => {
    const guard = print('a', { decision: 'block', reason: 'still no' })
    live = [guard]
    await hooks.judge(push())
    live = []
    hooks.drop()
    live = [guard]
    expect(await hooks.judge(push())).toMatchObject({ verdict: 'block', reason: 'still no' })
  })

  test('async hooks are killed, too', async () => {
    live = [stay('a', { isAsync: true })]
    await hooks.judge(push())
    const group = await pidFile.read()
    live = []
    hooks.drop()
    await untilGone(group)
    expect(logged).toEqual([])
  })
})

describe("docker-agent's before_compaction hooks", () => {
  const entry = {
    event: 'pre_compact',
    dialect: { name: 'docker-agent', event: 'before_compaction' },
  } as const
  const compact = eventOf('pre_compact', { summary: '' })
  const summing = (name: string, summary: string, wait = ':'): ArmedHook =>
    shell(name, `cat > /dev/null; ${wait}; echo '{"hook_specific_output":{"summary":"${summary}"}}'`, entry)

  test('run side by side, each about what was asked, and the first summary counts', async () => {
    const file = join(folder, 'second')
    live = [
      summing('a', 'first', `until [ -e ${file} ]; do sleep 0.01; done`),
      summing('b', 'second', `touch ${file}`),
    ]
    expect(await hooks.judge(compact)).toMatchObject({ verdict: 'allow', payload: { summary: 'first' } })
  })
  test('any block of them blocks, whatever the others wrote', async () => {
    live = [summing('a', 'first'), shell('guard', 'echo no >&2; exit 2', entry)]
    expect(await hooks.judge(compact)).toMatchObject({ verdict: 'block', reason: 'no', by: 'guard' })
  })
  test('beside a hook of another event they are asked in turn', async () => {
    live = [
      summing('a', 'first'),
      shell('guard', 'grep -q first && exit 2; exit 0', { event: 'pre_compact' }),
    ]
    expect(await hooks.judge(compact)).toMatchObject({ verdict: 'block', by: 'guard' })
  })
})

describe('async hooks', () => {
  test('get the settled payload after the verdict, and their answers are ignored', async () => {
    const file = join(folder, 'later')
    const blocker = shell('slow', `cat >> ${file}; echo >> ${file}; echo '{"decision":"block"}'`, {
      isAsync: true,
      priority: 1000,
    })
    live = [blocker, print('a', { notification: 'hi' })]
    const verdict = await hooks.judge(push())
    expect(verdict).toMatchObject({ verdict: 'allow', payload: { notification: 'hi' } })
    expect(verdict.hooks.map(({ label, fired, why }) => [label, fired, why])).toEqual([
      ['a', true, 'matched'],
      ['slow', true, 'matched; nothing waits for it, and its answer is ignored'],
    ])
    await expect.poll(() => linesOf(file)).toMatchObject([{ notification: 'hi' }])
    expect(hooks.lastFiredMs('slow')).toBeDefined()
  })

  test('get nothing after a block, and the trace says so', async () => {
    const file = join(folder, 'later')
    live = [writer('later', file, { isAsync: true }), shell('guard', 'grep -q KEY && exit 2; exit 0')]
    const blocked = await hooks.judge(push('KEY'))
    expect(blocked).toMatchObject({
      verdict: 'block',
      hooks: [
        { label: 'guard' },
        {
          label: 'later',
          fired: false,
          why: 'was not asked: the step was blocked, or the hook was revoked meanwhile',
        },
      ],
    })
    await hooks.judge(push('fine'))
    await expect.poll(() => linesOf(file).length).toBeGreaterThan(0)
    expect(linesOf(file)).toMatchObject([{ notification: 'fine' }])
  })

  test('of HOOK.md hear of refusals as well, those before the guard without waiting for it', async () => {
    const [before, after] = [join(folder, 'before'), join(folder, 'after')]
    const audit = {
      event: 'pre_tool_call',
      dialect: { name: 'agent-hooks', event: 'pre-tool-call' },
      isAsync: true,
    } as const
    const guard = shell('guard', `until [ -s ${before} ]; do sleep 0.01; done; exit 2`, {
      event: 'pre_tool_call',
    })
    live = [writer('first', before, audit), guard, writer('then', after, audit)]
    const verdict = await hooks.judge(
      eventOf('pre_tool_call', { tool_name: 'bash', tool_input: { command: 'rm x' } }),
    )
    expect(verdict).toMatchObject({
      verdict: 'block',
      hooks: [{ label: 'guard' }, { label: 'first', fired: true }, { label: 'then', fired: true }],
    })
    const heard = [expect.objectContaining({ tool_input: { command: 'rm x' } })]
    for (const file of [before, after]) await expect.poll(() => linesOf(file)).toEqual(heard)
  })

  test('are matched against the settled payload', async () => {
    const file = join(folder, 'later')
    live = [
      print('a', { notification: 'calm' }),
      writer('first', file, { isAsync: true, matcher: { pattern: 'wild' } }),
      writer('then', file, { isAsync: true, matcher: { pattern: 'calm' } }),
    ]
    const verdict = await hooks.judge(push('wild'))
    expect(verdict.hooks.map(({ label, fired }) => [label, fired])).toEqual([
      ['a', true],
      ['then', true],
    ])
    await expect.poll(() => linesOf(file)).toMatchObject([{ notification: 'calm' }])
  })

  test('fail into the log', async () => {
    live = [shell('later', 'exit 1', { isAsync: true })]
    expect(await hooks.judge(push())).toMatchObject({ verdict: 'allow', warnings: [] })
    await expect.poll(() => logged).toEqual(['warn an async hook failed'])
  })
})

describe('bounds', () => {
  test('a hook has its own time', async () => {
    live = [stay('a', { timeoutMs: 1500, onError: 'block' })]
    expect(await hooks.judge(push())).toMatchObject({
      verdict: 'block',
      by: 'a',
      reason: expect.stringContaining('the hook failed (timeout)'),
    })
    await untilGone(await pidFile.read())
  })

  test('the event has its deadline, whatever the hooks may take', async () => {
    live = [stay('a', { onError: 'ignore' })]
    const startedAtMs = performance.now()
    expect(await hooks.judge(push(), { deadlineMs: 1500 })).toMatchObject({
      verdict: 'block',
      reason: 'unsettled: a could not agree in time',
    })
    expect(performance.now() - startedAtMs).toBeLessThan(10_000)
    await untilGone(await pidFile.read())
  })

  test('stop kills what runs', async () => {
    live = [stay('a')]
    const judging = hooks.judge(push())
    const group = await pidFile.read()
    await hooks.stop()
    expect((await judging).warnings).toEqual([expect.stringContaining('a failed (killed)')])
    await untilGone(group)
  })
})

describe('a judgement never rejects', () => {
  test.each<[string, Partial<ArmedHook>, Partial<HooksPorts>, string]>([
    [
      'a seal that cannot be checked',
      {
        checkSeal: () => {
          throw new Error('no disk')
        },
      },
      {},
      'a failed (host): hookgate itself failed while asking it: no disk.',
    ],
    [
      'a host that rejects',
      {},
      { run: () => Promise.reject(new Error('gone')) },
      'a failed (host): hookgate itself failed while asking it: gone.',
    ],
    [
      'an answer that cannot be read',
      {},
      {
        decode: () => {
          throw new RangeError('too deep')
        },
      },
      'a failed (host): hookgate itself failed while asking it: too deep.',
    ],
    [
      'a program that is not there',
      { argv: ['/nowhere/guard.sh'] },
      {},
      'a failed (start): The program /nowhere/guard.sh does not exist',
    ],
  ])('%s', async (_, rest, ports, warning) => {
    const faulty = createHooks(portsOf(ports))
    live = [shell('a', 'true', {}, rest)]
    const verdict = warning.includes('(host)') ? 'block' : 'allow'
    expect(await faulty.judge(push())).toMatchObject({
      verdict,
      warnings: [expect.stringContaining(warning)],
    })
    live = [shell('a', 'true', { onError: 'block' }, rest)]
    expect(await faulty.judge(push())).toMatchObject({ verdict: 'block', by: 'a' })
    await faulty.stop()
  })
})

test.each(['warn', 'ignore', 'block'] as const)(
  'what is not as it was approved does not run, and fails closed whatever on_error says (%s)',
  async (onError) => {
    const faulty = createHooks(portsOf({ run: () => Promise.reject(new Error('it ran')) }))
    live = [shell('a', 'true', { onError }, { checkSeal: () => 'guard.sh changed since approval' })]
    expect(await faulty.judge(push())).toMatchObject({
      verdict: 'block',
      by: 'a',
      reason: 'the hook failed (changed) and fails closed: guard.sh changed since approval',
    })
    live = [
      shell(
        'a',
        'true',
        { onError, event: 'on_session_end' },
        { checkSeal: () => 'guard.sh changed since approval' },
      ),
    ]
    expect(await faulty.judge(eventOf('on_session_end'))).toMatchObject({ verdict: 'allow' })
    await faulty.stop()
  },
)

test.each([
  ['command', false],
  ['process', true],
] as const)(
  'before a question to a hook of type %s its interpreter is needed: %s',
  async (type, isRunning) => {
    const checked: unknown[] = []
    live = [shell('a', 'true', { type }, { checkSeal: (is) => void checked.push(is) })]
    await hooks.judge(push())
    expect(checked).toEqual([isRunning])
  },
)

test('a hook of a machine judges its events alone, one of all machines judges each event, and the machine that runs it checks it', async () => {
  const asked: string[] = []
  const nodeOf = (agent: string): string | undefined => (agent === 'main' ? undefined : agent)
  const planes = createHooks(
    portsOf({
      nodeOf,
      isElsewhere: ({ entry }, { agent_id }) => machineFor(entry, nodeOf(agent_id)) !== undefined,
      run: ({ entry }, { agent_id }) => {
        asked.push(`${entry.name} on ${machineFor(entry, nodeOf(agent_id)) ?? 'the gate'}`)
        return Promise.resolve({ exitCode: 0, stdout: '', stderr: '', isTruncated: false, durationMs: 1 })
      },
    }),
  )
  const checkSeal = (): string => 'it is not here'
  live = [
    armed('own', { node: 'desk' }, { checkSeal }),
    armed('all', { node: 'desk', nodes: 'all' }, { checkSeal }),
    armed('gate', {}),
  ]
  for (const agent of ['desk', 'lab']) await planes.judge({ ...push(), agent_id: agent })
  expect(asked).toEqual(['own on desk', 'all on desk', 'gate on the gate', 'all on lab', 'gate on the gate'])
  expect(await planes.judge({ ...push(), agent_id: 'main' })).toMatchObject({
    verdict: 'block',
    by: 'all',
    reason: 'the hook failed (changed) and fails closed: it is not here',
  })
  await planes.stop()
})

test('doctor asks a hook that is not in force, and that is not a firing', async () => {
  const { answer, result, durationMs } = await hooks.ask(
    print('a', { decision: 'block', reason: 'no' }),
    push(),
    5000,
  )
  expect(answer).toMatchObject({ kind: 'block', reason: 'no' })
  expect(result?.exitCode).toBe(0)
  expect(durationMs).toBeGreaterThanOrEqual(0)
  expect(hooks.lastFiredMs('a')).toBeUndefined()
  expect((await hooks.ask(shell('b', 'sleep 60'), push(), 300)).answer.fault?.kind).toBe('timeout')
})

describe('the deadline of an event', () => {
  /** Hooks that wait this long for a slot and then take next to no time; tells what each was given. */
  const waiting = async (waitMs: number, options?: { deadlineMs: number }) => {
    let now = 0
    const given: number[] = []
    const slow = createHooks(
      portsOf({
        elapsedMs: () => now,
        run: (_hook, _payload, { timeoutMs }) => {
          given.push(timeoutMs)
          now += waitMs + 1
          return Promise.resolve({ exitCode: 0, stdout: '', stderr: '', isTruncated: false, durationMs: 1 })
        },
      }),
    )
    live = ['a', 'b', 'c'].map((name) => armed(name, { timeoutMs: 20_000 }))
    const { verdict } = await slow.judge(push(), options)
    await slow.stop()
    return { verdict, given }
  }

  test('waiting for a free slot is not hook time', async () => {
    expect(await waiting(50_000)).toEqual({ verdict: 'allow', given: [20_000, 20_000, 20_000] })
  })
  test("a caller that said how long it waits is not kept longer by others' hooks", async () => {
    expect(await waiting(50_000, { deadlineMs: 59_000 })).toMatchObject({
      verdict: 'block',
      given: [20_000, 8999],
    })
  })
  test('a hook that its owner gave more time than events have has it', async () => {
    let given = 0
    const patient = createHooks(
      portsOf({
        run: (_hook, _payload, { timeoutMs }) => {
          given = timeoutMs
          return Promise.resolve({ exitCode: 0, stdout: '', stderr: '', isTruncated: false, durationMs: 1 })
        },
        elapsedMs: () => 0,
      }),
    )
    live = [armed('a', { timeoutMs: 600_000 })]
    await patient.judge(push())
    await patient.stop()
    expect(given).toBe(600_000)
  })
})
