import { expect, test } from 'vitest'
import type { Verdict } from '../../src/core/model/hooks/verdict.ts'
import type { PermissionRequest } from '../../src/permissions/permissions.ts'
import { begin, eight, no, once, seven } from './begin.ts'

test('every owner is asked once, the chat of the session first, and the cards of all but the one who tapped are replaced', async () => {
  const { told, fire, settled, answer } = begin()
  const verdict = fire({ address: eight })
  await settled()
  expect(told.map(({ address, text }) => [address.chat_id, text])).toEqual([
    ['8', 'card bash'],
    ['main', 'card bash'],
    ['7', 'card bash'],
  ])
  const tapped = told.length
  answer(once, { owner: 'telegram:8', address: eight, on: 'm4' })
  expect((await verdict).verdict).toBe('allow')
  expect(told.slice(tapped).map(({ address, text, replaces }) => [address.chat_id, text, replaces])).toEqual([
    ['main', 'over once', 'm5'],
    ['7', 'over once', 'm6'],
  ])
})

test('who typed the answer has the card replaced too, but where nothing can be edited hears it once', async () => {
  const { told, fire, settled, answer } = begin({ chats: [seven, { channel: 'wechat', chat_id: 'w' }] })
  const verdict = fire()
  await settled()
  answer(once, { owner: 'wechat:w', address: { channel: 'wechat', chat_id: 'w' } })
  await verdict
  expect(told.slice(2).map(({ address }) => address.chat_id)).toEqual(['7'])
  const again = fire()
  await settled()
  const from = told.length
  answer(no)
  await again
  expect(told.slice(from).map(({ address, replaces }) => [address.chat_id, replaces === undefined])).toEqual([
    ['7', false],
    ['w', true],
  ])
})

test('a card that arrives when it is all over is replaced then', async () => {
  const { told, arrivals, fire, settled, answer } = begin({ chats: [seven], isSlow: true })
  const verdict = fire()
  await settled()
  answer(no)
  await verdict
  expect(told).toHaveLength(1)
  for (const arrive of arrivals) arrive()
  expect(told[1]).toMatchObject({ text: 'over deny' })
})

test('time counts from the request, and its end is a no', async () => {
  const { hooks, state, pass, fire, settled, timers, records } = begin()
  hooks.pre_tool_call = () => {
    state.elapsedMs += 50_000
    return { verdict: 'ask', reason: 'slow', by: 'guard' }
  }
  const verdict = fire()
  await settled()
  pass(9_999)
  await settled()
  expect(timers.size).toBe(1)
  pass(1)
  expect(await verdict).toMatchObject({
    verdict: 'block',
    reason: 'Nobody answered in time, so the call is denied.',
  })
  expect(records.at(-1)).toMatchObject({
    subject: 'permission',
    outcome: 'denied',
    reason: 'bash because nobody answered in time',
  })
  expect(timers.size).toBe(0)
})

test('hooks that took all the time leave none for a person: nobody is asked', async () => {
  const { hooks, state, told, fire } = begin()
  hooks.pre_tool_call = () => {
    state.elapsedMs += 60_000
    return { verdict: 'ask', reason: 'slow', by: 'guard' }
  }
  expect((await fire()).verdict).toBe('block')
  expect(told).toEqual([])
})

test('nobody to ask is a no', async () => {
  const { fire } = begin({ chats: [] })
  expect(await fire()).toMatchObject({
    verdict: 'block',
    reason: expect.stringContaining('Nobody owns this gate yet') as string,
  })
})

test('32 questions of an agent wait; one more is a no, and another agent’s is asked', async () => {
  const { permissions, fire, settled, answer } = begin()
  let waits = 0
  const verdicts = Array.from({ length: 33 }, () => fire({ waits: () => void ++waits }))
  await settled()
  expect([permissions.waiting().length, waits]).toEqual([32, 32])
  expect(await verdicts[32]).toMatchObject({
    verdict: 'block',
    reason: expect.stringContaining('32 questions wait') as string,
  })
  const other = fire({ agentId: 'other' })
  await settled()
  answer(once)
  expect((await other).verdict).toBe('allow')
  while (permissions.waiting().length > 0) answer(no)
  await Promise.all(verdicts)
  const next = fire()
  await settled()
  answer(once)
  expect((await next).verdict).toBe('allow')
})

