import { describe, expect, test } from 'vitest'
import type { HookReply } from '../../../../src/core/hooks/settle/asking.ts'
import { mergeVerdict } from '../../../../src/core/hooks/settle/merge.ts'
import { observe, settle } from '../../../../src/core/hooks/settle/settle.ts'
import { abstain, faultAnswer, type Answer } from '../../../../src/core/model/hooks/answer.ts'
import type { ArmedHook, Entry } from '../../../../src/core/model/hooks/entry.ts'
import { EVENTS, EVENT_NAMES, type EventName } from '../../../../src/core/model/events/event.ts'
import type { JsonObject } from '../../../../src/core/model/base/json.ts'
import type { Payload } from '../../../../src/core/model/events/payload.ts'
import type { Verdict } from '../../../../src/core/model/hooks/verdict.ts'
import { armed, eventOf, textIn } from '../../../handlers/armed.ts'

/** What a scripted hook does when it is asked; it may move the clock and revoke. */
type Script = (
  payload: Payload,
  world: { now: number; readonly revoked: Set<string> },
  remainingMs: number,
) => Partial<Answer>
interface Scripted {
  readonly hook: ArmedHook
  readonly script: Script
  readonly matches: (payload: Payload) => boolean
}

const says = (
  name: string,
  script: Script | Partial<Answer>,
  entry: Partial<Entry> = {},
  matches: Scripted['matches'] = () => true,
): Scripted => ({
  hook: armed(name, entry),
  script: typeof script === 'function' ? script : () => script,
  matches,
})

const judge = async (
  event: EventName,
  hooks: readonly Scripted[],
  fields: JsonObject = {},
  deadlineMs = 60_000,
): Promise<Verdict> => {
  const world = { now: 1000, revoked: new Set<string>() }
  const { gate, rewrite } = EVENTS[event]
  const decide = gate.length > 0 || rewrite.length > 0 ? settle : observe
  const settlement = await decide(
    hooks.map(({ hook }) => hook),
    eventOf(event, fields),
    {
      matches: (payload) => new Set(hooks.flatMap(({ matches }, index) => (matches(payload) ? [index] : []))),
      ask: (hook, payload, remainingMs) => {
        const { now } = world
        const said = hooks.find((scripted) => scripted.hook === hook)?.script(payload, world, remainingMs)
        return Promise.resolve({ answer: { ...abstain, ...said }, durationMs: world.now - now })
      },
      remainingMs: (spentMs) => deadlineMs - spentMs,
      isLive: ({ fingerprint }) => !world.revoked.has(fingerprint),
      elapsedMs: () => world.now,
    },
  )
  return mergeVerdict(settlement, hooks.length, 7)
}

const textOf = (verdict: Verdict): unknown => verdict.payload['notification']
const write = (notification: string): Partial<Answer> => ({ rewrite: { notification } })
const block = (reason?: string): Partial<Answer> => ({
  kind: 'block',
  ...(reason === undefined ? {} : { reason }),
})
const ask = (reason?: string): Partial<Answer> => ({
  kind: 'ask',
  ...(reason === undefined ? {} : { reason }),
})
const whys = (verdict: Verdict): readonly string[] =>
  verdict.hooks.map(({ label, why }) => `${label}: ${why}`)

