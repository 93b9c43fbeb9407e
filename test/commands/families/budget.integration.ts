import { afterEach, expect, test } from 'vitest'
import { labels, sentMessages, send, tap } from '../../permissions/caller.ts'
import { startPlane, until, type Plane } from '../../plane.ts'

let plane: Plane
afterEach(() => plane.stop())

const begin = async (entry: string): Promise<void> => {
  plane = await startPlane(`hooks:\n  - {type: builtin, command: budget, on_error: block, ${entry}}\n`)
  await plane.ask(`/hooks approve ${/event: (\w+)/.exec(entry)?.[1]} budget`, (answer) =>
    answer.includes('Approved'),
  )
  await plane.ask('/hooks on', (answer) => answer.includes('Hooks are ON'))
}
const spentCards = () => sentMessages(plane).filter(({ text }) => text.includes('The budget is spent'))

test('A spent budget stops the agent and says so, /budget shows it, and a tap of the owner extends it', async () => {
  await begin('event: pre_llm_call, limits: {day: {steps: 2, dollars: 5}}')
  expect(await plane.ask('/budget', (answer) => answer.includes('budget'))).toContain('No budget has counted')
  await plane.ask('say one', (answer) => answer === 'one')
  await plane.ask('say two', (answer) => answer === 'two')
  const from = plane.texts().length
  plane.say('say three')
  const told = await until('the notice', () => spentCards()[0])
  expect(told.text).toBe(
    '🛡 Blocked: main did not ask its model.\nbuiltin: budget: The budget is spent: 2 of 2 steps today. The owner can add more with /budget extend.',
  )
  expect(labels(told)).toEqual([['Extend'], ['Why']])
  const budget = await plane.ask('/budget', (answer) => answer.includes('builtin: budget ·'))
  expect(budget).toContain('│ ✗ today: 2 of 2 steps, nothing left')
  expect(budget).toContain('│ today: 0 of 5 dollars, 5 left')
  expect(budget).toContain('main has reported no tokens so far. Only steps and minutes limit it.')
  expect(plane.texts().slice(from)).not.toContain('three')

  const before = plane.texts().length
  tap(plane, told, 'Extend')
  await until('the receipt', () =>
    plane
      .texts()
      .slice(before)
      .find((text) => text.includes('Extended: main gets the limits of today once more.')),
  )
  await plane.ask('say four', (answer) => answer === 'four')
  // A button counts once.
  tap(plane, told, 'Extend')
  await until('the second tap to be refused', () =>
    plane.texts().find((text) => text.includes('you answered this card already')),
  )
  expect(await plane.ask('/budget', (answer) => answer.includes('builtin: budget ·'))).toContain(
    '│ today: 3 of 4 steps, 1 left',
  )
  const records = await plane.gate.store.records({ limit: 5, kinds: ['gate'] })
  expect(records).toContainEqual(
    expect.objectContaining({
      subject: '/budget extend',
      outcome: 'done',
      reason: '1 times of main: day by memory:owner',
    }),
  )
}, 60_000)

test('The owner extends by words, and only what is spent', async () => {
  await begin('event: pre_llm_call, limits: {session: {steps: 1}}')
  await plane.ask('say one', (answer) => answer === 'one')
  const extend = (words: string): Promise<string> =>
    plane.ask(`/budget extend${words}`, (answer) => !answer.includes('Blocked'))
  plane.say('say two')
  await until('the notice', () => spentCards()[0])
  expect(await extend(' nobody')).toContain('No agent nobody has a budget.')
  expect(await extend(' main 500')).toContain('extended 1 to 100 times')
  expect(await extend(' main 3')).toContain('gets the limits of this session 3 more times')
  expect(await extend('')).toContain('Nothing was changed: no limit is spent')
  await plane.ask('say three', (answer) => answer === 'three')
}, 60_000)

test('A stranger and a group cannot extend it, and nothing that an agent does can', async () => {
  await begin('event: pre_tool_call, limits: {day: {steps: 1}}')
  const ask = () => send(plane, 'pre_tool_call', { tool_name: 'bash', tool_input: { command: 'ls' } })
  expect((await ask()).body.verdict).toBe('allow')
  expect((await ask()).body).toMatchObject({ verdict: 'block' })
  plane.say('/budget extend', { sender_id: 'stranger' })
  plane.say('/budget extend', { chat_id: 'group', isPrivate: false })
  plane.say('/budget extend', { origin: 'forwarded' })
  for (const usage of [{ input_tokens: -1e9, output_tokens: -1e9 }, { steps: -5 }])
    await send(plane, 'post_llm_call', { model: 'm', response: '', usage, cost: -100 })
  await send(plane, 'on_step_end', { reason: 'normal' })
  await plane.ask('/whoami', (answer) => answer.includes('You are'))
  expect((await ask()).body).toMatchObject({
    verdict: 'block',
    reason: expect.stringContaining('steps today') as string,
  })
}, 60_000)

test('A card of a budget shows its limits, and what they cannot count', async () => {
  plane = await startPlane(`hooks:
  - event: pre_llm_call
    type: builtin
    command: budget
    limits: {turn: {steps: 50}, day: {dollars: 5, tokens: 1000000}}
    price: {input: 3, output: 15}
  - {event: on_turn_end, type: builtin, command: tell_owner, quiet: 22:00-07:00}
`)
  const from = sentMessages(plane).length
  plane.say('/hooks show budget')
  const card = await until('the card', () =>
    sentMessages(plane)
      .slice(from)
      .find(({ text }) => text.includes('limit ')),
  )
  for (const line of [
    'limit turn steps: 50',
    'limit day tokens: 1000000',
    'limit day dollars: 5',
    'a million tokens: input 3, output 15 dollars',
    'is limited by steps and minutes alone',
    'For them it needs an entry at pre_tool_call.',
  ])
    expect(card.text).toContain(line)
  expect(await plane.ask('/hooks show tell_owner', (text) => text.includes('quiet'))).toContain(
    'quiet: 22:00-07:00',
  )
}, 60_000)
