import { describe, expect, test } from 'vitest'
import { createBudget } from '../../../../src/handlers/builtins/budget/budget.ts'
import type { JsonObject } from '../../../../src/core/model/base/json.ts'
import { payloadOf, type Payload } from '../../../../src/core/model/events/payload.ts'
import type { EventName } from '../../../../src/core/model/events/event.ts'
import type { ArmedHook, Entry } from '../../../../src/core/model/hooks/entry.ts'
import { armed } from '../../armed.ts'

/** All writes that began are done. */
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
const dayMs = 24 * 60 * 60_000
const noon = Date.UTC(2030, 0, 1, 12)

const bench = (over: Partial<Entry>, storedCounts?: string) => {
  const clock = { nowMs: noon, elapsedMs: 0 }
  const stored: string[] = []
  const hook: ArmedHook = armed('budget', { type: 'builtin', command: 'budget', ...over })
  const make = (before: string | undefined) =>
    createBudget({
      now: () => clock.nowMs,
      elapsedMs: () => clock.elapsedMs,
      tz: 'UTC',
      storedCounts: before,
      storeCounts: async (text) => void stored.push(text),
      armed: () => [hook],
      log: () => undefined,
    })
  let budget = make(storedCounts)
  let count = 0
  const event = (name: EventName, fields: JsonObject = {}, session = 's', agent = 'main'): Payload =>
    payloadOf(
      name,
      { event_id: `e${++count}`, timestamp: '', session_id: session, agent_id: agent, cwd: '/' },
      fields,
    )
  /** Judges one event as the gate does. Returns the reason of the block. */
  const judge = (
    name: EventName,
    fields: JsonObject = {},
    {
      session = 's',
      agent = 'main',
      verdict = 'allow',
    }: { session?: string; agent?: string; verdict?: 'allow' | 'ask' | 'block' } = {},
  ): string | undefined => {
    const payload = event(name, fields, session, agent)
    budget.begin(payload)
    const { reason } = name === hook.entry.event ? budget.answer(hook.entry, payload) : { reason: undefined }
    budget.end(payload, {
      verdict: reason === undefined ? verdict : 'block',
      isConsent: false,
      payload,
      contexts: [],
      notes: [],
      warnings: [],
      hooks: [],
      revision: 1,
    })
    return typeof reason === 'string' ? reason : undefined
  }
  const used = (input: number, output: number, cost = 0, at = {}) =>
    judge('post_llm_call', { usage: { input_tokens: input, output_tokens: output }, cost }, at)
  return {
    clock,
    stored,
    judge,
    used,
    state: () => budget.state(),
    extend: (agent: string, times = 1) => budget.extend(agent, times),
    restart: () => {
      budget = make(stored.at(-1))
    },
    budget: () => budget,
  }
}

const lineOf = ({ state }: Pick<ReturnType<typeof bench>, 'state'>, scope: string, unit: string) =>
  state()[0]?.lines.find((line) => line.scope === scope && line.unit === unit)

describe('steps', () => {
  test('so many model calls of a turn pass, and the next message has as many again', () => {
    const { judge } = bench({ event: 'pre_llm_call', limits: { turn: { steps: 2 } } })
    judge('on_user_message', { kind: 'message' })
    expect([judge('pre_llm_call'), judge('pre_llm_call')]).toEqual([undefined, undefined])
    expect(judge('pre_llm_call')).toBe(
      'The budget is spent: 2 of 2 steps this turn. The owner can add more with /budget extend.',
    )
    // Words for a turn that goes on are no new turn.
    judge('on_user_message', { kind: 'steer' })
    expect(judge('pre_llm_call')).toContain('is spent')
    judge('on_user_message', { kind: 'message' })
    expect(judge('pre_llm_call')).toBeUndefined()
  })

  test('a client without model calls is counted by its tool calls, and its turn begins after the last one', () => {
    const { judge } = bench({ event: 'pre_tool_call', limits: { turn: { steps: 1 } } })
    expect(judge('pre_tool_call')).toBeUndefined()
    expect(judge('pre_tool_call')).toContain('1 of 1 steps')
    judge('on_turn_end')
    expect(judge('pre_tool_call')).toBeUndefined()
  })

  test('an agent with model calls is not counted twice', () => {
    const rig = bench({ event: 'pre_llm_call', limits: { day: { steps: 100 } } })
    rig.judge('on_user_message')
    for (let round = 0; round < 3; round++) {
      rig.judge('pre_llm_call')
      rig.judge('pre_tool_call')
      rig.judge('on_step_end')
    }
    expect(lineOf(rig, 'day', 'steps')?.used).toBe(3)
  })

  test('a subagent counts for the session of its agent', () => {
    const { judge } = bench({ event: 'pre_llm_call', limits: { session: { steps: 2 } } })
    judge('pre_llm_call')
    judge('pre_llm_call', { parent_session_id: 's' }, { session: 'inner' })
    expect(judge('pre_llm_call')).toContain('this session')
    expect(judge('pre_llm_call', {}, { session: 'other' })).toBeUndefined()
  })
})

