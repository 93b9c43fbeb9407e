import { afterEach, describe, expect, test } from 'vitest'
import { maxRuns } from '../../../src/handlers/observers/async-run-limit.ts'
import { createShadowQueue, maxAtOnce, maxRunsOfAll } from '../../../src/handlers/observers/shadow-queue.ts'
import { abstain, faultAnswer, type Answer } from '../../../src/core/model/hooks/answer.ts'
import type { ArmedHook, Entry } from '../../../src/core/model/hooks/entry.ts'
import { armed, eventOf, textIn } from '../armed.ts'
import { createShadowRig, settled, type Question, type ShadowRig } from './shadow-rig.ts'

let rig: ShadowRig | undefined
afterEach(() => rig?.hooks.stop())

const block: Answer = { kind: 'block', reason: 'no', notes: ['a note'], context: 'a context' }
const rewriteTo = (text: string): Answer => ({ kind: 'abstain', notes: [], rewrite: { notification: text } })
const shadow = (name: string, entry: Partial<Entry> = {}): ArmedHook => armed(name, entry, { isShadow: true })
const push = (text = 'hello') => eventOf('on_outbound_message', { notification: text })

/** Hooks with a fixed answer each. A hook without one has no opinion. */
const begin = (
  answers: Readonly<Record<string, Answer>>,
  live: readonly ArmedHook[],
  run?: (question: Question, signal: AbortSignal) => Promise<unknown>,
): ShadowRig => {
  rig = createShadowRig(({ hook }) => answers[hook.fingerprint] ?? abstain, run)
  rig.live = live
  return rig
}

const textsOf = ({ asked }: ShadowRig) =>
  asked.map(({ hook, payload }) => `${hook.fingerprint} ${textIn(payload, 'notification')}`)

describe('a shadow', () => {
  test('that would block decides nothing and says nothing; its answer is a record of the event', async () => {
    const { hooks, records } = begin({ wide: block }, [shadow('wide')])
    expect(await hooks.judge(push())).toEqual({
      verdict: 'allow',
      isConsent: false,
      payload: push(),
      contexts: [],
      notes: [],
      warnings: [],
      hooks: [],
      missed: 0,
      revision: 3,
    })
    expect(records).toEqual([])
    await settled()
    expect(records).toEqual([
      {
        event_id: 'e1',
        atMs: 0,
        kind: 'shadow',
        subject: 'on_outbound_message',
        outcome: 'would block',
        reason: 'wide: no',
        agent_id: 'a',
        session_id: 's',
        hooks: [
          {
            fingerprint: 'wide',
            label: 'wide',
            fired: true,
            why: 'matched',
            isShadow: true,
            durationMs: 0,
            answer: { kind: 'block', reason: 'no', notes: ['a note'], context: '9 characters' },
          },
        ],
        missed: 0,
        revision: 3,
      },
    ])
    expect(hooks.shadowsOf('on_outbound_message')).toBe(1)
    expect(hooks.shadowCounts('wide')).toEqual({
      asked: 1,
      blocked: 1,
      rewritten: 0,
      questions: 0,
      failed: 0,
      missed: 0,
    })
  })

  test.each<[string, Answer, string, object]>([
    ['rewrite', rewriteTo('other'), 'would rewrite', { rewritten: 1 }],
    ['ask', { kind: 'ask', reason: 'sure?', notes: [] }, 'would ask', { questions: 1 }],
    ['fail', faultAnswer('crash', 'it ended with 9'), 'failed', { failed: 1 }],
    ['change nothing', abstain, 'would change nothing', { asked: 1 }],
  ])('that would %s is counted and recorded so', async (_, answer, outcome, counts) => {
    const { hooks, records } = begin({ one: answer }, [shadow('one', { onError: 'block' })])
    expect(await hooks.judge(push())).toMatchObject({ verdict: 'allow', payload: push(), warnings: [] })
    await settled()
    expect(records.map((record) => record.outcome)).toEqual([outcome])
    expect(JSON.stringify(records)).not.toContain('other')
    expect(hooks.shadowCounts('one')).toMatchObject({ asked: 1, blocked: 0, ...counts })
  })

  test('gets the payload that the first round had at its place', async () => {
    const made = begin({ second: rewriteTo('two'), fourth: rewriteTo('four') }, [
      shadow('first'),
      armed('second'),
      shadow('third'),
      armed('fourth'),
      shadow('fifth'),
    ])
    await made.hooks.judge(push('one'))
    await settled()
    expect(textsOf(made).filter((line) => /first|third|fifth/.test(line))).toEqual([
      'first one',
      'third two',
      'fifth four',
    ])
  })

  test('is not asked about what was blocked before its place, and the record says so', async () => {
    const made = begin({ guard: block }, [shadow('before'), armed('guard'), shadow('behind')])
    expect(await made.hooks.judge(push())).toMatchObject({ verdict: 'block', by: 'guard' })
    await settled()
    expect(textsOf(made)).toEqual(['guard hello', 'before hello'])
    expect(made.records[0]?.hooks).toMatchObject([
      { label: 'before', fired: true },
      { label: 'behind', fired: false, why: 'was not reached: the verdict came before its place' },
    ])
  })

  test('that does not match leaves no record of its own', async () => {
    const { hooks, records, asked } = begin({ x: block }, [shadow('x', { matcher: { pattern: 'secret' } })])
    await hooks.judge(push())
    await settled()
    expect([records, asked, hooks.shadowCounts('x')]).toEqual([[], [], undefined])
  })

  test('is waited for by nobody, and the deciding hooks do not wait for a slot of it', async () => {
    const never = new Promise<unknown>(() => undefined)
    const { hooks, asked } = begin({}, [armed('guard'), shadow('slow')], ({ hook }) =>
      hook.isShadow === true ? never : Promise.resolve(),
    )
    for (let event = 0; event < 10; event++) expect((await hooks.judge(push())).verdict).toBe('allow')
    await settled()
    expect(asked.filter(({ hook }) => hook.fingerprint === 'guard')).toHaveLength(10)
    expect(asked.filter(({ hook }) => hook.isShadow === true)).toHaveLength(maxAtOnce)
  })

  test('that was promoted, revoked or switched off while its event waited is not asked as a shadow', async () => {
    const made = begin({ wide: block }, [shadow('wide')])
    await made.hooks.judge(push())
    made.live = [armed('wide')]
    await settled()
    expect([made.records, made.asked]).toEqual([[], []])
    expect(await made.hooks.judge(push())).toMatchObject({ verdict: 'block' })
  })

  test('that decided when the event began, and was revoked meanwhile, decides nothing of it any more', async () => {
    const made = begin({ wide: block }, [armed('slow'), armed('wide')], async ({ hook }) => {
      if (hook.fingerprint === 'slow') made.live = [armed('slow'), shadow('wide')]
    })
    expect(await made.hooks.judge(push())).toMatchObject({ verdict: 'allow', notes: [] })
    expect(textsOf(made)).toEqual(['slow hello'])
    // The same while it is asked.
    const during = begin({ wide: block }, [armed('wide')], async () => {
      during.live = [shadow('wide')]
    })
    expect(await during.hooks.judge(push())).toMatchObject({ verdict: 'allow', notes: [] })
  })

  test('whose answer comes after its end is not counted', async () => {
    const ends: (() => void)[] = []
    const made = begin(
      { wide: block },
      [shadow('wide')],
      () => new Promise<void>((resolve) => void ends.push(resolve)),
    )
    await made.hooks.judge(push())
    await settled()
    made.live = []
    for (const end of ends) end()
    await settled()
    expect(made.records).toMatchObject([{ outcome: 'not asked' }])
    expect(made.hooks.shadowCounts('wide')).toBeUndefined()
  })

  test('of a flood is bounded: what has no room is counted and recorded, and the verdicts come', async () => {
    const never = new Promise<unknown>(() => undefined)
    const { hooks, records } = begin({}, [shadow('slow')], () => never)
    for (let event = 0; event < maxRuns + 7; event++)
      expect((await hooks.judge(push())).verdict).toBe('allow')
    expect(hooks.shadowCounts('slow')).toMatchObject({ asked: 0, missed: 7 })
    expect(records.map(({ outcome }) => outcome)).toEqual(Array.from({ length: 7 }, () => 'not asked'))
    expect(records[0]?.hooks?.[0]?.why).toBe('was not asked: too many events wait for shadows')
  })
})

