import { expect, test } from 'vitest'
import { mergeVerdict } from '../../../../src/core/hooks/settle/merge.ts'
import { settle } from '../../../../src/core/hooks/settle/settle.ts'
import { abstain, faultAnswer, type Answer } from '../../../../src/core/model/hooks/answer.ts'
import type { ArmedHook, OnError } from '../../../../src/core/model/hooks/entry.ts'
import type { EventName } from '../../../../src/core/model/events/event.ts'
import type { Payload } from '../../../../src/core/model/events/payload.ts'
import { armed, eventOf, textIn } from '../../../handlers/armed.ts'
import { isWhole, tries } from '../../../tries.ts'

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

/** One hook of a table: what it answers is a function of the text alone. */
interface Rule {
  readonly hook: ArmedHook
  readonly matches: (text: string) => boolean
  readonly answer: (text: string) => Answer
  /** Revoked while its question of this number runs. */
  readonly revokedAt: number | undefined
}

interface Table {
  readonly event: EventName
  readonly field: string
  readonly text: string
  readonly rules: readonly Rule[]
}

const letters = ['a', 'b', 'c', 'd'] as const
const allow: Answer = { kind: 'allow', notes: [] }

const makeAnswer = (
  random: (below: number) => number,
  field: string,
  otherLetter: string,
): Rule['answer'] => {
  const x = letters[random(4)] ?? 'a'
  const y = letters[random(4)] ?? 'a'
  const rewrite = (text: string, kind: Answer['kind'] = 'abstain'): Answer => ({
    kind,
    notes: [],
    rewrite: { [field]: text },
    ...(kind === 'ask' ? { reason: 'look' } : {}),
  })
  switch (random(10)) {
    case 0:
      return () => abstain
    case 1:
      return () => allow
    case 2:
      return (text) => (text.includes(x) ? { kind: 'block', notes: [], reason: x } : abstain)
    case 3:
      return (text) => rewrite(text.replaceAll(x, y))
    case 4:
      return (text) => rewrite(text.replaceAll(x, y), 'ask')
    case 5:
      return (text) => (text.endsWith(x) ? abstain : rewrite(text + x))
    case 6:
      return (text) => (text.includes(x) ? { kind: 'ask', notes: [], reason: x } : allow)
    case 7:
      return (text) => (text.includes(x) ? faultAnswer('exit', 'it broke') : rewrite(text.replaceAll(y, x)))
    case 8:
      return (text) => (text.includes(x) ? { kind: 'block', notes: [] } : rewrite(text.replaceAll(y, x)))
    // One half of a pair that undoes what the other half does.
    default:
      return (text) => rewrite(text.replaceAll(x, otherLetter))
  }
}

const makeTable = (seed: number): Table => {
  const random = seeded(seed)
  const isGate = random(4) > 0
  const field = isGate ? 'notification' : 'tool_result'
  const event: EventName = isGate ? 'on_outbound_message' : 'transform_tool_result'
  const rules = Array.from({ length: 1 + random(6) }, (_, index): Rule => {
    const needle = random(2) === 0 ? '' : (letters[random(4)] ?? 'a')
    const onError = (['warn', 'block', 'ignore'] as const satisfies readonly OnError[])[random(3)] ?? 'warn'
    return {
      hook: armed(`hook-${index}`, { event, onError }),
      matches: (text) => text.includes(needle),
      answer: makeAnswer(random, field, letters[random(4)] ?? 'a'),
      revokedAt: random(12) === 0 ? 1 + random(3) : undefined,
    }
  })
  return {
    event,
    field,
    text: Array.from({ length: 1 + random(4) }, () => letters[random(4)]).join(''),
    rules,
  }
}

const run = async ({ event, field, text, rules }: Table) => {
  const revoked = new Set<string>()
  const asked: {
    readonly index: number
    readonly text: string
    readonly attempt: number
    readonly answer: Answer
  }[] = []
  const textOf = (payload: Payload): string => textIn(payload, field)
  const ruleOf = (hook: ArmedHook): { rule: Rule; index: number } => {
    const index = rules.findIndex((rule) => rule.hook === hook)
    const rule = rules[index]
    if (rule === undefined) throw new Error('Expected a hook of the table.')
    return { rule, index }
  }
  const settlement = await settle(
    rules.map(({ hook }) => hook),
    eventOf(event, { [field]: text }),
    {
      matches: (payload) =>
        new Set(rules.flatMap((rule, index) => (rule.matches(textOf(payload)) ? [index] : []))),
      ask: (hook, payload) => {
        const { rule, index } = ruleOf(hook)
        const answer = rule.answer(textOf(payload))
        asked.push({ index, text: textOf(payload), attempt: payload.attempt, answer })
        if (rule.revokedAt === payload.attempt) revoked.add(hook.fingerprint)
        return Promise.resolve({ answer, durationMs: 0 })
      },
      remainingMs: () => 60_000,
      isLive: (hook) => !revoked.has(hook.fingerprint),
      elapsedMs: () => 0,
    },
  )
  const verdict = mergeVerdict(settlement, rules.length, 1)
  return { verdict, asked, revoked, final: textOf(verdict.payload), unsettled: settlement.unsettled }
}

const rewritten = ({ kind, rewrite }: Answer, field: string): string | undefined => {
  const text = kind === 'block' ? undefined : rewrite?.[field]
  return typeof text === 'string' ? text : undefined
}