describe('tokens and dollars', () => {
  test('the cost that a call states counts, and otherwise the price of the entry', () => {
    const rig = bench({
      event: 'pre_llm_call',
      limits: { day: { dollars: 5, tokens: 10_000_000 } },
      price: { input: 1, output: 2 },
    })
    rig.used(1000, 1000, 2)
    rig.used(1_000_000, 500_000)
    expect(lineOf(rig, 'day', 'dollars')?.used).toBeCloseTo(4)
    expect(lineOf(rig, 'day', 'tokens')?.used).toBe(1_502_000)
    expect(rig.judge('pre_llm_call')).toBeUndefined()
    rig.used(0, 500_000)
    expect(rig.judge('pre_llm_call')).toContain('5 of 5 dollars today')
  })

  test('a cost that nobody states is not invented: a limit in dollars then blocks', () => {
    const rig = bench({ event: 'pre_llm_call', limits: { day: { dollars: 5 } } })
    expect(rig.judge('pre_llm_call')).toBeUndefined()
    rig.used(1, 1)
    expect(rig.judge('pre_llm_call')).toContain('is not known')
    expect(rig.extend('main')).toBeUndefined()
  })

  test.each([
    ['negative', -5000],
    ['endless', Number.POSITIVE_INFINITY],
    ['a word', 'many'],
    ['absent', undefined],
  ])('usage that is %s never lowers a count', (_name, value) => {
    const rig = bench({ event: 'pre_llm_call', limits: { day: { tokens: 100 } } })
    rig.used(60, 0)
    rig.judge('post_llm_call', {
      usage: { input_tokens: value as number, output_tokens: value as number },
      cost: value as number,
    })
    expect(lineOf(rig, 'day', 'tokens')?.used).toBeGreaterThanOrEqual(60)
    rig.used(40, 0)
    expect(rig.judge('pre_llm_call')).toContain('is spent')
  })

  test('an agent that reported no tokens is named as such', () => {
    const rig = bench({ event: 'pre_tool_call', limits: { day: { tokens: 5, steps: 5 } } })
    rig.judge('pre_tool_call', {}, { agent: 'claude-code:reviewer' })
    expect(rig.state()).toMatchObject([{ agent: 'claude-code', hasNoTokens: true }])
  })
})

