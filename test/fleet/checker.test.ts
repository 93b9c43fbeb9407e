import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { onItsWayMs, violationsOf, type Violation } from './checker.ts'
import type {
  ActName,
  Arrival,
  Call,
  ChainLine,
  EventCall,
  History,
  OwnerAct,
  PromptCall,
  PushCall,
  SwitchRead,
} from './history.ts'

const act = (name: ActName, startMs: number, over: Partial<OwnerAct> = {}): OwnerAct => ({
  kind: 'act',
  act: name,
  startMs,
  endMs: startMs + 10,
  ending: 'ok',
  isChange: true,
  ...over,
})
const push = (startMs: number, over: Partial<PushCall> = {}): PushCall => ({
  kind: 'push',
  text: 'secret',
  isForbidden: true,
  startMs,
  endMs: startMs + 10,
  ending: 'ok',
  told: 'delivered',
  ...over,
})
const event = (startMs: number, over: Partial<EventCall> = {}): EventCall => ({
  kind: 'event',
  gate: 'the first',
  isForbidden: true,
  startMs,
  endMs: startMs + 10,
  ending: 'ok',
  ...over,
})
const prompt = (over: Partial<PromptCall> = {}): PromptCall => ({
  kind: 'prompt',
  text: 'do it',
  startMs: 100,
  endMs: 200,
  ending: 'ok',
  timesDone: 1,
  isTold: false,
  ...over,
})
const read = (startMs: number, isOn: boolean): SwitchRead => ({
  kind: 'read',
  startMs,
  endMs: startMs + 10,
  ending: 'ok',
  isOn,
})
const arrived = (text: string, atMs: number): Arrival => ({ chat: '1', text, atMs })
const chainOf = (names: readonly string[]): readonly ChainLine[] =>
  names.map((name, at) => ({ head: `head ${at + 1}`, previous: `head ${at}`, act: name }))

/** A history whose ledger holds its acts. */
const historyOf = (
  calls: readonly Call[],
  arrivals: readonly Arrival[] = [],
  over: Partial<History> = {},
): History => ({
  calls,
  arrivals,
  chain: chainOf(calls.flatMap((call) => (call.kind === 'act' ? [call.act] : []))),
  linesBefore: 0,
  sightings: [],
  ...over,
})
const guarded = [act('approve', 0), act('on', 20)]
const broken = (history: History): readonly Violation['law'][] => violationsOf(history).map(({ law }) => law)

describe.each<
  [Violation['law'], readonly (readonly [string, History])[], readonly (readonly [string, History])[]]