test('arguments of more than 16 million characters do not wait in memory', async () => {
  const { fire, settled, permissions, answer } = begin()
  const fields = { tool_name: 'bash', tool_input: { command: 'x'.repeat(7_000_000) } }
  const first = [fire({ fields }), fire({ fields })]
  await settled()
  expect((await fire({ fields })).verdict).toBe('block')
  expect(permissions.waiting()).toHaveLength(2)
  answer(no)
  answer(no)
  expect((await Promise.all(first)).map(({ verdict }) => verdict)).toEqual(['block', 'block'])
})

test('a gate that changed while the person thought judges once more: a block then blocks, the same call needs no second answer', async () => {
  const { state, hooks, fire, fired, settled, answer, told } = begin()
  const blocked = fire()
  await settled()
  state.revision = 2
  hooks.pre_tool_call = () => ({ verdict: 'block', reason: 'new guard', by: 'new' })
  answer(once)
  expect(await blocked).toMatchObject({ verdict: 'block', reason: 'new guard' })

  hooks.pre_tool_call = () => ({ verdict: 'ask', reason: 'it says so', by: 'guard' })
  const same = fire()
  await settled()
  state.revision = 3
  const [cards, before] = [told.filter(({ text }) => text.startsWith('card')).length, fired.length]
  answer(once)
  expect((await same).verdict).toBe('allow')
  expect(told.filter(({ text }) => text.startsWith('card'))).toHaveLength(cards)
  expect(fired.slice(before).map(({ event }) => event)).toEqual([
    'on_permission_decision',
    'pre_tool_call',
    'on_permission_request',
  ])
})

test('what a hook rewrites while the person thought is a new question', async () => {
  const { state, hooks, fire, settled, answer, asked } = begin()
  const verdict = fire()
  await settled()
  state.revision = 2
  hooks.pre_tool_call = () => ({
    verdict: 'ask',
    reason: 'it says so',
    by: 'guard',
    payload: { tool_input: { command: 'rm' } } as unknown as Verdict['payload'],
  })
  answer(once)
  await settled()
  expect(asked.at(-1)?.tool_input).toEqual({ command: 'rm' })
  answer(no)
  expect((await verdict).verdict).toBe('block')
})

test('a gate in lockdown lets nothing through, whatever was said before', async () => {
  const { state, fire, settled, answer } = begin()
  const verdict = fire()
  await settled()
  state.lockdown = 'the ledger is damaged'
  answer(once)
  expect(await verdict).toMatchObject({ verdict: 'block', reason: 'the ledger is damaged' })
})

test('what an owner allowed for a session ends with the owner, and with the session', async () => {
  const { state, fire, settled, answer, permissions } = begin()
  const first = fire()
  await settled()
  answer({ kind: 'session' })
  await first
  expect((await fire()).verdict).toBe('allow')
  state.owners.delete('telegram:7')
  const second = fire()
  await settled()
  expect(permissions.waiting()).toHaveLength(1)
  answer({ kind: 'session' }, { owner: 'telegram:8', address: eight })
  await second
  expect((await fire()).verdict).toBe('allow')
  const { askMs: _, ...rest } = {
    agentId: 'main',
    event: 'on_session_end',
    sessionId: 's',
    cwd: '/w',
    fields: {},
    chain: [],
  } as PermissionRequest
  await permissions.fire(rest)
  const third = fire()
  await settled()
  expect(permissions.waiting()).toHaveLength(1)
  await permissions.fire(rest)
  expect((await third).verdict).toBe('block')
})

test('a session is one agent’s: what was allowed for it is not allowed for another agent that names its session the same', async () => {
  const { fire, settled, answer, permissions } = begin()
  const first = fire()
  await settled()
  answer({ kind: 'session' })
  await first
  void fire({ agentId: 'other' })
  await settled()
  expect(permissions.waiting()).toHaveLength(1)
})

test('a clock that is set back by hours silences nobody and opens no flood: a minute is a minute', async () => {
  const { state, told, fire, settled, pass } = begin({ chats: [seven] })
  for (let at = 0; at < 30; at++) {
    const gone = new AbortController()
    const verdict = fire({ signal: gone.signal })
    await settled()
    gone.abort()
    await verdict
  }
  const cards = (): number => told.filter(({ text }) => text.startsWith('card')).length
  for (const [waitMs, shown] of [
    [0, 20],
    [60_000, 21],
  ] as const) {
    state.nowMs -= 4 * 3_600_000
    pass(waitMs)
    void fire()
    await settled()
    expect(cards()).toBe(shown)
  }
})

