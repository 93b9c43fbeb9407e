import { expect, test } from 'vitest'
import { inTurn } from '../../fixtures/model/model.ts'
import { useOpenai } from './rig.ts'
import { untilFollowed } from '../scripted-gate.ts'

const rig = useOpenai({ maxSteps: 20 })
const here = { channel: 'web', chat_id: 'main' }
let count = 0
const setGoal = async (text: string) => {
  await untilFollowed(rig.gate)
  const from = rig.gate.fired.length
  const prompt_id = `goal-${++count}`
  rig.gate.send({
    type: 'prompt',
    prompt_id,
    ...here,
    sender_id: 'owner',
    sender_name: 'Owner',
    text,
    isGoal: true,
  })
  await rig.gate.ended(prompt_id)
  return rig.gate.fired.slice(from)
}
/** What the agent says of its goal. */
const shown = async (): Promise<string | undefined> => {
  const from = rig.gate.pushed.length
  rig.gate.send({ type: 'goal', ...here })
  await expect.poll(() => rig.gate.pushed.length).toBe(from + 1)
  return rig.gate.pushed.at(-1)
}

test('A goal is worked on over words that claim nothing, until a claim passes; then it is over', async () => {
  rig.model.follow(
    inTurn(
      { text: 'I will look at it.' },
      { toolCalls: [{ name: 'bash', input: { command: 'true' } }] },
      { text: 'All tests pass.' },
    ),
  )
  const fired = await setGoal('make the tests pass')
  expect(rig.gate.pushed.at(-1)).toBe('All tests pass.')
  expect(
    fired.filter(({ event }) => event === 'on_completion_claim').map(({ body }) => body['goal']),
  ).toEqual(['make the tests pass'])
  expect(JSON.stringify(rig.model.asked.at(-1)?.messages)).toContain(
    'The person set this goal: make the tests pass',
  )
  expect(await shown()).toBe('I have no goal. /goal TEXT sets one.')
})

test('A claim that is refused leaves the goal; other messages do not take its place; off ends it', async () => {
  rig.onlyAt('on_completion_claim', { verdict: 'block', reason: 'they fail' })
  rig.model.follow(inTurn({ text: 'It is done.' }))
  await setGoal('make the tests pass')
  expect(rig.gate.pushed.at(-1)).toContain('I stop here, and the task is not done')
  expect(await shown()).toBe('My goal: make the tests pass')
  rig.gate.script = () => undefined
  const { fired } = await rig.gate.turn('how far are you?')
  expect(fired.find(({ event }) => event === 'on_completion_claim')?.body['goal']).toBe('make the tests pass')

  rig.model.follow(inTurn({ text: 'Hm.' }))
  await setGoal('another')
  expect(rig.gate.pushed.at(-1)).toBe('Hm.')
  const off = async (): Promise<unknown> => {
    const before = rig.gate.pushed.length
    rig.gate.send({ type: 'goal_off', ...here })
    await expect.poll(() => rig.gate.pushed.length).toBeGreaterThan(before)
    return rig.gate.pushed.at(-1)
  }
  expect(await off()).toBe('I no longer have this goal: another')
  expect(await shown()).toBe('I have no goal. /goal TEXT sets one.')
  expect(await off()).toBe('I have no goal. /goal TEXT sets one.')
})
