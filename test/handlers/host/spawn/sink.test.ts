import { expect, test } from 'vitest'
import { createHeadTailSink, createSink } from '../../../../src/handlers/host/spawn/sink.ts'

test('a sink gives back what it was given, in whatever pieces', () => {
  const bytes = Buffer.from('aé漢😀'.repeat(1000))
  for (const size of [1, 2, 3, 7, 4096, bytes.length]) {
    const sink = createSink(bytes.length)
    for (let start = 0; start < bytes.length; start += size)
      expect(sink.add(bytes.subarray(start, start + size))).toBe(true)
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

test('both ends of what is too long are kept, in whatever pieces it comes', () => {
  const bytes = Buffer.from(
    Array.from({ length: 1000 }, (_, at) => String.fromCharCode(97 + (at % 26))).join(''),
  )
  for (const length of [0, 9, 10, 11, 19, 20, 21, 1000]) {
    for (const size of [1, 3, 10, 11, 64, 1000]) {
      const ends = createHeadTailSink(20)
      const given = bytes.subarray(0, length)
      for (let start = 0; start < length; start += size) ends.add(given.subarray(start, start + size))
      const middle = `\n… (${length - 20} bytes) …\n`
      expect([length, size, ends.text()]).toEqual([
        length,
        size,
        length <= 20
          ? given.toString()
          : given.subarray(0, 10).toString() + middle + given.subarray(-10).toString(),
      ])
      expect(ends.isCut()).toBe(length > 20)
    }
  }
})