describe('the merge', () => {
  test('block is stronger than ask, ask than allow, allow than no opinion; the reason is that of the strongest', async () => {
    const all = [says('a', { kind: 'allow' }), says('b', ask('sure?')), says('c', block('no'))]
    expect(await judge('on_outbound_message', all)).toMatchObject({
      verdict: 'block',
      reason: 'no',
      by: 'c',
      revision: 7,
    })
    expect(await judge('on_outbound_message', all.slice(0, 2))).toMatchObject({
      verdict: 'ask',
      reason: 'sure?',
      by: 'b',
      isConsent: true,
    })
    expect(await judge('on_outbound_message', all.slice(0, 1))).toMatchObject({
      verdict: 'allow',
      isConsent: true,
    })
    expect(await judge('on_outbound_message', [says('a', {})])).toMatchObject({
      verdict: 'allow',
      isConsent: false,
    })
    expect(await judge('on_outbound_message', [])).toMatchObject({
      verdict: 'allow',
      isConsent: false,
      hooks: [],
    })
  })

  test('the first block ends the round, and the trace says who was not reached, and counts who would not have been', async () => {
    const verdict = await judge('on_outbound_message', [
      says('a', {}),
      says('b', block('first')),
      says('c', block('second')),
      says('d', {}, {}, () => false),
    ])
    expect(verdict).toMatchObject({ verdict: 'block', reason: 'first', by: 'b' })
    expect(whys(verdict)).toEqual(['a: matched', 'b: matched', 'c: was not reached'])
    expect(verdict.hooks.map(({ fired }) => fired)).toEqual([true, true, false])
    expect(verdict.missed).toBe(1)
  })

  test('every block and every question has a reason', async () => {
    expect((await judge('on_outbound_message', [says('a', block())])).reason).toBe('blocked by hook')
    expect((await judge('on_outbound_message', [says('a', ask())])).reason).toBe('the hook asks the person')
  })

  test('the first of several questions is the one that is put', async () => {
    expect(await judge('pre_tool_call', [says('a', ask('one')), says('b', ask('two'))])).toMatchObject({
      verdict: 'ask',
      reason: 'one',
      by: 'a',
    })
  })

  test('contexts and notes stand in the order of the hooks, those of earlier attempts too, each once', async () => {
    const first = says('a', ({ attempt }) => ({ context: `a${attempt}`, notes: ['same', `note ${attempt}`] }))
    const second = says('b', { context: 'b', notes: ['from b'], rewrite: { tool_input: { command: 'ls' } } })
    const verdict = await judge('pre_tool_call', [first, second])
    expect(verdict.contexts).toEqual(['a1', 'a2', 'b'])
    expect(verdict.notes).toEqual(['same', 'note 1', 'note 2', 'from b'])
    expect(whys(verdict)).toEqual(['a: matched, asked 2 times', 'b: matched'])
  })

  test('context is handed on only where the contract has a place for it', async () => {
    for (const event of EVENT_NAMES) {
      const { contexts } = await judge(event, [says('a', { context: 'remember' })])
      expect([event, contexts]).toEqual([event, 'contextTo' in EVENTS[event] ? ['remember'] : []])
    }
  })

  test('a verdict that an event cannot honour becomes a warning, on every event', async () => {
    for (const event of EVENT_NAMES) {
      for (const kind of ['block', 'ask'] as const) {
        const verdict = await judge(event, [says('a', { kind, reason: 'x' })])
        const isHonoured = (EVENTS[event].gate as readonly string[]).includes(kind)
        expect([event, kind, verdict.verdict]).toEqual([event, kind, isHonoured ? kind : 'allow'])
        expect(verdict.warnings).toEqual(
          isHonoured ? [] : [`a answered "${kind}", which ${event} cannot apply; the step went on.`],
        )
      }
    }
  })

  test('a rewrite that an event cannot take becomes a warning, on every event', async () => {
    for (const event of EVENT_NAMES) {
      const field =
        (['tool_input', 'message', 'notification'] as const).find(
          (name) => !(EVENTS[event].rewrite as readonly string[]).includes(name),
        ) ?? 'message'
      const verdict = await judge(event, [says('a', { rewrite: { [field]: 'x' } })])
      expect(verdict.warnings).toEqual([`a: ${event} cannot rewrite "${field}"; it was dropped.`])
      expect(verdict.payload).toEqual(eventOf(event))
    }
  })
})

