import { beforeEach, expect, test } from 'vitest'
import { createActivity } from '../../../src/commands/activity/activity.ts'
import type { Notice } from '../../../src/core/model/chat/notice.ts'
import { proseText } from '../../../src/core/model/chat/prose.ts'
import type { Address } from '../../../src/core/model/chat/push.ts'
import type { EventName } from '../../../src/core/model/events/event.ts'
import type { Fired } from '../../../src/core/model/events/step.ts'
import type { JsonObject } from '../../../src/core/model/base/json.ts'

const main: Address = { channel: 'telegram', chat_id: '7' }
const group: Address = { channel: 'telegram', chat_id: '-100' }

let now = 0
let timers: { atMs: number; run: () => void }[] = []
let sent: { text: string; replaces: string | undefined; buttons: readonly string[]; atMs: number }[] = []
let arrivals: (() => void)[] = []
let arrivesAtOnce = true
let canReplace = true
let verdict: 'allow' | 'block' = 'allow'

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
  return activity.following(
    async (): Promise<Fired> => ({ kind: 'verdict', verdict: { verdict } }) as unknown as Fired,
  )
}

let fire: ReturnType<typeof make>
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