test('a question ends when its time is over, though the clock is set back while hooks judge and while it waits', async () => {
  const { hooks, state, pass, fire, settled } = begin()
  hooks.pre_tool_call = () => {
    state.nowMs -= 2 * 3_600_000
    return { verdict: 'ask', reason: 'it says so', by: 'guard' }
  }
  const verdict = fire()
  await settled()
  state.nowMs -= 2 * 3_600_000
  pass(60_000)
  expect(await verdict).toMatchObject({ reason: 'Nobody answered in time, so the call is denied.' })
})

test('the agents inside a client have its limits together, and what was allowed for one of them ends with its session', async () => {
  const { permissions, told, fire, settled, answer } = begin({ chats: [seven] })
  const inside = (name: string) => ({ agentId: `client:${name}`, caller: 'client' })
  const all = Array.from({ length: 33 }, (_, at) => fire(inside(`a${at}`)))
  await settled()
  expect([permissions.waiting().length, told.filter(({ text }) => text.startsWith('card')).length]).toEqual([
    32, 20,
  ])
  expect(await all[32]).toMatchObject({
    verdict: 'block',
    reason: expect.stringContaining('32 questions wait') as string,
  })
  while (permissions.waiting().length > 1) answer(no)
  answer({ kind: 'session' })
  await Promise.all(all)
  expect((await fire(inside('a0'))).verdict).toBe('allow')
  await permissions.fire({
    agentId: 'client',
    caller: 'client',
    event: 'on_session_end',
    sessionId: 's',
    cwd: '/w',
    fields: {},
  })
  void fire(inside('a0'))
  await settled()
  expect(permissions.waiting()).toHaveLength(1)
})

test('an answer counts once: the second is told how it ended', async () => {
  const { permissions, fire, settled, answer } = begin()
  const verdict = fire()
  await settled()
  const key = permissions.waiting()[0]?.key ?? ''
  expect(answer(no)).toMatchObject({ isYours: true, ending: { kind: 'deny', by: 'telegram:7' } })
  expect(permissions.answer(key, once, { owner: 'telegram:8', address: eight })).toEqual({
    isYours: false,
    ending: { kind: 'deny', words: '', by: 'telegram:7' },
  })
  expect(permissions.answer('ask:unknown', once, { owner: 'telegram:8', address: eight })).toBeUndefined()
  expect((await verdict).verdict).toBe('block')
})

test('hooks that only hear of a decision hold the caller up for a second at most', async () => {
  const { state, fired, fire, settled, answer, pass } = begin()
  state.isDeaf = true
  let isAnswered = false
  const verdict = fire().finally(() => (isAnswered = true))
  await settled()
  answer(once)
  await settled()
  pass(999)
  await settled()
  expect(isAnswered).toBe(false)
  pass(1)
  expect((await verdict).verdict).toBe('allow')
  expect(fired.at(-1)).toMatchObject({
    event: 'on_permission_decision',
    fields: { decision: 'allow', source: 'person' },
  })
})

test('questions that nobody answers reach phones 20 times a minute; that there are more is told once, and answered ones do not count', async () => {
  const { told, fire, settled, answer, pass } = begin({ chats: [seven] })
  const cards = (): number => told.filter(({ text }) => text.startsWith('card')).length
  for (let at = 0; at < 30; at++) {
    const verdict = fire()
    await settled()
    answer(no)
    await verdict
  }
  expect(cards()).toBe(30)
  for (let at = 0; at < 30; at++) {
    const gone = new AbortController()
    const verdict = fire({ signal: gone.signal })
    await settled()
    gone.abort()
    expect((await verdict).verdict).toBe('block')
  }
  expect([cards(), told.filter(({ text }) => text.includes('/asks')).map(({ text }) => text)]).toEqual([
    50,
    ['More tool calls of main wait for your decision than are shown.\n→ /asks'],
  ])
  void fire({ agentId: 'other' })
  await settled()
  expect(cards()).toBe(51)
  pass(60_000)
  void fire()
  await settled()
  expect(cards()).toBe(52)
})
