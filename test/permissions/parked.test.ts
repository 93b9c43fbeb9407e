import { expect, test } from 'vitest'
import type { PermissionRequest } from '../../src/permissions/permissions.ts'
import { begin, once, seven } from './begin.ts'

const resume = { call: 't1', title: 'Claude Code', command: 'claude -p --resume s1' }
const dayMs = 24 * 60 * 60_000

/** A call whose caller had to go without an answer. */
const park = async (over: Parameters<typeof begin>[0] = { chats: [seven] }) => {
  const all = begin(over)
  const verdict = all.fire({ resume })
  await all.settled()
  all.pass(60_000)
  expect(await verdict).toMatchObject({
    verdict: 'block',
    isParked: true,
    reason: 'Nobody answered yet. It is asked again when this session is resumed.',
  })
  return all
}

test('a call that can come again is parked when nobody answered: its card stays, and nothing is decided yet', async () => {
  const { permissions, told, asked, fired, records } = await park()
  expect(permissions.waiting()).toMatchObject([{ parked: resume, untilMs: 1_060_000 + dayMs }])
  expect(told.map(({ text, replaces }) => [text, replaces])).toEqual([
    ['card bash', undefined],
    ['card bash', expect.stringMatching(/^m/)],
  ])
  expect(asked.map(({ key, parked }) => [key, parked])).toEqual([
    [asked[0]?.key, undefined],
    [asked[0]?.key, resume],
  ])
  expect(fired.map(({ event }) => event)).not.toContain('on_permission_decision')
  expect(records.at(-1)).toMatchObject({ subject: 'permission', outcome: 'parked' })
})

test.each([
  ['yes', once, { verdict: 'allow' }],
  ['no', { kind: 'deny', words: 'use tests' }, { verdict: 'block', reason: 'The person said no: use tests' }],
] as const)(
  'a %s on a parked call answers it at once when it comes again, and only once',
  async (_, word, expected) => {
    const { permissions, fire, settled, answer, records } = await park()
    await permissions.fire({
      agentId: 'main',
      event: 'on_session_end',
      sessionId: 's',
      cwd: '/w',
      fields: {},
      chain: [],
    })
    expect(answer(word)).toMatchObject({ isYours: true })
    expect(records.at(-1)?.reason).toContain('for when it comes again')
    const again = await fire({ resume })
    expect(again).toMatchObject(expected)
    expect(again.isParked).toBeUndefined()
    void fire({ resume })
    await settled()
    expect(permissions.waiting()).toHaveLength(1)
  },
)

test.each([
  ['arguments', { resume, fields: { tool_name: 'bash', tool_input: { command: 'ls -a' } } }],
  ['call', { resume: { ...resume, call: 't2' } }],
  ['session', { resume, sessionId: 'other' }],
  ['agent', { resume, agentId: 'other' }],
  ['folder', { resume, cwd: '/' }],
  ['caller that cannot come again', {}],
])('a yes on a parked call is none for another %s', async (_, more: Partial<PermissionRequest>) => {
  const { permissions, fire, settled, answer } = await park()
  answer(once)
  void fire(more)
  await settled()
  expect(permissions.waiting()).toHaveLength(1)
})

test('what comes again unanswered waits on with the same question, and is parked again, also when its caller is gone', async () => {
  const { permissions, asked, fire, settled, answer, pass } = await park()
  const [again, gone] = [new AbortController(), new AbortController()]
  const second = fire({ resume, signal: gone.signal })
  await settled()
  expect(permissions.waiting().map(({ key, parked }) => [key, parked])).toEqual([[asked[0]?.key, undefined]])
  gone.abort()
  expect(await second).toMatchObject({ verdict: 'block', isParked: true })
  const third = fire({ resume, signal: again.signal })
  await settled()
  pass(60_000)
  expect(await third).toMatchObject({ isParked: true })
  const fourth = fire({ resume })
  await settled()
  answer(once)
  expect((await fourth).verdict).toBe('allow')
  expect(permissions.waiting()).toEqual([])
})

test('after a day a parked call is denied, and its card says so', async () => {
  const { permissions, told, fire, pass, timers } = await park()
  pass(dayMs)
  expect(permissions.waiting()).toEqual([])
  expect(told.at(-1)?.text).toBe('over expired')
  expect(timers.size).toBe(0)
  expect(await fire({ resume })).toMatchObject({
    verdict: 'block',
    reason: 'Nobody answered in time, so the call is denied.',
  })
})

test('a kept word is gone after a day, and that of somebody who is no owner any more does not count', async () => {
  const setBackForADay = ({ pass, state }: Awaited<ReturnType<typeof park>>): void => {
    state.nowMs -= 2 * dayMs
    pass(dayMs)
  }
  for (const spoil of [setBackForADay, ({ state }) => state.owners.clear()] as readonly ((
    all: Awaited<ReturnType<typeof park>>,
  ) => void)[]) {
    const all = await park()
    all.answer(once)
    spoil(all)
    void all.fire({ resume })
    await all.settled()
    expect(all.permissions.waiting()).toHaveLength(1)
  }
})

test('a hook that refuses by now is above the yes that was kept', async () => {
  const { hooks, fire, answer } = await park()
  answer(once)
  hooks.pre_tool_call = () => ({ verdict: 'block', reason: 'not any more' })
  expect(await fire({ resume })).toMatchObject({ verdict: 'block', reason: 'not any more' })
})

test('of one agent 32 calls are parked at most; what is beyond is denied', async () => {
  const { permissions, fire, settled, pass } = begin({ chats: [seven] })
  for (let at = 0; at < 33; at++) {
    const verdict = fire({ resume: { ...resume, call: `t${at}` } })
    await settled()
    pass(60_000)
    expect((await verdict).isParked).toBe(at < 32 ? true : undefined)
  }
  expect(permissions.waiting()).toHaveLength(32)
})
