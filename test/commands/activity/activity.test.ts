import { beforeEach, expect, test } from 'vitest'
import { createActivity } from '../../../src/commands/activity/activity.ts'
import type { Notice } from '../../../src/core/model/chat/notice.ts'
import { proseText } from '../../../src/core/model/chat/prose.ts'
import type { Address } from '../../../src/core/model/chat/push.ts'
import type { EventName } from '../../../src/core/model/events/event.ts'
import type { Fired, Step } from '../../../src/core/model/events/step.ts'
import type { Patience } from '../../../src/shared/events/patience.ts'
import type { JsonObject } from '../../../src/core/model/base/json.ts'

const main: Address = { channel: 'telegram', chat_id: '7' }
const group: Address = { channel: 'telegram', chat_id: '-100' }

let now = 0
let timers: { atMs: number; run: () => void }[] = []
let sent: { text: string; replaces: string | undefined; buttons: readonly string[]; atMs: number }[] = []
let arrivals: (() => void)[] = []
let arrivesAtOnce = true
let canReplace = true
let asks = false
let verdict: 'allow' | 'ask' | 'block' = 'allow'
let waits: (readonly [chat: string, isWaiting: boolean])[] = []
/** Ends the wait for a person of the call that was made last. */
let answer: (() => void) | undefined

const advance = (ms: number): void => {
  const end = now + ms
  for (;;) {
    const next = timers.filter(({ atMs }) => atMs <= end).toSorted((a, b) => a.atMs - b.atMs)[0]
    if (next === undefined) break
    timers = timers.filter((timer) => timer !== next)
    now = Math.max(now, next.atMs)
    next.run()
  }
  now = end
}

const make = () => {
  const activity = createActivity({
    notify: (_, { text, replaces, buttons = [] }: Notice, delivered) => {
      sent.push({
        text: proseText(text),
        replaces,
        buttons: buttons.flat().map(({ label }) => label),
        atMs: now,
      })
      const id = replaces ?? `m${sent.length}`
      const arrive = (): void => delivered(canReplace ? id : undefined)
      if (arrivesAtOnce) arrive()
      else arrivals.push(arrive)
    },
    isFollowed: ({ chat_id }) => chat_id === main.chat_id,
    waits: ({ chat_id }, isWaiting) => void waits.push([chat_id, isWaiting]),
    cardButtons: {
      placeOf: (address) => ({ owner: 'telegram:7', address, canTap: true }),
      under: (_, taps) => ({
        buttons: taps.map((row) =>
          row.map((tap) => ({ label: typeof tap === 'string' ? tap : tap.label, press: 'p' })),
        ),
      }),
    },
    after: (delayMs, run) => void timers.push({ atMs: now + delayMs, run }),
    elapsedMs: () => now,
  })
  left = activity.left
  return activity.following(async (step: Step & Pick<Patience, 'waits'>): Promise<Fired> => {
    if (asks) {
      step.waits?.()
      await new Promise<void>((resolve) => (answer = resolve))
    }
    return { kind: 'verdict', verdict: { verdict } } as unknown as Fired
  })
}

let fire: ReturnType<typeof make>
let left: (agentId: string) => void
const say = (event: EventName, fields: JsonObject = {}, address: Address = main): Promise<Fired> =>
  fire({ agentId: 'main', event, sessionId: 's', cwd: '/w', fields, address })
const call = (id: string, command: string) => ({
  tool_name: 'bash',
  tool_input: { command },
  tool_use_id: id,
})

beforeEach(() => {
  now = 0
  timers = []
  sent = []
  arrivals = []
  arrivesAtOnce = true
  canReplace = true
  asks = false
  waits = []
  verdict = 'allow'
  fire = make()
})

test('a turn that takes a while gets one message, which is changed as the turn goes on', async () => {
  await say('pre_tool_call', call('1', 'npm test'))
  advance(2900)
  expect(sent).toEqual([])
  advance(100)
  expect(sent).toEqual([
    {
      text: 'main has been working for 3 s.\n… bash: npm test · running for 3 s',
      replaces: undefined,
      buttons: ['stop'],
      atMs: 3000,
    },
  ])
  advance(5000)
  await say('post_tool_call', { ...call('1', 'npm test'), tool_error: false })
  verdict = 'block'
  await say('pre_tool_call', call('2', 'rm -rf /'))
  advance(0)
  expect(sent[1]).toEqual({
    text: 'main has been working for 8 s.\n✓ bash: npm test · 8 s\n✗ bash: rm -rf / · blocked',
    replaces: 'm1',
    buttons: ['stop'],
    atMs: 8000,
  })
  await say('on_turn_end')
  expect(sent.at(-1)).toMatchObject({
    text: 'main worked for 8 s and called 2 tools; 1 of these calls was blocked.\n✓ bash: npm test · 8 s\n✗ bash: rm -rf / · blocked',
    replaces: 'm1',
    buttons: [],
  })
  advance(600_000)
  expect(sent).toHaveLength(3)
})