describe('the queue of shadows', () => {
  test('is bounded for all agents together, by number and by size', () => {
    const never = (): Promise<void> => new Promise(() => undefined)
    const byNumber = createShadowQueue()
    let taken = 0
    for (let agent = 0; agent < 100; agent++)
      for (let event = 0; event < 100; event++) if (byNumber.add(`a${agent}`, 1, never)) taken += 1
    expect(taken).toBe(maxRunsOfAll)
    const bySize = createShadowQueue()
    const large = 8 * 1024 * 1024
    expect(Array.from({ length: 6 }, (_, agent) => bySize.add(`a${agent}`, large, never))).toEqual([
      true,
      true,
      true,
      true,
      false,
      false,
    ])
  })

  test('lets agents take turns, and has room again for what ended', async () => {
    const queue = createShadowQueue()
    const order: string[] = []
    for (const agent of ['loud', 'loud', 'loud', 'loud', 'calm'])
      queue.add(agent, 1, () => Promise.resolve(void order.push(agent)))
    await settled()
    expect(order).toHaveLength(5)
    expect(order.indexOf('calm')).toBeLessThanOrEqual(maxAtOnce)
    for (let event = 0; event < maxRuns; event++)
      expect(queue.add('loud', 1, () => Promise.resolve())).toBe(true)
    expect(queue.add('loud', 1, () => Promise.resolve())).toBe(false)
    await settled()
    expect(queue.add('loud', 1, () => Promise.resolve())).toBe(true)
  })

  test('begins nothing after its end', async () => {
    const queue = createShadowQueue()
    let begun = 0
    queue.add('a', 1, () => Promise.resolve(void (begun += 1)))
    queue.stop()
    await settled()
    expect(begun).toBe(0)
    expect(queue.add('a', 1, () => Promise.resolve())).toBe(false)
  })
})