/** Every law of settling that can be read from outside; throws the first that does not hold. */
const check = (
  table: Table,
  { verdict, asked, revoked, final, unsettled }: Awaited<ReturnType<typeof run>>,
): void => {
  const { rules, field } = table
  const claim = (isTrue: boolean, law: string): void => {
    if (!isTrue)
      throw new Error(
        `${law}\n${JSON.stringify({ text: table.text, final, verdict: verdict.verdict, reason: verdict.reason, asked }, null, 1)}`,
      )
  }
  const isRevoked = (index: number): boolean => revoked.has(rules[index]?.hook.fingerprint ?? '')

  // What each question was about, and in what order they came.
  let current = table.text
  let author: number | undefined
  const counts = rules.map(() => 0)
  for (const [place, { index, text, attempt, answer }] of asked.entries()) {
    counts[index] = (counts[index] ?? 0) + 1
    claim(text === current, 'each hook sees the payload as it stands')
    claim(attempt === counts[index], 'attempt counts the questions of that hook')
    claim(rules[index]?.matches(current) === true, 'only a hook that matches is asked')
    const before = place === 0 ? rules.length - 1 : (asked[place - 1]?.index ?? 0)
    for (
      let between = (before + 1) % rules.length;
      between !== index;
      between = (between + 1) % rules.length
    ) {
      claim(rules[between]?.matches(current) === false || isRevoked(between), 'nobody is passed over')
    }
    const isDropped = rules[index]?.revokedAt === attempt
    const next = isDropped ? undefined : rewritten(answer, field)
    if (next !== undefined && next !== current) {
      current = next
      author = index
    }
  }
  claim(current === final, 'what leaves is what the last rewrite wrote')
  claim(Math.max(0, ...counts) <= 3, 'no hook is asked more than three times')

  const failsClosed = (index: number, answer: Answer): boolean =>
    answer.kind === 'fault' && rules[index]?.hook.entry.onError === 'block'
  const canBlock = table.event === 'on_outbound_message'
  if (verdict.verdict !== 'block' && unsettled.length === 0) {
    for (const [index, rule] of rules.entries()) {
      if (index === author || isRevoked(index) || !rule.matches(final)) continue
      const answer = rule.answer(final)
      claim(!canBlock || answer.kind !== 'block', 'what leaves is blocked by no hook that matches it')
      claim(!canBlock || !failsClosed(index, answer), 'what leaves broke no hook that fails closed')
      claim(
        (rewritten(answer, field) ?? final) === final,
        'what leaves is changed by no hook that matches it',
      )
      claim(
        !canBlock || answer.kind !== 'ask' || verdict.verdict === 'ask',
        'a question about what leaves is put to the person',
      )
    }
  }
  if (verdict.verdict === 'ask') {
    claim(
      rules.some(
        (rule, index) =>
          !isRevoked(index) &&
          asked.findLast((question) => question.index === index)?.answer.kind === 'ask' &&
          (index === author || rule.matches(final)),
      ),
      'somebody asks about what leaves',
    )
  }
  const last = asked.at(-1)
  if (verdict.verdict === 'block' && unsettled.length === 0) {
    claim(
      last !== undefined && (last.answer.kind === 'block' || failsClosed(last.index, last.answer)),
      'the first block ends the round, and nothing else blocks',
    )
  }
  if (unsettled.length > 0) {
    claim(verdict.verdict === (canBlock ? 'block' : 'allow'), 'unsettled blocks where there is a gate')
    claim(
      canBlock
        ? verdict.reason?.startsWith('unsettled: ') === true
        : verdict.warnings.some((warning) => warning.includes('could not agree')),
      'unsettled is told',
    )
    const stuck = rules.findIndex(
      (rule, index) => counts[index] === 3 && !isRevoked(index) && rule.matches(final) && index !== author,
    )
    claim(stuck !== -1, 'unsettled means that a hook has used its questions up')
    const writes = (index: number): boolean => {
      const newest = asked.findLast((question) => question.index === index)
      return (
        newest !== undefined &&
        !isRevoked(index) &&
        (rewritten(newest.answer, field) ?? newest.text) !== newest.text
      )
    }
    const named = rules.flatMap((_, index) => (unsettled.includes(`hook-${index}`) ? [index] : []))
    const isAuthorGone = author !== undefined && isRevoked(author)
    claim(
      isAuthorGone || (author !== undefined && named.includes(author)),
      'unsettled names the author of the last rewrite',
    )
    claim(
      named.length > 0 && (isAuthorGone || named.every(writes)),
      'unsettled names only hooks that rewrote',
    )
  }
}

const tables = tries(200_000)

test(`what leaves is a fixed point, over ${tables} random tables of hooks`, { timeout: 60_000 }, async () => {
  const seen = { allow: 0, ask: 0, block: 0, unsettled: 0, revoked: 0, thrice: 0 }
  for (let seed = 1; seed <= tables; seed++) {
    const table = makeTable(seed)
    const outcome = await run(table)
    try {
      check(table, outcome)
    } catch (error) {
      throw new Error(`seed ${seed}: ${error instanceof Error ? error.message : String(error)}`, {
        cause: error,
      })
    }
    seen[outcome.verdict.verdict] += 1
    if (outcome.unsettled.length > 0) seen.unsettled += 1
    if (outcome.revoked.size > 0) seen.revoked += 1
    if (outcome.asked.some(({ attempt }) => attempt === 3)) seen.thrice += 1
  }
  // The tables reach every corner often enough to mean something.
  if (isWhole())
    for (const [what, times] of Object.entries(seen)) expect(times, what).toBeGreaterThan(tables / 200)
})

test('the same table settles the same way each time', async () => {
  for (let seed = 1; seed <= tries(5000); seed++)
    expect(await run(makeTable(seed))).toEqual(await run(makeTable(seed)))
})