test('it is changed at most every 3 s, however fast the agent works, and shows the last six calls', async () => {
  for (let index = 0; index < 200; index++) {
    await say('pre_tool_call', call(String(index), `step ${index}`))
    advance(50)
    await say('post_tool_call', { ...call(String(index), `step ${index}`), tool_error: index % 2 === 0 })
  }
  advance(3000)
  const times = sent.map(({ atMs }) => atMs)
  expect(times.length).toBeGreaterThan(2)
  expect(times.every((atMs, index) => index === 0 || atMs - (times[index - 1] ?? 0) >= 3000)).toBe(true)
  const lines = (sent.at(-1)?.text ?? '').split('\n')
  expect(lines[1]).toBe('194 earlier tool calls')
  expect(lines.slice(2)).toHaveLength(6)
  expect(lines.at(-1)).toBe('✓ bash: step 199 · 0 s')
  expect(lines.at(-2)).toBe('✗ bash: step 198 · failed after 0 s')
})

test('while one tool runs on, its seconds are changed now and then', async () => {
  await say('pre_tool_call', call('1', 'sleep 60'))
  advance(60_000)
  expect(sent.map(({ atMs }) => atMs)).toEqual([3000, 18_000, 33_000, 48_000])
  expect(sent.at(-1)?.text).toContain('running for 48 s')
})

test('a short turn has no message, and neither has one in a group', async () => {
  await say('pre_tool_call', call('1', 'ls'))
  await say('post_tool_call', call('1', 'ls'))
  await say('on_turn_end')
  await say('pre_tool_call', call('2', 'ls'), group)
  advance(100_000)
  expect(sent).toEqual([])
})

test('the end of the turn is shown once the message has arrived, and nothing is sent twice before', async () => {
  arrivesAtOnce = false
  await say('pre_tool_call', call('1', 'ls'))
  advance(3000)
  await say('post_tool_call', call('1', 'ls'))
  advance(9000)
  await say('on_turn_end')
  expect(sent).toHaveLength(1)
  arrivals[0]?.()
  expect(sent).toHaveLength(2)
  expect(sent[1]).toMatchObject({
    text: 'main worked for 12 s and used 1 tool.\n✓ bash: ls · 3 s',
    replaces: 'm1',
  })
})

test('a messenger that gave the message no id gets no second one', async () => {
  canReplace = false
  await say('pre_tool_call', call('1', 'ls'))
  advance(60_000)
  await say('on_turn_end')
  expect(sent).toHaveLength(1)
})

test('a name or an argument cannot imitate a line of the message', async () => {
  await say('pre_tool_call', {
    tool_name: 'x\n✓ bash',
    tool_input: { text: `a\n✗ bash: b${'c'.repeat(10_000_000)}` },
    tool_use_id: '1',
  })
  advance(3000)
  expect(sent[0]?.text.split('\n')).toHaveLength(2)
  expect(sent[0]?.text.length).toBeLessThan(200)
})

test('what still ran when the turn ended did not succeed', async () => {
  await say('pre_tool_call', call('1', 'sleep 60'))
  advance(4000)
  await say('on_turn_end')
  expect(sent.at(-1)?.text).toContain('✗ bash: sleep 60 · failed after 4 s')
})

test('a question to the person is no work of the agent, since its card says all about it', async () => {
  await say('pre_tool_call', {
    tool_name: 'ask_person',
    tool_input: { question: 'Which?' },
    tool_use_id: '1',
  })
  advance(60_000)
  expect(sent).toEqual([])
})

/** The agent calls a tool, and a person is asked about it. */
const asked = async (id: string, command: string): Promise<() => Promise<void>> => {
  asks = true
  const fired = say('pre_tool_call', call(id, command))
  await Promise.resolve()
  asks = false
  return async () => {
    answer?.()
    await fired
  }
}