>([
  [
    'verdict',
    [
      ['a push that the guard blocks arrives', historyOf([...guarded, push(100)], [arrived('secret', 105)])],
      [
        'an older push arrives long after the guard was approved',
        historyOf(
          [act('on', 0), push(20, { endMs: 2000 }), act('approve', 100)],
          [arrived('secret', 120 + onItsWayMs)],
        ),
      ],
      [
        'a push that was told as unknown arrives',
        historyOf([...guarded, push(100, { told: 'unknown' })], [arrived('secret', 105)]),
      ],
      ['an event is allowed while hooks are on', historyOf([...guarded, event(50, { verdict: 'allowed' })])],
      [
        'an event is blocked while hooks are off',
        historyOf([act('off', 0), event(50, { verdict: 'blocked' })]),
      ],
      [
        'a push is withheld while the guard is revoked',
        historyOf([act('on', 0), act('revoke', 20), push(100, { told: 'withheld' })]),
      ],
      [
        'an act of unknown end does not hide the one after it',
        historyOf(
          [act('revoke', 0, { ending: 'unknown' }), act('approve', 20), act('on', 40), push(100)],
          [arrived('secret', 105)],
        ),
      ],
    ],
    [
      [
        'a push arrives before the approval',
        historyOf([push(0), act('approve', 50), act('on', 70)], [arrived('secret', 5)]),
      ],
      [
        'a push on its way arrives right after the approval',
        historyOf([act('on', 0), push(20, { endMs: 400 }), act('approve', 100)], [arrived('secret', 120)]),
      ],
      [
        'a push arrives while a revoke is on its way',
        historyOf([...guarded, act('revoke', 90, { endMs: 200 }), push(100)], [arrived('secret', 105)]),
      ],
      [
        'a push arrives after a revoke of unknown end',
        historyOf(
          [...guarded, act('revoke', 90, { ending: 'unknown' }), push(900)],
          [arrived('secret', 905)],
        ),
      ],
      [
        'an event is allowed while hooks are off',
        historyOf([act('off', 0), event(50, { verdict: 'allowed' })]),
      ],
      ['the gate itself holds an event', historyOf([act('off', 0), event(50, { verdict: 'held' })])],
      [
        'a refused act changes nothing',
        historyOf([
          act('on', 0),
          act('off', 20, { ending: 'failed', isChange: false }),
          event(50, { verdict: 'blocked' }),
        ]),
      ],
    ],
  ],
  [
    'once',
    [
      ['a push arrives twice', historyOf([push(0)], [arrived('secret', 5), arrived('secret', 6)])],
      ['an answer arrives twice', historyOf([prompt()], [arrived('do it', 150), arrived('do it', 160)])],
    ],
    [
      [
        'a push that was told as unknown arrives twice',
        historyOf([push(0, { told: 'unknown' })], [arrived('secret', 5), arrived('secret', 6)]),
      ],
      [
        'two pushes arrive once each',
        historyOf([push(0), push(0, { text: 'other' })], [arrived('secret', 5), arrived('other', 6)]),
      ],
    ],
  ],
  [
    'kept',
    [
      ['a delivered push did not arrive', historyOf([push(0)])],
      ['a queued push did not arrive', historyOf([push(0, { told: 'queued' })])],
      ['a failed push arrived', historyOf([push(0, { told: 'failed' })], [arrived('secret', 5)])],
      ['a prompt is done twice', historyOf([prompt({ timesDone: 2 })])],
      ['a prompt is lost', historyOf([prompt({ ending: 'unknown', timesDone: 0 })])],
      ['an answer is lost', historyOf([prompt({ ending: 'unknown' })])],
    ],
    [
      ['a push of unknown outcome did not arrive', historyOf([push(0, { told: 'unknown' })])],
      ['nobody told what became of a push', historyOf([push(0, { ending: 'unknown' })])],
      [
        'a prompt is done twice, and the person was told',
        historyOf([prompt({ timesDone: 2, isTold: true })]),
      ],
      ['a prompt is lost, and the person was told', historyOf([prompt({ ending: 'unknown', isTold: true })])],
    ],
  ],
  [
    'chain',
    [
      [
        'a line does not follow the one before it',
        historyOf([], [], { chain: [...chainOf(['on']), { head: 'x', previous: 'y', act: 'off' }] }),
      ],
      [
        'a gate saw another line',
        historyOf([act('on', 0)], [], { sightings: [{ by: 'a gate', revision: 1, head: 'other' }] }),
      ],
      [
        'a gate saw more lines',
        historyOf([act('on', 0)], [], { sightings: [{ by: 'a gate', revision: 2, head: 'head 2' }] }),
      ],
      [
        'an acknowledged act is not in it',
        historyOf([act('on', 0), act('off', 20)], [], { chain: chainOf(['on']) }),
      ],
      [
        'acts are in it in another order',
        historyOf([act('on', 0), act('off', 20)], [], { chain: chainOf(['off', 'on']) }),
      ],
      ['only an older run has the act', historyOf([act('on', 0)], [], { linesBefore: 1 })],
    ],
    [
      [
        'a gate saw an older line',
        historyOf([act('on', 0), act('off', 20)], [], {
          sightings: [{ by: 'a gate', revision: 1, head: 'head 1' }],
        }),
      ],
      [
        'an act of unknown end is not in it',
        historyOf([act('on', 0, { ending: 'unknown' })], [], { chain: [] }),
      ],
      ['what was so already is not in it', historyOf([act('on', 0, { isChange: false })], [], { chain: [] })],
    ],
  ],
  [
    'off',
    [
      ['the list says on after off', historyOf([act('off', 0), read(50, true)])],
      ['the list says off after on', historyOf([act('on', 0), read(50, false)])],
    ],
    [
      ['the list says what was acknowledged', historyOf([act('off', 0), read(50, false)])],
      [
        'the list is asked while the switch turns',
        historyOf([act('on', 0), act('off', 45, { endMs: 70 }), read(50, true)]),
      ],
    ],
  ],
])('the law “%s”', (law, bad, good) => {
  test.each(bad)('is broken when %s', (_, history) => {
    expect(broken(history)).toContain(law)
  })
  test.each(good)('is kept when %s', (_, history) => {
    expect(violationsOf(history)).toEqual([])
  })
})

