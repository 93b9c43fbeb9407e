import { expect, test } from 'vitest'
import { createBlocks } from '../../src/notices/blocks.ts'
import type { Step } from '../../src/core/model/events/step.ts'
import { syntheticPayload } from '../../src/shared/events/synthetic.ts'
import type { EventName } from '../../src/core/model/events/event.ts'
import { noticeOf } from '../../src/core/model/chat/notice.ts'
import { fixed, proseText } from '../../src/core/model/chat/prose.ts'
import type { Address } from '../../src/core/model/chat/push.ts'
import type { Verdict } from '../../src/core/model/hooks/verdict.ts'

const home: Address = { channel: 'memory', chat_id: 'owner' }
const group: Address = { channel: 'memory', chat_id: 'group' }

const bench = (isFull = false) => {
  const told: string[] = []
  const timers: { readonly delayMs: number; readonly run: () => void }[] = []
  const state: { lockdown?: string } = {}
  const blocks = createBlocks({
    gate: () => state,
    one: ({ name, argument, by, why }) => fixed(`${name} ${argument} ${by}: ${why}`),
    more: (last, count) => fixed(`${count} more, ${last.length} named`),
    tellOwners: (content) => {
      if (isFull) return []
      told.push(proseText(noticeOf(content(home)).text))
      return [home]
    },
    after: (delayMs, run) => void timers.push({ delayMs, run }),
  })
  const tell = (
    over: Partial<Verdict> = {},
    event: EventName = 'pre_tool_call',
    request: Partial<Step> = {},
  ) =>
    blocks.tell(
      { agentId: 'main', event, sessionId: 's', cwd: '/', fields: {}, address: home, ...request },
      {
        verdict: 'block',
        isConsent: false,
        payload: syntheticPayload(event, '/', new Date(0)),
        contexts: [],
        notes: [],
        warnings: [],
        hooks: [],
        revision: 1,
        by: 'guard',
        reason: 'no',
        ...over,
      },
    )
  const pass = (): number => {
    const next = timers.shift()
    next?.run()
    return next?.delayMs ?? 0
  }
  return { told, tell, pass, state }
}

test('The first block is told at once, and those that follow within seconds as one', () => {
  const { told, tell, pass } = bench()
  expect(tell()).toEqual({ isTold: true, isInChat: true })
  // The same reason counts as told, and another one does not.
  for (let count = 0; count < 6; count++) expect(tell()).toEqual({ isTold: true, isInChat: true })
  expect(tell({ reason: 'not that' })).toEqual({ isTold: false, isInChat: false })
  expect(told).toEqual(['bash ls -la guard: no'])
  expect(pass()).toBe(10_000)
  expect(told.slice(1)).toEqual(['7 more, 5 named'])
})

test('In a flood the notices come ever less often, and after it the next block is told at once again', () => {
  const { told, tell, pass } = bench()
  const waits: number[] = []
  tell()
  for (let round = 0; round < 5; round++) {
    for (let count = 0; count < 1000; count++) tell()
    waits.push(pass())
  }
  expect(waits).toEqual([10_000, 20_000, 40_000, 60_000, 60_000])
  expect(told).toHaveLength(6)
  pass()
  expect(tell().isTold).toBe(true)
})

test('The bursts of two agents are apart, and a client with many agents is one', () => {
  const { told, tell } = bench()
  tell()
  tell({}, 'pre_tool_call', { agentId: 'other' })
  for (let count = 0; count < 20; count++)
    tell({}, 'pre_tool_call', { agentId: `claude-code:${count}`, caller: 'claude-code' })
  expect(told).toHaveLength(3)
})

test('A person in another chat gets the reason from the agent', () => {
  const { tell } = bench()
  expect(tell({}, 'pre_tool_call', { address: group })).toEqual({ isTold: true, isInChat: false })
})

test('A notice that its rate limit holds back is not counted as told', () => {
  expect(bench(true).tell()).toEqual({ isTold: false, isInChat: false })
})

test('A push, a stop, a verdict that lets pass and a lockdown are not told here', () => {
  const { told, tell, state } = bench()
  tell({}, 'on_outbound_message')
  tell({}, 'on_stop')
  tell({}, 'on_subagent_stop')
  tell({ verdict: 'allow' })
  tell({ verdict: 'ask' })
  state.lockdown = 'the ledger was changed'
  tell()
  expect(told).toEqual([])
})

test('A hook that ends the turn without a block is told with its name', () => {
  const { told, tell } = bench()
  const answer = { kind: 'abstain', stopsTurn: true, notes: [] } as const
  const ender = { fingerprint: 'f', label: 'ender', fired: true, why: 'matched', answer }
  tell({ verdict: 'allow', stopsTurn: true, hooks: [ender] })
  expect(told).toEqual(['bash ls -la ender: no'])
})
