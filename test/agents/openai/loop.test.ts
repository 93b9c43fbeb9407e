import { expect, test } from 'vitest'
import { useOpenai } from './rig.ts'

const rig = useOpenai({ maxSteps: 30 })
const call = (command: string) => ({ toolCalls: [{ name: 'bash', input: { command } }] })
const told = 'You made the same call 5 times'
const reasons = (fired: readonly { readonly event: string; readonly body: object }[]): readonly unknown[] =>
  fired.filter(({ event }) => event === 'on_step_end').map(({ body }) => 'reason' in body && body.reason)

test('An agent that does the same thing five times is told so once; the second time the turn ends, and says so', async () => {
  rig.model.follow(() => call('echo same'))
  const { fired, events, pushed } = await rig.gate.turn('work')
  expect(reasons(fired)).toEqual([
    ...Array<string>(4).fill('continue'),
    'loop_detected',
    ...Array<string>(4).fill('continue'),
    'loop_detected',
  ])
  expect(events.filter((event) => event === 'on_notification')).toHaveLength(2)
  expect(pushed).toEqual([expect.stringMatching(/^I stopped because I repeated the same call/)])
  expect(fired.at(-1)).toMatchObject({
    event: 'on_turn_end',
    body: { reason: 'loop_detected', step_count: 10 },
  })
  expect(JSON.stringify(rig.model.asked.at(-1)?.messages).split(told)).toHaveLength(2)
  // The next message begins to count anew.
  let left = 4
  rig.model.follow(() => (left-- > 0 ? call('echo same') : { text: 'Well.' }))
  expect((await rig.gate.turn('once more')).pushed).toEqual(['Well.'])
})

test('An agent that does something else when it is told goes on; another result or another call is no loop', async () => {
  rig.model.follow((asked) =>
    JSON.stringify(asked.messages).includes(told) ? { text: 'I give up.' } : call('echo same'),
  )
  const { fired, pushed } = await rig.gate.turn('work')
  expect(pushed).toEqual(['I give up.'])
  expect(reasons(fired).at(-2)).toBe('loop_detected')

  let count = 0
  rig.gate.send({ type: 'new', channel: 'web', chat_id: 'main' })
  rig.model.follow(() =>
    count++ < 14 ? call(count % 2 === 0 ? 'date +%N' : 'echo same') : { text: 'Well.' },
  )
  expect(reasons((await rig.gate.turn('work')).fired)).not.toContain('loop_detected')
  count = 0
  rig.model.follow(() => (count++ < 14 ? call('date +%N') : { text: 'Well.' }))
  expect(reasons((await rig.gate.turn('work')).fired)).not.toContain('loop_detected')
})

test('Calls of one thought count as well, and those behind the fifth are not run', async () => {
  rig.model.follow((asked) =>
    asked.toolResults.length === 0
      ? { toolCalls: Array.from({ length: 7 }, () => ({ name: 'bash', input: { command: 'echo same' } })) }
      : { text: asked.toolResults.map(({ text }) => text.trim()).join() },
  )
  const { events, pushed } = await rig.gate.turn('work')
  expect(events.filter((event) => event === 'pre_tool_call')).toHaveLength(5)
  expect(pushed.join()).toMatch(
    /^same,same,same,same,same,Not run: the same call was repeated too often before it\.,Not run/,
  )
})