describe('faults', () => {
  const broken: Partial<Answer> = faultAnswer('exit', 'It ended with exit code 1.')

  test('on a gate: warn goes on and tells, block fails closed, ignore is silent', async () => {
    const outcome = (onError: Entry['onError']) => judge('pre_tool_call', [says('a', broken, { onError })])
    expect(await outcome('warn')).toMatchObject({
      verdict: 'allow',
      isConsent: false,
      warnings: ['a failed (exit): It ended with exit code 1. On this fault the step went on without it.'],
    })
    expect(await outcome('block')).toMatchObject({
      verdict: 'block',
      by: 'a',
      reason: 'the hook failed (exit) and fails closed: It ended with exit code 1.',
      warnings: [
        'a failed (exit): It ended with exit code 1. On this fault it fails closed, so the step was blocked.',
      ],
    })
    const ignored = await outcome('ignore')
    expect(ignored).toMatchObject({ verdict: 'allow', warnings: [] })
    expect(ignored.hooks[0]?.answer?.fault?.kind).toBe('exit')
  })

  test('where there is no gate, block goes on too and says so', async () => {
    for (const event of EVENT_NAMES.filter(
      (name) => !(EVENTS[name].gate as readonly string[]).includes('block'),
    )) {
      const verdict = await judge(event, [says('a', broken, { onError: 'block' })])
      expect(verdict).toMatchObject({
        verdict: 'allow',
        warnings: [expect.stringContaining('the step went on without it')],
      })
    }
  })

  test('a fault is told even when a later answer of the same hook is fine', async () => {
    const shaky = says('a', ({ attempt }) => (attempt === 1 ? broken : {}))
    const verdict = await judge('on_outbound_message', [shaky, says('b', write('x'))])
    expect(verdict.warnings).toEqual([expect.stringContaining('a failed (exit)')])
    const once = says('a', broken, {}, (payload) => payload['notification'] === 'Hello.')
    expect((await judge('on_outbound_message', [once, says('b', write('x'))])).warnings).toEqual([
      expect.stringContaining('a failed (exit)'),
    ])
  })

  test('the same fault is told once', async () => {
    expect(
      (await judge('on_outbound_message', [says('a', broken), says('b', write('x'))])).warnings,
    ).toHaveLength(1)
  })

  test('a rewrite that does not fit is a fault, and what it was to change does not go on', async () => {
    const misfit: Partial<Answer> = { rewrite: { notification: 5 } }
    expect(await judge('on_outbound_message', [says('a', misfit)])).toMatchObject({
      verdict: 'block',
      warnings: [
        expect.stringContaining('Its rewrite of "notification" has to be a string, and is 5 (number).'),
      ],
    })
    expect(await judge('on_outbound_message', [says('a', misfit, { onError: 'block' })])).toMatchObject({
      verdict: 'block',
      by: 'a',
    })
  })

  test('beside a fault a question stands, and a block does; the careful half counts', async () => {
    const half: Partial<Answer> = { kind: 'ask', reason: 'sure?', rewrite: { notification: 5 } }
    expect(await judge('on_outbound_message', [says('a', half)])).toMatchObject({
      verdict: 'ask',
      reason: 'sure?',
      warnings: [expect.stringContaining('Its question to the person remains.')],
    })
    expect(await judge('on_outbound_message', [says('a', half, { onError: 'block' })])).toMatchObject({
      verdict: 'block',
    })
    expect(await judge('on_outbound_message', [says('a', { ...half, kind: 'block' })])).toMatchObject({
      verdict: 'block',
      reason: 'sure?',
      warnings: [],
    })
  })
})

