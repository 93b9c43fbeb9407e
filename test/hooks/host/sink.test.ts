import { expect, test } from 'vitest'
import { createSink } from '../../../src/hooks/host/sink.ts'

test('a sink gives back what it was given, in whatever pieces', () => {
  const bytes = Buffer.from('aé漢😀'.repeat(1000))
  for (const size of [1, 2, 3, 7, 4096, bytes.length]) {
    const sink = createSink(bytes.length)
    for (let start = 0; start < bytes.length; start += size) expect(sink.add(bytes.subarray(start, start + size))).toBe(true)
    expect(sink.text()).toBe(bytes.toString())
  }
})

test('a sink keeps what fits and says that it did not all fit', () => {
  const sink = createSink(5)
  expect(sink.add(Buffer.from('abc'))).toBe(true)
  expect(sink.add(Buffer.from('def'))).toBe(false)
  expect(sink.add(Buffer.from('g'))).toBe(false)
  expect(sink.text()).toBe('abcde')
})

test('a sink that got nothing is empty text', () => {
  expect(createSink(5).text()).toBe('')
})
