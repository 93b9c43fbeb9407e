import { expect, test } from 'vitest'
import type { Json } from '../../src/core/model/base/json.ts'
import { begin, no, once, seven } from './begin.ts'

const resume = { call: 't1', title: 'Claude Code', command: 'claude -p --resume s1' }
const dayMs = 24 * 60 * 60_000

/** The messenger's id of the only card. */
const cardOf = ({ stored }: ReturnType<typeof begin>): unknown =>
  (
    JSON.parse([...stored.values()][0]?.state ?? '') as {
      readonly cards: readonly { readonly messageId: string }[]
    }
  ).cards[0]?.messageId

/** A gate with a question that waits, which then dies, and the gate after it. */
const restart = async (more: Parameters<ReturnType<typeof begin>['fire']>[0] = {}, lateMs = 0) => {
  const before = begin({ chats: [seven] })
  void before.fire(more)
  await before.settled()
  const card = cardOf(before)
  const after = begin({ chats: [seven], stored: before.stored })
  after.state.nowMs += lateMs
  await after.permissions.restore()
  return { before, card, ...after }
}

test('a question outlives the gate: the same call finds it again, in the same card', async () => {
  const { before, card, permissions, told, asked, fire, settled, answer, stored } = await restart()
  expect(permissions.waiting()).toMatchObject([{ isCallerAway: true, untilMs: 1_060_000 }])
  expect(told).toMatchObject([{ text: 'card bash', replaces: card }])
  expect(asked[0]?.key).toBe(before.asked[0]?.key)
  const again = fire()
  await settled()
  expect(permissions.waiting()).toHaveLength(1)
  expect(permissions.waiting()[0]?.isCallerAway).toBeUndefined()
  answer(once)
  expect((await again).verdict).toBe('allow')
  expect(stored.size).toBe(0)
})

test('an answer that came before the caller counts when it asks again, once, and outlives the gate as well', async () => {
  const { answer, stored } = await restart()
  expect(answer({ kind: 'deny', words: 'use tests' })).toMatchObject({ isYours: true })
  const third = begin({ chats: [seven], stored })
  await third.permissions.restore()
  expect(third.permissions.waiting()).toEqual([])
  expect(await third.fire()).toMatchObject({ verdict: 'block', reason: 'The person said no: use tests' })
  expect(stored.size).toBe(0)
  void third.fire()
  await third.settled()
  expect(third.permissions.waiting()).toHaveLength(1)
})

test.each([
  ['arguments', { fields: { tool_name: 'bash', tool_input: { command: 'ls -a' } } }],
  ['session', { sessionId: 'other' }],
  ['agent', { agentId: 'other' }],
  ['folder', { cwd: '/' }],
])('a call with another %s is another question', async (_, more) => {
  const { permissions, fire, settled, answer } = await restart()
  answer(once)
  void fire(more)
  await settled()
  expect(permissions.waiting()).toHaveLength(1)
})

test('a caller that does not come again has left: the card says so when its time is over', async () => {
  const { pass, told, stored, permissions } = await restart()
  pass(60_000)
  expect(told.at(-1)).toMatchObject({ text: 'over gone', replaces: expect.stringMatching(/^m/) })
  expect([stored.size, permissions.waiting().length]).toEqual([0, 0])
})

test('what ended while the gate was away is edited at its start', async () => {
  const { pass, told, stored } = await restart({}, 70_000)
  pass(0)
  expect(told.at(-1)?.text).toBe('over gone')
  expect(stored.size).toBe(0)
})

test('a clock that was set back lets nothing wait longer than a day', async () => {
  const { permissions, state, pass } = await restart({}, -10 * dayMs)
  expect(permissions.waiting()[0]?.untilMs).toBe(state.nowMs + dayMs)
  pass(dayMs)
  expect(permissions.waiting()).toEqual([])
})

test('a parked question waits on, and its answer is kept for a day', async () => {
  const first = begin({ chats: [seven] })
  const parked = first.fire({ resume })
  await first.settled()
  first.pass(60_000)
  expect((await parked).isParked).toBe(true)
  const second = begin({ chats: [seven], stored: first.stored })
  await second.permissions.restore()
  expect(second.permissions.waiting()).toMatchObject([{ parked: resume }])
  expect(second.permissions.waiting()[0]?.isCallerAway).toBeUndefined()
  second.answer(once)
  const third = begin({ chats: [seven], stored: first.stored })
  third.state.nowMs += dayMs / 2
  await third.permissions.restore()
  expect((await third.fire({ resume })).verdict).toBe('allow')
})

