import { expect, test } from 'vitest'
import type { Fired } from '../scripted-gate.ts'
import { useOpenai } from './rig.ts'
import { untilFollowed } from '../scripted-gate.ts'

const rig = useOpenai()
const here = { channel: 'web', chat_id: 'main' }
const noGoal = 'I have no goal. /goal TEXT sets one.'
const ends = (fired: readonly Fired[]): readonly unknown[] =>
  fired.filter(({ event }) => event === 'on_turn_end').map(({ body }) => [body['prompt_id'], body['reason']])

/** Says `first`, and what is `second` while the gate is asked about this event; waits for the end of both. */
const meanwhile = async (second: () => string, at = 'post_tool_call') => {
  await untilFollowed(rig.gate)
  let isRunning = false
  const said = rig.gate.pushed.length
  const from = rig.gate.fired.length
  const { script } = rig.gate
  let release = (): void => undefined
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  rig.gate.script = async (event, body) => {
    if (event === at && !isRunning) {
      isRunning = true
      await released
    }
    return script(event, body)
  }
  const first = rig.gate.prompt('first')
  await expect.poll(() => isRunning).toBe(true)
  const later = second()
  // Lines come in their order: once this one is answered, the agent has the message.
  rig.gate.send({ type: 'goal', ...here })
  await expect.poll(() => rig.gate.pushed.slice(said)).toContainEqual(noGoal)
  release()
  await rig.gate.ended(first)
  await rig.gate.ended(later)
  return {
    first,
    later,
    fired: rig.gate.fired.slice(from),
    pushed: rig.gate.pushed.slice(said).filter((text) => text !== noGoal),
  }
}

/** One command, and then an answer. */
const follow = (): void => {
  let steps = 0
  rig.model.follow(() =>
    steps++ === 0 ? { toolCalls: [{ name: 'bash', input: { command: 'echo ran' } }] } : { text: 'Well.' },
  )
}
const steps = (fired: readonly Fired[]): readonly unknown[] =>
  fired.filter(({ event }) => event === 'on_step_end').map(({ body }) => body['reason'])
const kinds = (fired: readonly Fired[]): readonly unknown[] =>
  fired.filter(({ event }) => event === 'on_user_message').map(({ body }) => body['kind'])

test('What the person writes while the agent works reaches it at its next step, and both messages end with the turn', async () => {
  follow()
  const { first, later, fired, pushed } = await meanwhile(() => rig.gate.prompt('second'))
  expect(kinds(fired)).toEqual(['message', 'steer'])
  expect(steps(fired)).toEqual(['steered', 'normal'])
  expect(ends(fired)).toEqual([
    [later, 'steered'],
    [first, 'normal'],
  ])
  expect(pushed).toEqual(['Well.'])
  expect(rig.model.asked.at(-1)?.messages.at(-1)).toEqual({ role: 'user', text: 'second' })
  expect(fired.find(({ event }) => event === 'on_completion_claim')?.body['goal']).toBe('second')
})

test('A hook may rewrite such a message, or block it: then the person is told, and the agent goes on without it', async () => {
  follow()
  rig.gate.script = (event, body) =>
    event === 'on_user_message' && body['kind'] === 'steer'
      ? { payload: { message: 'tame' }, context: 'be kind' }
      : undefined
  await meanwhile(() => rig.gate.prompt('wild'))
  expect(rig.model.asked.at(-1)?.messages.at(-1)?.text).toMatch(/^tame\n\n[^]*be kind$/)
  follow()
  rig.gate.script = (event, body) =>
    event === 'on_user_message' && body['kind'] === 'steer'
      ? { verdict: 'block', reason: 'not now' }
      : undefined
  const { first, later, fired, pushed } = await meanwhile(() => rig.gate.prompt('wild'))
  expect(pushed).toEqual(['Your message was blocked and did not reach me: not now', 'Well.'])
  expect(steps(fired)).toEqual(['continue', 'normal'])
  expect(ends(fired)).toEqual([
    [later, 'hook_blocked'],
    [first, 'normal'],
  ])
  expect(JSON.stringify(rig.model.asked.at(-1)?.messages)).not.toContain('wild')
})

test('What comes with the answer, or behind /new or /compact, has a turn of its own', async () => {
  rig.model.follow(() => ({ text: 'Well.' }))
  const beside = await meanwhile(() => rig.gate.prompt('second'), 'post_llm_call')
  expect(kinds(beside.fired)).toEqual(['message', 'message'])
  expect(ends(beside.fired)).toEqual([
    [beside.first, 'normal'],
    [beside.later, 'normal'],
  ])
  follow()
  const behind = await meanwhile(() => {
    rig.gate.send({ type: 'new', ...here })
    return rig.gate.prompt('second')
  })
  expect(kinds(behind.fired)).toEqual(['message', 'message'])
  expect(ends(behind.fired)).toEqual([
    [behind.first, 'canceled'],
    [behind.later, 'normal'],
  ])
  follow()
  const compacted = await meanwhile(() => {
    rig.gate.send({ type: 'compact', ...here })
    return rig.gate.prompt('second')
  })
  expect(
    compacted.fired
      .map(({ event }) => event)
      .filter((event) => /^(?:on_user_message|post_compact)$/.test(event)),
  ).toEqual(['on_user_message', 'post_compact', 'on_user_message'])
  expect(kinds(compacted.fired)).toEqual(['message', 'message'])
})

test('A stop that comes while hooks judge such a message does not lose it: it has the next turn', async () => {
  follow()
  rig.gate.script = async (event, body) => {
    if (event !== 'on_user_message' || body['kind'] !== 'steer') return undefined
    rig.gate.send({ type: 'cancel', ...here })
    return new Promise((resolve) => setTimeout(resolve, 300, undefined))
  }
  const { first, later, fired, pushed } = await meanwhile(() => rig.gate.prompt('second'))
  expect(kinds(fired)).toEqual(['message', 'steer', 'message'])
  expect(ends(fired)).toEqual([
    [first, 'canceled'],
    [later, 'normal'],
  ])
  expect(pushed).toEqual(['Stopped.', 'Well.'])
})
