import { expect, test } from 'vitest'
import { createRecent } from '../../../../src/core/dispatcher/pushes/recent.ts'

const chat = 'memory main'

test('what was said of late is told by characters and time, however many messages it was', () => {
  let nowMs = 0
  const recent = createRecent(() => nowMs)
  const say = (id: string, text: string): void => {
    recent.settled(recent.waits(chat, id, text), text)
  }
  const told = (): readonly string[] => {
    const next = recent.waits(chat, 'next', '')
    const before = recent.before(next)
    recent.settled(next, undefined)
    return before
  }
  for (let at = 0; at < 40; at++) say(`short ${at}`, 'abcde')
  expect(told()).toHaveLength(40)
  for (let at = 0; at < 1000; at++) say(`more ${at}`, 'x')
  expect(told()).toHaveLength(160)
  say('long', 'y'.repeat(9000))
  expect(told().join('').length).toBeLessThanOrEqual(8000)
  expect(told().at(-1)).toBe('y'.repeat(4000))
  nowMs += 59 * 60_000
  expect(told().at(-1)).toBe('y'.repeat(4000))
  nowMs += 2 * 60_000
  expect(told()).toEqual([])
  recent.waits(chat, 'waiting', 'z')
  nowMs += 24 * 60 * 60_000
  expect(told()).toEqual(['z'])
})

test('many chats are remembered, and not without end', () => {
  const recent = createRecent()
  for (let at = 0; at < 3000; at++) {
    const said = recent.waits(`memory ${at}`, 'a', 'said')
    if (at > 10) recent.settled(said, 'said')
  }
  const known = Array.from({ length: 3000 }, (_, at) => recent.textOf(`memory ${at}`, 'a')).filter(
    (text) => text !== undefined,
  )
  expect(known.length).toBeLessThanOrEqual(1000)
  // What waits is not forgotten.
  expect(recent.textOf('memory 3', 'a')).toBe('said')
  const busy = createRecent()
  for (let at = 0; at <= 1000; at++) busy.waits(`memory ${at}`, 'a', 'said')
  expect(busy.textOf('memory 1000', 'a')).toBe('said')
})