/** What happens to one gate that is always right, one call after the other. */
const steps = fc.array(
  fc.oneof(
    fc.record({ act: fc.constantFrom<ActName>('on', 'off', 'approve', 'revoke') }),
    fc.record({ read: fc.constant(true) }),
    fc.record({ pushes: fc.boolean() }),
    fc.record({ fires: fc.boolean() }),
    fc.record({ prompts: fc.constant(true) }),
  ),
  { maxLength: 30 },
)

const playedBy = (all: typeof steps extends fc.Arbitrary<infer Steps> ? Steps : never): History => {
  let [isOn, isApproved] = [false, false]
  const calls: Call[] = []
  const arrivals: Arrival[] = []
  for (const [at, step] of all.entries()) {
    const startMs = at * 10
    const text = `text ${at}`
    if ('act' in step) {
      const [wasOn, wasApproved] = [isOn, isApproved]
      if (step.act === 'on' || step.act === 'off') isOn = step.act === 'on'
      else isApproved = step.act === 'approve'
      calls.push(
        act(step.act, startMs, {
          endMs: startMs + 5,
          isChange: isOn !== wasOn || isApproved !== wasApproved,
        }),
      )
    } else if ('pushes' in step) {
      const isBlocked = step.pushes && isOn && isApproved
      calls.push(
        push(startMs, {
          endMs: startMs + 5,
          text,
          isForbidden: step.pushes,
          told: isBlocked ? 'withheld' : 'delivered',
        }),
      )
      if (!isBlocked) arrivals.push(arrived(text, startMs + 2))
    } else if ('fires' in step)
      calls.push(
        event(startMs, {
          endMs: startMs + 5,
          isForbidden: step.fires,
          verdict: step.fires && isOn ? 'blocked' : 'allowed',
        }),
      )
    else if ('prompts' in step) {
      calls.push(prompt({ startMs, endMs: startMs + 5, text }))
      arrivals.push(arrived(text, startMs + 4))
    } else calls.push({ ...read(startMs, isOn), endMs: startMs + 5 })
  }
  const written = calls.flatMap((call) => (call.kind === 'act' && call.isChange ? [call.act] : []))
  return historyOf(calls, arrivals, { chain: chainOf(written) })
}

describe('of a gate that is always right', () => {
  test('no history breaks a law', () => {
    fc.assert(
      fc.property(steps, (all) => {
        expect(violationsOf(playedBy(all))).toEqual([])
      }),
    )
  })
  test('a message that is taken away, or added once more, breaks one', () => {
    fc.assert(
      fc.property(steps, fc.nat(), (all, pick) => {
        const history = playedBy(all)
        const { arrivals } = history
        fc.pre(arrivals.length > 0)
        const at = pick % arrivals.length
        const lost = arrivals.filter((_, index) => index !== at)
        // An answer that was heard is no call of the gate, so only a push is missed.
        if (history.calls.some((call) => call.kind === 'push' && call.text === arrivals[at]?.text))
          expect(broken({ ...history, arrivals: lost })).toEqual(['kept'])
        expect(broken({ ...history, arrivals: [...arrivals, ...arrivals.slice(at, at + 1)] })).toEqual([
          'once',
        ])
      }),
    )
  })
  test('the last line that is taken away breaks one', () => {
    fc.assert(
      fc.property(steps, (all) => {
        const history = playedBy(all)
        fc.pre(history.chain.length > 0)
        expect(broken({ ...history, chain: history.chain.slice(0, -1) })).toEqual(['chain'])
      }),
    )
  })
  test('a verdict that is turned around breaks one', () => {
    fc.assert(
      fc.property(steps, (all) => {
        const history = playedBy([{ act: 'on' as const }, { act: 'approve' as const }, ...all])
        const at = history.calls.findIndex((call) => call.kind === 'event' && call.isForbidden)
        fc.pre(at !== -1)
        const turned = history.calls.map((call, index) =>
          index === at && call.kind === 'event'
            ? { ...call, verdict: call.verdict === 'blocked' ? ('allowed' as const) : ('blocked' as const) }
            : call,
        )
        expect(broken({ ...history, calls: turned })).toEqual(['verdict'])
      }),
    )
  })
})
