import { expect, test } from 'vitest'
import { createTyping } from '../../src/commands/typing.ts'

const never = new AbortController().signal

test('a number that is typed answers the question, and only that', async () => {
  const printed: string[] = []
  const typing = createTyping((line) => printed.push(line))
  expect(typing.take('1234\n')).toBe(false)
  const answer = typing.ask('Type it.', never)
  expect(printed).toEqual(['Type it.'])
  expect(['\n', 'x\n', '12 34\n', `${'1'.repeat(13)}\n`].map(typing.take)).toEqual([
    false,
    false,
    false,
    false,
  ])
  expect(typing.take(' 0123\r\n')).toBe(true)
  expect(await answer).toBe('0123')
  expect(typing.take('1234\n')).toBe(false)
})

test('a question ends with its time, and when another is asked', async () => {
  const typing = createTyping(() => undefined)
  const stopping = new AbortController()
  const late = typing.ask('One.', stopping.signal)
  stopping.abort()
  expect(await late).toBeUndefined()
  expect(typing.take('1')).toBe(false)
  const before = typing.ask('Two.', never)
  const after = typing.ask('Three.', never)
  expect(await before).toBeUndefined()
  expect(typing.take('3')).toBe(true)
  expect(await after).toBe('3')
  expect(await typing.ask('Four.', stopping.signal)).toBeUndefined()
})