test('an answer of somebody who is no owner any more does not count after the restart either', async () => {
  const { answer, stored } = await restart()
  answer(once)
  const third = begin({ chats: [seven], stored })
  third.state.owners.clear()
  await third.permissions.restore()
  void third.fire()
  await third.settled()
  expect(third.permissions.waiting()).toHaveLength(1)
})

test('a gate that stops leaves its questions to the next one; an answer that still comes is kept for it', async () => {
  const first = begin({ chats: [seven] })
  void first.fire()
  await first.settled()
  first.permissions.stop()
  first.pass(120_000)
  expect(first.told).toHaveLength(1)
  expect(first.stored.size).toBe(1)
  expect(first.answer(no)).toMatchObject({ isYours: true, question: { isCallerAway: true } })
})

test('what cannot be read on disk is dropped, and nothing else with it', async () => {
  const { stored } = await restart()
  for (const [at, odd] of ['', 'null', '[]', '{"question":7}', '{"question":{}}'].entries())
    stored.set(`odd${at}`, { key: `odd${at}`, call: odd, state: '{}' })
  const next = begin({ chats: [seven], stored })
  await next.permissions.restore()
  expect(next.permissions.waiting()).toHaveLength(1)
  expect(stored.size).toBe(1)
})

test('a question that was answered, or whose caller left, leaves nothing on disk', async () => {
  const { stored, fire, settled, answer } = begin({ chats: [seven] })
  const gone = new AbortController()
  void fire({ signal: gone.signal })
  const second = fire({ fields: { tool_name: 'bash', tool_input: { command: 'b' } } })
  await settled()
  expect(stored.size).toBe(2)
  gone.abort()
  answer(once)
  await second
  expect(stored.size).toBe(0)
})

test('of ten thousand questions of one agent 32 wait and are on disk, and the next run takes up those', async () => {
  const first = begin({ chats: [seven] })
  const refused: unknown[] = []
  for (let at = 0; at < 10_000; at++)
    void first
      .fire({ fields: { tool_name: 'bash', tool_input: { command: `ls ${at}` } } })
      .then(({ reason }) => refused.push(reason))
  for (let turn = 0; turn < 10; turn++) await first.settled()
  expect(refused).toHaveLength(10_000 - 32)
  expect(first.stored.size).toBe(32)
  const second = begin({ chats: [seven], stored: first.stored })
  await second.permissions.restore()
  expect(second.permissions.waiting()).toHaveLength(32)
  second.pass(60_000)
  expect([second.permissions.waiting().length, first.stored.size]).toEqual([0, 0])
})

test('the answers so far of a form outlive the gate, and so does the last one for a caller that is away', async () => {
  const questions: readonly Json[] = [{ question: 'Which?', options: ['A', 'B'] }, { question: 'Why?' }]
  const form = { fields: { tool_name: 'ask_user', tool_input: { questions } }, takesAnswers: true } as const
  const owner = { owner: 'telegram:7', address: seven }
  const before = begin({ chats: [seven] })
  before.hooks.pre_tool_call = () => ({})
  void before.fire(form)
  await before.settled()
  const key = before.permissions.waiting()[0]?.key ?? ''
  expect(before.permissions.fill(key, { kind: 'option', option: 1 }, owner, 0)).toEqual({ kind: 'next' })

  const after = begin({ chats: [seven], stored: before.stored })
  after.hooks.pre_tool_call = () => ({})
  await after.permissions.restore()
  expect(after.permissions.waiting()).toMatchObject([
    { isCallerAway: true, progress: { filled: ['B'], chosen: [] } },
  ])
  after.permissions.fill(key, { kind: 'words', words: 'It is shorter' }, owner)
  expect(after.permissions.fill(key, { kind: 'send' }, owner)).toMatchObject({ kind: 'sent' })
  const third = begin({ chats: [seven], stored: after.stored })
  third.hooks.pre_tool_call = () => ({})
  await third.permissions.restore()
  expect(await third.fire(form)).toMatchObject({
    verdict: 'allow',
    payload: { tool_input: { answers: { 'Which?': 'B', 'Why?': 'It is shorter' } } },
    answered: 'The person answered:\nWhich?\n→ B\nWhy?\n→ It is shorter',
  })
  expect(third.stored.size).toBe(0)
})
