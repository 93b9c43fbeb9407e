import { afterEach, beforeEach, expect, test } from 'vitest'
import { labels, sentMessages, tap } from '../../permissions/caller.ts'
import { until, type Plane } from '../../plane.ts'
import { startGuarded } from './blocked-plane.ts'

let plane: Plane
beforeEach(async () => {
  plane = await startGuarded()
})
afterEach(() => plane.stop())

const told = (from: number): readonly string[] =>
  plane
    .texts()
    .slice(from)
    .filter((text) => /^🛡 (?:Blocked|Refused|\d+ more)/u.test(text))

test('A blocked call is one notice with tool, arguments, hook, reason and a button that shows why', async () => {
  const from = plane.texts().length
  await plane.ask('!echo forbidden one', (answer) => answer === 'I did not run bash.')
  expect(told(from)).toEqual([
    '🛡 Blocked: main’s call of bash.\n│ echo forbidden one\nguard: the guard said no',
  ])
  expect(
    plane
      .texts()
      .slice(from)
      .join()
      .match(/the guard said no/g),
  ).toHaveLength(1)

  const card = sentMessages(plane).findLast(({ text }) => text.includes('Blocked: '))
  if (card === undefined) throw new Error('There is no notice.')
  expect(labels(card)).toEqual([['Why']])
  const before = plane.texts().length
  tap(plane, card, 'Why')
  const why = await until('the answer to the tap', () =>
    plane
      .texts()
      .slice(before)
      .find((text) => text.includes('· blocked')),
  )
  expect(why.replace(/(?:\d{4}-\d\d-\d\d )?\d\d:\d\d:\d\d/, '12:34:56')).toContain(
    'pre_tool_call · 12:34:56 · blocked\ntool bash\n│ echo forbidden one\nbecause guard:',
  )
  // A harmless event afterwards does not hide the block.
  await plane.ask('!echo fine', (answer) => answer.startsWith('fine'))
  expect(await plane.ask('/hooks why', (answer) => answer.includes('· blocked'))).toContain(
    '│ echo forbidden one',
  )
})

test('A message that a hook blocks is told once, and its text is not repeated', async () => {
  const from = plane.texts().length
  plane.say('a forbidden letter')
  await until('the notice', () => told(from).length === 1)
  await plane.ask('/whoami', (answer) => answer.includes('You are'))
  expect(told(from)).toEqual(['🛡 Blocked: a message did not reach main.\npost guard: the guard said no'])
  expect(plane.texts().slice(from)).toHaveLength(2)
})

test('A model call that a hook blocks is told once', async () => {
  const from = plane.texts().length
  plane.say('say forbidden while asleep')
  await until('the notice', () => told(from).length === 1)
  expect(told(from)).toEqual(['🛡 Blocked: main did not ask its model.\nmodel guard: the guard said no'])
  await plane.ask('say hello', (answer) => answer === 'hello')
  expect(plane.texts().slice(from)).toHaveLength(2)
})
