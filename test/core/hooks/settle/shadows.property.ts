import { isDeepStrictEqual } from 'node:util'
import { expect, test } from 'vitest'
import type { EventName } from '../../../../src/core/model/events/event.ts'
import { abstain, faultAnswer, type Answer, type FaultKind } from '../../../../src/core/model/hooks/answer.ts'
import type { ArmedHook, OnError } from '../../../../src/core/model/hooks/entry.ts'
import { isWhole, tries } from '../../../tries.ts'
import { armed, eventOf, textIn } from '../../../handlers/armed.ts'
import { createShadowRig, settled } from '../../../handlers/observers/shadow-rig.ts'

/** Numbers from 0 to `below`, the same for the same seed (mulberry32). */
const seeded = (seed: number) => {
  let state = seed
  return (below: number): number => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296) * below)
  }
}

const letters = ['a', 'b', 'c'] as const
type EventField = readonly [EventName, string]
const fields: readonly [EventField, ...EventField[]] = [
  ['on_outbound_message', 'notification'],
  ['transform_tool_result', 'tool_result'],
  ['on_completion_claim', 'summary'],
  ['on_user_message', 'message'],
  ['post_llm_call', 'response'],
]

const faults: readonly FaultKind[] = ['timeout', 'exit', 'changed', 'garbled']

interface Table {
  readonly event: EventName
  readonly field: string
  readonly text: string
  readonly hooks: readonly ArmedHook[]
  readonly answers: ReadonlyMap<string, (text: string) => Answer>
}

const makeTable = (seed: number): Table => {
  const random = seeded(seed)
  const of = <T>(some: readonly [T, ...T[]]): T => some[random(some.length)] ?? some[0]
  const [event, field] = of(fields)
  const answers = new Map<string, (text: string) => Answer>()
  const hooks = Array.from({ length: 1 + random(6) }, (_, index): ArmedHook => {
    const name = `hook-${index}`
    const [x, y] = [of(letters), of(letters)]
    const onError = of(['warn', 'block', 'ignore'] as const satisfies readonly [OnError, ...OnError[]])
    const fault = faults[random(faults.length)] ?? 'exit'
    const more = { notes: [`note of ${name}`], context: `context of ${name}` }
    const some: readonly [(text: string) => Answer, ...((text: string) => Answer)[]] = [
      () => ({ ...abstain, ...more }),
      () => ({ kind: 'allow', notes: [], stopsTurn: true }),
      (text) => (text.includes(x) ? { kind: 'block', reason: name, ...more } : abstain),
      (text) => (text.includes(x) ? { kind: 'ask', reason: name, ...more } : abstain),
      (text) => ({ kind: 'abstain', notes: [], rewrite: { [field]: text.replaceAll(x, y) } }),
      () => ({ kind: 'abstain', notes: [], rewrite: { [field]: 1 } }),
      () => faultAnswer(fault, 'it broke'),
    ]
    answers.set(name, of(some))
    const isAsync = random(8) === 0
    const isShadow = !isAsync && random(2) === 0
    const entry = { event, onError, isAsync, ...(random(2) === 0 ? {} : { matcher: { pattern: y } }) }
    return armed(name, entry, isShadow ? { isShadow } : {})
  })
  const text = Array.from({ length: 1 + random(4) }, () => of(letters)).join('')
  return { event, field, text, hooks, answers }
}

const run = async ({ event, field, text, answers }: Table, live: readonly ArmedHook[]) => {
  const rig = createShadowRig(
    ({ hook, payload }) => answers.get(hook.fingerprint)?.(textIn(payload, field)) ?? abstain,
  )
  rig.live = live
  const verdict = await rig.hooks.judge(eventOf(event, { [field]: text }))
  await settled()
  await rig.hooks.stop()
  const questions = rig.asked.filter(({ hook }) => hook.isShadow !== true)
  return {
    verdict,
    asked: questions.map(({ hook, payload }) => [hook.fingerprint, payload]),
    shadows: rig.records.map(({ outcome }) => outcome),
  }
}

test('no shadow changes a verdict, a payload, a context, a note, or what a deciding hook is asked', async () => {
  const outcomes = new Map<string, number>()
  for (let seed = 0; seed < tries(20_000); seed++) {
    const table = makeTable(seed)
    const withShadows = await run(table, table.hooks)
    const without = await run(
      table,
      table.hooks.filter(({ isShadow }) => isShadow !== true),
    )
    const isSame =
      isDeepStrictEqual(withShadows.verdict, without.verdict) &&
      isDeepStrictEqual(withShadows.asked, without.asked)
    if (!isSame) expect({ seed, ...withShadows }).toEqual({ seed, ...without, shadows: withShadows.shadows })
    for (const outcome of withShadows.shadows) outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1)
  }
  if (!isWhole()) return
  for (const outcome of ['would block', 'would ask', 'would rewrite', 'failed', 'would change nothing'])
    expect(outcomes.get(outcome), outcome).toBeGreaterThan(200)
})