test('while a call waits for a person, nothing says that the agent works, and nothing stops it above the card', async () => {
  await say('pre_tool_call', call('1', 'ls'))
  await say('post_tool_call', call('1', 'ls'))
  advance(3000)
  expect(sent.at(-1)).toMatchObject({
    text: 'main has been working for 3 s.\n✓ bash: ls · 0 s',
    buttons: ['stop'],
  })
  const answered = await asked('2', 'rm -rf build')
  // At once, because the card of the question comes now.
  expect(sent.at(-1)).toEqual({
    text: 'main waits for you.\n✓ bash: ls · 0 s\n… bash: rm -rf build · waits for you',
    replaces: 'm1',
    buttons: [],
    atMs: 3000,
  })
  advance(600_000)
  expect([sent.length, waits]).toEqual([2, [['7', true]]])
  await answered()
  advance(3000)
  expect(sent.at(-1)).toMatchObject({
    text: 'main has been working for 3 s.\n✓ bash: ls · 0 s\n… bash: rm -rf build · running for 0 s',
    buttons: ['stop'],
  })
  expect(waits).toEqual([
    ['7', true],
    ['7', false],
  ])
})

test('a turn whose first call waits has no message until it is answered, and the wait is no work', async () => {
  const answered = await asked('1', 'rm -rf build')
  advance(600_000)
  expect(sent).toEqual([])
  await answered()
  advance(2000)
  expect(sent).toEqual([])
  advance(1000)
  expect(sent.map(({ text }) => text)).toEqual([
    'main has been working for 3 s.\n… bash: rm -rf build · running for 3 s',
  ])
  await say('on_turn_end')
  expect(sent.at(-1)?.text).toMatch(/^main worked for 3 s and used 1 tool\./)
})

test('a turn that ends while a call waits counts no second of the wait', async () => {
  await say('pre_tool_call', call('1', 'ls'))
  advance(5000)
  const answered = await asked('2', 'rm -rf build')
  advance(60_000)
  await say('on_turn_end')
  expect(sent.at(-1)).toMatchObject({
    text: 'main worked for 5 s and called 2 tools; 1 of these calls was blocked.\n✗ bash: ls · failed after 65 s\n✗ bash: rm -rf build · blocked',
    buttons: [],
  })
  const count = sent.length
  verdict = 'block'
  await answered()
  advance(60_000)
  expect(sent).toHaveLength(count)
})

test('of two calls that wait at once, the chat waits until both are answered', async () => {
  const first = await asked('1', 'one')
  const one = answer
  const second = await asked('2', 'two')
  advance(10_000)
  const two = answer
  answer = one
  await first()
  expect(waits).toEqual([['7', true]])
  answer = two
  await second()
  expect(waits.at(-1)).toEqual(['7', false])
  advance(3000)
  expect(sent.map(({ text }) => text.split('\n')[0])).toEqual(['main has been working for 3 s.'])
})

test('a call that its own agent asks about is not blocked, and what comes of that is shown', async () => {
  verdict = 'ask'
  await say('pre_tool_call', call('1', 'make'))
  advance(3000)
  expect(sent.at(-1)?.text).toBe('main has been working for 3 s.\n… bash: make · being checked for 3 s')
  verdict = 'allow'
  asks = true
  const fired = say('on_permission_request', call('1', 'make'))
  expect(sent.at(-1)).toMatchObject({ text: expect.stringContaining('waits for you') as string, buttons: [] })
  advance(60_000)
  answer?.()
  await fired
  advance(3000)
  expect(sent.at(-1)?.text).toBe('main has been working for 3 s.\n… bash: make · running for 3 s')
})

test('the message of a turn whose agent is gone ends as interrupted, and is changed no more', async () => {
  await say('pre_tool_call', call('1', 'npm test'))
  advance(3000)
  left('helper')
  expect(sent).toHaveLength(1)
  advance(1000)
  left('main')
  expect(sent[1]).toMatchObject({
    text: 'main stopped after 4 s.\n✗ bash: npm test · interrupted after 4 s',
    replaces: 'm1',
    buttons: [],
  })
  advance(60_000)
  await say('post_tool_call', { ...call('1', 'npm test'), tool_error: false })
  expect(sent).toHaveLength(2)
})