describe('minutes', () => {
  test('the time of a turn counts, and neither the time between turns nor the wait for a person', () => {
    const rig = bench({ event: 'pre_tool_call', limits: { day: { minutes: 10 } } })
    const pass = (minutes: number): void => {
      rig.clock.elapsedMs += minutes * 60_000
    }
    rig.judge('on_user_message')
    pass(4)
    rig.judge('pre_tool_call', {}, { verdict: 'ask' })
    pass(30)
    rig.judge('post_tool_call')
    pass(3)
    rig.judge('on_turn_end')
    pass(60)
    rig.judge('on_user_message')
    expect(lineOf(rig, 'day', 'minutes')?.used).toBeCloseTo(7)
    pass(3)
    expect(rig.judge('pre_tool_call')).toContain('10 of 10 minutes today')
  })

  test('the wait for a person counts neither where gate.yaml nor where a hook asks', () => {
    const rig = bench({ event: 'pre_tool_call', limits: { day: { minutes: 60 } } })
    const pass = (minutes: number): void => {
      rig.clock.elapsedMs += minutes * 60_000
    }
    rig.judge('on_user_message')
    for (const verdict of ['ask', 'allow'] as const) {
      pass(1)
      rig.judge('pre_tool_call', {}, { verdict })
      // Hooks are asked before the person is, and hear of the decision.
      rig.judge('on_permission_request')
      pass(30)
      rig.judge('on_permission_decision')
      pass(2)
      rig.judge('post_tool_call')
    }
    expect(lineOf(rig, 'day', 'minutes')?.used).toBeCloseTo(6)
  })

  test('an agent that died in its turn does not use the whole night', () => {
    const rig = bench({ event: 'pre_tool_call', limits: { day: { minutes: 600 } } })
    rig.judge('pre_tool_call')
    rig.clock.elapsedMs += dayMs / 2
    rig.judge('pre_tool_call')
    expect(lineOf(rig, 'day', 'minutes')?.used).toBe(30)
  })
})

describe('the day', () => {
  test('begins anew at midnight, and a clock that is put back gives nothing back', () => {
    const rig = bench({ event: 'pre_llm_call', limits: { day: { steps: 1 } } })
    rig.judge('pre_llm_call')
    expect(rig.judge('pre_llm_call')).toContain('today')
    rig.clock.nowMs -= dayMs
    expect(rig.judge('pre_llm_call')).toContain('today')
    rig.clock.nowMs += 2 * dayMs
    expect(rig.judge('pre_llm_call')).toBeUndefined()
  })

  test('a restart of the gate gives nothing back, and neither does a new session', async () => {
    const rig = bench({ event: 'pre_llm_call', limits: { day: { steps: 1 } } })
    rig.judge('pre_llm_call')
    await settled()
    rig.restart()
    expect(rig.judge('pre_llm_call', {}, { session: 'new' })).toContain('today')
  })

  test('counts that cannot be read block until an owner counts anew', () => {
    const rig = bench({ event: 'pre_llm_call', limits: { day: { steps: 1 } } }, '[{"agent": 7}]')
    expect(rig.judge('pre_llm_call')).toContain('cannot be read')
    expect(rig.budget().isUnreadable()).toBe(true)
    expect(rig.stored).toEqual([])
    rig.budget().startAnew()
    expect(rig.judge('pre_llm_call')).toBeUndefined()
    expect(rig.judge('pre_llm_call')).toContain('1 of 1')
  })
})

test('An extension adds the spent limits once more, for this span of time alone', async () => {
  const rig = bench({ event: 'pre_llm_call', limits: { day: { steps: 2 }, session: { steps: 100 } } })
  expect(rig.extend('main')).toBeUndefined()
  for (let round = 0; round < 2; round++) rig.judge('pre_llm_call')
  expect(rig.judge('pre_llm_call')).toContain('2 of 2')
  expect(rig.extend('main', 2)).toEqual({ agent: 'main', scopes: ['day'], times: 2 })
  expect(lineOf(rig, 'day', 'steps')).toMatchObject({ used: 2, limit: 6, isSpent: false })
  for (let round = 0; round < 4; round++) expect(rig.judge('pre_llm_call')).toBeUndefined()
  expect(rig.judge('pre_llm_call')).toContain('6 of 6')
  await settled()
  rig.restart()
  expect(rig.judge('pre_llm_call')).toContain('6 of 6')
  rig.clock.nowMs += dayMs
  rig.judge('pre_llm_call')
  expect(lineOf(rig, 'day', 'steps')).toMatchObject({ used: 1, limit: 2 })
})

test('Ten thousand sessions and agents stay bounded, and no agent loses its day', () => {
  const rig = bench({ event: 'pre_llm_call', limits: { day: { steps: 10_000 } } })
  for (let index = 0; index < 10_000; index++) rig.judge('pre_llm_call', {}, { session: `s${index}` })
  expect(rig.judge('pre_llm_call')).toContain('10000 of 10000')
  expect(rig.stored.at(-1)?.length ?? 0).toBeLessThan(100_000)
})