describe('the round', () => {
  test('attempt numbers the questions of each hook', async () => {
    const attempts: string[] = []
    const note = (name: string, answer: Script) =>
      says(name, (payload, ...rest) => {
        attempts.push(`${name}${payload.attempt} ${textIn(payload, 'notification')}`)
        return answer(payload, ...rest)
      })
    const verdict = await judge('on_outbound_message', [
      note('a', () => ({})),
      note('b', ({ attempt }) => (attempt === 1 ? write('two') : {})),
      note('c', ({ attempt }) => (attempt === 1 ? write('three') : {})),
    ])
    expect(attempts).toEqual(['a1 Hello.', 'b1 Hello.', 'c1 two', 'a2 three', 'b2 three'])
    expect(textOf(verdict)).toBe('three')
    expect(verdict.payload.attempt).toBe(1)
  })

  test('the first question is about the payload itself: only a further one needs a copy, for its number', async () => {
    for (const event of ['pre_tool_call', 'post_llm_call'] as const) {
      const seen: Payload[] = []
      const verdict = await judge(event, [says('a', (payload) => (seen.push(payload), {}))])
      expect(seen).toHaveLength(1)
      expect(seen[0]).toBe(verdict.payload)
    }
  })

  test('the trace tells who matched only later, and counts who never did', async () => {
    const verdict = await judge('on_outbound_message', [
      says('late', {}, {}, (payload) => textIn(payload, 'notification') === 'mild'),
      says('b', write('mild')),
      says('never', {}, {}, () => false),
    ])
    expect(whys(verdict)).toEqual(['late: matched', 'b: matched'])
    expect(verdict.missed).toBe(1)
  })

  test('a question counts on the settled payload only', async () => {
    const nervous = says('a', ({ notification }) => (notification === 'Hello.' ? ask('sure?') : {}))
    expect((await judge('on_outbound_message', [nervous, says('b', write('mild'))])).verdict).toBe('allow')
    const picky = says('a', ask('sure?'), {}, ({ notification }) => notification === 'Hello.')
    expect((await judge('on_outbound_message', [picky, says('b', write('mild'))])).verdict).toBe('allow')
    const late = says('a', ({ notification }) => (notification === 'wild' ? ask('sure?') : {}))
    expect((await judge('on_outbound_message', [late, says('b', write('wild'))])).verdict).toBe('ask')
  })

  test('a matcher is tried on the payload as it stands', async () => {
    const guard = says('guard', block('a key'), {}, (payload) =>
      textIn(payload, 'notification').includes('KEY'),
    )
    expect(await judge('on_outbound_message', [guard, says('b', write('a KEY'))])).toMatchObject({
      verdict: 'block',
      by: 'guard',
    })
    expect(
      (await judge('on_outbound_message', [says('b', write('no k')), guard], { notification: 'KEY' }))
        .verdict,
    ).toBe('allow')
  })

  test('hooks that undo each other are unsettled, and named; who only agreed is not', async () => {
    const verdict = await judge('on_outbound_message', [
      says('calm', {}),
      says('up', write('UP')),
      says('idle', (payload) => write(textIn(payload, 'notification'))),
      says('down', write('down')),
    ])
    expect(verdict).toMatchObject({
      verdict: 'block',
      by: 'up and down',
      reason: 'unsettled: up and down could not agree in time',
    })
  })

  test('without a gate, what is unsettled goes on with a warning', async () => {
    const verdict = await judge('transform_tool_result', [
      says('up', { rewrite: { tool_result: 'UP' } }),
      says('down', { rewrite: { tool_result: 'down' } }),
    ])
    expect(verdict).toMatchObject({
      verdict: 'allow',
      warnings: ['up and down could not agree on what transform_tool_result should carry.'],
    })
  })

  test('of several summaries the first that is not empty stands', async () => {
    const summary = (name: string, text: string) => says(name, { rewrite: { summary: text } })
    const verdict = await judge('pre_compact', [
      summary('a', ''),
      summary('b', 'first'),
      summary('c', 'second'),
    ])
    expect(verdict).toMatchObject({
      verdict: 'allow',
      payload: { summary: 'first' },
      warnings: ['c: The summary was already written by another hook; the first one stands.'],
    })
  })
})

describe('the deadline', () => {
  const takes = (name: string, ms: number, entry: Partial<Entry> = {}) =>
    says(name, (_, world) => ((world.now += ms), {}), entry)

  test('a hook that cannot be asked before it is unsettled', async () => {
    const verdict = await judge('on_outbound_message', [takes('slow', 3000), says('late', {})], {}, 3000)
    expect(verdict).toMatchObject({ verdict: 'block', reason: 'unsettled: late could not agree in time' })
    expect(whys(verdict)).toEqual(['slow: matched', 'late: was not reached'])
    expect(verdict.hooks[0]?.durationMs).toBe(3000)
  })

  test('each hook is told what is left', async () => {
    const left: number[] = []
    const listen = says('b', (_, __, remainingMs) => (left.push(remainingMs), {}))
    await judge(
      'on_outbound_message',
      [listen, takes('a', 1200), says('w', ({ attempt }) => (attempt === 1 ? write('x') : {}))],
      {},
      5000,
    )
    expect(left).toEqual([5000, 3800])
  })

  test('what the deadline cut off is unsettled, whatever its on_error says; its own timeout is a fault that the agent can bring about', async () => {
    const timesOut = (entry: Partial<Entry>) =>
      says(
        'a',
        (_, world, remainingMs) => ((world.now += remainingMs), faultAnswer('timeout', 'late')),
        entry,
      )
    for (const onError of ['warn', 'ignore', 'block'] as const) {
      expect(
        await judge('on_outbound_message', [timesOut({ onError, timeoutMs: 20_000 })], {}, 3000),
      ).toMatchObject({ verdict: 'block', reason: 'unsettled: a could not agree in time' })
    }
    expect(await judge('on_outbound_message', [timesOut({ timeoutMs: 2000 })], {}, 3000)).toMatchObject({
      verdict: 'block',
      warnings: [expect.stringContaining('a failed (timeout): late')],
    })
  })
})

describe('revoked or switched off', () => {
  const revokes = (name: string, whom: string, answer: Partial<Answer>) =>
    says(name, (_, { revoked }) => (revoked.add(whom), answer))

  test('while it is asked: its answer is dropped', async () => {
    const verdict = await judge('on_outbound_message', [
      revokes('a', 'a', {
        kind: 'block',
        reason: 'no',
        notes: ['n'],
        context: 'c',
        rewrite: { notification: 'x' },
      }),
    ])
    expect(verdict).toMatchObject({ verdict: 'allow', notes: [], contexts: [], warnings: [] })
    expect(textOf(verdict)).toBe('Hello.')
    expect(verdict.hooks[0]).toEqual({
      fingerprint: 'a',
      label: 'a',
      fired: true,
      why: 'was revoked or switched off while it ran; its answer was dropped',
      askedAtMs: 1000,
      durationMs: 0,
    })
  })

  test('before it is asked: it is not asked any more', async () => {
    const verdict = await judge('on_outbound_message', [revokes('a', 'b', {}), says('b', block('no'))])
    expect(verdict.verdict).toBe('allow')
    expect(whys(verdict)[1]).toBe('b: was revoked or switched off meanwhile')
  })

  test('after it answered and before the verdict: it has no say any more', async () => {
    const verdict = await judge('on_permission_request', [
      says('a', { kind: 'allow', notes: ['n'] }),
      revokes('b', 'a', {}),
    ])
    expect(verdict).toMatchObject({ verdict: 'allow', isConsent: false, notes: [] })
    expect((await judge('pre_tool_call', [says('a', ask('sure?')), revokes('b', 'a', {})])).verdict).toBe(
      'allow',
    )
  })

  test('where all are asked at once, too: while it is asked, and after it answered', async () => {
    const verdict = await judge('on_tool_error', [
      says('a', { context: 'from a' }),
      revokes('b', 'a', { context: 'from b' }),
    ])
    expect(verdict.contexts).toEqual(['from b'])

    const revoked = new Set<string>()
    const slow = Promise.withResolvers<HookReply>()
    const observing = observe([armed('quick'), armed('slow')], eventOf('on_tool_error'), {
      matches: () => new Set([0, 1]),
      ask: (hook) =>
        hook.fingerprint === 'quick'
          ? Promise.resolve({ answer: { ...abstain, context: 'quick' }, durationMs: 0 })
          : slow.promise,
      remainingMs: () => 60_000,
      isLive: ({ fingerprint }) => !revoked.has(fingerprint),
      elapsedMs: () => 0,
    })
    await new Promise(setImmediate)
    revoked.add('quick')
    slow.resolve({ answer: { ...abstain, context: 'slow' }, durationMs: 0 })
    expect(mergeVerdict(await observing, 2, 1)).toMatchObject({
      contexts: ['slow'],
      hooks: [
        { fired: true, why: 'was revoked or switched off while it ran; its answer was dropped' },
        { why: 'matched' },
      ],
    })
  })
})
